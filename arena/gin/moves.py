"""What each action does to a hand, and which actions are legal. Source: R2-R8.

``MOVES`` is the state machine: for each phase, the actions that it accepts and the function that plays each. Each function checks
its own clauses. ``Hand`` calls this module, which need not import ``Hand``, because it changes a hand only by ``replace``.

After gin and big gin the defender answers with ``lay_off`` as after a knock, even where nothing may be laid off: one rule instead
of three cases.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from arena.gin.actions import (
    DISCARD,
    DRAW,
    FIRST_DRAW,
    LAST_KNOCK,
    LAST_TAKE,
    LAY_OFF,
    OVER,
    UPCARD,
    Action,
    BigGin,
    Discard,
    Draw,
    IllegalActionError,
    Kind,
    Knock,
    Laid,
    LayOff,
    Pass,
    Phase,
    Take,
)
from arena.gin.cards import NAMES, VALUES, Card, Cards, LayOffs, Melds, names
from arena.gin.facts import Seat
from arena.gin.melds import arrange, best_throws, deadwood, defend, is_run, is_set, laid_cards, lay_off, points, union
from arena.gin.rules import result_of
from arena.gin.score import Ending, Showdown, dead
from arena.gin.situation import Situation

# Check the melds and lay-offs that a player declares, and choose those that it does not declare. Source: R1.3-R1.5, R6.2-R6.4.
#
# A lay-off is legal if the meld with all cards laid on it is a valid meld. So the order of lay-offs does not matter, and no chain
# has to be replayed card by card.


def own_melds(held: Cards, declared: Melds | None) -> Melds:
    """Return the declared melds, or those of least deadwood. Raises: IllegalActionError. Rule: R6.2."""
    if declared is None:
        return arrange(held)
    check_melds(declared, held)
    return declared


def defence(held: Cards, table: Melds, action: LayOff) -> tuple[Melds, LayOffs]:
    """Return the defender's melds and lay-offs, those not declared chosen by R6.4. Raises: IllegalActionError."""
    if action.melds is not None:
        check_melds(action.melds, held)
        rest = held & ~union(action.melds)
        lay_offs = lay_off(table, rest) if action.lay_offs is None else action.lay_offs
        check_lay_offs(lay_offs, table, rest)
        return action.melds, lay_offs
    if action.lay_offs is None:
        return defend(held, table)
    check_lay_offs(action.lay_offs, table, held)
    return arrange(held & ~laid_cards(action.lay_offs)), action.lay_offs


def check_melds(melds: Melds, held: Cards) -> None:
    """Raise IllegalActionError unless ``melds`` are melds of ``held`` that share no card. Rule: R1.3-R1.5, R6.2."""
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
    """Raise IllegalActionError unless each card is in ``rest`` and every extended meld is valid. Rule: R6.3."""
    grown = list(melds)
    for card, number in lay_offs:
        bit = 1 << card
        if not rest & bit:
            raise IllegalActionError("R6.3", f"{NAMES[card]} is laid off, but is not among the deadwood")
        if not 0 <= number < len(melds):
            raise IllegalActionError("R6.3", f"the knocker has no meld number {number}, only {len(melds)}, counted from 0")
        grown[number] |= bit
        rest ^= bit
    for meld, before in zip(grown, melds, strict=True):
        if meld != before and not is_set(meld) and not is_run(meld):
            raise IllegalActionError("R6.3", f"{' '.join(names(meld ^ before))} does not fit on {' '.join(names(before))}")


# The state machine. Source: R2-R8.

H = TypeVar("H", bound=Situation)  # a hand; a move returns another of the same type
Own = TypeVar("Own")  # what each seat has

HIGHEST_VALUE: Final = max(VALUES)  # points of a ten, jack, queen or king
DEAD_STOCK: Final = 2  # a hand ends when a discard leaves this many cards in the stock (R5.1)


