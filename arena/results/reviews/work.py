"""What the workers of a review do: fit the habits of a player, price the decisions of a seat, or only measure its errors."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256

import numpy as np
from msgspec import Struct, json
from msgspec.structs import replace

from arena.gin.actions import LAY_OFF, Action
from arena.gin.deal import Seat
from arena.gin.hand import Hand
from arena.gin.rules import Rules
from arena.gin.transcript import read
from arena.results.reviews.reviewable import RunHand, spread_evenly
from arena.review import fitting, habits, pricing
from arena.review.habits import Habits
from arena.review.own_play import HabitPlayer
from arena.review.policy import VERSION
from arena.review.pricing import Price, PricedDecision, PricedKind, Reviewer
from arena.review.sights import sight
from arena.review.summary import decision_price, errors_by_kind, mark
from arena.review.vectors import Ints
from arena.review.walking import NOWHERE, HandStep, behaviour
from arena.review.worlds import SAMPLES, Worlds, random_numbers, sample
from arena.runs.review_cache import CONFIRMING_VERSION, VERSIONS, StoredReview
from arena.sdk import Bot
from arena.sdk.loop import bot_class
from arena.sdk.simulate import playout
from arena.stats import luck

# Prices marked decisions again, by rollouts of the strongest bot.
#
# The policy of the rollouts is quick and prefers its own way to play. So a mark also needs the points by a stronger player, which
# continues after the chosen action and after the better one. The worlds are new, so this price has no luck of the choice.

STRONGEST = "arena_bots.scholar:Scholar"
WALKS = 12


class Confirmer:
    """Prices decisions by rollouts of the strongest bot; ``seed`` decides which worlds are sampled for each position."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def price(self, step: HandStep, better: Action, opponent: Habits) -> Price:
        """Return the gain of another action, if the other seat plays by its habits."""
        random = random_numbers(CONFIRMING_VERSION, self._seed, step.view)
        worlds = sample([sight(step.view)], [opponent], WALKS, [random])[0]
        gains = [self._gain(hand, better, step, opponent, number) for number, hand in enumerate(_hands(step, worlds))]
        return pricing.price(np.array(gains).reshape(-1, SAMPLES).mean(axis=1))

    def _gain(self, hand: Hand, better: Action, step: HandStep, opponent: Habits, number: int) -> float:
        gained, lost = (self._points(hand.play(action), step.seat, opponent, number) for action in (better, step.action))
        return gained - lost

    def _points(self, hand: Hand, seat: int, opponent: Habits, number: int) -> float:
        other = HabitPlayer(opponent, np.random.Generator(np.random.PCG64(number))).answer
        mine = _strongest().answer
        result = playout(hand, *((other, mine) if seat else (mine, other)), NOWHERE)
        return result.points if result.winner == seat else -result.points


@cache
def _strongest() -> Bot:
    return bot_class(STRONGEST)()


def _hands(step: HandStep, worlds: Worlds) -> Iterator[Hand]:
    """Yield the hand with the hidden cards of each world."""
    return (_hand(step, int(theirs), order) for theirs, order in zip(worlds.theirs, worlds.stock, strict=True))


def _hand(step: HandStep, theirs: int, order: Ints) -> Hand:
    hand, mine = step.hand, step.view.cards
    deck = (*hand.deck[: hand.top], *order.tolist(), *hand.deck[hand.bottom :])
    return replace(hand, deck=deck, cards=(theirs, mine) if step.seat else (mine, theirs))


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
    priced = _confirm(Reviewer(rules, seed).prices(steps, task.seat, task.opponent), steps, task.opponent, seed)
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


def _confirm(several: Sequence[PricedDecision], steps: Sequence[HandStep], opponent: Habits, seed: str) -> Iterator[PricedDecision]:
    """Yield decisions, those with a mark priced again by the strongest bot; the defence of a knock is exact as it is."""
    confirmer, by_turn = Confirmer(seed), {step.turn: step for step in steps}
    for one in several:
        found, step = one.estimate, by_turn[one.turn]
        if mark(found.total) and step.hand.phase is not LAY_OFF:
            yield replace(one, confirmed=confirmer.price(step, found.best, opponent))
        else:
            yield one
