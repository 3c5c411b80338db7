"""Archives that lead out of their folder, hold links or devices, or are not what they say; each with a part of the refusal."""

import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from support.hostile.submissions import entry, tar_of, zip_of, zip_of_entries


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def with_flag(path: Path) -> Path:
    """Return a zip whose entry says that it is encrypted."""
    content = bytearray(zip_of(path, {"a": b"x"}).read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        struct.pack_into("<H", content, content.index(signature) + offset, 1)
    path.write_bytes(content)
    return path


def zip_with(*names: str) -> Callable[[Path], Path]:
    return lambda path: zip_of_entries(path.with_suffix(".zip"), [(name, b"x") for name in names])


def tar_with(*entries: tarfile.TarInfo) -> Callable[[Path], Path]:
    return lambda path: tar_of(path.with_suffix(".tar"), [(info, b"") for info in entries])


ATTACKS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "parent": (zip_with("../out"), "leads out of its folder"),
    "parent in the middle": (zip_with("a/../../out"), "leads out of its folder"),
    "absolute": (zip_with("/etc/out"), "absolute path"),
    "backslashes": (zip_with("a\\..\\out"), "backslash"),
    "control character": (zip_with("a\x1b[31m"), "cannot be printed"),
    "empty part": (zip_with("a//b"), "empty part"),
    "twice": (zip_with("a/b", "a/b"), "in it twice"),
    "case": (zip_with("a/b", "A/b"), "differ only in case"),
    "accent": (zip_with("\u00e9", "e\u0301"), "in it twice"),
    "file in a file": (zip_with("a", "a/b"), "in it twice"),
    "file over a folder": (zip_with("a/b", "a"), "in it twice"),
    "deep": (zip_with("a/" * 30 + "b"), "more than 20 names"),
    "long": (zip_with("a" * 200), "longer than"),
    "long path": (zip_with("/".join(["a" * 100] * 6)), "longer than"),
    "many": (zip_with(*(f"a{number}" for number in range(60))), "more than 50 entries"),
    "link in a zip": (lambda path: zip_of_entries(path.with_suffix(".zip"), [(link("a"), b"/etc/passwd")]), "link, pipe or device"),
    "encrypted": (lambda path: with_flag(path.with_suffix(".zip")), "encrypted"),
    "symbolic link": (tar_with(entry("a", tarfile.SYMTYPE, "/etc/passwd")), "link, pipe or device"),
    "hard link": (tar_with(entry("a", tarfile.LNKTYPE, "/etc/passwd")), "link, pipe or device"),
    "device": (tar_with(entry("a", tarfile.CHRTYPE)), "link, pipe or device"),
    "pipe": (tar_with(entry("a", tarfile.FIFOTYPE)), "link, pipe or device"),
    "sparse": (tar_with(entry("a", tarfile.GNUTYPE_SPARSE)), "cannot be unpacked|sparse"),
    "absolute in a tar": (tar_with(entry("/etc/out")), "absolute path"),
    "parent in a tar": (tar_with(entry("../out")), "leads out of its folder"),
    "link, then through it": (tar_with(entry("a", tarfile.SYMTYPE, ".."), entry("a/out")), "link, pipe or device"),
    "name that is not UTF-8": (tar_with(entry("a\udcff")), "not UTF-8"),
}


def bomb(path: Path, mebibytes: int) -> Path:
    """Write a zip of a thousandth of the size of what it unpacks to."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("zeros", "w", force_zip64=True) as file:
        for _ in range(mebibytes):
            file.write(bytes(1 << 20))
    return path
