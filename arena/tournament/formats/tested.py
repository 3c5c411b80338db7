"""What a duel and a gauntlet have in common: a test with its options, on numbered sets of legs that share their deals.

They ask for sets in rounds. The verdict depends only on the sets in order of their numbers, so the same fixtures are played after
any interruption and on any number of workers.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Annotated, ClassVar

from msgspec import Meta
from msgspec.structs import replace

from arena.errors import InputError, SpecError
from arena.gin.facts import Seat
from arena.gin.rules import MOST_MULTIPLIER, Rules
from arena.records import Fixture, Result, SingleHand
from arena.stats import duels
from arena.stats.luck import gain
from arena.stats.wealth import DIFFERENCES, EQUITY, POINTS, Block, Observations, Scale, scaled
from arena.tournament.formats.base import Format, leg_by_leg, pair_of_legs

# The rounds of a format that stops at a verdict: they grow, and the verdict is computed only between them.
#
# The end of a round depends only on its number. The price is that the round of the verdict is played to its end. The first rounds
# have ``first`` pairs; later ones have a twelfth of the number of pairs before them.

FIRST = 2  # pairs in a round, at least: four legs, to keep a few workers busy
FIRST_DEALS = 16  # deals in a round of short legs, at least
SHARE = 12  # a round has 1/SHARE of the number of pairs before it, but not fewer than the first


def first_round_size(leg: int) -> int:
    """Return the pairs in the first round of legs with ``leg`` deals each."""
    return max(FIRST, FIRST_DEALS // leg)


def round_ends(most: int, first: int = FIRST) -> Iterator[int]:
    """Yield the number of pairs at the end of each round; the last is ``most``."""
    end = 0
    while end < most:
        end = min(most, end + max(first, end // SHARE))
        yield end


def round_in_play(played: int, most: int, first: int = FIRST) -> tuple[int, int]:
    """Return the first pair of the round in play after ``played`` pairs, and its end; both are ``most`` after the last round."""
    start = 0
    for end in round_ends(most, first):
        if played < end:
            return start, end
        start = end
    return most, most


LegSet = list[Result]  # the legs of one number, in the order in which the format asks for them

Hands = Annotated[int, Meta(ge=2, le=10_000_000)]
Leg = Annotated[int, Meta(ge=1, le=10_000)]
LEG = 2  # hands: few, because a verdict counts legs and not hands; more than one, because each leg starts two processes


class Tested(Format, frozen=True, kw_only=True):
    """The options of a test. A subclass defines the legs of a set, the number of sets, and the scores of a set."""

    grows: ClassVar[bool] = False  # error bounds hold for options that were chosen before play: compare/duel.py

    bounds: tuple[float, float]
    alpha: duels.Chance = 0.05  # bound on the chance of a wrong verdict "better"
    beta: duels.Chance = 0.05  # bound on the chance of a wrong verdict "not as good"
    hands: Hands = 20_000  # limit after which the verdict is "undecided"
    leg: Leg = LEG  # hands that a process plays
    until: duels.Until = "verdict"  # or "limit": all hands are played, and judged once at the end
    # the largest of a hand (R2.5), by the rules; what a spec says does not count
    multiplier: Annotated[int, Meta(ge=1, le=MOST_MULTIPLIER)] = 1

    def __post_init__(self) -> None:
        """Raise ValueError for invalid bounds."""
        duels.Question(*self.bounds)

    def under(self, rules: Rules) -> "Tested":
        """Return the format with the bounds of a hand that the rules have."""
        return replace(self, multiplier=rules.most_multiplier)

    def legs(self, field: Sequence[str], number: int) -> list[Fixture]:
        """Return the fixtures of a set. Raises: SpecError, for a number of bots that the format does not accept."""
        raise NotImplementedError

    def most_sets(self, field: Sequence[str]) -> int:
        """Return the number of sets that reaches the limit of hands; the last one may exceed it."""
        raise NotImplementedError

    def block(self, legs: LegSet) -> Block:
        """Return the scores of a set."""
        raise NotImplementedError

    @property
    def scale(self) -> Scale:
        """Return the scale of the scores."""
        raise NotImplementedError

    @property
    def judged_by(self) -> int:
        """Return the version of the verdict."""
        return duels.METHOD

    @property
    def counts_lost(self) -> bool:
        """Tell whether a lost leg is a result: a bot that can end its worker must not choose which legs count."""
        return True

    @property
    def first_round(self) -> int:
        """Return the sets in the first round."""
        return first_round_size(self.leg)

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current round, or the next round; none after a verdict. Raises: SpecError."""
        sets, done = list(self.sets(field, played)), duels.by_fixture(played)
        start, end = round_in_play(len(sets), self.most_sets(field), self.first_round)
        if self.verdict(sets[:start]).is_final:
            return
        asked = leg_by_leg(self.legs(field, number) for number in range(start, end))
        yield from (leg for leg in asked if leg.id not in done)

    def sets(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[LegSet]:
        """Yield the results of every set before the first incomplete one, in order."""
        done = duels.by_fixture(played)
        return duels.complete_sets((self.legs(field, number) for number in range(self.most_sets(field))), done)

    def explain(self, size: int) -> Iterable[str]:
        """Yield the cost of a verdict, or that there is none, if the bots play alike, so that all scores are 0."""
        sets, legs = self.test.blocks_if_alike(self.leg), self._legs_of_set(size)
        hands = sets * legs * self.leg
        if self.until == "limit":
            if hands > self.hands:
                yield f"if the bots play alike, {self.hands:,} hands leave it undecided; bounds further apart need fewer"
            return
        starts = 2 * sets * legs
        yield f"if the bots play alike, a verdict takes {hands:,} hands: {sets:,} sets of {legs} legs, {starts:,} processes"
        if hands > self.hands:
            yield f"the limit is {self.hands:,} hands, so it would be undecided then; bounds further apart need fewer"

    def _legs_of_set(self, size: int) -> int:
        """Return the number of legs of a set, with ``size`` entrants."""
        raise NotImplementedError

    def verdict(self, sets: Iterable[LegSet]) -> duels.Verdict:
        """Return the verdict of the test after some sets."""
        return self.test.judge(Observations.of([self.block(legs) for legs in sets])).verdict

    @property
    def test(self) -> duels.SequentialTest:
        """Return the test of the scores."""
        return duels.SequentialTest(
            question=duels.Question(*self.bounds),
            scale=self.scale,
            alpha=self.alpha,
            beta=self.beta,
            most_hands=self.hands,
            until=self.until,
        )


# A sequential test between two bots. A set is a pair of legs on the same deals, with the seats swapped.


class Duel(Tested, frozen=True, kw_only=True, tag="duel"):
    """Two entrants play until a test shows that the first is better than ``bounds[0]`` or not as good as ``bounds[1]``.

    Both legs of a pair play the same ``leg`` hands with the seats swapped, each leg in new processes. The statistic is ``points``
    a hand, held to 40; ``equity``, the percent of a game that a hand wins from a given score, held to 20; or ``matches``, in
    normalized Elo. Use rules with ``stock: two-ended`` (R2.4), under which a seat draws the same cards in both legs. With
    ``until: limit`` all ``hands`` are played, and judged at their end.
    """

    statistic: duels.Statistic = "points"
    bounds: tuple[float, float] = (0.0, 0.5)

    def __post_init__(self) -> None:
        """Raise ValueError, beginning with the option's name, for invalid bounds, or for options that a duel on matches lacks."""
        if self.statistic != "matches":
            super().__post_init__()
            return
        if self.until == "limit":
            raise ValueError("until: found 'limit'; expected 'verdict' for a duel on matches")
        try:
            self.wins(()).judge()
        except InputError as error:
            raise ValueError(str(error) if str(error).startswith("alpha") else f"bounds: {error}") from None

    def explain(self, size: int) -> Iterable[str]:
        """Return the cost of a verdict; none for the statistic ``matches``."""
        return () if self.statistic == "matches" else super().explain(size)

    def _legs_of_set(self, size: int) -> int:
        del size
        return 2

    def verdict(self, sets: Iterable[LegSet]) -> duels.Verdict:
        """Return the verdict of the test after some pairs."""
        return self.wins(sets).verdict if self.statistic == "matches" else super().verdict(sets)

    def wins(self, sets: Iterable[LegSet]) -> duels.MatchDuelState:
        """Return the state of a duel on matches after some pairs."""
        wins = duels.MatchDuelState(bounds=self.bounds, alpha=self.alpha, beta=self.beta, most_hands=self.hands)
        for one, other in sets:
            wins = wins.add(_halves(one, 0) + _halves(other, 1), one.hands + other.hands)
        return wins

    @property
    def scale(self) -> Scale:
        """Return the scale of the statistic."""
        if self.statistic == "equity":  # luck is in points
            return replace(EQUITY, most_luck=EQUITY.most_luck * self.multiplier)
        return scaled(POINTS, self.multiplier)

    @property
    def counts_lost(self) -> bool:
        """Tell whether a lost leg is a result; a match has no worst score, so it is played again."""
        return self.statistic != "matches"

    @property
    def first_round(self) -> int:
        """Return the pairs in the first round."""
        return FIRST if self.statistic == "matches" else super().first_round

    def most_sets(self, field: Sequence[str]) -> int:
        """Return a number of pairs that surely reaches the limit of hands: a match has at least one."""
        del field
        hands_of_pair = 2 if self.statistic == "matches" else 2 * self.leg
        return -(-self.hands // hands_of_pair)

    def legs(self, field: Sequence[str], number: int) -> list[Fixture]:
        """Return both legs of a pair. Raises: SpecError, for more or fewer than two bots."""
        if len(field) != 2:
            raise SpecError(f"format duel: {len(field)} bots; expected two")
        a, b = field
        hands = None if self.statistic == "matches" else self.leg
        return pair_of_legs(a, b, f"{a}:{b}/{number}", hands, scored=self.statistic == "equity")

    def block(self, legs: LegSet) -> Block:
        """Return the scores of a pair of legs."""
        one, other = legs
        return duels.block(one, other, _percent if self.statistic == "equity" else partial(duels.net, times=self.multiplier))


def _percent(hand: SingleHand) -> float:
    """Return the gain of seat 0 in a hand, in percent of a game, held to the bound of its scale."""
    return max(-EQUITY.most, min(gain(hand), EQUITY.most))


def _halves(leg: Result, seat: Seat) -> int:
    """Return the half matches that a seat won: 2 for a win, 1 for a draw."""
    return 1 if leg.winner is None else 2 * (leg.winner == seat)


# A sequential test of a candidate against a baseline, which both play the same opponents on the same deals.
#
# A set is all legs on the deals of one number: candidate and baseline, both seats, every opponent. Its fixtures share their deals,
# so they are played one after the other, and more workers than sets in a round are idle (see README.md of arena/tournament).


class Gauntlet(Tested, frozen=True, kw_only=True, tag="gauntlet"):
    """A test of the first entrant, the candidate, against the second, the baseline, by points a hand against all other entrants.

    It shows that the candidate's lead over the baseline is above ``bounds[0]`` or below ``bounds[1]``. Both play each opponent on
    the same deals from both seats, so the luck of the deal cancels out. Use rules with ``stock: two-ended`` (R2.4). With
    ``until: limit`` all ``hands`` are played, and judged at their end.
    """

    bounds: tuple[float, float] = (-1.0, 0.0)  # twice as wide as a duel's: a difference varies more than a score

    @property
    def scale(self) -> Scale:
        """Return the scale of differences of points a hand."""
        return scaled(DIFFERENCES, self.multiplier)

    def most_sets(self, field: Sequence[str]) -> int:
        """Return the number of sets that reaches the limit of hands; the last one may exceed it."""
        return -(-self.hands // (self._legs_of_set(len(field)) * self.leg))

    def _legs_of_set(self, size: int) -> int:
        return 4 * max(size - 2, 1)

    def legs(self, field: Sequence[str], number: int) -> list[Fixture]:
        """Return a set: the candidate's legs against each opponent, then the baseline's. Raises: SpecError, for too few bots."""
        if len(field) < 3:
            raise SpecError(f"format gauntlet: {len(field)} bots; expected a candidate, a baseline and at least one opponent")
        deals = f"gauntlet/{number}"
        return [
            Fixture(f"{bot}:{opponent}/{number}/{leg}", seats, deals, self.leg)
            for bot in field[:2]
            for opponent in field[2:]
            for leg, seats in enumerate([(bot, opponent), (opponent, bot)])
        ]

    def block(self, legs: LegSet) -> Block:
        """Return the scores of a set: differences in points a hand."""
        worth = partial(duels.net, times=self.multiplier)
        rows = [duels.block(one, other, worth) for one, other in zip(legs[::2], legs[1::2], strict=True)]
        half = len(rows) // 2
        return duels.against_field(rows[:half], rows[half:])
