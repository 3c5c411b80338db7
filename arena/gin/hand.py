"""One hand, from the deal to a knock, a gin or a dead hand. Source: R2-R8.

A hand is a value: ``hand.play(action)`` returns the next one or raises IllegalAction, so a replay is a fold
over the actions, and a bot that searches does it on the referee's own engine.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import Action, BigGin, Discard, Draw, IllegalAction, Kind, Knock, LayOff, Pass, Take
from arena.gin.cards import NAMES, Card, Cards, LayOffs, Melds, bits, each
from arena.gin.deal import Deal, Deck, Seat
from arena.gin.declarations import defence, own_melds
from arena.gin.melds import arrange, deadwood, defend, laid_cards, points, union
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult, Showdown, dead, score


class Phase(StrEnum):
    """What the seat that is to act has to decide."""

    UPCARD = "upcard"  # take the first upcard, or pass (R3.1, R3.2)
    FIRST_DRAW = "first_draw"  # both passed: draw from the stock (R3.3)
    DRAW = "draw"  # draw or take (R4.1)
    DISCARD = "discard"  # discard, knock or go gin (R4.2)
    LAST_TAKE = "last_take"  # the stock is out: take the last discard to knock, or pass (R5.2)
    LAST_KNOCK = "last_knock"  # the last discard was taken: knock or go gin (R5.2)
    LAY_OFF = "lay_off"  # the other seat knocked: lay melds and lay off (R6.3)
    OVER = "over"


class Laid(Struct, frozen=True):
    """What a seat put on the table at the end of a hand."""

    melds: Melds
    lay_offs: LayOffs  # on the other seat's melds
    deadwood: int  # points left


class Hand(Struct, frozen=True):
    """A hand at one moment. ``seat`` is to act, unless ``phase`` is OVER and ``result`` tells how."""

    rules: Rules
    deck: Deck
    dealer: Seat
    phase: Phase
    seat: Seat
    cards: tuple[Cards, Cards]  # of seat 0 and 1
    pile: tuple[Card, ...]  # the discard pile, its top last
    top: int = 21  # deck[top:bottom] is the stock
    bottom: int = 52
    drawn: Card | None = None  # the card that came in this turn
    taken: bool = False  # it came from the discard pile
    passes: int = 0  # in the upcard sequence
    takes: int = 0  # from the discard pile, both seats together (R5.3)
    took: tuple[Cards, Cards] = (0, 0)  # what each seat ever took from the discard pile
    threw: tuple[Cards, Cards] = (0, 0)  # what each seat ever discarded
    called: Ending | None = None  # KNOCK, GIN, BIG_GIN or SHOWDOWN, once cards are on the table
    laid: tuple[Laid | None, Laid | None] = (None, None)
    result: HandResult | None = None

    @staticmethod
    def start(deal: Deal, rules: Rules) -> "Hand":
        """Deal ten cards each, the non-dealer first, and turn the upcard. Rule: R2.1, R3.5."""
        first = 1 - deal.dealer
        held = {first: bits(deal.deck[0:20:2]), deal.dealer: bits(deal.deck[1:20:2])}
        phase = Phase.UPCARD if rules.first_turn == "upcard" else Phase.DRAW
        return Hand(rules, deal.deck, deal.dealer, phase, first, (held[0], held[1]), deal.deck[20:21])

    @property
    def stock(self) -> int:
        """Return how many cards are left in the stock."""
        return self.bottom - self.top

    def play(self, action: Action) -> "Hand":
        """Return the hand after ``action`` of the seat to act. Raises: IllegalAction, with the clause."""
        move = MOVES[self.phase].get(type(action))
        if move is None:
            raise _out_of_place(self, action)
        return move(self, action)

    def may(self) -> tuple[Kind, ...]:
        """Return the kinds of action that are legal now, with some card at least."""
        if self.phase in (Phase.DISCARD, Phase.LAST_KNOCK):
            return _may_throw(self)
        if self.phase is Phase.LAST_TAKE and not _may_take_to_knock(self):
            return ("pass",)
        return tuple(kind.kind for kind in MOVES[self.phase])

    def may_discard(self) -> Cards:
        """Return the cards that may be thrown now, openly or with a knock. Rule: R4.2, R4.3."""
        return _throwable(self, self.cards[self.seat], self.drawn if self.taken else None)


def replay(deal: Deal, rules: Rules, actions: tuple[Action, ...]) -> Hand:
    """Return the hand that ``actions`` make of ``deal``. Raises: IllegalAction."""
    hand = Hand.start(deal, rules)
    for action in actions:
        hand = hand.play(action)
    return hand


# --- what each action does


def _pass(hand: Hand, _: Pass) -> Hand:
    """Rule: R3.1-R3.3."""
    if hand.passes == 0:
        return replace(hand, seat=1 - hand.seat, passes=1)
    phase = Phase.FIRST_DRAW if hand.rules.after_two_passes == "stock" else Phase.DRAW
    return replace(hand, seat=1 - hand.seat, passes=2, phase=phase)


def _take(hand: Hand, _: Take) -> Hand:
    """Rule: R3.1, R4.1."""
    seat, card = hand.seat, hand.pile[-1]
    return replace(
        hand,
        phase=Phase.DISCARD,
        pile=hand.pile[:-1],
        cards=_with(hand.cards, seat, hand.cards[seat] | 1 << card),
        took=_with(hand.took, seat, hand.took[seat] | 1 << card),
        drawn=card,
        taken=True,
        takes=hand.takes + 1,
    )


def _draw(hand: Hand, _: Draw) -> Hand:
    """Rule: R2.4, R4.1."""
    seat, top, bottom = hand.seat, hand.top, hand.bottom
    if hand.rules.stock == "two-ended" and seat == hand.dealer:
        bottom -= 1
        card = hand.deck[bottom]
    else:
        card = hand.deck[top]
        top += 1
    held = _with(hand.cards, seat, hand.cards[seat] | 1 << card)
    return replace(hand, phase=Phase.DISCARD, cards=held, top=top, bottom=bottom, drawn=card, taken=False)


def _discard(hand: Hand, action: Discard) -> Hand:
    """Rule: R4.2, R5."""
    seat, card = hand.seat, action.card
    after = replace(
        hand,
        phase=Phase.DRAW,
        seat=1 - seat,
        cards=_with(hand.cards, seat, _without(hand, card)),
        pile=(*hand.pile, card),
        threw=_with(hand.threw, seat, hand.threw[seat] | 1 << card),
        drawn=None,
        taken=False,
    )
    if after.bottom - after.top <= 2:
        return _stock_out(after)
    return _die(after) if after.takes >= hand.rules.max_takes else after


def _knock(hand: Hand, action: Knock) -> Hand:
    """Rule: R6.1, R6.2, R7."""
    rest = _without(hand, action.card)
    melds = own_melds(rest, action.melds)
    left = points(rest & ~union(melds))
    if left > hand.rules.knock_limit:
        raise IllegalAction("R6.1", f"a knock with {left} points of deadwood; the limit is {hand.rules.knock_limit}")
    return _lay_down(hand, rest, Ending.KNOCK if left else Ending.GIN, Laid(melds, (), left))


def _big_gin(hand: Hand, action: BigGin) -> Hand:
    """Rule: R8.1."""
    if hand.rules.big_gin_bonus is None:
        raise IllegalAction("R8.1", "big gin is not played under these rules")
    held = hand.cards[hand.seat]
    melds = own_melds(held, action.melds)
    if left := points(held & ~union(melds)):
        raise IllegalAction("R8.1", f"big gin with {left} points of deadwood")
    return _lay_down(hand, held, Ending.BIG_GIN, Laid(melds, (), 0))


def _lay_off(hand: Hand, action: LayOff) -> Hand:
    """Rule: R6.3, R6.4, R7.2, R8.1."""
    seat, held = hand.seat, hand.cards[hand.seat]
    table = _open_melds(hand)
    if action.lay_offs and not may_lay_off(hand):
        raise IllegalAction("R8.1" if hand.called is Ending.BIG_GIN else "R7.2", "nothing is laid off on gin")
    own, lay_offs = defence(held, table, action)
    left = points(held & ~union(own) & ~laid_cards(lay_offs))
    return _settle(replace(hand, laid=_with_laid(hand, seat, Laid(own, lay_offs, left))))


def _give_up(hand: Hand, _: Pass) -> Hand:
    """Rule: R5.2, ``last_take``."""
    return _die(hand)


def _last_take(hand: Hand, action: Take) -> Hand:
    """Rule: R5.2, ``last_take``."""
    if not _may_take_to_knock(hand):
        raise IllegalAction("R5.2", f"{NAMES[hand.pile[-1]]} may be taken only to knock, and no knock is possible with it")
    return replace(_take(hand, action), phase=Phase.LAST_KNOCK)


MOVES: dict[Phase, dict[type[Action], Callable[[Hand, Any], Hand]]] = {  # Any: the action of its key
    Phase.UPCARD: {Pass: _pass, Take: _take},
    Phase.FIRST_DRAW: {Draw: _draw},
    Phase.DRAW: {Draw: _draw, Take: _take},
    Phase.DISCARD: {Discard: _discard, Knock: _knock, BigGin: _big_gin},
    Phase.LAST_TAKE: {Pass: _give_up, Take: _last_take},
    Phase.LAST_KNOCK: {Knock: _knock, BigGin: _big_gin},
    Phase.LAY_OFF: {LayOff: _lay_off},
    Phase.OVER: {},
}

_CLAUSES = {  # what an action out of place offends against
    Phase.UPCARD: "R3.1",
    Phase.FIRST_DRAW: "R3.3",
    Phase.DRAW: "R4.1",
    Phase.DISCARD: "R4.2",
    Phase.LAST_TAKE: "R5.2",
    Phase.LAST_KNOCK: "R5.2",
    Phase.LAY_OFF: "R6.3",
    Phase.OVER: "R5.1",
}


def clause_of(hand: Hand) -> str:
    """Return the clause that says whose turn it is and for what."""
    return "R3.2" if hand.phase is Phase.UPCARD and hand.passes else _CLAUSES[hand.phase]


def _out_of_place(hand: Hand, action: Action) -> IllegalAction:
    stray = isinstance(action, Pass) or (hand.phase is Phase.UPCARD and isinstance(action, Draw))
    return IllegalAction("R3.4" if stray else clause_of(hand), f"{action.kind} in phase {hand.phase}")


# --- the end of a hand


def _stock_out(hand: Hand) -> Hand:
    """Rule: R5.1, R5.2. Two cards are left; the seat that did not discard is to act."""
    match hand.rules.stock_out:
        case "last_take":
            return replace(hand, phase=Phase.LAST_TAKE)
        case "showdown":
            return _show(hand)
        case _:
            return _die(hand)


def _die(hand: Hand) -> Hand:
    """Rule: R5.1, R5.3."""
    result = dead((deadwood(hand.cards[0]), deadwood(hand.cards[1])))
    return replace(hand, phase=Phase.OVER, result=result)


def _show(hand: Hand) -> Hand:
    """Lay both seats' cards, the last discarder first. Rule: R5.2, ``showdown``."""
    caller = 1 - hand.seat
    melds = arrange(hand.cards[caller])
    first = Laid(melds, (), deadwood(hand.cards[caller]))
    own, lay_offs = defend(hand.cards[hand.seat], melds)
    second = Laid(own, lay_offs, points(hand.cards[hand.seat] & ~union(own) & ~laid_cards(lay_offs)))
    laid = (first, second) if caller == 0 else (second, first)
    return _settle(replace(hand, called=Ending.SHOWDOWN, laid=laid))


