"""What the workers of a review do: fit the habits of a player, and price the decisions of a seat."""

from hashlib import sha256

import numpy as np
from msgspec import Struct, json
from msgspec.structs import replace

from arena.gin.deal import Seat
from arena.gin.rules import Rules
from arena.gin.transcript import read
from arena.review import fitting, habits
from arena.review.habits import Habits
from arena.review.policy import VERSION
from arena.review.pricing import Reviewer
from arena.review.summary import DecisionPrice, stored
from arena.review.walking import behaviour
from arena.runs.reviews.hands import RunHand, spaced
from arena.stats import luck

FEWEST = 20  # hands; with fewer, the usual habits are used
OBSERVED = 1200  # most positions of a fit


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

    def digest(self, rules: Rules, seed: str) -> str:
        """Return a digest of all that its prices depend on."""
        hand = self.hand
        text = json.encode((VERSION, luck.VERSION, seed, rules, hand.deal, hand.actions, self.seat, self.opponent))
        return sha256(text).hexdigest()[:32]


class StoredReview(Struct, frozen=True):
    """A review of one seat of a hand, as it is kept."""

    digest: str
    luck: float  # of the seat's draws less the other's, in points
    decisions: tuple[DecisionPrice, ...]


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
    priced = Reviewer(rules, seed).prices(steps, task.seat, task.opponent)
    drawn = list(luck.draws(task.hand.deal, rules, read(task.hand.actions)))
    gained = luck.luck(drawn, luck.shipped_value())
    decisions = sorted(map(stored, priced), key=lambda one: one.turn)
    return StoredReview(task.digest(rules, seed), round(-gained if task.seat else gained, 3), tuple(decisions))
