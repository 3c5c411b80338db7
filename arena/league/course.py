"""A course: all bots of a class submitted to a league at once, and their grades."""

import csv
import re
import subprocess
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from fractions import Fraction
from hashlib import sha256
from io import StringIO
from itertools import chain, repeat
from math import ceil, hypot
from pathlib import Path
from statistics import NormalDist
from typing import Annotated, Literal

from msgspec import Meta, Struct, json
from msgspec.structs import replace

from arena import disk, interpreter
from arena.encoding import as_utf8
from arena.errors import InputError, naming_errors
from arena.league import folder as leagues
from arena.league.intake.archives import FILES, MEGABYTE, PACKED, UnpackLimits, packed_name, unpack_all
from arena.league.intake.scratch import scratch
from arena.league.rules.events import Reason, SeasonClosed
from arena.league.rules.field import ENTERED, LeagueField
from arena.league.rules.history import History
from arena.league.rules.table import LeagueTable, TableRow, table
from arena.league.submit import decode_line, find_version
from arena.moments import Moment
from arena.roster.entrant import NAME
from arena.roster.manifest import MANIFEST
from arena.runs.background import GRACE, terminate
from arena.tournament import spec as specs

# Submits all bots of a class to a league: each is a submission of its own, so that a broken one refuses only itself.
#
# Each is tested by the command ``arena league submit`` in a process of its own, several at a time. Its outcome is stored in
# ``submissions.json`` in the league's folder as soon as it is known, so the same command continues one that was stopped, and tests
# only what is new or changed. An outcome that follows from the field, as its limits, is not taken from there, because that changes.

STORED = "submissions.json"
LIMITS = UnpackLimits(entries=50_000, size=1000 * MEGABYTE)  # of the archive of a class
LARGEST_TABLE = 1 << 24  # bytes of a CSV file
SECONDS = 600.0  # that a submission may take
TOO_LONG = f"its audition took more than {SECONDS:.0f} seconds"
IGNORED = re.compile(r"\..*|__MACOSX|__pycache__|Thumbs\.db")  # what systems leave in folders
# names that Canvas and Moodle give to files and folders
COURSE_FILE = re.compile(r"(?P<author>.+?)(?:_LATE)?(?:_\d+)+_(?P<rest>.*)", re.DOTALL)
NAME_THEM = "name the authors in a CSV file, --author-from authors.csv"

BulkState = Literal["joined", "known", "refused", "untested"]


class BulkEntry(Struct, frozen=True, kw_only=True):
    """What one author has handed in."""

    name: str  # in the folder or archive of the class
    path: Path
    author: str = ""
    bot: str = ""  # what it is to be called
    problem: str = ""  # why it cannot be submitted


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
            found = _with_names(list(_entries(source, author_from, rows)), rows)
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
    names = {_composed_name(one.name) for one in found}
    return BulkSubmission(
        entries=tuple(outcomes[one.name] for one in found), missing=tuple(name for name in rows or () if name not in names)
    )


class AuthorRow(Struct, frozen=True):
    """A row of a table of authors."""

    author: str
    bot: str = ""  # the name of the bot; empty: the row has none


def read_authors(path: Path) -> dict[str, AuthorRow]:
    """Return the rows of a CSV file with the columns file and author, and perhaps name, by files in NFC. Raises: InputError."""
    found: dict[str, AuthorRow] = {}
    for number, row in read_table(path, ("file", "author")):
        file = _composed_name(row["file"])
        if file in found:
            raise InputError(f"{path}:{number}: {file!r} stands there twice; expected one row for each file")
        found[file] = AuthorRow(row["author"], row.get("name", ""))
    return found


def _row_of(name: str, rows: Mapping[str, AuthorRow] | None) -> AuthorRow | None:
    return (rows or {}).get(_composed_name(name))


def _composed_name(name: str) -> str:
    """Return the name of a file with its accents as they are typed; macOS writes them as characters of their own."""
    return unicodedata.normalize("NFC", name)


def course_authors(path: Path) -> list[str]:
    """Return the valid names of the authors in the column author of a CSV file, each once. Raises: InputError."""
    found: dict[str, str] = {}
    for number, row in read_table(path, ("author",)):
        name, called = name_of(row["author"]), row["author"]
        if not name:
            raise InputError(f"{path}:{number}: no name can be made of {called!r}; expected letters and digits")
        if found.setdefault(name, called) != called:
            raise InputError(
                f"{path}:{number}: {called!r} and {found[name]!r} would both be called {name}; expected names that differ"
            )
    return list(found)


