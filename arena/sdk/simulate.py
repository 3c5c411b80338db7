"""Sample the hidden cards of a hand, and play a sampled hand to its end.

The referee's own engine plays, so a simulated hand obeys the rules in force. Source: determinised Monte Carlo search
(Ginsberg, 2001, for bridge; Long et al., 2010, on where it may fail).
"""

import sys
import time
from collections.abc import Callable
from random import Random

from arena.gin.actions import Action
from arena.gin.cards import DECK, NAMES, Card, Cards, bits, each, in_order, parse
from arena.gin.deal import Deals
from arena.gin.hand import Hand, Laid, Phase
from arena.gin.match import Batch, Scoreline
from arena.gin.melds import union
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult
from arena.gin.seeing import see
from arena.gin.view import View
from arena.sdk.bot import Bot

Answer = Callable[[View], Action]


def sample_hand(view: View, random: Random) -> Hand:
    """Return a hand in which I am seat 0 and the hidden cards are drawn at random.

    The opponent holds the known cards that it took; the rest of its cards and the order of the stock are drawn at random from the
    unseen cards. Of the deck only the stock is meaningful. Raises: ValueError, after a knock, when no hidden card matters any more.
    """
    if view.phase in (Phase.LAY_OFF, Phase.OVER):
        raise ValueError(f"a hand in phase {view.phase} has no hidden cards to sample; the melds are laid")
    unseen = list(each(view.unseen))
    random.shuffle(unseen)
    stock = unseen[len(unseen) - view.stock :]
    theirs = view.opponent_holds
    for card in unseen[: len(unseen) - view.stock]:
        theirs |= 1 << card
    seen = each(DECK & ~sum(1 << card for card in stock))
    return Hand(
        rules=view.rules,
        deck=(*seen, *stock),
        dealer=0 if view.dealer else 1,
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
    where = standing or Scoreline(0, 0, (0, 0), (0, 0))
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


# ``python -m arena.sdk.simulate module:Class [HANDS]``: play a bot against itself in one process, to time or profile it.


def selfplay(bots: tuple[Bot, Bot], hands: int) -> int:
    """Play ``hands`` hands, each from 0-0, and return the number of decisions."""
    batch = Batch(Rules(), Deals("selfplay", "selfplay"), hands)
    decisions = 0
    while not batch.over:
        standing, hand = batch.standing, Hand.start(batch.deal(), batch.rules)
        while hand.result is None:
            hand = hand.play(bots[hand.seat].answer(see(hand, standing)))
            decisions += 1
        batch = batch.add(hand.result)
    return decisions


if __name__ == "__main__":
    from arena.sdk.loop import bot_class

    make = bot_class(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    selfplay((make("warm"), make("up")), 50)
    start = time.perf_counter()
    decided = selfplay((make("0"), make("1")), count)
    print(f"{count / (time.perf_counter() - start):.0f} hands a second, {decided / count:.1f} decisions a hand")  # noqa: T201


# Build a view for the tests of a bot: cards as text, and realistic defaults for everything else.


def position(
    cards: str,
    *,
    phase: str = "discard",
    pile: str = "",
    took: tuple[str, str] = ("", ""),
    threw: tuple[str, str] = ("", ""),
    laid: str = "",
    deadwood: int = 0,
    dealer: bool = False,
    rules: Rules | None = None,
    score: tuple[int, int] = (0, 0),
    games: tuple[int, int] = (0, 0),
) -> View:
    """Return the view of a seat that holds ``cards``, such as ``3c4c5c 7d``, in a phase of arena/protocol/README.md.

    Of eleven cards the last is the one drawn or taken in this turn. ``took`` and ``threw`` are mine and the opponent's. Discarded
    cards that are nowhere else are in the discard pile, with ``pile`` on top, its top last. For phase lay_off, ``laid`` has a word
    for each meld of the opponent, and ``deadwood`` its points. Raises: ValueError, for a card in two places.
    """
    mine, melds = _cards(cards), tuple(parse(word) for word in laid.split())
    theirs = (parse(took[1]) | union(melds)) & ~parse(threw[1])
    lying = _pile(_cards(pile), _cards(threw[0]) + _cards(threw[1]), bits(mine) | theirs)
    _check_apart(mine, lying, tuple(each(theirs)))
    hidden = tuple(each(DECK & ~bits(mine) & ~bits(lying) & ~theirs))
    unknown = max(0, 10 - theirs.bit_count())  # cards of the opponent
    drawn = mine[-1] if len(mine) == 11 else None
    hand = Hand(
        rules=rules or Rules(),
        deck=(*each(DECK & ~bits(hidden[unknown:])), *hidden[unknown:]),
        dealer=0 if dealer else 1,
        phase=Phase(phase),
        seat=0,
        cards=(bits(mine), theirs | bits(hidden[:unknown])),
        pile=lying,
        top=52 - len(hidden) + unknown,
        drawn=drawn,
        taken=drawn is not None and bool(parse(took[0]) >> drawn & 1),
        took=(parse(took[0]), parse(took[1])),
        threw=(parse(threw[0]), parse(threw[1])),
        called=(Ending.KNOCK if deadwood else Ending.GIN) if melds else None,
        laid=(None, Laid(melds, (), deadwood) if melds else None),
    )
    return see(hand, Scoreline(0, 0, score, games))


def _cards(text: str) -> tuple[Card, ...]:
    """Return the cards of a text in its order. Raises: ValueError."""
    packed = "".join(text.split())
    return in_order(packed[at : at + 2] for at in range(0, len(packed), 2))


def _pile(top: tuple[Card, ...], thrown: tuple[Card, ...], held: Cards) -> tuple[Card, ...]:
    return (*(card for card in thrown if not held >> card & 1 and card not in top), *top)


def _check_apart(*places: tuple[Card, ...]) -> None:
    everywhere = [card for place in places for card in place]
    twice = next((card for card in everywhere if everywhere.count(card) > 1), None)
    if twice is not None:
        raise ValueError(f"{NAMES[twice]} is in two places")
