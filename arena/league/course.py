"""Submits all bots of a class to a league: each is a submission of its own, so that a broken one refuses only itself.

Each is tested by the command ``arena league submit`` in a process of its own, several at a time. Its outcome is stored in
``submissions.json`` in the league's folder as soon as it is known, so the same command continues one that was stopped, and tests
only what is new or changed. An outcome that follows from the field, as its limits, is not taken from there, because that changes.
"""

import subprocess
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from hashlib import sha256
from pathlib import Path
from typing import Literal

from msgspec import Struct, json
from msgspec.structs import replace

from arena import interpreter
from arena.errors import InputError, naming_errors
from arena.league import leagues
from arena.league.entries import BulkEntry, composed_name, entries, read_authors, with_names
from arena.league.intake.archives import MEGABYTE, UnpackLimits
from arena.league.intake.packed_bots import FILES, packed_name, unpack_all
from arena.league.intake.scratch import scratch
from arena.league.rules.events import Reason
from arena.league.rules.field import ENTERED, LeagueField
from arena.league.submission_lines import decode_line
from arena.roster.manifest_folder import MANIFEST
from arena.runs.background import GRACE, terminate

STORED = "submissions.json"
LIMITS = UnpackLimits(entries=50_000, size=1000 * MEGABYTE)  # of the archive of a class
SECONDS = 600.0  # that a submission may take
TOO_LONG = f"its audition took more than {SECONDS:.0f} seconds"

BulkState = Literal["joined", "known", "refused", "untested"]


class BulkOutcome(Struct, frozen=True, kw_only=True):
    """The outcome of one submission."""

    entry: str
    author: str
    state: BulkState
    bot: str = ""  # its version; empty: it has none
    reason: str = ""  # why it was refused or not tested, with the line of its author
    warnings: tuple[str, ...] = ()  # of mistakes with which it plays, as a misspelt method


class BulkSubmission(Struct, frozen=True, kw_only=True):
    """The outcomes of all submissions of a class."""

    entries: tuple[BulkOutcome, ...]
    missing: tuple[str, ...] = ()  # entries that the table of authors names and the class lacks

    @property
    def counts(self) -> Mapping[BulkState, int]:
        """Return the number of entries in each state."""
        return Counter(one.state for one in self.entries)


def submit_all(
    league: Path, source: Path, author_from: str, workers: int, show: Callable[[int, int, BulkOutcome], None]
) -> BulkSubmission:
    """Submit all entries of a folder or archive; ``author_from`` is "filename", "folder" or a CSV file with file and author.

    ``show`` receives the number of each outcome, the number of all entries, and the outcome.

    Raises: InputError, StoreError, SpecError, RosterError, SandboxError.
    """
    with leagues.open_league(league) as opened:
        sandbox, field = opened.spec.sandbox, leagues.field(opened.store)
    rows = None if author_from in ("filename", "folder") else read_authors(Path(author_from))
    stored, outcomes = stored_outcomes(league), dict[str, BulkOutcome]()
    lasting = _lasting(stored, field)
    with scratch(league / "bots") as stage:
        if packed := packed_name(str(source)):
            source = unpack_all(packed, stage, LIMITS, sandbox)
        elif not source.is_dir():
            raise InputError(f"--all {source}: expected a folder or an archive with what was handed in")
        with naming_errors(f"--all {source}", "cannot be read", InputError):
            found = with_names(list(entries(source, author_from, rows)), rows)
        if not found:
            raise InputError(f"--all {source}: found no entries; expected a bot, an archive or a folder of each author")
        with ThreadPoolExecutor(workers) as pool:
            try:
                futures = [pool.submit(_outcome, league, one, lasting, stage) for one in found]
                for number, future in enumerate(as_completed(futures), 1):
                    key, outcome = future.result()
                    outcomes[outcome.entry] = outcome
                    if key and outcome.state != "untested":
                        stored = {**stored, key: outcome}
                        leagues.write_private(league / STORED, json.encode(stored).decode())
                    show(number, len(found), outcome)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    names = {composed_name(one.name) for one in found}
    return BulkSubmission(
        entries=tuple(outcomes[one.name] for one in found), missing=tuple(name for name in rows or () if name not in names)
    )


