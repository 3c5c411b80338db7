"""The repr of views and outcomes: cards in notation instead of numbers, for an author who prints them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from arena.gin.cards import NAMES, Card, Cards, LayOffs, Melds, text

Writer = Callable[[Any], object]  # from a field's value to the value shown


def readable(value: Struct, writers: Mapping[str, Writer]) -> str:
    """Return the repr of a Struct with the fields named in ``writers`` formatted by them."""
    shown = ((name, writers.get(name, _unchanged)(getattr(value, name))) for name in value.__struct_fields__)
    return f"{type(value).__name__}({', '.join(f'{name}={field!r}' for name, field in shown)})"


def _unchanged(field: object) -> object:
    return field


def card(one: Card | None) -> str | None:
    """Return ``3c``, or None."""
    return None if one is None else NAMES[one]


def in_order(several: Iterable[Card]) -> str:
    """Return ``Kc 8d``: a pile, its top last."""
    return " ".join(NAMES[one] for one in several)


def each_cards(several: tuple[Cards, ...]) -> tuple[str, ...]:
    """Return ``("3c4c5c", "7d7h7s")``."""
    return tuple(map(text, several))


def both_melds(pair: tuple[Melds, Melds]) -> tuple[tuple[str, ...], ...]:
    """Return ``(("3c4c5c", "7d7h7s"), ())``."""
    return tuple(map(each_cards, pair))


def lay_offs(several: LayOffs) -> tuple[tuple[str, int], ...]:
    """Return ``(("6c", 0),)``: a card and the number of the meld it is laid on."""
    return tuple((NAMES[one], number) for one, number in several)
