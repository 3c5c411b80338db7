"""Text as editors and shells write it: UTF-8 with or without a byte order mark, and UTF-16 with one (PowerShell's ``>``)."""

import codecs
from io import BufferedReader
from typing import IO, BinaryIO, Final, cast

UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LONGEST_MARK: Final = len(codecs.BOM_UTF8)  # bytes


def encoding_of(start: bytes) -> str:
    """Return the encoding of a text that begins with some bytes, as Python names it; the mark is no part of the text."""
    return "utf-16" if start.startswith(UTF16) else "utf-8-sig"


def as_utf8(content: bytes) -> bytes:
    """Return a text in UTF-8 without a mark; what is not UTF-16 is not decoded. Raises: UnicodeDecodeError."""
    return content.decode("utf-16").encode() if content.startswith(UTF16) else content.removeprefix(codecs.BOM_UTF8)


def in_utf8(file: BinaryIO) -> IO[bytes]:
    """Return a file at its start, or a stream on it, that reads as ``as_utf8`` does. ``readline`` may raise UnicodeDecodeError."""
    assert isinstance(file, BufferedReader)
    start = file.peek(LONGEST_MARK)
    if start.startswith(UTF16):
        return cast("IO[bytes]", codecs.EncodedFile(file, "utf-8", "utf-16"))
    if start.startswith(codecs.BOM_UTF8):
        file.read(LONGEST_MARK)
    return file