def _lay_down(hand: Hand, rest: Cards, called: Ending, laid: Laid) -> Hand:
    """Put the caller's melds on the table and ask the defender. Rule: R6.3."""
    seat = hand.seat
    return replace(
        hand,
        phase=Phase.LAY_OFF,
        seat=1 - seat,
        cards=_with(hand.cards, seat, rest),
        called=called,
        laid=_with_laid(hand, seat, laid),
        drawn=None,
        taken=False,
    )


def _settle(hand: Hand) -> Hand:
    """Score what both seats have laid."""
    zero, one = hand.laid
    assert hand.called and zero and one  # noqa: PT018 - asked only when both have laid
    result = score(Showdown(hand.called, 1 - hand.seat, (zero.deadwood, one.deadwood)), hand.rules)
    return replace(hand, phase=Phase.OVER, result=result)


# --- what is legal


def _throwable(hand: Hand, held: Cards, taken: Card | None) -> Cards:
    """Rule: R4.2, R4.3."""
    return held if taken is None or hand.rules.return_taken else held & ~(1 << taken)


def _without(hand: Hand, card: Card) -> Cards:
    """Return the cards of the seat to act less one. Raises: IllegalAction. Rule: R4.2, R4.3."""
    held, bit = hand.cards[hand.seat], 1 << card
    if not held & bit:
        raise IllegalAction("R4.2", f"{NAMES[card]} is not among the cards held")
    if hand.taken and card == hand.drawn and not hand.rules.return_taken:
        raise IllegalAction("R4.3", f"{NAMES[card]} was just taken from the discard pile and may not be thrown in this turn")
    return held ^ bit


