"""Citations of runs: one small document with the result of a run and the digests that it can be checked by."""

import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from json import loads
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, ValidationError, convert, json
from msgspec.structs import replace

from arena import disk
from arena.encoding import as_utf8
from arena.errors import MALFORMED, InputError, StoreError
from arena.league.folder import holds_league
from arena.reports.report import Report
from arena.results.publish import report_of
from arena.results.stored import open_stored
from arena.roster.entrant import Entered
from arena.runs.session import RESULTS
from arena.stats.duels import ComparisonOutcome
from arena.stats.estimate import Estimate
from arena.store.folder import Folder, existing
from arena.store.store import Store
from arena.text import document_text, explain, is_utf8, path_text


class CitedBot(Struct, frozen=True, kw_only=True):
    """An entrant with its result."""

    name: str
    version: str
    digest: str  # SHA-256 of its files
    rank: int | None  # None: without a sandbox nobody is ranked
    points: int  # net, of all its hands
    hands: int
    rating: Estimate | None  # with its 95 % interval; None: it has none


class Citation(Struct, frozen=True, kw_only=True):
    """The result of a run. ``arena verify FILE`` compares it with the run."""

    title: str
    summary: str  # what the report says was found, without its advice
    outcome: ComparisonOutcome | None  # verdict, bounds and interval of a duel or gauntlet; None: another format
    finished: bool
    matches: int
    hands: int
    rated_by: str
    bots: tuple[CitedBot, ...]  # by rank
    rules: dict[str, Any]  # every option of the ruleset, with its name
    isolated: bool  # whether the bots were confined and sealed
    arena: str  # its version
    started: str
    commitment: str  # the SHA-256 of the seed
    seed: str
    link: str  # the last of the chain of records, which covers all of them
    verify: str  # the command that judges every hand again
    replay: str  # the command that has the bots play every match again


def cite(report: Report, field: tuple[Entered, ...], run: str) -> Citation:
    """Return the citation of a report; ``run`` is the run's folder, as its commands name it."""
    entrants, known = {entrant.name: entrant for entrant in field}, report.provenance
    bots = tuple(
        CitedBot(
            name=row.entrant,
            version=entrants[row.entrant].version,
            digest=entrants[row.entrant].digest,
            rank=row.rank if report.isolation.profile != "none" else None,
            points=row.counts.net_points,
            hands=row.counts.hands,
            rating=row.rating,
        )
        for row in report.standings
        if row.entrant in entrants
    )
    link = known.get("link", "")
    verify, replay = commands(run, link)
    return Citation(
        title=report.title,
        summary=report.summary.removesuffix(report.answer.advice).rstrip(),
        outcome=report.comparison.outcome if report.comparison else None,
        finished=report.finished,
        matches=report.matches,
        hands=report.hands,
        rated_by=report.rated_by,
        bots=bots,
        rules=report.rules,
        isolated=report.isolation.isolated and report.isolation.sealed,
        arena=known.get("arena", ""),
        started=known.get("started", ""),
        commitment=known.get("commitment", ""),
        seed=known.get("seed", ""),
        link=link,
        verify=verify,
        replay=replay,
    )


def commands(run: str, link: str) -> tuple[str, str]:
    """Return the commands that check a citation of the run in a folder: judge its hands again, and have them played again."""
    verify = f"arena verify {shlex.quote(run)} --expect {link[:16]}"
    return verify, f"{verify} --replay"


BIBTEX = str.maketrans({character: f"\\{character}" for character in "&%$#_{}"} | {"\\": "/", "~": "-", "^": "-"})


def bibtex_entry(cited: Citation) -> Iterator[str]:
    """Yield the lines of an entry for BibTeX; its key is the beginning of the link."""
    title, summary, version = (text.translate(BIBTEX) for text in (cited.title, cited.summary, cited.arena))
    yield f"@misc{{arena-{cited.link[:12]},"
    yield f"  title = {{{{{title}}}}},"
    yield f"  year = {{{cited.started[:4]}}},"
    yield f"  howpublished = {{Gin rummy run by ginrummy-arena {version}}},"
    yield f"  note = {{{summary} {cited.matches:,} matches, {cited.hands:,} hands. Link of the run: {cited.link}}},"
    yield "}"


# Reading a citation, finding its run, and comparing the two.

SCHEMA = "arena/citation/1"
LARGEST = 1 << 24  # bytes of a citation; with a thousand bots it has less than one megabyte
LINK = re.compile("[0-9a-f]{64}")
NOTHING = UNSET  # in place of a value whose key is missing


class NamedCitation(Struct, frozen=True):
    """A citation and its file."""

    path: Path
    citation: Citation
    document: dict[str, Any]  # as it is in the file, with all its keys


def citation_of(path: Path) -> Citation:
    """Return the citation of the run in a folder. Raises: InputError, StoreError, also for a league."""
    folder = existing(path)
    if not is_utf8(folder.path):
        raise InputError(
            f"{path_text(path)}: a citation names the folder, which is not UTF-8; rename it, or cite `.` from inside it"
        )
    if holds_league(folder.path):
        raise StoreError(f"{folder.path}: holds a league; expected a run; `arena league export` publishes a league")
    with open_stored(folder) as (_, run):
        field = run.field
    return cite(report_of(folder), field, str(folder.path))