def play(hand: H, action: Action) -> H:
    """Return the hand after ``action`` of the acting seat. Raises: IllegalActionError, with the clause."""
    move = MOVES[hand.phase].get(type(action))
    if move is None:
        raise _wrong_phase(hand, action)
    after: H = move(hand, action)
    return after


def may(hand: Situation) -> tuple[Kind, ...]:
    """Return the kinds of action that are legal now, each for at least one card."""
    phase = hand.phase
    if phase is DISCARD or phase is LAST_KNOCK:
        return _may_after_drawing(hand)
    if phase is LAST_TAKE and not _may_take_to_knock(hand):
        return ("pass",)
    return _KINDS[phase]


def may_discard(hand: Situation) -> Cards:
    """Return the cards that may be discarded, openly or with a knock, in phases DISCARD and LAST_KNOCK. Rule: R4.2, R4.3."""
    return _throwable(hand, hand.cards[hand.seat], hand.drawn if hand.taken else None)


# --- what each action does


def _pass(hand: H, _: Pass) -> H:
    """Rule: R3.1-R3.3."""
    if hand.passes == 0:
        return replace(hand, seat=1 - hand.seat, passes=1)
    phase = FIRST_DRAW if hand.rules.after_two_passes == "stock" else DRAW
    return replace(hand, seat=1 - hand.seat, passes=2, phase=phase)


def _take(hand: H, _: Take) -> H:
    """Rule: R3.1, R4.1."""
    seat, card = hand.seat, hand.pile[-1]
    return replace(
        hand,
        phase=DISCARD,
        pile=hand.pile[:-1],
        cards=_with(hand.cards, seat, hand.cards[seat] | 1 << card),
        took=_with(hand.took, seat, hand.took[seat] | 1 << card),
        drawn=card,
        taken=True,
        takes=hand.takes + 1,
    )


def _draw(hand: H, _: Draw) -> H:
    """Rule: R2.4, R4.1."""
    seat, top, bottom = hand.seat, hand.top, hand.bottom
    if hand.rules.stock == "two-ended" and seat == hand.dealer:
        bottom -= 1
        card = hand.deck[bottom]
    else:
        card = hand.deck[top]
        top += 1
    held = _with(hand.cards, seat, hand.cards[seat] | 1 << card)
    return replace(hand, phase=DISCARD, cards=held, top=top, bottom=bottom, drawn=card, taken=False)


def _discard(hand: H, action: Discard) -> H:
    """Rule: R4.2, R5."""
    seat, card = hand.seat, action.card
    after = replace(
        hand,
        phase=DRAW,
        seat=1 - seat,
        cards=_with(hand.cards, seat, _without(hand, card)),
        pile=(*hand.pile, card),
        threw=_with(hand.threw, seat, hand.threw[seat] | 1 << card),
        drawn=None,
        taken=False,
    )
    if after.bottom - after.top <= DEAD_STOCK:
        return _stock_out(after)
    return _end_dead(after) if after.takes >= hand.rules.max_takes else after


def _knock(hand: H, action: Knock) -> H:
    """Rule: R6.1, R6.2, R7."""
    rest = _without(hand, action.card)
    laid = lay(rest, own_melds(rest, action.melds))
    left = laid.deadwood
    if left > hand.terms.knock_limit:
        raise IllegalActionError("R6.1", f"a knock with {left} points of deadwood; the limit is {hand.terms.knock_limit}")
    return _lay_down(hand, rest, Ending.KNOCK if left else Ending.GIN, laid)


def _big_gin(hand: H, action: BigGin) -> H:
    """Rule: R8.1."""
    if not hand.rules.plays_big_gin:
        raise IllegalActionError("R8.1", "big gin is not played under these rules")
    held = hand.cards[hand.seat]
    laid = lay(held, own_melds(held, action.melds))
    if laid.deadwood:
        raise IllegalActionError("R8.1", f"big gin with {laid.deadwood} points of deadwood")
    return _lay_down(hand, held, Ending.BIG_GIN, laid)