def read_table(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line on which each row of a CSV file begins, and its cells by heading in lower case. Raises: InputError."""
    try:
        text = as_utf8(disk.read(path, LARGEST_TABLE)).decode()
    except (OSError, ValueError) as error:
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else getattr(error, "strerror", error)
        raise InputError(f"{path}: cannot be read: {why}; expected a CSV file in UTF-8 with {' and '.join(columns)}") from None
    reader, read = csv.reader(StringIO(text, newline="")), 0
    try:
        headings = [heading.strip().lower() for heading in next(reader, [])]
        read = reader.line_num  # lines, up to the end of a row
        if missing := [column for column in columns if column not in headings]:
            found = ", ".join(headings) or "none"
            raise InputError(f"{path}:1: no column {missing[0]!r}; found {found}, expected {' and '.join(columns)}")
        for row in reader:
            begins, read = read + 1, reader.line_num
            if row:  # the line is not blank
                cells = chain(map(str.strip, row), repeat(""))
                yield begins, dict(zip(headings, cells, strict=False))
    except csv.Error as error:  # as a quote that is never closed
        raise InputError(f"{path}:{read + 1}: cannot be read: {error}; expected a CSV file") from None


# --- who has handed in what


def _entries(root: Path, author_from: str, rows: Mapping[str, AuthorRow] | None) -> Iterator[BulkEntry]:
    """Yield the entries of a class, sorted by name. If two authors would get the same name, the second has a problem.

    ``rows`` are those of the CSV file ``author_from``; None: the authors are parts of the entries' names.
    """
    spellings: dict[str, str] = {}
    for path in _inside(_root(root, by_folder=author_from == "folder")):
        name = path.name.encode("utf-8", "backslashreplace").decode()  # a name that is not UTF-8 has surrogates
        bot, author, problem, row = None, "", "", _row_of(path.name, rows)
        try:
            bot = _bot_in(path)
        except OSError as error:
            problem = f"cannot be read: {error.strerror}"
        if bot is None:
            problem = problem or "neither a .py file, an archive, a wheel nor a folder with one of these"
        elif author_from == "folder" and not path.is_dir():
            problem = "it lies in no folder; expected one for each author"
        elif rows is not None and row is None:
            problem = f"{author_from} has no row for it"
        else:
            called = row.author if row else _author_in(path.name)
            author = name_of(called)
            if not author:
                problem = f"no name of an author can be made of {called!r}; {NAME_THEM}"
            elif (known := spellings.setdefault(author, called)) != called:
                problem = f"its author {called!r} and {known!r} would both be called {author}; {NAME_THEM}"
        yield BulkEntry(name=name, path=bot or path, author=author, problem=problem)


def _inside(folder: Path) -> list[Path]:
    """Return the sorted content of a folder, without the files of operating systems."""
    return sorted(path for path in folder.iterdir() if not IGNORED.fullmatch(path.name))


def _root(folder: Path, *, by_folder: bool) -> Path:
    """Return the folder of the entries: ``folder``, or the only folder in it, as in many archives, unless that is an entry."""
    inside = _inside(folder)
    if len(inside) != 1 or not inside[0].is_dir() or _is_bot_folder(inside[0]):
        return folder
    below = _inside(inside[0])
    return folder if len(below) < 2 or (by_folder and not all(path.is_dir() for path in below)) else inside[0]


def _author_in(name: str) -> str:
    """Return the author in the name of a file or folder: the part before the number of a course's system, else all of it."""
    if found := COURSE_FILE.fullmatch(name):
        return found["author"]
    if name.endswith(".whl"):
        return name.partition("-")[0]
    return _without_ending(name)


def _without_ending(name: str) -> str:
    return re.sub(r"(?<=.)(\.tar)?\.[A-Za-z]\w{0,4}$", "", name)


def name_of(text: str) -> str:
    """Return a valid name of an author or bot, made of a text's ASCII letters, digits and ``_.-``; empty: none is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    found = re.sub(r"[^A-Za-z0-9_.-]+", "-", plain).strip("-_.")[:50]
    return found if re.match(NAME, found) else ""


def _is_bot_folder(path: Path) -> bool:
    return (path / MANIFEST).is_file() or (path / "__init__.py").is_file()


def _bot_in(path: Path) -> Path | None:
    """Return the path to submit of an entry: a file, or a folder with Python files; None: it has neither."""
    while path.is_dir() and not path.is_symlink() and not _is_bot_folder(path):
        inside = _inside(path)
        if len(inside) != 1:
            return path if any(path.rglob("*.py")) else None
        path = inside[0]
    packed = path.suffix == ".py" or PACKED.fullmatch(path.name)
    return path if not path.is_symlink() and (path.is_dir() or (path.is_file() and packed)) else None


def _with_names(entries: Sequence[BulkEntry], rows: Mapping[str, AuthorRow] | None) -> list[BulkEntry]:
    """Return the entries with the names of their bots: from the table, else the author's, with the file if there are several.

    If two bots of an author would get the same name, the second has a problem: the one tested last would replace the other.
    """
    several = Counter(one.author for one in entries if not one.problem)
    named, taken = [], set[tuple[str, str]]()
    for one in entries:
        row = _row_of(one.name, rows)
        wanted = row.bot if row else ""
        course = COURSE_FILE.fullmatch(one.path.name)
        rest = _without_ending(course["rest"] if course else one.path.name)
        default = one.author if several[one.author] < 2 else name_of(f"{one.author}-{rest}")
        bot, problem = wanted or default, one.problem
        if wanted and not re.match(NAME, wanted):
            problem = problem or f"its name is {wanted!r}; expected at most 50 letters, digits and _.-"
        if not problem and (one.author, bot) in taken:
            problem = (
                f"another bot of {one.author} is called {bot} too; expected names that differ, as in the column name of a CSV file"
            )
        if not problem:
            taken.add((one.author, bot))
        named.append(replace(one, bot=bot, problem=problem))
    return named


# --- submitting


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
        try:
            output, errors = child.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            terminate(child, GRACE)
            return _result(one, "refused", TOO_LONG)
    lines = [line for text in output.splitlines() if (line := decode_line(text))]
    warnings = tuple(text for line in lines if line.finding for text in line.finding.warnings)
    for line in lines:
        if line.hindrance:
            return _result(one, "untested", line.hindrance)
        if line.outcome and line.outcome.version:
            late = f"it waits for the next season: submissions closed at {line.outcome.closed}" if line.outcome.closed else ""
            version = line.outcome.version
            idle = "" if version.state in ENTERED else f"it is {version.state} since {version.since}"
            done = _result(one, "joined" if line.outcome.joined else "known", late or idle)
            return replace(done, bot=version.id, warnings=warnings)
        if line.outcome:
            return replace(_result(one, "refused", _reason_text(line.outcome.reason)), warnings=warnings)
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


# Grades of a course: the points of each author by the table of a league, and by a scheme that the teacher writes.

Z = NormalDist().inv_cdf(0.975)  # half of a 95 % interval, in standard errors
Points = Annotated[float, Meta(ge=-1_000_000, le=1_000_000)]
NOTHING = "nothing was handed in"


class BaselineTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points for being better than a bot of the league."""

    bot: str  # its name or version
    points: Points
    confidence: Annotated[float, Meta(gt=0.5, lt=1)] = 0.95


class RankBand(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points for a place among the best."""

    best: Annotated[float, Meta(gt=0, le=1)]  # share of the authors
    points: Points


class FaultTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points that are lost by faults."""

    points: Annotated[float, Meta(ge=0, le=1_000_000)]  # for each match with a fault
    most: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None  # in all; None: there is no limit


class GradingScheme(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The points for each achievement."""

    joined: Points = 0.0  # for a bot that passed its audition
    baseline: BaselineTerms | None = None
    ranks: tuple[RankBand, ...] = ()  # an author has the points of the best band
    faults: FaultTerms | None = None


class Grade(Struct, frozen=True, kw_only=True):
    """The points of an author, and what they are for."""

    author: str
    bot: str = ""  # the version that is graded; empty: none has joined
    points: float = 0.0
    joined: float = 0.0  # points
    baseline: float = 0.0  # points
    confidence: float | None = None  # that it is better than the baseline; None: no baseline, or one has no rating
    ranked: float = 0.0  # points
    rank: int | None = None  # among the graded authors; None: the bot is not active, or has not played
    faults: int = 0  # matches
    lost: float = 0.0  # points
    note: str = ""  # why no bot has joined, or why it has no rank


class Grades(Struct, frozen=True, kw_only=True):
    """The grades of all authors, by their names."""

    grades: tuple[Grade, ...]


def grades(path: Path, scheme: Path, authors: Sequence[str] = (), at: Moment | None = None, season: int | None = None) -> Grades:
    """Return the grades of the ``authors`` by a scheme's file; none given: of all with a submission but the baseline's author.

    ``at``: by the table as it was then; ``season``: as it was when that season was closed; None: as it is now.

    Raises: InputError, for a baseline that is not in the league, and a season that is not over; StoreError, SpecError.
    """
    terms = specs.read_struct(scheme, GradingScheme)
    with leagues.open_league(path) as league:
        history = leagues.history(league.folder, league.store)
        if at is not None:
            history = history.until(at)
        if season is not None:
            history = _until_closed(history, season)
        refused = {one.author: one.reason for one in stored_outcomes(path).values() if one.state == "refused"}
        league_table, field = table(history, league.spec.rating_terms), history.field()
        try:
            return award(league_table, field, refused, terms, authors)
        except InputError as error:
            raise InputError(f"{scheme}: {error}") from None


def _until_closed(history: History, season: int) -> History:
    """Return the history up to the end of a season. Raises: InputError, if it is not over."""
    ends = {event.season: place for place, event in enumerate(history.events, 1) if isinstance(event, SeasonClosed)}
    if season not in ends:
        over = f"a season that is over, of which the last is {max(ends)}" if ends else "none, because no season is over yet"
        raise InputError(f"--season: found {season}; expected {over}")
    return replace(history, events=history.events[: ends[season]]).closed_rounds()


def award(
    league_table: LeagueTable, field: LeagueField, refused: Mapping[str, str], scheme: GradingScheme, authors: Sequence[str] = ()
) -> Grades:
    """Return the grades by a table, as :func:`grades`; ``refused``: the reasons of refusals, by author. Raises: InputError."""
    try:
        base = find_version(field, scheme.baseline.bot) if scheme.baseline else None
    except InputError as error:
        raise InputError(f"baseline.bot: {error}") from None
    submitters = {one.author for one in field.versions} | {refusal.version.author for refusal in field.refusals}
    named = authors or sorted((submitters | set(refused)) - ({base.author} if base else set()))
    # the first row of each author: active versions come first in the table
    of_authors = {row.author: row for row in reversed(league_table.rows)}
    best = {author: of_authors[author] for author in named if author in of_authors}
    counted = (row for row in league_table.rows if row.rank is not None and best.get(row.author) is row)
    ranks = {row.author: rank for rank, row in enumerate(counted, 1)}
    known = league_table.row(base.id) if base else None
    why = {**refused, **{refusal.version.author: str(refusal.reason) for refusal in field.refusals}}
    return Grades(
        grades=tuple(
            _grade(best[author], scheme, ranks, known, _why_unranked(best[author], field))
            if author in best
            else Grade(author=author, note=why.get(author, NOTHING))
            for author in named
        )
    )


def _why_unranked(row: TableRow, field: LeagueField) -> str:
    """Return why the best bot of an author has no rank; empty: it has one."""
    if row.rank is not None:
        return ""
    if row.state == "active":
        return f"{row.id} has not played yet"
    if row.state == "waiting":
        return f"{row.id} waits for the next season"
    version = field.version(row.id)
    return f"{row.id} is {row.state} since {version.since}" + (f": {version.reason}" if str(version.reason) else "")


def _grade(row: TableRow, scheme: GradingScheme, ranks: Mapping[str, int], base: TableRow | None, note: str = "") -> Grade:
    confidence = _confidence(row, base)
    terms, rank = scheme.baseline, ranks.get(row.author)
    beaten = terms.points if terms and confidence is not None and confidence >= terms.confidence else 0.0
    bands = sorted(scheme.ranks, key=lambda band: band.best)
    ranked = next((band.points for band in bands if rank and rank <= _places(band, len(ranks))), 0.0)
    lost = row.faults * scheme.faults.points if scheme.faults else 0.0
    if scheme.faults and scheme.faults.most is not None:
        lost = min(lost, scheme.faults.most)
    return Grade(
        author=row.author,
        bot=row.id,
        points=scheme.joined + beaten + ranked - lost,
        joined=scheme.joined,
        baseline=beaten,
        confidence=confidence,
        ranked=ranked,
        rank=rank,
        faults=row.faults,
        lost=lost,
        note=note,
    )


def _places(band: RankBand, authors: int) -> int:
    """Return the number of places in a band, rounded up. As a float, 0.28 * 25 is above 7; the share as it is written is meant."""
    return ceil(Fraction(str(band.best)) * authors)


def _confidence(row: TableRow, base: TableRow | None) -> float | None:
    """Return the chance that a version is better than another, by ratings whose errors are taken as independent."""
    one, other = row.strip, base.strip if base else None
    if one is None or other is None:
        return None
    error = hypot(one.high - one.low, other.high - other.low) / (2 * Z)
    return NormalDist().cdf((one.value - other.value) / error) if error else None
