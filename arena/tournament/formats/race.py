"""A race: finds the best of several versions of a bot, with one bound on the error of all its tests together.

All versions play the same opponents on the same deals, from both seats. After each round, a version that another one is shown to
beat is out, unless all that are left are beaten. With ``opponents: 0`` the first version, even when it is out, plays on as the
opponent. For every ordered pair of versions a test decides whether the first is better than the second, or not better by ``within``
points a hand (:mod:`arena.stats.duels`). The race is over when one version is left, or when no other one that is left is better
than it by ``within`` or more.

With n versions, each side of a test has the level ``alpha / (2 (n - 1))``. Take a version that is truly best. It is put out wrongly
only if one of n - 1 tests says that another is better; and the race ends with one that is worse by ``within`` or more only if one
of n - 1 tests says that the best is not better by so much. So by the union bound both together happen at most with chance
``alpha``, however many versions there are and whenever the race ends.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import permutations
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from msgspec import Meta
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.errors import SpecError
from arena.gin.rules import MOST_MULTIPLIER, Rules
from arena.records import Fixture, Result
from arena.reports.numbers import count, interval, level, names
from arena.stats import confidence_sequence, duels
from arena.stats.duels import METHOD, Chance, Question, SequentialTest, Verdict, guarantee_of_race
from arena.stats.format_details import Column, Details, PlaceTable
from arena.stats.scales import DIFFERENCES, Interval, scaled
from arena.stats.standings import Places
from arena.stats.statements import LEADS, RACED
from arena.stats.wealth import Observations, bets
from arena.tournament.formats.base import Format, leg_by_leg
from arena.tournament.formats.growing_rounds import SHARE, first_round_size
from arena.tournament.formats.tested import LEG, Hands, Leg


class VersionScores(NamedTuple):
    """The scores of a version: a row for each of its finished sets, a column for each deal. A set is the legs on the same deals."""

    y: NDArray[np.float64]  # points a hand, the mean over both seats and all opponents
    luck: NDArray[np.float64]
    lost: NDArray[np.float64]  # share of the legs of each set that were lost; a value for each row

    @property
    def zeros(self) -> "VersionScores":
        """Return scores of 0 of the same shapes."""
        return VersionScores(*map(np.zeros_like, (self.y, self.luck, self.lost)))


class Race(Format, frozen=True, kw_only=True, tag="race"):
    """All versions of a bot play the same deals until one is left, or until no other one that is left can be much better.

    The versions play the last ``opponents`` entrants; with 0 they play the first version. The answer is a version, and no other one
    is better than it by ``within`` points a hand or more; this is wrong with chance ``alpha`` at most, for all versions together.
    Use rules with ``stock: two-ended`` (R2.4).
    """

    grows: ClassVar[bool] = False  # the levels hold for the versions and options that were chosen before

    opponents: Annotated[int, Meta(ge=0, le=100)] = 0
    within: Annotated[float, Meta(gt=0, lt=40)] = 0.5  # points a hand
    alpha: Chance = 0.05
    hands: Hands = 100_000  # of all versions together, after which the race is undecided
    leg: Leg = LEG  # hands that a process plays
    multiplier: Annotated[int, Meta(ge=1, le=MOST_MULTIPLIER)] = 1  # as in ``Tested``

    def under(self, rules: Rules) -> "Race":
        """Return the race with the bounds of a hand that the rules have."""
        return replace(self, multiplier=rules.most_multiplier)

    @property
    def judged_by(self) -> int:
        """Return the method of the tests."""
        return METHOD

    @property
    def counts_lost(self) -> bool:
        """Tell whether a lost leg is a result: a bot that can end its worker must not choose which legs count."""
        return True

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current round, or the next round; none when the race is over. Raises: SpecError."""
        race = _Race(self, field, played)
        sets = ([leg for name in race.left for leg in race.legs(name, number)] for number in range(race.begun, race.end))
        yield from (leg for leg in leg_by_leg(sets) if leg.id not in race.done)

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> Places:
        """Return the best first, then those that are left, then the beaten ones, the last first, then the opponents."""
        return _Race(self, field, played).places()

    def details(self, field: Sequence[str], played: Sequence[Result]) -> Details:
        """Return the answer, and how far each version is ahead of the first."""
        race = _Race(self, field, played)
        return Details(
            answer=race.answer(),
            why=race.why(),
            settled=race.is_decided,
            surer=race.surer(),
            rivals=race.rivals(),
            unit=f"lead over {field[0]}, points a hand",
            intervals=race.leads(),
            tables=[race.table()],
        )

    def most_hands(self, size: int) -> int:
        """Return the limit of hands."""
        del size
        return self.hands

    def explain(self, size: int) -> Iterator[str]:
        """Yield the cost of an answer if all versions play alike and no luck is in their scores."""
        versions = self.versions(size)
        sets, legs = self.test(versions).blocks_if_alike(self.leg), self.legs_of_set(versions)
        hands = sets * legs * self.leg
        yield f"if the versions play alike, an answer takes at least {hands:,} hands: {sets:,} sets of {legs} legs"
        if hands > self.hands:
            yield f"the limit is {self.hands:,} hands, so it would be undecided then; a larger `within` needs fewer"

    def versions(self, size: int) -> int:
        """Return the number of versions of ``size`` entrants. Raises: SpecError, for fewer than two, or too few hands for a set."""
        versions = size - self.opponents
        if versions < 2:
            expected = f"two versions or more, and {count(self.opponents, 'opponent')}"
            raise SpecError(f"format race: {count(size, 'bot')}; expected {expected}")
        if self.hands < (least := self.leg * self.legs_of_set(versions)):
            raise SpecError(
                f"format race: hands: {self.hands}; expected {least} or more, which all versions play on the same deals"
            )
        return versions

    def legs_of_set(self, versions: int) -> int:
        """Return the number of legs in a set, the legs on the deals of one number, while no version is out."""
        return 2 * versions * self.opponents if self.opponents else 2 * (versions - 1)

    def test(self, versions: int) -> SequentialTest:
        """Return the test of two versions; without a limit, because ``hands`` is the limit of all together."""
        level = self.alpha / (2 * (versions - 1))
        scale = scaled(DIFFERENCES, self.multiplier)
        return SequentialTest(question=Question(0.0, self.within), scale=scale, alpha=level, beta=level, most_hands=1 << 60)


