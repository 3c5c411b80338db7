"""Reading a citation, finding its run, and comparing the two."""

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
from arena.league.leagues import holds_league
from arena.path_texts import is_utf8, path_text
from arena.results.cited import Citation, cite, commands
from arena.results.publish import report_of
from arena.runs.starts import RESULTS
from arena.runs.stored_kinds import open_stored
from arena.store.folder import Folder, existing
from arena.store.store import Store
from arena.text import document_text
from arena.type_errors import explain

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
