"""Prices every decision of one seat in a hand.

All decisions of a hand are played out together, because long arrays cost less. A walk is a random walk through the hidden cards,
which samples SAMPLES worlds (``worlds``). First each alternative is tried in the worlds of PART walks; only those near the best,
those near the best of the chosen one's group, and those that an error compares are tried in more.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np
from msgspec.structs import replace

from arena.gin.actions import LAY_OFF, Action, LayOff
from arena.gin.cards import Cards
from arena.gin.facts import Seat
from arena.gin.match import Hand
from arena.gin.rules import Rules
from arena.review.alternatives import Alternative, Choice, both, choices
from arena.review.arrays import Floats
from arena.review.habits import Habits
from arena.review.hand_walks import HandStep
from arena.review.price_estimate import estimate, price
from arena.review.prices import VERSION, Price, PricedDecision, TriedAction
from arena.review.rollouts import Rollouts, states
from arena.review.sights import sight
from arena.review.worlds import SAMPLES, Worlds, random_numbers, sample
from arena.train.engine import number_of

WALKS = 48  # of a decision; each has SAMPLES worlds
PART = 8  # walks; after each part, alternatives that are clearly behind are given up
NEAR = 2.0  # standard errors of a paired difference: an alternative that is farther behind is given up


class Reviewer:
    """Prices decisions under some rules; ``seed`` determines the worlds, of which each of ``walks`` walks has SAMPLES.

    With ``errors_only`` just the alternatives of an error are tried, which takes less time: decisions that are those of the policy
    are left out, and prices mean nothing.
    """

    def __init__(self, rules: Rules, seed: str, walks: int = WALKS, *, errors_only: bool = False) -> None:
        self._rules = rules
        self._errors_only = errors_only
        self._seed = seed
        self._walks = walks

    def prices(self, hands: Sequence[Sequence[HandStep]], seat: Seat, opponent: Habits) -> list[list[PricedDecision]]:
        """Return the prices of a seat's decisions among the steps of each hand, in less time than one by one; lay-offs are last.

        ``opponent`` are the habits of the other seat.
        """
        mine = [[step for step in several if step.seat == seat] for several in hands]
        found = iter(choices(list(chain.from_iterable(mine))))
        asked = [[one for _ in several if (one := next(found)) and self._may_differ(one)] for several in mine]
        values = iter(self._values(list(chain.from_iterable(asked)), opponent))
        sampled = [[estimate(one, next(values)) for one in several] for several in asked]
        lay_offs = [[exact(step) for step in several if step.hand.phase is LAY_OFF] for several in mine]
        return [[*first, *last] for first, last in zip(sampled, lay_offs, strict=True)]

    def _may_differ(self, one: Choice) -> bool:
        return not self._errors_only or len(one.compared_numbers()) > 1

    def rank(self, step: HandStep, opponent: Habits) -> list[TriedAction]:
        """Return a step's action and its alternatives, the best first, without those given up early; empty: there is no choice."""
        (found,) = choices([step])
        if found is None:
            return []
        values = self._values([found], opponent)[0]
        means = values.mean(axis=1)
        best = values[np.nanargmax(means)]
        ranked = sorted(np.flatnonzero(~np.isnan(means)).tolist(), key=lambda at: -means[at])
        return [TriedAction(found.alternatives[at].action, price(best - values[at])) for at in ranked]

    def gains(self, several: Sequence[tuple[HandStep, Action]], opponent: Habits) -> list[Price | None]:
        """Return the gain of the given action over that of its step, for each, in the same worlds; None: it cannot be priced."""
        known = {place: _exact_gain(*one) for place, one in enumerate(several) if one[0].hand.phase is LAY_OFF}
        asked = {place: found for place, one in enumerate(several) if (found := both(*one))}
        values = self._values([*asked.values()], opponent)
        known |= {place: price(new - old) for place, (old, new) in zip(asked, values, strict=True)}
        return [known.get(place) for place in range(len(several))]

    def _values(self, asked: Sequence[Choice], opponent: Habits) -> list[Floats]:
        """Return the mean points of each choice (alternatives x walks), NaN where an alternative was given up."""
        if not asked:
            return []
        randoms = [random_numbers(VERSION, self._seed, one.step.view) for one in asked]
        worlds = sample([sight(one.step.view) for one in asked], opponent, self._walks, randoms)
        trial = TriedChoices(asked, worlds, Rollouts(self._rules, opponent), self._walks)
        if self._errors_only:
            trial.keep_compared()
            trial.run(slice(0, self._walks))
        else:
            for begun in range(0, self._walks, PART):
                trial.give_up(begun)
                trial.run(slice(begun, min(begun + PART, self._walks)))
        return trial.values


