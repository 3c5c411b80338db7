"""``python -m arena.runs.submissions.unpacker ARCHIVE``: writes the files of an archive to stdout. It runs inside the sandbox.

The readers of archives are large and have had faults, and what they read here comes from strangers. So this process, which may read
the archive and nothing else, and write no file, reads it; ``unpacking.py`` checks each name and size that it reports, and writes.

For each entry it writes a line of JSON, the name, the file's type ("file" or "folder") and whether it is executable, and for a file
its content as chunks, each after its length in 4 bytes; a chunk of length 0 is the end of the file. The line ``null`` is the end of
the archive. A line that is a text says why the archive was refused, and ends the stream. Nested archives are files like any other.
"""

import json
import lzma
import stat
import sys
import tarfile
import zipfile
import zlib
from typing import IO, BinaryIO

CHUNK = 1 << 16
WRONG = (OSError, EOFError, ValueError, RuntimeError, MemoryError, tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error)


class RefusedError(Exception):
    """An entry that is neither a file nor a folder."""


def main(archive: str, out: BinaryIO) -> None:
    """Write all files of an archive."""
    try:
        (_zip if archive.endswith(".zip") else _tar)(archive, out)
    except RefusedError as error:
        _line(out, str(error))
    except WRONG as error:
        _line(out, f"cannot be unpacked: {error or type(error).__name__}")
    else:
        _line(out, None)
    out.flush()


def _zip(archive: str, out: BinaryIO) -> None:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            mode = info.external_attr >> 16
            if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
                raise RefusedError(f"{info.filename!a} is a link, pipe or device; expected files and folders")
            if info.flag_bits & 1:
                raise RefusedError(f"{info.filename!a} is encrypted")
            _entry(out, info.filename.removesuffix("/"), mode, is_folder=info.is_dir())
            if not info.is_dir():
                with opened.open(info) as content:
                    _content(content, out)


def _tar(archive: str, out: BinaryIO) -> None:
    with tarfile.open(archive, mode="r|*") as opened:
        for member in opened:
            if not (member.isreg() or member.isdir()) or member.issparse():
                raise RefusedError(f"{member.name!a} is a link, pipe or device, or sparse; expected files and folders")
            _entry(out, member.name, member.mode, is_folder=member.isdir())
            if content := opened.extractfile(member):
                _content(content, out)


def _entry(out: BinaryIO, name: str, mode: int, *, is_folder: bool) -> None:
    if any("\ud800" <= letter <= "\udfff" for letter in name):
        raise RefusedError(f"the name {name!a} is not UTF-8")
    _line(out, [name, "folder" if is_folder else "file", bool(mode & 0o111)])


def _line(out: BinaryIO, value: object) -> None:
    out.write(json.dumps(value).encode() + b"\n")


def _content(content: IO[bytes], out: BinaryIO) -> None:
    while chunk := content.read(CHUNK):
        out.write(len(chunk).to_bytes(4) + chunk)
    out.write(bytes(4))


if __name__ == "__main__":
    main(sys.argv[1], sys.stdout.buffer)
