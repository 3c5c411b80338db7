"""The sequential test of the chess sites, on pairs of games or matches: LL, LD, DD or WL, WD, WW.

The generalised likelihood ratio of Li, Liu, Song and Ying (2014), with the exact likelihood under a constraint of Van den Bergh:
each hypothesis is represented by the distribution nearest the observed one (in likelihood) whose mean, or whose mean in standard
deviations, is what it says. Empty cells count a thousandth of a pair. Elo bounds are *logistic* (a mean score) or *normalized*
(a mean in standard deviations of one game, 800 / ln 10 to the unit, whatever the share of draws).

Where few pairs differ from each other, normal theory would be sure of what it has not seen. Then intervals are Chernoff's
(Hoeffding 1963, theorem 1), which hold for any bounded score and any number of pairs; an end that nothing bounds is None, and
``note`` says why.
"""

from collections.abc import Callable, Sequence
from math import exp, log, log1p, log10, sqrt
from statistics import NormalDist
from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict

from arena.errors import InputError

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a pair
EMPTY = 1e-3  # pairs: what an empty cell counts
TELLING = 10  # pairs that differ from the commonest result: with fewer, normal theory is not used
NORMALIZED = 800 / log(10)  # Elo in a standard deviation of one game
MOST = 10**8  # pairs of one result; the arithmetic is good for so many
HALVINGS = 200  # more than it takes to get down to the last bit
ROUNDS = 100
STILL = 1e-12
FURTHEST = {"normalized": 200.0, "logistic": 1000.0}  # Elo that a bound may be away from nought: so far the nearest one is found
Z = NormalDist().inv_cdf(0.975)

Model = Literal["normalized", "logistic"]
State = Literal["accept H0", "accept H1", "continue", "no pairs"]


class Strength(Struct, frozen=True, kw_only=True):
    """How strong the first of two is, from pairs. None: there is no such number; ``note`` says why."""

    elo: float | None = None  # logistic
    elo_interval: tuple[float | None, float | None] = (None, None)  # 95 %; None: nothing bounds it on that side
    los: float | None = None  # likelihood of superiority, from 0 to 1
    normalized_elo: float | None = None
    note: str = ""


class Sprt(Strength, frozen=True, kw_only=True):
    """What a test says after some pairs."""

    llr: float | None  # log likelihood ratio of H1 to H0
    lower: float  # at this or less H0 is accepted
    upper: float  # at this or more, H1
    state: State


class Sample(Struct, frozen=True):
    """How often which score of a pair."""

    chances: tuple[float, ...]  # of SCORES

    @property
    def mean(self) -> float:
        """Return the mean score."""
        return _sum(self.chances, SCORES)

    @property
    def deviation(self) -> float:
        """Return the standard deviation of a score."""
        return sqrt(_sum(self.chances, [(score - self.mean) ** 2 for score in SCORES]))


class Nearest(Sample, frozen=True):
    """The distribution that a hypothesis is represented by."""

    cost: float = 0.0  # log likelihood a pair, lost against what was observed


def sprt(
    pentanomial: Sequence[float], elo0: float, elo1: float, model: Model = "normalized", alpha: float = 0.05, beta: float = 0.05
) -> Sprt:
    """Return what the test says. Raises: InputError, if a count, a bound or an error probability makes no sense."""
    _check(pentanomial, elo0, elo1, FURTHEST[model])
    if not (0 < alpha < 1 and 0 < beta < 1 and alpha + beta < 1):
        raise InputError(f"alpha: {alpha:g}, beta: {beta:g}; expected both above 0, and less than 1 together")
    lower, upper = log(beta / (1 - alpha)), log((1 - beta) / alpha)
    llr = log_likelihood_ratio(pentanomial, elo0, elo1, model) if sum(pentanomial) else None
    return Sprt(llr=llr, lower=lower, upper=upper, state=_state(llr, lower, upper), **asdict(strength(pentanomial)))


def log_likelihood_ratio(pentanomial: Sequence[float], elo0: float, elo1: float, model: Model) -> float:
    """Return the log likelihood of the nearest distribution at ``elo1`` less that of the nearest at ``elo0``."""
    counts = [count or EMPTY for count in pentanomial]
    observed = Sample(tuple(count / sum(counts) for count in counts))
    if model == "logistic":
        zero, one = (with_mean(observed, _score(elo)) for elo in (elo0, elo1))
    else:
        zero, one = (with_mean_in_deviations(observed, elo * sqrt(2) / NORMALIZED) for elo in (elo0, elo1))
    return sum(counts) * (zero.cost - one.cost)


def strength(pentanomial: Sequence[float]) -> Strength:
    """Return Elo with its interval, the likelihood of superiority and normalized Elo."""
    pairs = sum(pentanomial)
    if not pairs:
        return Strength(note="no pairs: nothing can be said")
    counts = [count or EMPTY for count in pentanomial]
    sample = Sample(tuple(count / sum(counts) for count in counts))
    error = sample.deviation / sqrt(sum(counts))
    if pairs - max(pentanomial) < TELLING or abs(sample.mean - 0.5) + Z * error >= 0.5:
        return _strength_of_few(Sample(tuple(count / pairs for count in pentanomial)), pairs)
    return Strength(
        elo=_elo(sample.mean),
        elo_interval=(_elo(sample.mean - Z * error), _elo(sample.mean + Z * error)),
        los=NormalDist().cdf((sample.mean - 0.5) / error),
        normalized_elo=_normalized(sample),
    )


