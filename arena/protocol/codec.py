"""One message is one line of JSON; what may stand in a line is checked here. Both ends use it.

A line is UTF-8, at most ``LINE_BYTES`` long with its newline, and holds just the typed message: a bot's answer with a member that
it does not have, or with one member twice, is no answer. What is typed this closely is never nested deep, and a NaN or a huge
number fits nowhere in it.
"""

import json
import re
from typing import Any, TypeVar

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, Encoder

from arena.protocol.messages import Answer, Ready, Told

LINE_BYTES = 64 * 1024
SHOWN = 200  # characters of a line that a message quotes

Message = TypeVar("Message")

_encode = Encoder().encode
_told: Decoder[Told] = Decoder(Told)
_ready = Decoder(Ready)
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
    return _once(line, _decode(_ready, line))


def decode_answer(line: bytes) -> Answer:
    """Return the answer to ``turn``. Raises: Malformed."""
    answer = _decode(_answer, line)
    return answer if _PLAIN.fullmatch(line) else _once(line, answer)


def quoted(line: bytes) -> str:
    """Return the start of a line from outside, safe to print: printable ASCII, the rest escaped."""
    text = line[: SHOWN + 1].decode("utf-8", "backslashreplace").encode("unicode_escape").decode("ascii")
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def _decode(decoder: Decoder[Message], line: bytes) -> Message:
    try:
        return decoder.decode(line)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(str(error)) from None


def _once(line: bytes, message: Message) -> Message:
    """Return a message whose line names no member twice; parsers differ in which of the two they keep."""
    try:
        json.loads(line, object_pairs_hook=_members)
    except ValueError as error:
        raise Malformed(str(error)) from None
    return message


def _members(pairs: list[tuple[str, Any]]) -> None:
    seen = [name for name, _ in pairs]
    if len(set(seen)) < len(seen):
        raise ValueError(f"a member is named twice: {', '.join(seen)}")
