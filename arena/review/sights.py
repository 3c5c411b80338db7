"""What a seat knew of the other's cards at a decision: the cards it saw taken, refused and thrown, and what the other saw of it."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.gin.actions import UPCARD
from arena.gin.cards import VALUES, Card, Cards, bits
from arena.gin.view import View
from arena.review.habits import COLUMN, TURNS, Floats, Habits, Ints
from arena.train import calls
from arena.train.rollout_memory import WalkSight
from arena.train.sets import related_cards

RECENT = 3  # throws that are stronger evidence than older ones


class Sight(Struct, frozen=True):
    """What a seat knows of the other's ten cards."""

    known: Cards  # it took them and holds them
    unseen: Cards  # in its hand or in the stock
    stock: int  # cards
    turn: int  # turns that the other has finished
    refused: tuple[Cards, Cards]  # upcards that it did not take, or took and threw later: the most recent ones, and older ones
    thrown: tuple[Cards, Cards]  # what it threw: the most recent cards, and older ones
    latest: tuple[Card, ...]  # its last two throws, the last one first
    live: Cards  # that it may hold or hope for: unseen ones, and those of this seat that it did not see taken
    shown: Cards  # that it saw this seat take, and that are still held
    dropped: Cards  # that this seat threw

    @property
    def hidden(self) -> int:
        """Return the number of its unknown cards."""
        return self.unseen.bit_count() - self.stock


def sight(view: View) -> Sight:
    """Return a seat's knowledge of the other's cards."""
    refused = [card for card in view.pile if view.threw[0] >> card & 1]
    refused = [*_first_refused(view), *refused]
    thrown = [card for card in view.pile if view.threw[1] >> card & 1]
    return Sight(
        known=view.opponent_holds,
        unseen=view.unseen,
        stock=view.stock,
        turn=view.threw[1].bit_count(),
        refused=_by_age(refused),
        thrown=_by_age(thrown),
        latest=tuple(thrown[:-3:-1]),
        live=view.unseen | view.cards & ~view.took[0],
        shown=view.took[0] & view.cards,
        dropped=view.threw[0],
    )


def _first_refused(view: View) -> tuple[Card, ...]:
    """Return the upcard of the deal, if it lies there and the other seat had the choice to take it. Rule: R3."""
    if not view.pile or (view.threw[0] | view.threw[1]) >> view.pile[0] & 1:
        return ()
    asked = view.dealer or (view.rules.first_turn == "upcard" and view.phase is not UPCARD)
    return view.pile[:1] if asked else ()


def _by_age(cards: list[Card]) -> tuple[Cards, Cards]:
    return bits(cards[-RECENT:]), bits(cards[:-RECENT])


# How likely hands of the other seat are, by its deadwood and by what was seen of it.
#
# A player keeps what it can use. So it could use few of the cards that it refused or threw, and if it throws its dearest cards,
# what it keeps is cheaper. It keeps cards that may become melds, and judges that by what it knows: it also counts on cards that lie
# in this seat's hand. How much each such fact says, at the first turn and at a late one, is a habit of the player
# (:mod:`arena.review.habits`).

FACTS: Final = (  # counts of cards of a hand, by :mod:`arena.train.walks`; "other" ones are in no meld
    "cards that it refused lately and could use",
    "cards that it refused earlier and could use",
    "cards that it threw lately and could use",
    "cards that it threw earlier and could use",
    "cards that it took, in no meld",
    "outs: live cards that would make a meld",
    "cards in melds",
    "other cards dearer than its last throw",
    "other cards dearer than the throw before",
    "other cards of a rank that it has twice",
    "other cards near another one in a suit",
    "other tens and face cards",
    "other aces and twos",
    "other cards that go with what this seat threw",
    "cards that go with what it saw this seat take",
)
DEARER: Final[Ints] = np.array([sum(1 << card for card in range(52) if VALUES[card] > least) for least in range(11)], np.int64)
Kernel = NDArray[np.void]  # of WalkSight


def walk_sights(sights: Sequence[Sight], habits: Habits) -> Kernel:
    """Return each position as the kernel reads it, where the other seat has some habits."""
    found = np.zeros(len(sights), np.dtype(WalkSight))
    found["known"], found["live"] = [one.known for one in sights], [one.live for one in sights]
    found["useful"] = [(*one.refused, *one.thrown) for one in sights]
    found["dearer"] = DEARER[[[_points(one, age) for age in (0, 1)] for one in sights]]
    found["with_dropped"] = related_cards(np.array([one.dropped for one in sights], np.int64))
    found["with_shown"] = related_cards(np.array([one.shown for one in sights], np.int64))
    believe(found, turns(sights), habits)
    return found


def believe(found: Kernel, turn: Ints, habits: Habits) -> None:
    """Change the habits of the other seat, for the turn of each position."""
    found["evidence"] = (lateness(turn)[:, :, None] * np.array(habits.evidence)).sum(axis=1)
    found["weights"] = np.array(habits.weights)[turn][:, COLUMN]


def _points(one: Sight, age: int) -> int:
    """Return the points of its last throw or of the one before; 10, which no card exceeds, if there is none."""
    return VALUES[one.latest[age]] if age < len(one.latest) else 10


def weigh(sights: Kernel, held: Ints) -> tuple[Floats, Ints]:
    """Return the logarithm of the likelihood of each hand, and its facts (hands x facts), for as many hands of each position.

    The likelihood is right up to a constant of each position.
    """
    likely, facts = np.zeros(len(held)), np.zeros((len(held), len(FACTS)), np.int64)
    places = np.repeat(np.arange(len(sights)), len(held) // len(sights))
    arrays = {"sights": sights, "places": places, "held": held.view(np.uint64), "likely": likely, "facts": facts}
    calls.weigh(arrays, size=len(held))
    return likely, facts


def turns(sights: Sequence[Sight]) -> Ints:
    """Return the row of the tables of :class:`Habits` for each position."""
    return np.minimum(np.array([one.turn for one in sights], np.int64), TURNS - 1)


def lateness(turn: Ints) -> Floats:
    """Return the weights of the coefficients of the first and of a late turn at each turn (turns x 2)."""
    late = turn / (TURNS - 1)
    return np.stack([1 - late, late], axis=1)
