"""What the workers of a review do: fit the habits of a player, price the decisions of a seat, or only measure its errors."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256

import numpy as np
from msgspec import Struct, json
from msgspec.structs import replace

from arena.gin.deal import Seat
from arena.gin.phases import LAY_OFF
from arena.gin.rules import Rules
from arena.gin.transcript import read
from arena.review import fitting, habits
from arena.review.estimates import PricedKind
from arena.review.habits import Habits
from arena.review.marks import mark
from arena.review.policy import VERSION
from arena.review.pricing import PricedDecision, Reviewer
from arena.review.summary import errors_by_kind, stored
from arena.review.walking import HandStep, behaviour
from arena.runs.reviews.cache import VERSIONS, StoredReview
from arena.runs.reviews.confirming import Confirmer
from arena.runs.reviews.hands import RunHand, spaced
from arena.stats import luck

FEWEST = 20  # hands; with fewer, the usual habits are used
OBSERVED = 1200  # most positions of a fit
TOGETHER = 20  # hands that are measured at once
MEASURED = 16  # walks of a decision of which only the error is measured: hands differ far more than these walks


class HabitFit(Struct, frozen=True):
    """The hands to which the habits of a player are to be fitted."""

    bot: str
    half: int  # whose hands are to be reviewed by these habits
    hands: tuple[RunHand, ...]


class SeatReview(Struct, frozen=True):
    """One seat of a hand that is to be reviewed, and the other's habits."""

    hand: RunHand
    seat: Seat
    opponent: Habits
    priced: bool = True  # False: only its errors are measured

    def digest(self, rules: Rules, seed: str) -> str:
        """Return a digest of all that its prices depend on."""
        hand = self.hand
        text = json.encode((VERSIONS, seed, rules, hand.deal, hand.actions, self.seat, self.opponent, self.priced))
        return sha256(text).hexdigest()[:32]


def fit(task: HabitFit, rules: Rules) -> Habits:
    """Return the habits of a player. Raises: DamagedError, for a hand that cannot be replayed."""
    if len(task.hands) < FEWEST:
        return habits.usual()
    seen = behaviour((hand.steps(rules), seat) for hand in task.hands for seat in (0, 1) if hand.seats[seat] == task.bot)
    random = np.random.Generator(np.random.PCG64(VERSION))
    return fitting.fitted(replace(seen, hands=spaced(seen.hands, OBSERVED)), habits.usual(), random)


def price(task: SeatReview, rules: Rules, seed: str) -> StoredReview:
    """Return the prices of a seat's decisions. Raises: DamagedError, for a hand that cannot be replayed."""
    steps = task.hand.steps(rules)
    priced = _confirmed(Reviewer(rules, seed).prices(steps, task.seat, task.opponent), steps, task.opponent, seed)
    decisions = sorted(map(stored, priced), key=lambda one: one.turn)
    return StoredReview(task.digest(rules, seed), _luck(task, rules), tuple(decisions))


def batches(tasks: Sequence[SeatReview]) -> Iterator[tuple[SeatReview, ...]]:
    """Yield tasks with the same seat and opponent together, which :func:`measure` does in a fraction of the time."""
    alike = defaultdict[tuple[Seat, Habits], list[SeatReview]](list)
    for task in tasks:
        alike[task.seat, task.opponent].append(task)
    for several in alike.values():
        yield from (tuple(several[first : first + TOGETHER]) for first in range(0, len(several), TOGETHER))


def measure(tasks: Sequence[SeatReview], rules: Rules, seed: str) -> list[StoredReview]:
    """Return the errors of a seat in some hands against one opponent. Raises: DamagedError, for a hand that cannot be replayed."""
    hands = [task.hand.steps(rules) for task in tasks]
    found = Reviewer(rules, seed, MEASURED, errors_only=True).prices_of_hands(hands, tasks[0].seat, tasks[0].opponent)
    errors = [_rounded(errors_by_kind([*map(stored, several)])) for several in found]
    return [
        StoredReview(task.digest(rules, seed), _luck(task, rules), measured=one) for task, one in zip(tasks, errors, strict=True)
    ]


def _rounded(errors: dict[PricedKind, float]) -> dict[PricedKind, float]:
    return {kind: round(points, 3) for kind, points in errors.items()}


def _luck(task: SeatReview, rules: Rules) -> float:
    """Return the luck of the draws, in points for the seat."""
    drawn = list(luck.draws(task.hand.deal, rules, read(task.hand.actions)))
    gained = luck.luck(drawn, luck.value())
    return round(-gained if task.seat else gained, 3)


def _confirmed(
    several: Sequence[PricedDecision], steps: Sequence[HandStep], opponent: Habits, seed: str
) -> Iterator[PricedDecision]:
    """Yield decisions, those with a mark priced again by the strongest bot; the defence of a knock is exact as it is."""
    confirmer, by_turn = Confirmer(seed), {step.turn: step for step in steps}
    for one in several:
        found, step = one.estimate, by_turn[one.turn]
        if mark(found.total) and step.hand.phase is not LAY_OFF:
            yield replace(one, confirmed=confirmer.price(step, found.best, opponent))
        else:
            yield one
