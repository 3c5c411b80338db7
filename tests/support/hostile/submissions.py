"""Archives, wheels and indexes of strangers, made without any tool that builds."""

import hashlib
import io
import tarfile
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from arena.league.intake import archives, unpacker
from arena.league.intake.archives import UnpackLimits

TarMode = Literal["w", "w:", "w:gz", "w:xz", "w:bz2"]
LIMITS = UnpackLimits(entries=50, size=20 << 20)
BOT = """
from arena.sdk import Bot

class Mine(Bot):
    '''{0}'''
"""


def zip_of(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write a zip with these files, in their order."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def zip_of_entries(path: Path, entries: Sequence[tuple[zipfile.ZipInfo | str, bytes]]) -> Path:
    """Write a zip with entries whose names may be equal."""
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, content in entries:
            archive.writestr(info, content)
    return path


def tar_of(path: Path, entries: Sequence[tuple[tarfile.TarInfo, bytes]], mode: TarMode = "w") -> Path:
    """Write a tar with these entries."""
    with tarfile.open(path, mode) as archive:
        for info, content in entries:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def entry(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    """Return an entry of a tar."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def wheel(
    folder: Path,
    name: str,
    files: Mapping[str, str | bytes],
    entry_points: str = "",
    requires: Sequence[str] = (),
    version: str = "1.0",
) -> Path:
    """Write a wheel. Source: the binary distribution format, PEP 427."""
    info = f"{name}-{version}.dist-info"
    required = "".join(f"Requires-Dist: {line}\n" for line in requires)
    every: dict[str, str | bytes] = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{required}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if entry_points:
        every[f"{info}/entry_points.txt"] = entry_points
    every[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in (*every, f"{info}/RECORD"))
    return zip_of(folder / f"{name}-{version}-py3-none-any.whl", every)


def unpack(archive: Path, name: str, folder: Path, limits: UnpackLimits, *_: object) -> None:
    """Unpack an archive as ``archives.unpack_files`` does, but in this process."""
    report = archive.with_name("report")
    with report.open("wb") as out:
        unpacker.main(str(archive), out)
    with report.open("rb") as source:
        archives.receive(source.fileno(), name, folder, limits, archive.stat().st_size)


def unpacked(path: Path, folder: Path, limits: UnpackLimits = LIMITS) -> dict[str, bytes]:
    """Unpack an archive in this process, and return its files."""
    unpack(path, path.name, folder, limits)
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def sha256(path: Path) -> str:
    """Return the digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