class TriedChoices:
    """The alternatives of several decisions, tried in sampled worlds."""

    def __init__(self, choices: Sequence[Choice], worlds: Sequence[Worlds], play: Rollouts, walks: int) -> None:
        self._choices, self._worlds, self._play = choices, worlds, play
        self.values: list[Floats] = [np.full((len(one.alternatives), walks), np.nan) for one in choices]
        self._tried = [set(range(len(one.alternatives))) for one in choices]
        self._states = np.concatenate([states(one.step, some) for one, some in zip(choices, worlds, strict=True)])
        self._chance = np.concatenate([some.chance for some in worlds])

    def run(self, walks: slice) -> None:
        """Try the alternatives in the worlds of some walks."""
        rows = np.arange(walks.start * SAMPLES, walks.stop * SAMPLES)
        playing = [one for one in self._each() if not one[2].is_declared]
        worlds = len(self._states) // len(self._choices)  # of each choice
        places = np.array([which * worlds for which, *_ in playing], np.int64)
        actions = np.repeat([number_of(one.action) for *_, one in playing], len(rows))
        points = self._play.points(self._states, self._chance, np.ravel(places[:, None] + rows), actions)
        for (which, number, _), row in zip(playing, points.reshape(-1, len(rows)), strict=True):
            self._store(which, number, walks, row)
        for which, number, one in self._each():
            if one.is_declared:
                step, theirs = self._choices[which].step, self._worlds[which].theirs[rows].tolist()
                self._store(which, number, walks, points_of_declared(step, one.action, theirs))

    def _each(self) -> Iterator[tuple[int, int, Alternative]]:
        for which, one in enumerate(self._choices):
            yield from ((which, number, one.alternatives[number]) for number in sorted(self._tried[which]))

    def _store(self, which: int, number: int, walks: slice, points: Floats) -> None:
        self.values[which][number, walks] = points.reshape(-1, SAMPLES).mean(axis=1)

    def keep_compared(self) -> None:
        """Keep the alternatives whose differences are the parts of an error."""
        self._tried = [one.compared_numbers() for one in self._choices]

    def give_up(self, walks: int) -> None:
        """Give up alternatives far behind the best and the best of the chosen one's group, unless an error compares them.

        ``walks`` is the number so far. If only the chosen one is left, it is not tried further: price and error are 0.
        """
        for which, one in enumerate(self._choices):
            left, values = self._tried[which], self.values[which][:, :walks]
            if not left or not walks:
                continue
            group = left & set(one.of(one.alternatives[one.chosen].group))
            near = _near(values, left) | _near(values, group) & group | one.compared_numbers()
            self._tried[which] = near if len(near) > 1 else set()
            if len(near) == 1:
                self.values[which][sorted(left - near)] = np.nan
                self.values[which] = self.values[which][:, :walks]  # without the NaN of the walks that are left out


def _near(values: Floats, among: Iterable[int]) -> set[int]:
    """Return the alternatives, of all, that are not clearly behind the best of ``among``."""
    means = values.mean(axis=1).tolist()
    best = max(among, key=means.__getitem__)
    behind = values[best] - values
    spread = behind.std(axis=1, ddof=1) / values.shape[1] ** 0.5
    return set(np.flatnonzero(behind.mean(axis=1) <= NEAR * spread).tolist())


def points_of_declared(step: HandStep, knock: Action, several: Iterable[Cards]) -> Floats:
    """Return the points of a knock with melds that the bot declares, for several hands of the other seat."""
    mine = step.view.cards
    held = ((theirs, mine) if step.seat else (mine, theirs) for theirs in several)
    ends = (replace(step.hand, cards=cards).play(knock) for cards in held)  # their stock is that of the step: it is not drawn from
    return np.array([_points(hand.play(LayOff()) if hand.phase is LAY_OFF else hand, step.seat) for hand in ends])


def exact(step: HandStep) -> PricedDecision:
    """Return the price of a defender's melds and lay-offs, which depends on no hidden card."""
    best = LayOff()
    lost = _exact_gain(step, best)
    worth = float(_points(step.hand.play(step.action), step.seat))
    return PricedDecision(step.turn, step.action, lost, {"lay_off": lost}, best, {"lay_off": lost}, worth)


def _exact_gain(step: HandStep, other: Action) -> Price:
    """Return the gain of another lay-off."""
    new, old = (_points(step.hand.play(action), step.seat) for action in (other, step.action))
    return Price(float(new - old), 0.0)


def _points(ended: Hand, seat: Seat) -> int:
    """Return the points of a seat in a hand that ended after a knock, negative if the other seat scored."""
    assert ended.result is not None
    return ended.result.points if ended.result.winner == seat else -ended.result.points
