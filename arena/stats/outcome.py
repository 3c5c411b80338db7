"""What a duel has come to, as one value: the verdict, how far the bots are apart, and what that means in games and matches."""

from math import exp

from msgspec import Struct

from arena.stats.duels import Course, Wins
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
    unit: str  # of the difference: "points a hand", "% of a game a hand" or "Elo"
    bounds: tuple[float, float]  # of the question, in that unit; of a duel on matches in normalized Elo
    difference: Spread | None  # of the first to the second; None: nothing was played, or nothing bounds an end of its interval
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
    """Return the outcome of a duel on matches; no difference is told while nothing bounds an end of its interval."""
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
