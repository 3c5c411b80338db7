"""What the workers of a review do: fit the habits of a player, price the decisions of a seat, or only measure its errors."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

import numpy as np
from msgspec import Struct, json
from msgspec.structs import replace

from arena.gin.actions import LAY_OFF, Action
from arena.gin.deal import Seat
from arena.gin.rules import Rules
from arena.gin.transcript import read
from arena.results.reviews.reviewable import RunHand, spread_evenly
from arena.review import fitting, habits, pricing
from arena.review.alternatives import Choice, alternative
from arena.review.behaviour import behaviour
from arena.review.habits import Habits
from arena.review.pricing import Price, PricedDecision, PricedKind, Reviewer
from arena.review.rollouts import VERSION, Rollouts
from arena.review.sights import sight
from arena.review.summary import decision_price, errors_by_kind, mark
from arena.review.walking import HandStep
from arena.review.worlds import random_numbers, sample
from arena.runs.review_cache import CONFIRMING_VERSION, VERSIONS, StoredReview
from arena.sdk.network import Network
from arena.stats import luck

# Prices marked decisions again, by rollouts of the strongest bot.
#
# The policy of the rollouts is quick and prefers its own way to play. So a mark also needs the points by a stronger player, which
# continues after the chosen action and after the better one. The worlds are new, so this price has no luck of the choice.

STRONGEST = "scholar.json"  # the networks of a bot
WALKS = 12


class Confirmer:
    """Prices decisions by rollouts of the strongest bot; ``seed`` decides which worlds are sampled for each position."""

    def __init__(self, rules: Rules, seed: str, opponent: Habits) -> None:
        self._seed = seed
        self._opponent = opponent
        self._play = Rollouts(rules, opponent, strongest())

    def price(self, several: Sequence[tuple[HandStep, Action]]) -> list[Price]:
        """Return the gain of another action for each step, if the other seat plays by its habits."""
        randoms = [random_numbers(CONFIRMING_VERSION, self._seed, step.view) for step, _ in several]
        worlds = sample([sight(step.view) for step, _ in several], self._opponent, WALKS, randoms)
        pairs = [tuple(alternative(step.view, one, "end") for one in (step.action, better)) for step, better in several]
        choices = [Choice(step, pair, chosen=0, own=1) for (step, _), pair in zip(several, pairs, strict=True)]
        trial = pricing.TriedChoices(choices, worlds, self._play, WALKS)
        trial.run(slice(0, WALKS))
        return [pricing.price(better - chosen) for chosen, better in trial.values]


@cache
def strongest() -> tuple[Network, ...]:
    """Return the networks of scholar."""
    learned = json.decode(files("arena_bots").joinpath(STRONGEST).read_bytes(), type=dict[str, Network])
    return tuple(learned[name] for name in ("after", "before", "knock"))


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
    return fitting.fit(replace(seen, hands=spread_evenly(seen.hands, OBSERVED)), habits.usual(), random)


def price(task: SeatReview, rules: Rules, seed: str) -> StoredReview:
    """Return the prices of a seat's decisions. Raises: DamagedError, for a hand that cannot be replayed."""
    steps = task.hand.steps(rules)
    priced = _confirm(Reviewer(rules, seed).prices(steps, task.seat, task.opponent), steps, task.opponent, rules, seed)
    decisions = sorted(map(decision_price, priced), key=lambda one: one.turn)
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
    errors = [_round_parts(errors_by_kind([*map(decision_price, several)])) for several in found]
    return [
        StoredReview(task.digest(rules, seed), _luck(task, rules), measured=one) for task, one in zip(tasks, errors, strict=True)
    ]


def _round_parts(errors: dict[PricedKind, float]) -> dict[PricedKind, float]:
    return {kind: round(points, 3) for kind, points in errors.items()}


def _luck(task: SeatReview, rules: Rules) -> float:
    """Return the luck of the draws, in points for the seat."""
    drawn = list(luck.draws(task.hand.deal, rules, read(task.hand.actions)))
    gained = luck.luck(drawn, luck.value())
    return round(-gained if task.seat else gained, 3)


def _confirm(
    several: Sequence[PricedDecision], steps: Sequence[HandStep], opponent: Habits, rules: Rules, seed: str
) -> list[PricedDecision]:
    """Return decisions, those with a mark priced again by the strongest bot; the defence of a knock is exact as it is."""
    by_turn = {step.turn: step for step in steps}
    asked = [one for one in several if mark(one.estimate.total) and by_turn[one.turn].hand.phase is not LAY_OFF]
    pairs = [(by_turn[one.turn], one.estimate.best) for one in asked]
    prices = Confirmer(rules, seed, opponent).price(pairs) if asked else []
    confirmed = {one.turn: found for one, found in zip(asked, prices, strict=True)}
    return [replace(one, confirmed=confirmed.get(one.turn)) for one in several]