def _strength_of_few(sample: Sample, pairs: float) -> Strength:
    """Return what holds without normal theory."""
    low, high = chernoff(sample.mean, pairs)
    doubt = exp(-pairs * divergence(sample.mean, 0.5)) / 2
    return Strength(
        elo=_elo(sample.mean),
        elo_interval=(_elo(low), _elo(high)),
        los=1 - doubt if sample.mean >= 0.5 else doubt,
        normalized_elo=_normalized(sample) if sample.deviation else None,
        note=_why_few(sample.mean),
    )


def _why_few(mean: float) -> str:
    if mean in {0.0, 1.0}:
        return f"every game was {'won' if mean else 'lost'}: Elo has no {'upper' if mean else 'lower'} end, the other is Chernoff's"
    return f"fewer than {TELLING} pairs differ from the commonest result, or nearly all is won or lost: Chernoff's interval"


def chernoff(mean: float, pairs: float) -> tuple[float, float]:
    """Return the 95 % interval of the mean of scores from 0 to 1, which holds for any number of them."""
    enough = log(2 / 0.05) / pairs
    low = _edge(lambda other: divergence(mean, other) - enough, mean, 0.0)
    high = _edge(lambda other: divergence(mean, other) - enough, mean, 1.0)
    return low, high


def divergence(one: float, two: float) -> float:
    """Return the Kullback-Leibler divergence of two coins; ``two`` is neither 0 nor 1."""
    return sum(here * log(here / there) for here, there in ((one, two), (1 - one, 1 - two)) if here)


def with_mean(observed: Sample, mean: float) -> Nearest:
    """Return the distribution with this mean under which what was observed is likeliest (Owen 1988, empirical likelihood)."""
    return _tilted(observed, [score - mean for score in SCORES])


def with_mean_in_deviations(observed: Sample, mean: float) -> Nearest:
    """Return likewise the distribution whose mean lies so many of its standard deviations above a half.

    The deviation is made linear where the last guess stood, until the guess stands still.
    """
    guess = Nearest((0.2,) * 5)
    for _ in range(ROUNDS):
        centre, spread = guess.mean, guess.deviation
        linear = [score - 0.5 - mean * spread * (1 + ((centre - score) / spread) ** 2) / 2 for score in SCORES]
        last, guess = guess, _tilted(observed, linear)
        if max(abs(new / old - 1) for new, old in zip(guess.chances, last.chances, strict=True)) < STILL:
            break
    return guess


def _tilted(observed: Sample, constraint: Sequence[float]) -> Nearest:
    """Return the likeliest distribution under which ``constraint`` has mean nought: chance / (1 + x constraint)."""

    def slack(tilt: float) -> float:
        return _sum(observed.chances, [part / (1 + tilt * part) for part in constraint])

    tilt = _root(slack, -1 / max(constraint), -1 / min(constraint))
    chances = tuple(chance / (1 + tilt * part) for chance, part in zip(observed.chances, constraint, strict=True))
    return Nearest(chances, _sum(observed.chances, [log1p(tilt * part) for part in constraint]))


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function passes nought, by halving down to the last bit; it has a pole at either end."""
    middle = (low + high) / 2
    while low < middle < high:
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
        middle = (low + high) / 2
    return middle


def _edge(rising: Callable[[float], float], inside: float, end: float) -> float:
    """Return where a function passes nought on the way from ``inside`` to ``end``; the end itself, if it is there."""
    if inside == end:
        return end
    for _ in range(HALVINGS):
        middle = (inside + end) / 2
        inside, end = (middle, end) if rising(middle) < 0 else (inside, middle)
    return end


def _state(llr: float | None, lower: float, upper: float) -> State:
    if llr is None:
        return "no pairs"
    if llr >= upper:
        return "accept H1"
    return "accept H0" if llr <= lower else "continue"


def _score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def _elo(score: float) -> float | None:
    """Return the logistic Elo of a mean score; None: no Elo explains only wins, or only losses."""
    return 400 * log10(score / (1 - score)) if 0 < score < 1 else None


def _normalized(sample: Sample) -> float:
    return (sample.mean - 0.5) / sample.deviation / sqrt(2) * NORMALIZED


def _sum(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def _check(pentanomial: Sequence[float], elo0: float, elo1: float, furthest: float) -> None:
    if len(pentanomial) != len(SCORES) or not all(0 <= count <= MOST for count in pentanomial):
        raise InputError(f"pentanomial: {' '.join(map(str, pentanomial))}; expected five counts of pairs, from 0 to {MOST}")
    if not -furthest <= elo0 < elo1 <= furthest:
        raise InputError(f"elo0: {elo0:g}, elo1: {elo1:g}; expected elo0 < elo1, both within {furthest:g} of nought")
