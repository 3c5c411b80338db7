"""What a seat sees of a hand, during the hand and after it. Source: R4.4."""

from typing import TypeVar

from arena.gin.actions import DISCARD, LAST_KNOCK, LAY_OFF, OVER
from arena.gin.facts import Scoreline, Seat
from arena.gin.match import Hand, after_hand
from arena.gin.moves import may, may_discard, may_lay_off
from arena.gin.score import Ending, HandResult
from arena.gin.view import Knocker, Outcome, View

Own = TypeVar("Own")


def see(hand: Hand, standing: Scoreline) -> View:
    """Return the view of the seat that acts."""
    return _view(hand, standing, hand.seat)


def watch(hand: Hand, standing: Scoreline) -> View:
    """Return the view of the seat that does not act; its ``may`` is empty."""
    return _view(hand, standing, 1 - hand.seat)


def _view(hand: Hand, standing: Scoreline, seat: Seat) -> View:
    phase, acts = hand.phase, seat == hand.seat
    return View(
        rules=hand.rules,
        game=standing.game,
        hand=standing.hand,
        score=mine_first(standing.score, seat),
        columns=_columns(standing, seat) if standing.columns else (),
        games=mine_first(standing.games, seat),
        knock_limit=hand.terms.knock_limit,
        multiplier=hand.terms.multiplier,
        dealer=hand.dealer == seat,
        phase=phase,
        may=may(hand) if acts else (),
        cards=hand.cards[seat],
        may_discard=may_discard(hand) if acts and (phase is DISCARD or phase is LAST_KNOCK) else 0,
        drawn=hand.drawn if acts else None,
        pile=hand.pile,
        stock=hand.bottom - hand.top,
        took=mine_first(hand.took, seat),
        threw=mine_first(hand.threw, seat),
        knocker=_knocker(hand) if acts and phase is LAY_OFF else None,
    )


def disclose(hand: Hand, result: HandResult, before: Scoreline, games: tuple[int, int], seat: Seat) -> Outcome:
    """Return the outcome for ``seat``; ``before`` is the score before the hand, ``games`` are the games won after it.

    Raises: ValueError, if the hand is neither over nor ended by a fault: both players' cards are shown only at its end.
    """
    if hand.phase is not OVER and result.ending is not Ending.FAULT:
        raise ValueError(f"the hand is not over; its phase is {hand.phase}")
    zero, one = (laid.melds if laid else () for laid in hand.laid)
    after = after_hand(before, result, hand.rules)
    return Outcome(
        game=before.game,
        hand=before.hand,
        ending=result.ending,
        won=None if result.winner is None else result.winner == seat,
        points=result.points,
        multiplier=hand.terms.multiplier,
        cards=mine_first(hand.cards, seat),
        melds=mine_first((zero, one), seat),
        lay_offs=next((laid.lay_offs for laid in hand.laid if laid and laid.lay_offs), ()),
        deadwood=mine_first(result.deadwood, seat),
        score=mine_first(after.score, seat),
        columns=_columns(after, seat),
        games=mine_first(games, seat),
    )


def _columns(standing: Scoreline, seat: Seat) -> tuple[tuple[int, int], ...]:
    return tuple([mine_first(column.points, seat) for column in standing.columns])


def mine_first(both: tuple[Own, Own], seat: Seat) -> tuple[Own, Own]:
    """Return a pair of seat 0 and 1 with the value of ``seat`` first."""
    return both if seat == 0 else (both[1], both[0])


def _knocker(hand: Hand) -> Knocker | None:
    laid = hand.laid[1 - hand.seat]
    return Knocker(laid.melds, laid.deadwood, may_lay_off(hand)) if laid else None
