"""What a seat knew of the other's cards at a decision: the cards it saw taken, refused and thrown, and what the other saw of it."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.gin.actions import UPCARD
from arena.gin.cards import Card, Cards, bits
from arena.gin.view import View
from arena.review.habits import COLUMN, TURNS, Habits
from arena.review.vectors import VALUE, Floats, Ints, counts, deadwoods, meldable
from arena.train.rollout_memory import WalkSight
from arena.train.sets import ACES, completes, near, pairs, related_cards

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

FACTS: Final = (  # counts of cards of a hand; "other" ones are in no meld
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
TENS: Final = ACES << 9 | ACES << 10 | ACES << 11 | ACES << 12
LOW: Final = ACES | ACES << 1
DEARER: Final[Ints] = np.array([sum(1 << card for card in range(52) if VALUE[card] > least) for least in range(11)], dtype=np.int64)


class HandLikelihood:
    """The logarithm of the likelihood of hands, up to a constant of each position."""

    def __init__(self, sights: Sequence[Sight], habits: Sequence[Habits], repeated: Ints) -> None:
        self._repeated = repeated
        self._turn = turns(sights)[repeated]
        self._facts = _Facts(sights, repeated)
        self.believe(habits)

    def believe(self, habits: Sequence[Habits]) -> None:
        """Use the habits of each position's opponent."""
        kinds = {id(one): one for one in habits}  # a hash of their tables would take longer than all the rest
        number = {key: place for place, key in enumerate(kinds)}
        self._weights = np.array([kind.weights for kind in kinds.values()])
        self._kind = np.array([number[id(one)] for one in habits])[self._repeated]
        coefficients = np.array([kind.evidence for kind in kinds.values()])[self._kind]
        self._evidence = (lateness(self._turn)[:, :, None] * coefficients).sum(axis=1)

    def native(self) -> NDArray[np.void]:
        """Return what the kernel needs to know of the same for each position."""
        found = np.zeros(self._repeated[-1] + 1, np.dtype(WalkSight))
        first = np.searchsorted(self._repeated, np.arange(len(found)))
        self._facts.write(found, first)
        found["evidence"] = self._evidence[first]
        found["weights"] = self._weights[self._kind[first], self._turn[first]][:, COLUMN]
        return found

    def of(self, held: Ints) -> Floats:
        """Return the logarithm of the likelihood of each hand, one of each row."""
        likely = self._weights[self._kind, self._turn, COLUMN[deadwoods(held)]]
        for number, count in enumerate(self._facts.counts(held)):
            likely = likely - self._evidence[:, number] * count
        return np.asarray(likely)


class _Facts:
    """What was seen of the other seat, as masks of cards with a row for each hand."""

    def __init__(self, sights: Sequence[Sight], repeated: Ints) -> None:
        self._known = _column([one.known for one in sights])[repeated]
        self._live = _column([one.live for one in sights])[repeated]
        self._useful = [_column(mask)[repeated] for mask in zip(*((*one.refused, *one.thrown) for one in sights), strict=True)]
        self._any = [bool(mask.any()) for mask in self._useful]
        self._dearer = [DEARER[_column([_points(one, age) for one in sights])][repeated] for age in (0, 1)]
        self._with_dropped = related_cards(_column([one.dropped for one in sights]))[repeated]
        self._with_shown = related_cards(_column([one.shown for one in sights]))[repeated]

    def write(self, to: NDArray[np.void], rows: Ints) -> None:
        """Write the masks of some rows to the memory of the kernel."""
        to["known"], to["live"] = self._known[rows], self._live[rows]
        for number, mask in enumerate(self._useful):
            to["useful"][:, number] = mask[rows]
        for number, mask in enumerate(self._dearer):
            to["dearer"][:, number] = mask[rows]
        to["with_dropped"], to["with_shown"] = self._with_dropped[rows], self._with_shown[rows]

    def counts(self, held: Ints) -> list[Ints | int]:
        """Return the number of cards of each of ``FACTS``."""
        useful, in_melds = completes(held), meldable(held)
        other = held & ~in_melds
        return [
            *(counts(useful & mask) if some else 0 for mask, some in zip(self._useful, self._any, strict=True)),
            counts(self._known & other),
            counts(useful & self._live),
            counts(in_melds),
            *(counts(other & mask) for mask in self._dearer),
            counts(other & pairs(other) * ACES),
            counts(other & near(other)),
            counts(other & TENS),
            counts(other & LOW),
            counts(other & self._with_dropped),
            counts(held & self._with_shown),
        ]


def _column(cards: Sequence[int]) -> Ints:
    return np.array(cards, dtype=np.int64)


def _points(one: Sight, age: int) -> int:
    """Return the points of its last throw or of the one before; 10, which no card exceeds, if there is none."""
    return int(VALUE[one.latest[age]]) if age < len(one.latest) else 10


def turns(sights: Sequence[Sight]) -> Ints:
    """Return the row of the tables of :class:`Habits` for each position."""
    return np.minimum(_column([one.turn for one in sights]), TURNS - 1)


def lateness(turn: Ints) -> Floats:
    """Return the weights of the coefficients of the first and of a late turn at each turn (turns x 2)."""
    late = turn / (TURNS - 1)
    return np.stack([1 - late, late], axis=1)


def weighted_facts(sights: Sequence[Sight], held: Ints) -> Floats:
    """Return the facts that the coefficients of evidence multiply (hands x 2 x facts), for as many hands of each position."""
    repeated = np.repeat(np.arange(len(sights)), len(held) // len(sights))
    found = _Facts(sights, repeated).counts(held)
    counted = np.stack([np.broadcast_to(np.asarray(one, np.float64), held.shape) for one in found], axis=1)
    return np.asarray(lateness(turns(sights)[repeated])[:, :, None] * counted[:, None, :])
