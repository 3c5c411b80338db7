"""``python -m arena.league.intake.unpacker ARCHIVE``: writes the files of an archive to stdout. It runs inside the sandbox.

The standard library's readers of archives have had faults, and these archives come from strangers. So this process reads them; it
may read only the archive and write no file. ``archives.py`` checks each name and size that it reports, and writes the files.

For each entry it writes a line of JSON: name, type ("file" or "folder") and whether it is executable. The content of a file follows
in chunks, each after its length in 4 bytes; a chunk of length 0 is the end of the file, and ``BROKEN`` in place of a length ends a
file that cannot be read. The line ``null`` is the end of the archive. A line with a JSON string is the reason why the archive is
refused, and ends the stream. Nested archives are files like any other.
"""

import json
import stat
import sys
import tarfile
import zipfile
from typing import IO, BinaryIO, Self

CHUNK = 1 << 16
BROKEN = 0xFFFFFFFF
REPORTED = 1000  # characters of a name; archives.py refuses names longer than 400 bytes


class RefusedError(Exception):
    """An entry that is refused: a link, pipe, device or sparse file, an encrypted one, or one whose name is not UTF-8."""


class ArchiveReport:
    """Writes the report on an archive, in the format above."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._in_file = False

    def entry(self, name: str, mode: int, *, is_folder: bool) -> None:
        """Write the line of an entry; for a file, ``content`` must be called next. Raises: RefusedError, for its name."""
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise RefusedError(f"the name {name[:100]!a} is not UTF-8")
        self.line([name[:REPORTED], "folder" if is_folder else "file", bool(mode & 0o111)])
        self._in_file = not is_folder

    def content(self, content: IO[bytes]) -> None:
        """Write the content of a file."""
        while chunk := content.read(CHUNK):
            self._out.write(len(chunk).to_bytes(4) + chunk)
        self._out.write(bytes(4))
        self._in_file = False

    def refusal(self, problem: str) -> None:
        """Write why the archive is refused."""
        if self._in_file:
            self._out.write(BROKEN.to_bytes(4))
        self.line(problem.encode("ascii", "backslashreplace").decode())

    def line(self, value: object) -> None:
        """Write a line."""
        self._out.write(json.dumps(value).encode() + b"\n")


def main(archive: str, out: BinaryIO) -> None:
    """Write all files of an archive."""
    report = ArchiveReport(out)
    try:
        (_zip if archive.endswith(".zip") else _tar)(archive, report)
    except RefusedError as error:
        report.refusal(str(error))
    except Exception as error:  # noqa: BLE001 - a reader of the standard library ends in any error for some archive
        report.refusal(f"cannot be unpacked: {' '.join(str(error).split())[:200] or type(error).__name__}")
    else:
        report.line(None)
    out.flush()


def _zip(archive: str, report: ArchiveReport) -> None:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            mode = info.external_attr >> 16  # of Unix; 0: it is not given
            if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
                raise RefusedError(f"{info.filename[:100]!a} is a link, pipe or device; expected files and folders")
            if info.flag_bits & 1:
                raise RefusedError(f"{info.filename[:100]!a} is encrypted")
            report.entry(info.filename.removesuffix("/"), mode, is_folder=info.is_dir())
            if not info.is_dir():
                with opened.open(info) as content:
                    report.content(content)


class _Member(tarfile.TarInfo):
    """An entry. Without this class ``TarFile`` takes a damaged header behind the first entry for the end of the archive."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Return the entry of a header. Raises: HeaderError, at the end of the archive; ReadError, for a damaged header."""
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if buf.strip(b"\0"):
                raise tarfile.ReadError(str(error)) from None
            raise


def _tar(archive: str, report: ArchiveReport) -> None:
    with tarfile.open(archive, mode="r|*", tarinfo=_Member) as opened:
        for member in opened:
            if not (member.isreg() or member.isdir()) or member.issparse():
                raise RefusedError(f"{member.name[:100]!a} is a link, pipe or device, or sparse; expected files and folders")
            report.entry(member.name, member.mode, is_folder=member.isdir())
            if content := opened.extractfile(member):
                report.content(content)


if __name__ == "__main__":
    main(sys.argv[1], sys.stdout.buffer)
