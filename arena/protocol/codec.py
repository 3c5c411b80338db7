"""One message is one line of JSON; what may stand in a line is checked here. Both ends use it.

A line is UTF-8, at most ``LINE_BYTES`` long with its newline, and holds just the typed message: a bot's answer with a member
that it does not have, or with one member twice, is no answer. What is typed this closely is never nested deep, and a NaN or a
huge number fits nowhere in it. What the referee says may have members that a bot does not know yet; they are passed over.
"""

import json
import re
from typing import Any, Literal, TypeVar

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, Encoder

from arena.protocol.messages import Answer, Ready, Told

LINE_BYTES = 64 * 1024
SHOWN = 200  # characters of a line that a message quotes

Message = TypeVar("Message")


class _Typed(Struct):
    """A decoder of one type alone does not ask for its tag; this one does."""

    type: Literal["ready"]


_encode = Encoder().encode
_told: Decoder[Told] = Decoder(Told)
_ready = Decoder(Ready)
_typed = Decoder(_Typed)
_answer = Decoder(Answer)
_PLAIN = re.compile(rb'\{"kind":"[a-z_]{1,8}"(?:,"card":"\w\w")?\}')


class Malformed(ValueError):  # noqa: N818 - it is what the line is
    """A line that is not the message expected."""


def encode(message: Struct) -> bytes:
    """Return the line for a message, its newline included."""
    return _encode(message) + b"\n"


def decode_told(line: bytes) -> Told:
    """Return what the referee says in a line. Raises: Malformed."""
    return _decode(_told, line)


def decode_ready(line: bytes) -> Ready:
    """Return the answer to ``hello``. Raises: Malformed."""
    ready = _once(line, _decode(_ready, line))
    _decode(_typed, line)
    return ready


def decode_answer(line: bytes) -> Answer:
    """Return the answer to ``turn``. Raises: Malformed."""
    answer = _decode(_answer, line)
    return answer if _PLAIN.fullmatch(line) else _once(line, answer)


def quoted(line: bytes) -> str:
    """Return the start of a line from outside, safe to print: printable ASCII, the rest escaped."""
    text = line[: SHOWN + 1].decode("utf-8", "backslashreplace").encode("unicode_escape").decode("ascii")
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def _decode(decoder: Decoder[Message], line: bytes) -> Message:
    if len(line) > LINE_BYTES:
        raise Malformed(f"a line of {len(line)} bytes; at most {LINE_BYTES} are allowed, the newline included")
    try:
        return decoder.decode(line)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(_why(line, error)) from None


def _why(line: bytes, error: Exception) -> str:
    """Return what is wrong with a line, safe to print: a decoder's error may quote a member's name from it."""
    if not line.strip():
        return "an empty line"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: {error.reason}"
    if isinstance(error, RecursionError):
        return "nested too deep"
    return quoted(str(error).encode())


def _once(line: bytes, message: Message) -> Message:
    """Return a message whose line names no member twice; parsers differ in which of the two they keep."""
    try:
        json.loads(line, object_pairs_hook=_members)
    except ValueError as error:
        raise Malformed(quoted(str(error).encode())) from None
    return message


def _members(pairs: list[tuple[str, Any]]) -> None:
    seen = [name for name, _ in pairs]
    if len(set(seen)) < len(seen):
        raise ValueError(f"a member is named twice: {', '.join(seen)}")
