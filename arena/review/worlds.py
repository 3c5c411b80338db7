"""Samples the cards that a seat did not see: likely hands of the other seat, and an order of the stock.

Ten random unseen cards are a poor model of a player: at its tenth turn it has about twelve points of deadwood, they have fifty. So
the hidden cards are sampled by a random walk that exchanges single cards (Metropolis et al., 1953) and prefers hands that are
likely by the habits of the player. The worlds of one walk depend on each other: standard errors count walks.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

import numpy as np
from msgspec import Struct, json
from numpy.typing import NDArray

from arena.gin.cards import VALUES
from arena.gin.view import View
from arena.review.sights import Sight
from arena.train import calls
from arena.train.card_arrays import related_cards
from arena.train.native import WalkSight

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# A model of a player: its deadwood at each turn, the evidence of its takes and throws, when it knocks and what it throws.
#
# ``weights`` and ``evidence`` are the logarithm of how much likelier a hand of ten cards is than a random one:
# ``weights[turn][deadwood] - sum(evidence * facts)``, where the facts are counts of cards (``FACTS``), and the
# coefficients change in equal steps from those of the first turn to those of the last row. ``knocks`` are chances. ``throwing``
# weighs the features of a throw (``arena.train.rollouts``): a card is thrown with a chance in proportion to exp(throwing *
# features). All are fitted on hands whose cards are open (``arena.review.fitting``), never on the hand that is reviewed.

HABITS_VERSION: Final = 4  # of the usual habits
TURNS: Final = 13  # rows of the tables; the last is for all later turns. The kernel's TURNS is another number.

# Deadwood of 0 to 10 points has a column each, more has wider ones.
EDGES: Final = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 23, 26, 29, 32, 36, 40, 45, 50, 56, 63, 72)
COLUMN: Final[Ints] = np.searchsorted(EDGES, np.arange(101), side="right") - 1  # of each deadwood
COLUMNS: Final = len(EDGES)
KNOCKS: Final = 11  # columns of ``knocks``: deadwood 0 to 9, and 10 or more


class Habits(Struct, frozen=True):
    """The habits of one player, or of players in general."""

    weights: tuple[tuple[float, ...], ...]  # TURNS x COLUMNS
    evidence: tuple[tuple[float, ...], tuple[float, ...]]  # of each fact: at the first turn, and at the last row
    knocks: tuple[tuple[float, ...], ...]  # TURNS x KNOCKS
    throwing: tuple[float, ...]  # weights of the features of a throw
    as_scholar: bool = False  # the bot scholar predicts its throws better than ``throwing``, and plays for it in rollouts

    def knocking(self, turns: int) -> Floats:
        """Return the chance to knock at each turn (row) with each deadwood from 0 to 100 (column)."""
        rows = np.minimum(np.arange(turns), TURNS - 1)
        columns = np.minimum(np.arange(101), KNOCKS - 1)
        return np.asarray(np.array(self.knocks)[rows][:, columns])


@cache
def usual_habits() -> Habits:
    """Return the habits of players in general, fitted on the ladder's bots (``python tests/studies/habits.py``)."""
    return json.decode(files("arena.review").joinpath(f"habits_{HABITS_VERSION}.json").read_bytes(), type=Habits)


def own_knocking(turns: int) -> Floats:
    """Return the chances to knock of the rollouts' own policy: 1 in its first three turns, then 0. Gin is always called."""
    knocking = np.zeros((turns, 101))
    knocking[:3] = 1.0
    return knocking


# How likely hands of the other seat are, by its deadwood and by what was seen of it.
#
# A player keeps what it can use. So it could use few of the cards that it refused or threw, and if it throws its dearest cards,
# what it keeps is cheaper. It keeps cards that may become melds, and judges that by what it knows: it also counts on cards that lie
# in this seat's hand. How strong each such fact is as evidence, at the first turn and at a late one, is a habit of the player.

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


FIRST_STEPS, STEPS = 200, 25  # of a walk before its first sample, and between two
SAMPLES = 4  # of each walk
WIDTH = 41  # most unseen cards
CHANCES = 20  # random numbers of a world, one for each turn of a rollout

