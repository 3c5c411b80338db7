"""Who has handed in what: the bots and authors of a folder of submissions, and tables of authors."""

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from itertools import chain, repeat
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena import disk
from arena.encoding import as_utf8
from arena.errors import InputError
from arena.league.intake.packed_bots import PACKED
from arena.roster.entrant import NAME_PATTERN
from arena.roster.manifest_folder import MANIFEST

LARGEST_TABLE = 1 << 24  # bytes of a CSV file
IGNORED = re.compile(r"\..*|__MACOSX|__pycache__|Thumbs\.db")  # what systems leave in folders
# names that Canvas and Moodle give to files and folders
COURSE_FILE = re.compile(r"(?P<author>.+?)(?:_LATE)?(?:_\d+)+_(?P<rest>.*)", re.DOTALL)
NAME_THEM = "name the authors in a CSV file, --author-from authors.csv"


class BulkEntry(Struct, frozen=True, kw_only=True):
    """What one author has handed in."""

    name: str  # in the folder or archive of the class
    path: Path
    author: str = ""
    bot: str = ""  # what it is to be called
    problem: str = ""  # why it cannot be submitted


class AuthorRow(Struct, frozen=True):
    """A row of a table of authors."""

    author: str
    bot: str = ""  # the name of the bot; empty: the row has none


def read_authors(path: Path) -> dict[str, AuthorRow]:
    """Return the rows of a CSV file with the columns file and author, and perhaps name, by files in NFC. Raises: InputError."""
    found: dict[str, AuthorRow] = {}
    for number, row in read_table(path, ("file", "author")):
        file = composed_name(row["file"])
        if file in found:
            raise InputError(f"{path}:{number}: {file!r} stands there twice; expected one row for each file")
        found[file] = AuthorRow(row["author"], row.get("name", ""))
    return found


def _row_of(name: str, rows: Mapping[str, AuthorRow] | None) -> AuthorRow | None:
    return (rows or {}).get(composed_name(name))


def composed_name(name: str) -> str:
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


def entries(root: Path, author_from: str, rows: Mapping[str, AuthorRow] | None) -> Iterator[BulkEntry]:
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
    return found if re.match(NAME_PATTERN, found) else ""


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


def with_names(entries: Sequence[BulkEntry], rows: Mapping[str, AuthorRow] | None) -> list[BulkEntry]:
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
        if wanted and not re.match(NAME_PATTERN, wanted):
            problem = problem or f"its name is {wanted!r}; expected at most 50 letters, digits and _.-"
        if not problem and (one.author, bot) in taken:
            problem = (
                f"another bot of {one.author} is called {bot} too; expected names that differ, as in the column name of a CSV file"
            )
        if not problem:
            taken.add((one.author, bot))
        named.append(replace(one, bot=bot, problem=problem))
    return named
