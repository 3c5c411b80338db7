"""How likely hands of the other seat are, by its deadwood and by what was seen of it.

A player keeps what it can use. So it could use few of the cards that it refused or threw, and if it throws its dearest cards,
what it keeps is cheaper. It keeps cards that may become melds, and judges that by what it knows: it also counts on cards that lie
in this seat's hand. How strong each such fact is as evidence, at the first turn and at a late one, is a habit of the player.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.gin.cards import VALUES
from arena.review.arrays import Floats, Ints
from arena.review.habits import COLUMN, TURNS, Habits
from arena.review.sights import Sight
from arena.train import calls
from arena.train.card_arrays import related_cards
from arena.train.native import WalkSight

FACTS: Final = (  # counts of cards for a hand, by :mod:`arena.train.walks`; "other" ones are in no meld
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
Positions = NDArray[np.void]  # of WalkSight


def walk_sights(sights: Sequence[Sight], habits: Habits) -> Positions:
    """Return the positions as the kernel reads them, with the habits of the other seat."""
    found = np.zeros(len(sights), np.dtype(WalkSight))
    found["known"], found["live"] = [one.known for one in sights], [one.live for one in sights]
    found["declined"] = [(*one.refused, *one.thrown) for one in sights]
    found["dearer"] = DEARER[[[_points(one, age) for age in (0, 1)] for one in sights]]
    found["with_dropped"] = related_cards(np.array([one.dropped for one in sights], np.int64))
    found["with_shown"] = related_cards(np.array([one.shown for one in sights], np.int64))
    set_habits(found, turns(sights), habits)
    return found


def set_habits(found: Positions, turn: Ints, habits: Habits) -> None:
    """Write the habits of the other seat into ``found``, for the turn of each position."""
    found["evidence"] = (lateness(turn)[:, :, None] * np.array(habits.evidence)).sum(axis=1)
    found["weights"] = np.array(habits.weights)[turn][:, COLUMN]


def _points(one: Sight, age: int) -> int:
    """Return the points of the other's last throw (``age`` 0) or the one before (1); 10, the most, if there is none."""
    return VALUES[one.latest[age]] if age < len(one.latest) else 10


def weigh(sights: Positions, held: Ints) -> tuple[Floats, Ints]:
    """Return the log likelihood of each hand, up to a constant of its position, and its facts (hands x facts).

    ``held`` has the same number of hands for each position, in the order of ``sights``.
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
    """Return the weights of the two rows of ``Habits.evidence`` at each turn: of the first and of a late one (turns x 2)."""
    late = turn / (TURNS - 1)
    return np.stack([1 - late, late], axis=1)
