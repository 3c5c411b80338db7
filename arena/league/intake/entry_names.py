"""The names that entries of an archive may have: each file has a unique path inside the folder of the archive.

Names that differ only in case, or in how an accent is written, are refused: where a file system does not tell them apart, one
file would replace another.
"""

import unicodedata
from pathlib import PurePosixPath

from arena.errors import RosterError

DEEPEST = 20  # names in a path
LONGEST = 120  # bytes of a name
LONGEST_PATH = 400  # bytes


class EntryNames:
    """The entries of one archive so far; ``where`` names it in errors."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._files: set[str] = set()  # keys: differences of case, and of how an accent is written, are removed
        self._folders: dict[str, str] = {}  # by such a key: the spelling in the archive

    def add_file(self, name: str) -> PurePosixPath:
        """Add a file and return its path. Raises: RosterError, for a name that is unsafe or was used before."""
        path = self._check(name)
        for folder in path.parents[:-1]:
            self._add_folder(folder)
        if (key := _key(path)) in self._files or key in self._folders:
            raise RosterError(f"{self._where}: {name!a} is in it twice, or under names that differ only in case")
        self._files.add(key)
        return path

    def add_folder(self, name: str) -> None:
        """Add a folder. Raises: RosterError, as for a file."""
        path = PurePosixPath(name)
        if path.parts:
            for folder in (self._check(name), *path.parents[:-1]):
                self._add_folder(folder)

    def _add_folder(self, path: PurePosixPath) -> None:
        if (key := _key(path)) in self._files or self._folders.setdefault(key, str(path)) != str(path):
            raise RosterError(f"{self._where}: {str(path)!a} is in it twice, or under names that differ only in case")

    def _check(self, name: str) -> PurePosixPath:
        """Return a name as a path inside the archive. Raises: RosterError."""
        parts = name.removeprefix("./").split("/")
        if problem := _problem(name, parts):
            raise RosterError(f"{self._where}: the name {name[:100]!a} {problem}")
        return PurePosixPath(*parts)


def _problem(name: str, parts: list[str]) -> str:
    """Return the reason why a name is invalid; empty: it is valid."""
    if name.startswith("/"):
        return "is an absolute path; expected paths inside the archive"
    if not set(parts).isdisjoint({"", ".", ".."}):
        return "leads out of its folder, or has an empty part; expected plain paths inside the archive"
    if not name.isprintable() or "\\" in name:
        return "has a backslash, or characters that cannot be printed"
    if len(parts) > DEEPEST:
        return f"is a path of more than {DEEPEST} names"
    if len(name.encode()) > LONGEST_PATH or max(len(part.encode()) for part in parts) > LONGEST:
        return f"is longer than {LONGEST_PATH} bytes, or has a part that is longer than {LONGEST}"
    return ""


def _key(path: PurePosixPath) -> str:
    return unicodedata.normalize("NFKC", str(path)).casefold()
