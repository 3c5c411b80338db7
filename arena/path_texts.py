"""Paths as text.

Python keeps the bytes of a name that is not UTF-8 as surrogates, which is right for every system call and wrong for a digest, a
document or a database. A path is carried as it is as long as it is a path. Where it becomes text that something depends on,
``is_utf8`` decides that it is refused; where people alone read it, ``path_text`` shows the bytes.
"""

from pathlib import Path


def is_utf8(path: Path | str) -> bool:
    """Tell whether a path can be text."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def path_text(path: Path | str) -> str:
    r"""Return a path for people: bytes that are not UTF-8 are escaped, as ``\xff``."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