def _lay_off(hand: H, action: LayOff) -> H:
    """Rule: R6.3, R6.4, R7.2, R8.1."""
    seat, held = hand.seat, hand.cards[hand.seat]
    table = _open_melds(hand)
    if action.lay_offs and not may_lay_off(hand):
        raise IllegalActionError("R8.1" if hand.called is Ending.BIG_GIN else "R7.2", "nothing is laid off on gin")
    return _finish(replace(hand, laid=_with(hand.laid, seat, lay(held, *defence(held, table, action)))))


def _pass_last(hand: H, _: Pass) -> H:
    """Rule: R5.2, ``last_take``."""
    return _end_dead(hand)


def _last_take(hand: H, action: Take) -> H:
    """Rule: R5.2, ``last_take``."""
    if not _may_take_to_knock(hand):
        raise IllegalActionError("R5.2", f"{NAMES[hand.pile[-1]]} may be taken only to knock, and no knock is possible with it")
    return replace(_take(hand, action), phase=LAST_KNOCK)


MOVES: dict[Phase, dict[type[Action], Callable[[Any, Any], Any]]] = {  # Any: a hand, the action of the key, and the hand after it
    UPCARD: {Pass: _pass, Take: _take},
    FIRST_DRAW: {Draw: _draw},
    DRAW: {Draw: _draw, Take: _take},
    DISCARD: {Discard: _discard, Knock: _knock, BigGin: _big_gin},
    LAST_TAKE: {Pass: _pass_last, Take: _last_take},
    LAST_KNOCK: {Knock: _knock, BigGin: _big_gin},
    LAY_OFF: {LayOff: _lay_off},
    OVER: {},
}

_KINDS: Final = {phase: tuple([action.kind for action in moves]) for phase, moves in MOVES.items()}

_CLAUSES = {  # broken by an action that the phase does not accept
    UPCARD: "R3.1",
    FIRST_DRAW: "R3.3",
    DRAW: "R4.1",
    DISCARD: "R4.2",
    LAST_TAKE: "R5.2",
    LAST_KNOCK: "R5.2",
    LAY_OFF: "R6.3",
    OVER: "R5.1",
}


def clause_of(hand: Situation) -> str:
    """Return the clause that governs the current phase."""
    return "R3.2" if hand.phase is UPCARD and hand.passes else _CLAUSES[hand.phase]


def _wrong_phase(hand: Situation, action: Action) -> IllegalActionError:
    breaks_r34 = isinstance(action, Pass) or (hand.phase is UPCARD and isinstance(action, Draw))
    return IllegalActionError("R3.4" if breaks_r34 else clause_of(hand), f"{action.kind} in phase {hand.phase}")


# --- the end of a hand


def _stock_out(hand: H) -> H:
    """Rule: R5.1, R5.2. Two cards are left; the seat that did not discard is to act."""
    match hand.rules.stock_out:
        case "last_take":
            return replace(hand, phase=LAST_TAKE)
        case "showdown":
            return _show(hand)
        case _:
            return _end_dead(hand)


def _end_dead(hand: H) -> H:
    """Rule: R5.1, R5.3."""
    result = dead((deadwood(hand.cards[0]), deadwood(hand.cards[1])))
    return replace(hand, phase=OVER, result=result)


def _show(hand: H) -> H:
    """Lay both seats' melds, first those of the seat that discarded last. Rule: R5.2, ``showdown``."""
    seat, caller = hand.seat, 1 - hand.seat
    melds = arrange(hand.cards[caller])
    first, second = lay(hand.cards[caller], melds), lay(hand.cards[seat], *defend(hand.cards[seat], melds))
    laid = (first, second) if caller == 0 else (second, first)
    return _finish(replace(hand, called=Ending.SHOWDOWN, laid=laid))


