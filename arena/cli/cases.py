"""The lines that ``arena melds`` and ``arena judge`` read, typed."""

from typing import Any, Literal, TypeVar

from msgspec import DecodeError, Struct
from msgspec.json import decode

from arena.gin.actions import Kind
from arena.protocol.messages import LaidOff, Names


class MeldsCase(Struct, frozen=True):
    """A line for ``arena melds``."""

    cards: list[str]
    knocker_melds: list[list[str]] | None = None  # None: an arrangement is asked for, no defence
    gin: bool = False  # nothing may be laid off


class SeatAction(Struct, frozen=True):
    """An action, and the seat that is said to do it."""

    seat: Literal[0, 1]
    kind: Kind
    card: str | None = None
    melds: tuple[Names, ...] | None = None
    lay_offs: tuple[LaidOff, ...] | None = None


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
