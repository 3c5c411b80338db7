"""Sample the hidden cards of a hand, and play a sampled hand to its end.

The referee's own engine plays, so a simulated hand obeys the rules in force. Source: determinised Monte Carlo search
(Ginsberg, 2001, for bridge; Long et al., 2010, on where it may fail).
"""

from collections.abc import Callable
from random import Random

from arena.gin.actions import Action
from arena.gin.cards import DECK, each
from arena.gin.facts import HandFacts
from arena.gin.match import Hand, Phase, Scoreline
from arena.gin.rules import HandTerms
from arena.gin.score import HandResult
from arena.gin.seeing import see
from arena.gin.view import View

Answer = Callable[[View], Action]


def sample_hand(view: View, random: Random) -> Hand:
    """Return a hand in which I am seat 0 and the hidden cards are drawn at random.

    ``view`` is that of the seat that acts. The opponent holds the known cards that it took; the rest of its cards and the order of
    the stock are drawn at random from the unseen cards. Of the deck only the stock is meaningful. ``takes`` may be too low, because
    a view does not show that a seat took the same card twice.
    Raises: ValueError, after a knock, when no hidden card matters any more, and for a hand that is over.
    """
    if view.phase in (Phase.LAY_OFF, Phase.OVER):
        raise ValueError(f"a hand in phase {view.phase} has no hidden cards to sample")
    unseen = list(each(view.unseen))
    random.shuffle(unseen)
    stock = unseen[len(unseen) - view.stock :]
    theirs = view.opponent_holds
    for card in unseen[: len(unseen) - view.stock]:
        theirs |= 1 << card
    seen = each(DECK & ~sum(1 << card for card in stock))
    return Hand(
        rules=view.rules,
        facts=HandFacts(0 if view.dealer else 1, before=standing_of(view)),
        terms=HandTerms(view.knock_limit, view.multiplier),
        deck=(*seen, *stock),
        phase=view.phase,
        seat=0,
        cards=(view.cards, theirs),
        pile=view.pile,
        top=52 - view.stock,
        drawn=view.drawn,
        taken=view.drawn is not None and bool(view.took[0] >> view.drawn & 1),
        passes=1 if view.dealer else 0,
        takes=sum(took.bit_count() for took in view.took),
        took=view.took,
        threw=view.threw,
    )


def playout(hand: Hand, mine: Answer, theirs: Answer, standing: Scoreline | None = None) -> HandResult:
    """Return the result of ``hand`` if seat 0 answers by ``mine`` and seat 1 by ``theirs``. Raises: IllegalActionError."""
    where = standing or Scoreline()
    answers = (mine, theirs)
    while hand.result is None:
        hand = hand.play(answers[hand.seat](see(hand, where)))
    return hand.result


def standing_of(view: View) -> Scoreline:
    """Return the score for the simulated players, mine first as in a sampled hand."""
    return Scoreline(view.game, view.hand, view.score, view.games)


def points(result: HandResult) -> int:
    """Return the points of a result for seat 0, negative if seat 1 scored."""
    return result.points if result.winner == 0 else -result.points
