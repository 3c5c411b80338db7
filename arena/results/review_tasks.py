"""The tasks of the workers: fit the habits of a player, price the decisions of a seat, or only measure its errors."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TypeVar

import numpy as np
from msgspec import Struct, json
from msgspec.structs import replace

from arena.gin.actions import LAY_OFF, read_actions
from arena.gin.deal import Deal
from arena.gin.facts import Seat
from arena.gin.rules import Rules
from arena.reports.replays import replaying
from arena.results.confirming import scholars_prices
from arena.review import fitting
from arena.review.habits import Habits, usual_habits
from arena.review.hand_walks import HandStep, steps
from arena.review.marks import mark
from arena.review.observations import behaviour
from arena.review.prices import VERSION, PricedDecision
from arena.review.reviewer import Reviewer
from arena.review.summary import Place, decision_price, errors_by_kind
from arena.runs.review_cache import VERSIONS, StoredReview
from arena.stats import luck

Item = TypeVar("Item")


class RunHand(Struct, frozen=True, kw_only=True):
    """A hand of a run."""

    place: Place
    seats: tuple[str, str]
    deal: Deal
    actions: str  # in the notation of arena.gin.actions
    points: int  # of seat 0, negative if seat 1 scored
    half: int  # 0 or 1: of all deals, so that both legs of a pair are in the same one
    luck: float | None = None  # of seat 0, in points, as the record has it; None: it was not measured

    def steps(self, rules: Rules) -> list[HandStep]:
        """Return the decisions of both seats. Raises: DamagedError."""
        with replaying(self.place.fixture, self.place):
            return list(steps(self.deal, rules, read_actions(self.actions)))


def spread_evenly(items: Sequence[Item], most: int | None) -> list[Item]:
    """Return at most ``most`` of the items, evenly spaced; None: all."""
    if most is None or len(items) <= most:
        return list(items)
    return [items[number * len(items) // most] for number in range(most)]


FEWEST = 20  # hands of a fit; with fewer, the usual habits are used
OBSERVED = 1200  # most positions of a fit
TOGETHER = 20  # hands that are measured at once
MEASURING_WALKS = 16  # of a decision whose error is measured only: errors vary far more between hands than between walks


class HabitFit(Struct, frozen=True):
    """The hands to which the habits of a player are to be fitted."""

    bot: str
    hands: tuple[RunHand, ...]  # of the half of the deals that is not reviewed with these habits


class SeatReview(Struct, frozen=True):
    """A seat of a hand that is to be reviewed, and the habits of its opponent."""

    hand: RunHand
    seat: Seat
    opponent: Habits
    priced: bool = True  # False: only its errors are measured

    def digest(self, rules: Rules, seed: str) -> str:
        """Return the first 32 hexadecimal digits of a SHA-256 of all that the prices depend on."""
        hand = self.hand
        text = json.encode((VERSIONS, seed, rules, hand.deal, hand.actions, self.seat, self.opponent, self.priced))
        return sha256(text).hexdigest()[:32]


def fit(task: HabitFit, rules: Rules) -> Habits:
    """Return the habits of a player, fitted to its hands; with too few, the usual ones. Raises: DamagedError, as ``steps``."""
    if len(task.hands) < FEWEST:
        return usual_habits()
    seen = behaviour((hand.steps(rules), seat) for hand in task.hands for seat in (0, 1) if hand.seats[seat] == task.bot)
    random = np.random.Generator(np.random.PCG64(VERSION))
    return fitting.fit(replace(seen, hands=spread_evenly(seen.hands, OBSERVED)), usual_habits(), random)


def price(task: SeatReview, rules: Rules, seed: str) -> StoredReview:
    """Return a review with the prices of a seat's decisions. Raises: DamagedError, for a hand that cannot be replayed."""
    steps = task.hand.steps(rules)
    [priced] = Reviewer(rules, seed).prices([steps], task.seat, task.opponent)
    confirmed = _confirm(priced, steps, task.opponent, rules, seed)
    decisions = sorted(map(decision_price, confirmed), key=lambda one: one.turn)
    return StoredReview(task.digest(rules, seed), _luck(task, rules), tuple(decisions))


def batches(tasks: Sequence[SeatReview]) -> Iterator[tuple[SeatReview, ...]]:
    """Yield tasks in groups with the same seat and habits, which :func:`measure` does in a fraction of the time."""
    groups = defaultdict[tuple[Seat, Habits], list[SeatReview]](list)
    for task in tasks:
        groups[task.seat, task.opponent].append(task)
    for group in groups.values():
        yield from (tuple(group[first : first + TOGETHER]) for first in range(0, len(group), TOGETHER))


def measure(tasks: Sequence[SeatReview], rules: Rules, seed: str) -> list[StoredReview]:
    """Return reviews with the errors only, of tasks with the same seat and opponent. Raises: DamagedError, as ``price``."""
    hands = [task.hand.steps(rules) for task in tasks]
    found = Reviewer(rules, seed, MEASURING_WALKS, errors_only=True).prices(hands, tasks[0].seat, tasks[0].opponent)
    errors = [errors_by_kind([*map(decision_price, several)]) for several in found]
    rounded = [{kind: round(points, 3) for kind, points in one.items()} for one in errors]
    return [
        StoredReview(task.digest(rules, seed), _luck(task, rules), measured=one) for task, one in zip(tasks, rounded, strict=True)
    ]


def _luck(task: SeatReview, rules: Rules) -> float:
    """Return the luck of the draws, in points for the seat."""
    gained = task.hand.luck
    if gained is None:
        gained = luck.luck(list(luck.draws(task.hand.deal, rules, read_actions(task.hand.actions))), luck.value())
    return round(-gained if task.seat else gained, 3)


def _confirm(
    decisions: Sequence[PricedDecision], steps: Sequence[HandStep], opponent: Habits, rules: Rules, seed: str
) -> list[PricedDecision]:
    """Return decisions, those with a mark priced again by scholar; the price of an answer to a knock is exact already."""
    by_turn = {step.turn: step for step in steps}
    marked = [one for one in decisions if mark(one.total) and by_turn[one.turn].hand.phase is not LAY_OFF]
    pairs = [(by_turn[one.turn], one.best) for one in marked]
    prices = scholars_prices(pairs, rules, seed, opponent) if marked else []
    confirmed = {one.turn: found for one, found in zip(marked, prices, strict=True)}
    return [replace(one, confirmed=confirmed.get(one.turn)) for one in decisions]