class _Race:
    """A race after some results, of which it is a pure function."""

    def __init__(self, form: Race, field: Sequence[str], played: Sequence[Result]) -> None:
        """Follow the rounds. Raises: SpecError, as ``Race.versions``."""
        versions = form.versions(len(field))
        self._form = form
        self._test = form.test(versions)
        self._versions, self._opponents = tuple(field[:versions]), tuple(field[versions:]) or (field[0],)
        self.done = duels.by_fixture(played)
        self._scores = {name: self._score(name) for name in self._versions}
        if not self.legs(field[0], 0):  # against itself the first version scores 0, without playing
            self._scores[field[0]] = max(self._scores.values(), key=lambda one: len(one.lost)).zeros
        # on all deals that both versions have finished
        self._judgement = cache(lambda one, other: self._test.judge(self._differences(one, other)))
        self._lead = cache(self._lead_over_first)
        self.left = self._versions  # those that are not out
        self._beaten: dict[str, str] = {}  # each version that is out, in order, with the one that beat it
        self._best: str | None = None
        self.begun = self.end = 0  # the round in play has the sets of these numbers, without the last; equal: the race is over
        self._hands = 0  # of complete rounds
        self._follow()

    def legs(self, name: str, number: int) -> list[Fixture]:
        """Return the legs of a version on the deals of a number; none of the first one, if it would play itself."""
        return [
            Fixture(f"{name}:{rival}/{number}/{leg}", seats, f"race/{number}", self._form.leg)
            for rival in self._opponents
            if rival != name
            for leg, seats in enumerate([(name, rival), (rival, name)])
        ]

    def _score(self, name: str) -> VersionScores:
        """Return the scores of a version in each set that it has finished, by number."""
        numbers = range(self._form.hands if self.legs(name, 0) else 0)
        worth = partial(duels.net, times=self._form.multiplier)
        sets = [
            [duels.block(one, other, worth) for one, other in zip(legs[::2], legs[1::2], strict=True)]
            for legs in duels.complete_sets((self.legs(name, number) for number in numbers), self.done)
        ]
        deals = np.array([[[(deal.y, deal.luck) for deal in block.deals] for block in blocks] for blocks in sets])
        # the mean over opponents of (sets x opponents x deals x 2); the shape is given because there may be no set
        y, luck = np.moveaxis(deals.reshape(len(sets), len(self._opponents), self._form.leg, 2).mean(axis=1), 2, 0)
        return VersionScores(y, luck, np.array([np.mean([block.lost for block in blocks]) for blocks in sets]))

    def _follow(self) -> None:
        """Follow the rounds up to the one in play, or to the end."""
        while self._best is None:
            playing = [name for name in self.left if self.legs(name, 0)]
            hands_of_set = self._form.leg * sum(len(self.legs(name, 0)) for name in playing)
            affordable = (self._form.hands - self._hands) // hands_of_set
            size = min(max(first_round_size(self._form.leg), self.end // SHARE), affordable)
            self.begun, self.end = self.end, self.end + size
            if not size or any(len(self._scores[name].lost) < self.end for name in playing):
                return
            self._hands += size * hands_of_set
            self._judge_round()
        self.begun = self.end

    def _judge_round(self) -> None:
        """Put out the beaten versions, and find the best, after the round in play."""
        verdicts = {pair: self._verdict(*pair) for pair in permutations(self.left, 2)}
        # reversed, so that the first of several versions that beat the same one is named
        beaten = {other: one for (one, other), verdict in reversed(verdicts.items()) if verdict is Verdict.BETTER}
        if len(beaten) < len(self.left):  # if each is beaten, in a circle, none is put out
            self._beaten |= beaten
        self.left = tuple(name for name in self.left if name not in self._beaten)
        # no other one is better by ``within``
        safe = [one for one in self.left if all(verdicts[two, one] is Verdict.NOT_AS_GOOD for two in self.left if two != one)]
        self._best = max(safe, key=self._mean, default=None)

    def _verdict(self, one: str, other: str) -> Verdict:
        """Return the verdict on two versions at the end of the round in play."""
        judged = self._judgement(one, other)
        # all finished deals are judged, once; a verdict that fell after this round does not count yet
        return judged.verdict if judged.blocks <= self.end else Verdict.CONTINUE

    def _differences(self, one: str, other: str) -> Observations:
        """Return the differences of the scores on the deals that both versions have finished."""
        ours, theirs = self._scores[one], self._scores[other]
        size = min(len(ours.lost), len(theirs.lost))
        found = Observations.of_deals(ours.y[:size] - theirs.y[:size], ours.luck[:size] - theirs.luck[:size])
        return replace(found, lost=(ours.lost[:size] + theirs.lost[:size]) / 2)

    def _mean(self, name: str) -> float:
        """Return the points a hand of a version that is left, on the deals of complete rounds."""
        return float(self._scores[name].y[: self.end].mean())

    def _lead_over_first(self, name: str) -> Interval:
        """Return the points a hand by which a version is ahead of the first, on the deals that both played."""
        scale, levels = self._test.scale, (self._test.alpha, self._test.beta)
        return confidence_sequence.estimate(bets(self._differences(name, self._versions[0]), scale), scale, levels)

    def places(self) -> list[list[str]]:
        """Return the best first, then those that are left, then the beaten ones, the last first, then the opponents."""
        left = [name for name in self.left if name != self._best]
        others = [name for name in self._opponents if name not in self._versions]
        found = [[self._best] if self._best else [], left, *([name] for name in reversed(self._beaten)), others]
        return [place for place in found if place]

    @property
    def is_decided(self) -> bool:
        """Tell whether one version is shown to be the best."""
        return self._best is not None

    @property
    def _near(self) -> list[str]:
        """Return the versions that are left beside the best."""
        return [name for name in self.left if name != self._best]

    @property
    def _level(self) -> str:
        return level(1 / self._form.alpha)

    def why(self) -> str:
        """Return the state of the tests of every two versions, in words."""
        return RACED(chance=f"{100 * self._form.alpha:g} %") if self.is_decided else "no test has separated those that are left"

    def surer(self) -> str:
        """Return the play that would decide an open race; empty: it is decided."""
        if self.is_decided:
            return ""
        return "the rest of this race" if self.begun < self.end else f"a race of {names(self.left)} with more hands"

    def answer(self) -> str:
        """Return the answer in a sentence."""
        size = len(self._versions)
        if self._best is None and self.begun < self.end:
            if not self.begun:
                return f"None of {size} leads yet: the first round is not over."
            left = f"{len(self.left)} of {size} are left, {names(self.left)}" if self._beaten else f"none of {size} is out"
            # one that is out plays no more, so leads over it stay as they are
            ahead = {name: self._lead(name).value if self._versions[0] in self.left else self._mean(name) for name in self.left}
            first, second, *_ = sorted(ahead, key=ahead.__getitem__, reverse=True)
            gap = f"{ahead[first] - ahead[second]:.2f}"
            if gap == "0.00":
                return f"{first} and {second} are level: {left}."
            return f"{first} leads: {gap} points a hand ahead of {second}; {left}."
        if self._best is None:
            return f"Undecided after {count(self._hands, 'hand')}: the best is one of {names(self.left)}."
        if not self._near:
            return f"{self._best} is the best of {size}."
        within = f"{self._form.within:g} point{'s' * (self._form.within != 1)} a hand"
        out = f"; out: {names(list(self._beaten))}" if self._beaten else ""
        return f"{self._best} is the best of {size}, or less than {within} behind: none but {names(self._near)} may be better{out}."

    def rivals(self) -> tuple[str, str] | None:
        """Return the best and the version that is left which is the nearest to it; None: none is left, or none is the best."""
        return (self._best, max(self._near, key=self._mean)) if self._best and self._near else None

    def leads(self) -> dict[str, Interval]:
        """Return the leads over the first version, whose own is 0, of those that have played: the best, then those left."""
        first, *others = self._versions
        found = {first: Interval(0.0, 0.0, 0.0), **{name: self._lead(name) for name in others if len(self._scores[name].lost)}}
        return dict(sorted(found.items(), key=lambda one: (one[0] != self._best, one[0] not in self.left, -one[1].value)))

    def table(self) -> PlaceTable:
        """Return each version with its lead over the first, its number of deals, and its outcome."""
        first = self._versions[0]
        ends = {name: "best" if name == self._best else f"beaten by {self._beaten.get(name)}" for name in self._versions}
        cells = {
            f"lead over {first}": {name: interval(one) for name, one in self.leads().items() if name != first},
            "deals": {name: f"{len(self._scores[name].lost) * self._form.leg:,}" for name in self._versions},
            "outcome": {**ends, **{name: "left" for name in self.left if name != self._best}},
        }
        note = LEADS(level=self._level)
        return PlaceTable(
            title=f"Race, {count(self._hands, 'hand')}",
            places=[place for place in self.places() if place[0] in self._versions],
            columns=[Column(name, found) for name, found in cells.items()],
            note=f"{note} {guarantee_of_race(self._form.alpha, self._form.multiplier)}",
        )
