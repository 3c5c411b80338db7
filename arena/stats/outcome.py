"""What a duel has come to, as one value: the verdict, how far the bots are apart, and what that means in games and matches."""

from collections.abc import Iterable, Sequence
from math import exp

from msgspec import Struct

from arena.records import Result
from arena.stats import games
from arena.stats.confidence import ConfidenceSequence
from arena.stats.duels import Course, Score, Wins
from arena.stats.sequential import Verdict


class Spread(Struct, frozen=True):
    """A number and the interval around it."""

    value: float
    low: float
    high: float


class Implied(Struct, frozen=True, kw_only=True):
    """What the hands that were played come to in games and matches; see arena.stats.games."""

    games: Spread  # chance to win one
    matches: Spread
    match_wins: float  # hands that a sequential test on the wins of independent matches would need on average for such a verdict


class Outcome(Struct, frozen=True, kw_only=True):
    """How a duel, or a gauntlet, stands."""

    verdict: Verdict
    unit: str  # "points a hand", "% of a game a hand" or "normalized Elo"
    bounds: tuple[float, float]
    difference: Spread | None  # of the first to the second; None: nothing was played
    plain: float | None = None  # the difference with all of its luck; None: matches
    better: float  # evidence: from 1 / alpha on it is proof
    worse: float  # likewise, from 1 / beta on
    proof: tuple[float, float]  # 1 / alpha, 1 / beta
    hands: int  # played
    decided: int | None  # hands that the verdict needed
    pairs: int  # deals, or matches, that both legs played
    same: int | None = None  # of them, those on which both legs went the same way
    pentanomial: tuple[int, ...] | None = None  # pairs of matches by their result
    implied: Implied | None = None


class Follower:
    """Follows the scores of a duel as they come, and keeps the interval."""

    def __init__(self, alpha: float) -> None:
        self._sequence = ConfidenceSequence.start(alpha)

    def look(self, scores: Iterable[Score]) -> tuple[float, float]:
        """Return the interval after ``scores``, the first of which it has seen already."""
        for number, score in enumerate(scores):
            if number >= self._sequence.pairs:
                self._sequence = self._sequence.add(score.y, luck=score.luck)
        return self._sequence.interval.low, self._sequence.interval.high


def of_hands(course: Course, interval: tuple[float, float], unit: str, scale: float = 1.0) -> Outcome:
    """Return the outcome of a duel on single hands; ``scale`` undoes what its scores were divided by."""
    test = course.test
    low, high = (end * scale for end in interval)
    mean = course.corrected / course.scores * scale if course.scores else None
    return Outcome(
        verdict=test.verdict,
        unit=unit,
        bounds=(test.question.m0 * scale, test.question.m1 * scale),
        difference=None if mean is None else Spread(mean, low, high),
        plain=course.total / course.scores * scale if course.scores else None,
        better=exp(min(test.better, 700.0)),
        worse=exp(min(test.worse, 700.0)),
        proof=(1 / test.alpha, 1 / test.beta),
        hands=course.hands,
        decided=course.decided,
        pairs=course.scores,
        same=course.same,
    )


def of_matches(wins: Wins) -> Outcome:
    """Return the outcome of a duel on matches. An end of the interval that nothing bounds is infinitely far, said so by None."""
    sprt = wins.sprt
    llr = sprt.llr or 0.0
    low, high = sprt.elo_interval
    known = sprt.elo is not None and low is not None and high is not None
    return Outcome(
        verdict=wins.verdict,
        unit="Elo",
        bounds=wins.bounds,
        difference=Spread(sprt.elo or 0.0, low or 0.0, high or 0.0) if known else None,
        better=exp(llr),
        worse=exp(-llr),
        proof=(exp(sprt.upper), exp(-sprt.lower)),
        hands=wins.hands,
        decided=wins.decided,
        pairs=sum(wins.counts),
        pentanomial=wins.counts,
    )


def net_points(first: str, played: Iterable[Result]) -> Iterable[int]:
    """Yield the points of every single hand, as the first of two sees them; nothing is held."""
    for result in played:
        sign = 1 if result.fixture.seats[0] == first else -1
        yield from (sign * hand.points for hand in result.singles)


def implied(
    points: Iterable[int], difference: Spread, bounds: Sequence[float], errors: tuple[float, float], form: tuple[int, int]
) -> Implied | None:
    """Return what hands come to in games to ``form[0]`` and matches of best of ``form[1]``; None, if nobody ever scored.

    The intervals are those of the points a hand: the ends are played with the hands nearest to those played that bring so much.
    ``errors`` are alpha and beta.
    """
    hands = games.gather(points)
    if not hands.points.any():
        return None
    here, low, high = (
        games.chances(games.tilted(hands, mean), *form) for mean in (difference.value, difference.low, difference.high)
    )
    even = games.mirrored(hands)  # what the bounds claim is that the two are about equals
    zero, one = (games.chances(games.tilted(even, bound), *form).match for bound in bounds)
    matches = games.wald(here.match, zero, one, *errors)
    return Implied(
        games=Spread(here.game, low.game, high.game),
        matches=Spread(here.match, low.match, high.match),
        match_wins=matches * here.match_hands,
    )
