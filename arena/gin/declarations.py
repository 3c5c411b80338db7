"""Check the melds and lay-offs that a player declares, and complete what it left out. Source: R1.3-R1.5, R6.2-R6.4.

A lay-off is legal if the meld with all cards laid on it is a valid meld. So the order of lay-offs does not matter, and no chain
has to be replayed card by card.
"""

from arena.gin.actions import IllegalActionError, LayOff
from arena.gin.cards import NAMES, Cards, LayOffs, Melds, names
from arena.gin.melds import arrange, defend, is_run, is_set, laid_cards, lay_off, union


def own_melds(held: Cards, declared: Melds | None) -> Melds:
    """Return the declared melds, or those of least deadwood. Raises: IllegalActionError. Rule: R6.2."""
    if declared is None:
        return arrange(held)
    check_melds(declared, held)
    return declared


def defence(held: Cards, table: Melds, action: LayOff) -> tuple[Melds, LayOffs]:
    """Return the defender's melds and lay-offs: as declared, completed at its best. Raises: IllegalActionError. Rule: R6.4."""
    if action.melds is None and action.lay_offs is None:
        return defend(held, table)
    if action.melds is not None:
        check_melds(action.melds, held)
        rest = held & ~union(action.melds)
        lay_offs = lay_off(table, rest) if action.lay_offs is None else action.lay_offs
        check_lay_offs(lay_offs, table, rest)
        return action.melds, lay_offs
    lay_offs = action.lay_offs or ()
    check_lay_offs(lay_offs, table, held)
    return arrange(held & ~laid_cards(lay_offs)), lay_offs


def check_melds(melds: Melds, held: Cards) -> None:
    """Raise IllegalActionError unless ``melds`` are melds of ``held`` that share no card. Rule: R1.3-R1.5."""
    used = 0
    for meld in melds:
        if meld & ~held:
            raise IllegalActionError("R6.2", f"{' '.join(names(meld & ~held))} in a meld, but not held")
        if not is_set(meld) and not is_run(meld):
            raise IllegalActionError("R1.3", f"{' '.join(names(meld)) or 'an empty meld'} is neither a set nor a run")
        if meld & used:
            raise IllegalActionError("R1.5", f"{' '.join(names(meld & used))} in two melds")
        used |= meld


def check_lay_offs(lay_offs: LayOffs, melds: Melds, rest: Cards) -> None:
    """Raise IllegalActionError unless each card is in ``rest`` and every extended meld is a valid one. Rule: R6.3."""
    grown = list(melds)
    for card, number in lay_offs:
        bit = 1 << card
        if not rest & bit:
            raise IllegalActionError("R6.3", f"{NAMES[card]} is laid off, but is not among the deadwood")
        if not 0 <= number < len(melds):
            raise IllegalActionError("R6.3", f"the knocker has no meld number {number}, only {len(melds)}, counted from 0")
        grown[number] |= bit
        rest ^= bit
    # The melds are checked with all cards laid on them, so the order in which cards are written does not matter.
    for meld, before in zip(grown, melds, strict=True):
        if meld != before and not is_set(meld) and not is_run(meld):
            raise IllegalActionError("R6.3", f"{' '.join(names(meld ^ before))} does not fit on {' '.join(names(before))}")
