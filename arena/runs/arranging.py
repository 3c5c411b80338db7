"""The best melds of some cards, and the best defence against a knock, for ``arena melds``."""

from typing import Any

from arena.gin.actions import IllegalActionError
from arena.gin.cards import NAMES, cards, each
from arena.gin.cards import names as names_of
from arena.gin.declarations import check_melds
from arena.gin.melds import arrange, deadwood, defend, laid_cards, points, union
from arena.protocol.notation import laid, written


def arranged(names: list[str]) -> dict[str, Any]:
    """Return the arrangement with least deadwood, and for eleven cards what each discard leaves. Raises: ValueError."""
    held = _held(names)
    best = {"deadwood": deadwood(held), "melds": written(arrange(held))}
    if len(names) == 11:
        best["discards"] = {NAMES[card]: deadwood(held ^ 1 << card) for card in each(held)}
    return best


def defended(names: list[str], knocker: list[list[str]], *, gin: bool) -> dict[str, Any]:
    """Return the defender's best melds and lay-offs against a knocker's. Raises: ValueError, for invalid cards or melds."""
    held = _held(names)
    table = tuple(cards(meld) for meld in knocker)
    try:
        check_melds(table, union(table))
        if both := held & union(table):
            raise ValueError(f"knocker_melds: {' '.join(names_of(both))} is held by the defender too")
    except IllegalActionError as error:
        raise ValueError(f"knocker_melds: {error}") from None
    own, lay_offs = defend(held, () if gin else table)
    left = points(held & ~union(own) & ~laid_cards(lay_offs))
    return {"deadwood": left, "melds": written(own), "lay_offs": laid(lay_offs)}


def _held(names: list[str]) -> int:
    if not 1 <= len(names) <= 11:
        raise ValueError(f"{len(names)} cards; expected one to eleven")
    return cards(names)
