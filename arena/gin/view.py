"""What one seat may see of a hand: the only way out of it. Source: R4.4.

Everything is told from the seat's own side: mine first, the opponent's second.
"""

from typing import TypeVar

from msgspec import Struct

from arena.gin.actions import Kind
from arena.gin.cards import DECK, Card, Cards, LayOffs, Melds, bits
from arena.gin.deal import Seat
from arena.gin.hand import Hand, Phase, may_lay_off
from arena.gin.match import Standing
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult

Of = TypeVar("Of")


class Knocker(Struct, frozen=True):
    """A knock as the defender sees it."""

    melds: Melds
    deadwood: int  # points
    lay_offs: bool  # deadwood may be laid off on the melds (R7.2, R8.1)


class View(Struct, frozen=True, kw_only=True):
    """A turn as the seat that has to act sees it."""

    rules: Rules
    game: int  # of the match, counted from 0
    hand: int  # of the game, counted from 0
    score: tuple[int, int]  # points in this game
    games: tuple[int, int]  # games won in this match
    dealer: bool  # I dealt
    phase: Phase
    may: tuple[Kind, ...]  # the kinds of action that are legal now
    cards: Cards  # mine
    may_discard: Cards  # those of mine that may be thrown now
    drawn: Card | None  # the card that came to me in this turn
    pile: tuple[Card, ...]  # the discard pile, its top last
    stock: int  # how many cards are left in it
    took: tuple[Cards, Cards]  # what each ever took from the discard pile
    threw: tuple[Cards, Cards]  # what each ever discarded
    knocker: Knocker | None  # phase LAY_OFF: what the opponent laid

    @property
    def upcard(self) -> Card:
        """Return the top of the discard pile. Raises: IndexError, if the pile is empty."""
        return self.pile[-1]

    @property
    def opponent_holds(self) -> Cards:
        """Return the cards that the opponent is known to hold, for it took them in the open."""
        return self.took[1] & ~self.cards & ~bits(self.pile)

    @property
    def unseen(self) -> Cards:
        """Return the cards whose place is not known: in the stock or with the opponent."""
        return DECK & ~self.cards & ~bits(self.pile) & ~self.opponent_holds

    def without(self, card: Card) -> Cards:
        """Return my cards less one of them."""
        return self.cards & ~(1 << card)


class Outcome(Struct, frozen=True, kw_only=True):
    """A hand that is over, as one seat sees it; now both players' cards are open."""

    game: int
    hand: int
    ending: Ending
    won: bool | None  # None: nobody scored
    points: int  # to the winner
    cards: tuple[Cards, Cards]
    melds: tuple[Melds, Melds]
    lay_offs: LayOffs  # the defender's, on the other's melds
    deadwood: tuple[int, int]
    score: tuple[int, int]  # points in the game, this hand included
    games: tuple[int, int]  # games won, this one included


def see(hand: Hand, standing: Standing) -> View:
    """Return what the seat that is to act may see."""
    seat = hand.seat
    throwing = hand.phase is Phase.DISCARD or hand.phase is Phase.LAST_KNOCK
    return View(
        rules=hand.rules,
        game=standing.game,
        hand=standing.hand,
        score=mine_first(standing.score, seat),
        games=mine_first(standing.games, seat),
        dealer=hand.dealer == seat,
        phase=hand.phase,
        may=hand.may(),
        cards=hand.cards[seat],
        may_discard=hand.may_discard() if throwing else 0,
        drawn=hand.drawn,
        pile=hand.pile,
        stock=hand.stock,
        took=mine_first(hand.took, seat),
        threw=mine_first(hand.threw, seat),
        knocker=_knocker(hand) if hand.phase is Phase.LAY_OFF else None,
    )


def disclose(hand: Hand, result: HandResult, before: Standing, games: tuple[int, int], seat: Seat) -> Outcome:
    """Return what ``seat`` is told of a hand that is over; ``before`` is the standing it was dealt at, ``games`` are won now.

    Raises: ValueError, while the hand goes on, unless the referee ended it for a fault: cards open at the end alone.
    """
    if hand.phase is not Phase.OVER and result.ending is not Ending.FAULT:
        raise ValueError(f"the hand is not over, but in phase {hand.phase}")
    zero, one = (laid.melds if laid else () for laid in hand.laid)
    gains = (result.points if result.winner == 0 else 0, result.points if result.winner == 1 else 0)
    score = (before.score[0] + gains[0], before.score[1] + gains[1])
    return Outcome(
        game=before.game,
        hand=before.hand,
        ending=result.ending,
        won=None if result.winner is None else result.winner == seat,
        points=result.points,
        cards=mine_first(hand.cards, seat),
        melds=mine_first((zero, one), seat),
        lay_offs=next((laid.lay_offs for laid in hand.laid if laid and laid.lay_offs), ()),
        deadwood=mine_first(result.deadwood, seat),
        score=mine_first(score, seat),
        games=mine_first(games, seat),
    )


def mine_first(both: tuple[Of, Of], seat: Seat) -> tuple[Of, Of]:
    """Return a pair of seat 0 and 1 as ``seat`` sees it."""
    return both if seat == 0 else (both[1], both[0])


def _knocker(hand: Hand) -> Knocker | None:
    laid = hand.laid[1 - hand.seat]
    return Knocker(laid.melds, laid.deadwood, may_lay_off(hand)) if laid else None