Random = np.random.Generator


def random_numbers(version: int, seed: str, view: View) -> Random:
    """Return a generator for a position; it depends on the view, the seed and the version alone."""
    digest = sha256(json.encode((version, seed, view))).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


class Worlds(Struct, frozen=True, eq=False):
    """Sampled worlds of one position: the other seat's ten cards, and the order of the stock (worlds x cards)."""

    theirs: Ints
    stock: Ints
    chance: Floats  # (worlds x CHANCES) random numbers between 0 and 1 for what players decide by chance


def sample(sights: Sequence[Sight], habits: Habits, walks: int, randoms: Sequence[Random]) -> list[Worlds]:
    """Return SAMPLES worlds of each of ``walks`` walks for each position, by the habits of the opponent.

    The worlds of one walk follow one another.
    """
    walk = Walk(sights, habits, walks, randoms)
    walk.go(FIRST_STEPS)
    found = [walk.worlds()]
    for _ in range(SAMPLES - 1):
        walk.go(STEPS)
        found.append(walk.worlds())
    return [_interleave(several) for several in zip(*found, strict=True)]


def _interleave(several: Sequence[Worlds]) -> Worlds:
    """Return the samples of one position in the order of walks; each of ``several`` has a world of every walk."""
    theirs = np.stack([one.theirs for one in several], axis=1).reshape(-1)
    stock = np.stack([one.stock for one in several], axis=1).reshape(len(theirs), -1)
    chance = np.stack([one.chance for one in several], axis=1).reshape(len(theirs), -1)
    return Worlds(theirs, stock, chance)


class Walk:
    """Walks for several positions: ``count`` for each, with a row for each walk."""

    def __init__(self, sights: Sequence[Sight], habits: Habits, count: int, randoms: Sequence[Random]) -> None:
        self._sights, self._count, self._randoms = sights, count, randoms
        self._places = repeated = np.repeat(np.arange(len(sights)), count)
        self._hidden = np.array([one.hidden for one in sights])[repeated]
        self._size = np.array([one.unseen.bit_count() for one in sights])[repeated]
        self._order = np.concatenate([_shuffle(one, count, random) for one, random in zip(sights, randoms, strict=True)])
        known = np.array([one.known for one in sights])[repeated]
        self.held: Ints = known | np.where(np.arange(WIDTH) < self._hidden[:, None], 1 << self._order, 0).sum(axis=1)
        self.positions = walk_sights(sights, habits)

    def go(self, steps: int) -> None:
        """Take ``steps`` steps in every walk."""
        numbers = np.concatenate([random.random((self._count, steps, 3)) for random in self._randoms])
        numbers[:, :, 2] = np.log(numbers[:, :, 2])
        self.held = self.held.copy()  # earlier worlds keep theirs
        arrays = {
            "sights": self.positions,
            "places": self._places,
            "hidden": self._hidden,
            "unseen": self._size,
            "held": self.held.view(np.uint64),
            "order": self._order,
            "likely": np.empty(len(self.held)),
            "numbers": numbers,
        }
        calls.walk(arrays, size=len(self.held), steps=steps, width=WIDTH)

    def worlds(self) -> list[Worlds]:
        """Return, for each position, the current world of each of its walks."""
        return [self._worlds(number) for number in range(len(self._sights))]

    def _worlds(self, number: int) -> Worlds:
        rows, one = slice(number * self._count, (number + 1) * self._count), self._sights[number]
        chance = self._randoms[number].random((self._count, CHANCES))
        return Worlds(self.held[rows], self._order[rows, one.hidden : one.unseen.bit_count()].copy(), chance)


def _shuffle(one: Sight, count: int, random: Random) -> Ints:
    """Return random orders of the unseen cards (count x WIDTH); the first of each are the other seat's hidden cards."""
    unseen = np.flatnonzero(one.unseen >> np.arange(52) & 1)
    order = np.zeros((count, WIDTH), np.int64)
    order[:, : len(unseen)] = unseen[random.random((count, len(unseen))).argsort(axis=1)]
    return order
