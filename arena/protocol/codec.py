"""Encode and decode messages, one line of JSON each; referee and bot both use it.

A line is UTF-8 and at most ``LINE_BYTES`` long, its newline included. A bot's answer must match its type exactly: an unknown
member or a repeated one makes it malformed, so that its author sees the mistake. The types allow no deep nesting, no NaN and no
huge number. The bot ignores unknown members in the referee's messages, so later versions can add some.
"""

import json
import re
from typing import Any, Literal, TypeVar

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, Encoder

from arena.protocol.messages import Answer, Ready, RefereeMessage
from arena.text import quote

LINE_BYTES = 64 * 1024

Message = TypeVar("Message")


class _ReadyTag(Struct):
    """Requires the tag ``type``, which msgspec does not when it decodes into a single type."""

    type: Literal["ready"]


# Members are in the order of the fields, without blanks, so that a bot may search for `"phase":"` without a JSON parser.
_encode = Encoder().encode
_referee: Decoder[RefereeMessage] = Decoder(RefereeMessage)
_ready = Decoder(Ready)
_ready_tag = Decoder(_ReadyTag)
_answer = Decoder(Answer)
_PLAIN = re.compile(rb'\{"kind":"[a-z_]{1,8}"(?:,"card":"\w\w")?\}')


class MalformedError(ValueError):
    """A line that is not the expected message."""


def encode(message: Struct) -> bytes:
    """Return the line for a message, its newline included."""
    return _encode(message) + b"\n"


def decode_message(line: bytes) -> RefereeMessage:
    """Return the referee's message in a line. Raises: MalformedError."""
    return _decode(_referee, line)


def decode_ready(line: bytes) -> Ready:
    """Return the answer to ``hello``. Raises: MalformedError."""
    ready = _decode(_ready, line)
    _check_members_unique(line)
    _decode(_ready_tag, line)
    return ready


def decode_answer(line: bytes) -> Answer:
    """Return the answer to ``turn``. Raises: MalformedError."""
    answer = _decode(_answer, line)
    if not _PLAIN.fullmatch(line):  # a plain answer repeats no member, and nearly every answer is plain
        _check_members_unique(line)
    return answer


def _decode(decoder: Decoder[Message], line: bytes) -> Message:
    if len(line) > LINE_BYTES:
        raise MalformedError(f"a line of {len(line)} bytes; expected at most {LINE_BYTES}, the newline included")
    try:
        return decoder.decode(line)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedError(_explain(line, error)) from None


def _explain(line: bytes, error: Exception) -> str:
    """Return why a line could not be decoded; the decoder's message is escaped, because it may quote the line."""
    if not line.strip():
        return "an empty line"
    if isinstance(error, RecursionError):
        return "nested too deep"
    try:
        line.decode()  # decoders tell in different words, or of another mistake
    except UnicodeDecodeError as found:
        return f"not UTF-8: {found.reason}"
    return quote(str(error).encode("utf-8", "backslashreplace"))


def _check_members_unique(line: bytes) -> None:
    """Check that no member is repeated: JSON parsers differ in the value that they keep. Raises: MalformedError."""
    try:
        json.loads(line, object_pairs_hook=_refuse_repeated)
    except ValueError as error:
        raise MalformedError(quote(str(error).encode("utf-8", "backslashreplace"))) from None


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"a member is named twice: {', '.join(names)}")
