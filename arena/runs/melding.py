"""The best melds, and the best defence against a knock, for ``arena melds``."""

from typing import Any

from arena.gin.actions import IllegalActionError
from arena.gin.cards import NAMES, cards, each, names
from arena.gin.melds import arrange, deadwood, defend, union
from arena.gin.moves import check_melds, lay
from arena.protocol.notation import lay_off_names, meld_names


def arrangement(named: list[str]) -> dict[str, Any]:
    """Return the arrangement with least deadwood, and for eleven cards what each discard leaves. Raises: ValueError."""
    held = _cards(named)
    best = {"deadwood": deadwood(held), "melds": meld_names(arrange(held))}
    if len(named) == 11:
        best["discards"] = {NAMES[card]: deadwood(held ^ 1 << card) for card in each(held)}
    return best


def defence(named: list[str], knocker: list[list[str]], *, gin: bool) -> dict[str, Any]:
    """Return the defender's best melds and lay-offs against the knocker's melds. Raises: ValueError, for invalid cards or melds."""
    held = _cards(named)
    table = tuple(cards(meld) for meld in knocker)
    try:
        check_melds(table, union(table))
        if both := held & union(table):
            raise ValueError(f"knocker_melds: {' '.join(names(both))} is held by the defender too")
    except IllegalActionError as error:
        raise ValueError(f"knocker_melds: {error}") from None
    laid = lay(held, *defend(held, () if gin else table))
    return {"deadwood": laid.deadwood, "melds": meld_names(laid.melds), "lay_offs": lay_off_names(laid.lay_offs)}


def _cards(named: list[str]) -> int:
    if not 1 <= len(named) <= 11:
        raise ValueError(f"{len(named)} cards; expected one to eleven")
    return cards(named)