def _lay_down(hand: H, rest: Cards, called: Ending, laid: Laid) -> H:
    """Put the caller's melds on the table; the defender is to act, also after gin. Rule: R6.3, R7.1."""
    seat = hand.seat
    return replace(
        hand,
        phase=LAY_OFF,
        seat=1 - seat,
        cards=_with(hand.cards, seat, rest),
        called=called,
        laid=_with(hand.laid, seat, laid),
        drawn=None,
        taken=False,
    )


def lay(held: Cards, melds: Melds, lay_offs: LayOffs = ()) -> Laid:
    """Return what a seat lays of the cards that it holds, with the points that it leaves."""
    return Laid(melds, lay_offs, points(held & ~union(melds) & ~laid_cards(lay_offs)))


def _finish(hand: H) -> H:
    """End the hand with the score of what both seats laid."""
    zero, one = hand.laid
    assert hand.called and zero and one  # noqa: PT018 - both seats have laid here
    show = Showdown(hand.called, 1 - hand.seat, (zero.deadwood, one.deadwood), hand.facts)
    return replace(hand, phase=OVER, result=result_of(hand.rules, show, hand.terms))


# --- what is legal


def _throwable(hand: Situation, held: Cards, taken: Card | None) -> Cards:
    """Rule: R4.2, R4.3."""
    return held if taken is None or hand.rules.return_taken else held & ~(1 << taken)


def _without(hand: Situation, card: Card) -> Cards:
    """Return the cards of the acting seat without ``card``. Raises: IllegalActionError. Rule: R4.2, R4.3."""
    held, bit = hand.cards[hand.seat], 1 << card
    if not held & bit:
        raise IllegalActionError("R4.2", f"{NAMES[card]} is not among the cards held")
    if not may_discard(hand) & bit:
        raise IllegalActionError(
            "R4.3", f"{NAMES[card]} was just taken from the discard pile and may not be discarded in this turn"
        )
    return held ^ bit


def may_lay_off(hand: Situation) -> bool:
    """Tell whether the defender may lay deadwood on the caller's melds. Rule: R6.3, R7.2, R8.1."""
    return hand.called is Ending.KNOCK or (hand.called is Ending.GIN and hand.rules.layoff_on_gin)


def _open_melds(hand: Situation) -> Melds:
    """Return the caller's melds if deadwood may be laid on them, else an empty tuple."""
    laid = hand.laid[1 - hand.seat]
    return laid.melds if laid and may_lay_off(hand) else ()


def _may_after_drawing(hand: Situation) -> tuple[Kind, ...]:
    held, limit = hand.cards[hand.seat], hand.terms.knock_limit
    left = deadwood(held)
    kinds: list[Kind] = ["discard"] if hand.phase is DISCARD else []
    # A discard removes at most the highest value of a card: this check alone rules out most hands.
    if left - HIGHEST_VALUE <= limit and _may_knock(limit, held, may_discard(hand)):
        kinds.append("knock")
    if left == 0 and hand.rules.plays_big_gin:
        kinds.append("big_gin")
    return tuple(kinds)


def _may_knock(limit: int, held: Cards, discards: Cards) -> bool:
    """Tell whether a knock is legal with some discard. Rule: R6.1."""
    least, _ = best_throws(held, discards)
    return least <= limit


def _may_take_to_knock(hand: Situation) -> bool:
    """Rule: R5.2, ``last_take``."""
    card = hand.pile[-1]
    held = hand.cards[hand.seat] | 1 << card
    # With big gin, gin is possible too: of eleven cards in melds four or more are in one, which can spare another card.
    return _may_knock(hand.terms.knock_limit, held, _throwable(hand, held, card))


def _with(both: tuple[Own, Own], seat: Seat, own: Own) -> tuple[Own, Own]:
    """Return a pair of seat 0 and 1 with another value of ``seat``."""
    return (own, both[1]) if seat == 0 else (both[0], own)
