"""The outcome of a duel or gauntlet as one value: verdict, difference in strength, and implied chances in games and matches."""

from math import exp

from msgspec import Struct

from arena.stats.sequential.betting import Verdict
from arena.stats.sequential.duels import MatchDuelState, SequentialState


class Interval(Struct, frozen=True):
    """An estimate with its interval."""

    value: float
    low: float
    high: float


class Implied(Struct, frozen=True, kw_only=True):
    """The chances in games and matches that the hands played imply; see :mod:`arena.stats.games`."""

    games: Interval  # chance to win one
    matches: Interval  # chance to win one
    match_wins: float  # mean hands to the same verdict for a sequential test on wins of independent matches


class ComparisonOutcome(Struct, frozen=True, kw_only=True):
    """The current result of a duel or gauntlet."""

    verdict: Verdict
    unit: str  # of the difference: "points a hand", "% of a game a hand" or "Elo"
    bounds: tuple[float, float]  # of the question, in that unit; for a duel on matches in normalized Elo
    difference: Interval | None  # first less second; None: nothing was played, or an end of the interval is infinite
    plain: float | None = None  # the mean score without the correction for luck; None: a duel on matches, or no whole block
    better: float  # evidence for "better", reached at 1 / alpha
    worse: float  # evidence for "not as good", reached at 1 / beta
    proof: tuple[float, float]  # 1 / alpha, 1 / beta
    hands: int  # played
    decided: int | None  # hands that the verdict needed, those that were skipped included; None: no verdict yet
    pairs: int  # deals, or matches, that both legs played
    same: int | None = None  # pairs in which both legs had the same result; None: not counted
    blocks: int | None = None  # observations of the test until its verdict; None: a duel on matches
    fresh: int | None = None  # of them, those of which nothing was skipped; None: a duel on matches
    beyond: int | None = None  # of them, those further from the bounds than the clip, which count as that far; None: no clip
    clip: float | None = None  # in that unit; None: nothing is clipped
    capped: int = 0  # hands worth more than 60 points, which count as 60
    lost: int = 0  # legs that were lost with their worker, and count as the worst for each side of the test
    pentanomial: tuple[int, ...] | None = None  # pairs of matches by result; None: a duel on hands
    implied: Implied | None = None
    skipped: int = 0  # hands that were not played, because both bots make the same decisions in them
    deterministic: bool = False  # whether such hands are skipped, which assumes that the bots are deterministic
    same_program: bool = False  # both bots are the same program: nothing was played, and there is no evidence to need

    @property
    def total_hands(self) -> int:
        """Return the hands that were played or skipped."""
        return self.hands + self.skipped


def of_same_program(bounds: tuple[float, float], errors: tuple[float, float], unit: str) -> ComparisonOutcome:
    """Return the outcome for two bots that are the same program, whose difference is exactly 0; ``errors`` are alpha and beta."""
    return ComparisonOutcome(
        verdict=Verdict.BETTER if bounds[0] < 0 else Verdict.NOT_AS_GOOD,
        unit=unit,
        bounds=bounds,
        difference=Interval(0.0, 0.0, 0.0),
        plain=0.0,
        better=1.0,
        worse=1.0,
        proof=(1 / errors[0], 1 / errors[1]),
        hands=0,
        decided=0,
        pairs=0,
        same_program=True,
    )


def of_hands(state: SequentialState, difference: Interval, unit: str) -> ComparisonOutcome:
    """Return the outcome of a duel on single hands."""
    test = state.test
    return ComparisonOutcome(
        verdict=state.verdict,
        unit=unit,
        bounds=(test.question.m0, test.question.m1),
        difference=difference if state.deals else None,
        plain=state.mean,
        better=exp(min(state.judged.better, 700.0)),
        worse=exp(min(state.judged.worse, 700.0)),
        proof=(1 / test.alpha, 1 / test.beta),
        hands=state.hands,
        decided=state.decided,
        pairs=state.deals,
        same=state.same,
        blocks=state.judged.blocks,
        fresh=state.fresh,
        beyond=None if test.scale.exact else state.judged.beyond,
        clip=None if test.scale.exact else test.scale.clip,
    )


def of_matches(wins: MatchDuelState) -> ComparisonOutcome:
    """Return the outcome of a duel on matches, without a difference while an end of its interval is infinite."""
    sprt = wins.sprt
    llr = sprt.llr or 0.0
    low, high = sprt.elo_interval
    known = sprt.elo is not None and low is not None and high is not None
    return ComparisonOutcome(
        verdict=wins.verdict,
        unit="Elo",
        bounds=wins.bounds,
        difference=Interval(sprt.elo or 0.0, low or 0.0, high or 0.0) if known else None,
        better=exp(llr),
        worse=exp(-llr),
        proof=(exp(sprt.upper), exp(-sprt.lower)),
        hands=wins.hands,
        decided=wins.decided,
        pairs=sum(wins.counts),
        pentanomial=wins.counts,
    )