def _outcome(league: Path, one: BulkEntry, stored: Mapping[str, BulkOutcome], stage: Path) -> tuple[str, BulkOutcome]:
    """Return the key by which the outcome of an entry is stored, and the outcome; an empty key: it is not stored."""
    if one.problem:
        return "", _result(one, "refused", one.problem)
    try:
        key = sha256(f"{one.author}\n{one.bot}\n{_digest(one.path)}".encode()).hexdigest()
        if key in stored:
            return key, replace(stored[key], entry=one.name)
        path = one.path if one.path.is_file() or (one.path / MANIFEST).is_file() else _zip(one.path, stage / f"{key}.zip")
    except OSError as error:
        return "", _result(one, "untested", f"cannot be read: {error.strerror}")
    except UnicodeEncodeError:  # raised by the archive
        return "", _result(one, "refused", "a file in it has a name that is not UTF-8")
    return key, _submit(league, one, path)


def _submit(league: Path, one: BulkEntry, path: Path) -> BulkOutcome:
    """Submit a bot in a process of its own, and return the outcome."""
    words = ("league", "submit", str(league), str(path.absolute()), "--author", one.author, "--name", one.bot, "--json")
    with subprocess.Popen(  # noqa: S603 - our own command; every word is a name or begins with a slash
        interpreter.arena(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        late = False
        try:
            output, errors = child.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired as error:
            terminate(child, GRACE)
            late, output, errors = True, error.output or b"", b""
    lines = [line for text in output.splitlines() if (line := decode_line(text))]
    warnings = tuple(text for line in lines if line.finding for text in line.finding.warnings)
    for line in lines:
        if line.why_untested:
            return _result(one, "untested", line.why_untested)
        if line.outcome and line.outcome.version:
            closed = f"it waits for the next season: submissions closed at {line.outcome.closed}" if line.outcome.closed else ""
            version = line.outcome.version
            idle = "" if version.state in ENTERED else f"it is {version.state} since {version.since}"
            done = _result(one, "joined" if line.outcome.joined else "known", closed or idle)
            return replace(done, bot=version.id, warnings=warnings)
        if line.outcome:
            return replace(_result(one, "refused", _reason_text(line.outcome.reason)), warnings=warnings)
    if late and not any(line.finding and line.finding.ends_audition for line in lines):
        return _result(one, "refused", TOO_LONG)
    if late:  # it may have joined
        return _result(one, "untested", f"{TOO_LONG}, and what became of it is not known; the same command asks again")
    last = errors.decode("utf-8", "replace").strip().splitlines()[-1:] or [f"it ended with code {child.returncode}"]
    return _result(one, "untested", last[0].removeprefix("arena: "))


def _reason_text(reason: Reason) -> str:
    return str(reason).removeprefix(f"{FILES}/")


def _result(one: BulkEntry, state: BulkState, reason: str) -> BulkOutcome:
    return BulkOutcome(entry=one.name, author=one.author, state=state, reason=reason)


def _files(path: Path) -> list[Path]:
    """Return the files of an entry, without links."""
    several = [path] if path.is_file() else sorted(path.rglob("*"))
    return [one for one in several if one.is_file() and not one.is_symlink()]


def _digest(path: Path) -> str:
    found = sha256()
    for one in _files(path):
        content = one.read_bytes()
        found.update(f"{one.relative_to(path)}\n{len(content)}\n".encode("utf-8", "surrogateescape") + content)
    return found.hexdigest()


def _zip(folder: Path, target: Path) -> Path:
    """Write the files of a folder to an archive in the form in which the intake finds a bot of several files."""
    top = folder.name if (folder / "__init__.py").is_file() else "bot"
    with zipfile.ZipFile(target, "w", strict_timestamps=False) as archive:
        for path in _files(folder):
            archive.write(path, f"{top}/{path.relative_to(folder)}")
    return target


def _lasting(stored: Mapping[str, BulkOutcome], field: LeagueField) -> dict[str, BulkOutcome]:
    """Return the stored outcomes that hold whatever the league has become: of bots that play, and of those that failed a test."""
    playing = {one.id for one in field.entered}
    failed = {(one.version.author, _reason_text(one.reason)) for one in field.refusals}

    def lasts(one: BulkOutcome) -> bool:
        return one.bot in playing if one.bot else one.reason == TOO_LONG or (one.author, one.reason) in failed

    return {key: one for key, one in stored.items() if lasts(one)}


def stored_outcomes(league: Path) -> dict[str, BulkOutcome]:
    """Return the outcomes of earlier calls, by their keys. Raises: StoreError."""
    advice = "; it may be removed: then all are tested again"
    return leagues.read_json(league / STORED, dict[str, BulkOutcome], {}, advice)
