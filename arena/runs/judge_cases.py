"""The lines that ``arena melds`` and ``arena judge`` read, typed."""

from typing import Any, Literal, TypeVar

from msgspec import Struct
from msgspec.json import decode

from arena.errors import MALFORMED
from arena.protocol.messages import Answer


class MeldsCase(Struct, frozen=True):
    """A line for ``arena melds``."""

    cards: list[str]
    knocker_melds: list[list[str]] | None = None  # None: the best arrangement is asked for; else the best defence
    gin: bool = False  # whether the knocker has gin, so that nothing may be laid off


class SeatAction(Answer, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """An answer, and the seat that gives it; a case may name a seat whose turn it is not."""

    seat: Literal[0, 1]


class JudgeCase(Struct, frozen=True):
    """A line for ``arena judge``: a whole hand, or the beginning of one."""

    id: Any
    rules: str | dict[str, Any]
    deck: list[str]
    dealer: Literal[0, 1]
    actions: list[SeatAction | str]  # a text is a word of arena.gin.actions, for the seat whose turn it is


Case = TypeVar("Case")


def read(line: bytes, kind: type[Case]) -> Case:
    """Return the case in a line. Raises: ValueError, if the line is not JSON of this kind."""
    try:
        return decode(line, type=kind)
    except MALFORMED as error:
        raise ValueError(str(error)) from None
