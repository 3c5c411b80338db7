"""What a player declares when cards go on the table: checked, and completed. Source: R1.3-R1.5, R6.2-R6.4."""

from arena.gin.actions import IllegalAction, LayOff
from arena.gin.cards import NAMES, Cards, LayOffs, Melds, names
from arena.gin.melds import arrange, defend, is_run, is_set, laid_cards, lay_off, union


def own_melds(held: Cards, declared: Melds | None) -> Melds:
    """Return the declared melds, or those of least deadwood. Raises: IllegalAction. Rule: R6.2."""
    if declared is None:
        return arrange(held)
    check_melds(declared, held)
    return declared


def defence(held: Cards, table: Melds, action: LayOff) -> tuple[Melds, LayOffs]:
    """Return what the defender lays: as declared, and what was left out at its best. Raises: IllegalAction."""
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
    """Raise IllegalAction unless ``melds`` are melds of ``held`` that share no card. Rule: R1.3-R1.5."""
    used = 0
    for meld in melds:
        if meld & ~held:
            raise IllegalAction("R6.2", f"{' '.join(names(meld & ~held))} in a meld, but not held")
        if not is_set(meld) and not is_run(meld):
            raise IllegalAction("R1.3", f"{' '.join(names(meld)) or 'an empty meld'} is neither a set nor a run")
        if meld & used:
            raise IllegalAction("R1.5", f"{' '.join(names(meld & used))} in two melds")
        used |= meld


def check_lay_offs(lay_offs: LayOffs, melds: Melds, rest: Cards) -> None:
    """Raise IllegalAction unless each card is of ``rest`` and every meld is still one with what is laid on it. Rule: R6.3."""
    grown = list(melds)
    for card, number in lay_offs:
        bit = 1 << card
        if not rest & bit:
            raise IllegalAction("R6.3", f"{NAMES[card]} is laid off, but is not among the deadwood")
        if not 0 <= number < len(melds):
            raise IllegalAction("R6.3", f"the knocker has no meld number {number}, only {len(melds)}, counted from 0")
        grown[number] |= bit
        rest ^= bit
    for meld, before in zip(grown, melds, strict=True):
        if meld != before and not is_set(meld) and not is_run(meld):
            raise IllegalAction("R6.3", f"{' '.join(names(meld ^ before))} does not fit on {' '.join(names(before))}")