def may_lay_off(hand: Hand) -> bool:
    """Tell whether the defender may lay deadwood on the caller's melds. Rule: R6.3, R7.2, R8.1."""
    return hand.called is Ending.KNOCK or (hand.called is Ending.GIN and hand.rules.layoff_on_gin)


def _open_melds(hand: Hand) -> Melds:
    """Return the caller's melds, if anything may be laid on them."""
    laid = hand.laid[1 - hand.seat]
    return laid.melds if laid and may_lay_off(hand) else ()


def _may_throw(hand: Hand) -> tuple[Kind, ...]:
    held = hand.cards[hand.seat]
    kinds: list[Kind] = ["discard"] if hand.phase is Phase.DISCARD else []
    if _may_knock(hand, held, hand.may_discard()):
        kinds.append("knock")
    if hand.rules.big_gin_bonus is not None and deadwood(held) == 0:
        kinds.append("big_gin")
    return tuple(kinds)


def _may_knock(hand: Hand, held: Cards, discards: Cards) -> bool:
    """Tell whether some discard leaves a knock. Rule: R6.1."""
    limit = hand.rules.knock_limit
    if deadwood(held) > limit + 10:  # no discard takes away more than ten points
        return False
    return any(deadwood(held ^ 1 << card) <= limit for card in each(discards))


def _may_take_to_knock(hand: Hand) -> bool:
    """Rule: R5.2, ``last_take``."""
    card = hand.pile[-1]
    held = hand.cards[hand.seat] | 1 << card
    big_gin = hand.rules.big_gin_bonus is not None and deadwood(held) == 0
    return big_gin or _may_knock(hand, held, _throwable(hand, held, card))


def _with(both: tuple[int, int], seat: Seat, held: Cards) -> tuple[int, int]:
    return (held, both[1]) if seat == 0 else (both[0], held)


def _with_laid(hand: Hand, seat: Seat, laid: Laid) -> tuple[Laid | None, Laid | None]:
    return (laid, hand.laid[1]) if seat == 0 else (hand.laid[0], laid)