def is_citation(path: Path) -> bool:
    """Tell whether a file says that it is a citation."""
    try:
        document = json.decode(as_utf8(disk.read(path, LARGEST)))
    except (OSError, disk.TooLargeError, *MALFORMED):
        return False
    return isinstance(document, dict) and document.get("schema") == SCHEMA


def read_citation(path: Path) -> NamedCitation:
    """Return the citation in a file. Raises: InputError, if it has another content; OSError, if it cannot be read."""
    try:
        content = as_utf8(disk.read(path, LARGEST))
        document, repeated = json.decode(content, type=dict[str, Any]), _repeated_key(content)
    except (disk.TooLargeError, *MALFORMED) as error:
        raise InputError(
            f"{path}: found no citation: {error}; expected what `arena cite RUN` prints, or the folder of a run"
        ) from None
    if document.get("schema") != SCHEMA:
        raise InputError(f"{path}: found the schema {document.get('schema')!r:.80}; expected {SCHEMA!r}, or the folder of a run")
    if repeated:
        raise InputError(f"{path}: found {repeated!r} twice; expected each key once, because readers differ in the value they take")
    try:
        citation = convert(document, Citation)
    except ValidationError as error:
        raise InputError(f"{path}: {explain(error)}") from None
    if not LINK.fullmatch(citation.link):
        raise InputError(f"{path}: link: found {citation.link!r:.80}; expected 64 hexadecimal digits")
    return NamedCitation(path, citation, document)


def _repeated_key(content: bytes) -> str:
    """Return a key that an object of a JSON document has twice; empty: there is none."""
    found: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        found.extend(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)

    loads(content, object_pairs_hook=look)
    return next(iter(found), "")


def find_run(cited: NamedCitation) -> Folder:
    """Return the folder of the run that is cited: the one with its link, or else one with the commitment to its seed.

    Searched: the folder of the citation, the folders in it, and those in ``results/``. Raises: InputError, if it is in none.
    """
    runs = list(_runs(cited.path.parent))
    for number, expected in enumerate((cited.citation.link, cited.citation.commitment)):
        # an imported run cites no commitment, and a league has none
        if expected and (found := next((folder for folder, *known in runs if known[number] == expected), None)):
            return found
    raise InputError(
        f"{cited.path}: the run with the link {cited.citation.link[:16]} is neither beside it nor in {RESULTS};"
        f" expected its folder: arena verify RUN --expect {cited.path}"
    )


def _runs(beside: Path) -> Iterator[tuple[Folder, str, str]]:
    """Yield the runs that can be read, each with its last link and its commitment."""
    for place in (beside, *sorted(beside.glob("*/")), *sorted(RESULTS.glob("*/"))):
        folder = Folder(place)
        if os.path.isfile(folder.database):  # Path.is_file() raises for a folder that may not be searched
            try:
                with Store(folder.database) as store:
                    yield folder, store.last_link(), store.facts().get("commitment", "")
            except StoreError:
                continue


def difference(cited: NamedCitation, folder: Folder) -> str:
    """Return the first difference between a citation and its run; empty: there is none.

    Another last link is a difference: the run was played on, so its result has changed. Raises: StoreError.
    """
    now = citation_of(folder.path)
    if cited.citation.link != now.link:
        return f"{cited.path}: cites the run before it was played on; `arena cite {folder.path}` cites the result that it has now"
    verify, replay = commands(_named_folder(cited.citation) or str(folder.path), now.link)  # the run may have moved
    document = json.decode(document_text("citation", replace(now, verify=verify, replay=replay)))
    found = _first_difference("", cited.document, document)
    return f"{cited.path}: {found}" if found else ""


def agreement(cited: NamedCitation, folder: Folder) -> str:
    """Return in one line that a citation has no difference from its run."""
    named = _named_folder(cited.citation)
    moved = "" if disk.real(Path(named)) == disk.real(folder.path) else f"; its commands name another folder, {named}"
    return f"{cited.path}: all that it says is what {folder.path} has{moved}"


def _named_folder(citation: Citation) -> str:
    """Return the folder that the commands of a citation name; empty: they are not those of a citation."""
    try:
        _, _, folder, *_ = shlex.split(citation.verify)
    except ValueError:
        return ""
    return folder if (citation.verify, citation.replay) == commands(folder, citation.link) else ""


def _first_difference(path: str, then: Any, now: Any) -> str:  # noqa: ANN401 - values of a document
    """Return the first path at which two values of a document differ, with both; empty: they are equal."""
    if isinstance(then, dict) and isinstance(now, dict):
        keys = {**then, **now}
        parts = [(f"{path}.{key}" if path else key, then.get(key, NOTHING), now.get(key, NOTHING)) for key in keys]
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        parts = [(f"{path}[{number}]", *pair) for number, pair in enumerate(zip(then, now, strict=True))]
    else:
        return "" if then == now else f"{path}: found {_shown(then)}; the run has {_shown(now)}"
    return next(filter(None, (_first_difference(*part) for part in parts)), "")


def _shown(value: Any) -> str:  # noqa: ANN401 - a value of a document
    return "nothing" if value is NOTHING else f"{value!r:.80}"
