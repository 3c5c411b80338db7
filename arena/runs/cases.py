"""The lines that ``arena melds`` and ``arena judge`` read, typed."""

from typing import Any, Literal, TypeVar

from msgspec import DecodeError, Struct
from msgspec.json import decode

from arena.protocol.messages import Answer


class MeldsCase(Struct, frozen=True):
    """A line for ``arena melds``."""

    cards: list[str]
    knocker_melds: list[list[str]] | None = None  # None: an arrangement is asked for, no defence
    gin: bool = False  # nothing may be laid off


class SeatAction(Answer, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """An answer, and the seat that is said to give it."""

    seat: Literal[0, 1]


class JudgeCase(Struct, frozen=True):
    """A line for ``arena judge``: a whole hand, or the beginning of one."""

    id: Any
    rules: str | dict[str, Any]
    deck: list[str]
    dealer: Literal[0, 1]
    actions: list[SeatAction]


Case = TypeVar("Case")


def read(line: bytes, kind: type[Case]) -> Case:
    """Return the case in a line. Raises: ValueError."""
    try:
        return decode(line, type=kind)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
