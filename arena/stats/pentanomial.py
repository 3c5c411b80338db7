"""The pentanomial sequential test used for chess engines, on pairs of games or matches: LL, LD, DD or WL, WD, WW.

It is the generalized likelihood ratio test of Li, Liu, Song and Ying (2014), with Van den Bergh's exact constrained likelihood:
each hypothesis is represented by the most likely distribution whose mean, or mean in standard deviations, is what it claims. An
empty cell counts as a thousandth of a pair, except in Chernoff's intervals. Elo bounds are *logistic* (a mean score) or
*normalized* (a mean in standard deviations of one game, times 800 / ln 10; it does not depend on the share of draws).

Where few pairs differ from the most common result, the normal approximation underestimates the error. Intervals are then Chernoff's
(Hoeffding 1963, theorem 1), which are valid for any bounded score and any number of pairs; an infinite end is None, and ``note``
says why.
"""

from collections.abc import Callable, Sequence
from math import exp, log, log1p, log10, sqrt
from statistics import NormalDist
from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict

from arena.errors import InputError
from arena.stats.confidence_sequence import bisect
from arena.stats.statements import FEW_DIFFER

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a pair
EMPTY = 1e-3  # pairs: the count of an empty cell
MIN_DIFFERING = 10  # pairs that differ from the most common result; with fewer the normal approximation is not used
NORMALIZED = 800 / log(10)  # Elo in one standard deviation of one game
MAX_COUNT = 10**8  # pairs of one result, for which the arithmetic is still accurate
HALVINGS = 200  # more than bisection needs to reach the last bit
MAX_ITERATIONS = 100
TOLERANCE = 1e-12
MAX_ELO = {"normalized": 200.0, "logistic": 1000.0}  # largest absolute bound for which the search converges
Z = NormalDist().inv_cdf(0.975)

Model = Literal["normalized", "logistic"]
SprtState = Literal["accept H0", "accept H1", "continue", "no pairs"]


class EloEstimate(Struct, frozen=True, kw_only=True):
    """The strength of the first of two players, from pairs. None: there is no finite number; ``note`` says why."""

    elo: float | None = None  # logistic
    elo_interval: tuple[float | None, float | None] = (None, None)  # 95 %; None: infinite on that side
    los: float | None = None  # likelihood of superiority, from 0 to 1: normal, or 1 less half of Chernoff's bound
    normalized_elo: float | None = None
    note: str = ""


class Sprt(EloEstimate, frozen=True, kw_only=True):
    """The result of the test after some pairs."""

    llr: float | None  # log likelihood ratio of H1 to H0
    lower: float  # H0 is accepted at this value or less
    upper: float  # H1 is accepted at this value or more
    state: SprtState


class Sample(Struct, frozen=True):
    """A distribution over the scores of a pair."""

    chances: tuple[float, ...]  # of each of SCORES

    @property
    def mean(self) -> float:
        """Return the mean score."""
        return _sum(self.chances, SCORES)

    @property
    def deviation(self) -> float:
        """Return the standard deviation of a score."""
        mean = self.mean
        return sqrt(_sum(self.chances, [(score - mean) ** 2 for score in SCORES]))


class Nearest(Sample, frozen=True):
    """The distribution that represents a hypothesis."""

    cost: float = 0.0  # loss of log likelihood a pair, compared with the observed distribution


def pentanomial_sprt(
    pentanomial: Sequence[float], elo0: float, elo1: float, model: Model = "normalized", alpha: float = 0.05, beta: float = 0.05
) -> Sprt:
    """Return the result of the test. Raises: InputError, for an invalid count, bound or error probability."""
    _check(pentanomial, elo0, elo1, MAX_ELO[model])
    if not (alpha > 0 and beta > 0 and alpha + beta < 1):
        raise InputError(f"alpha: {alpha:g}, beta: {beta:g}; expected both above 0, and less than 1 together")
    lower, upper = log(beta / (1 - alpha)), log((1 - beta) / alpha)
    llr = log_likelihood_ratio(pentanomial, elo0, elo1, model) if sum(pentanomial) else None
    return Sprt(llr=llr, lower=lower, upper=upper, state=_state(llr, lower, upper), **asdict(strength(pentanomial)))


def log_likelihood_ratio(pentanomial: Sequence[float], elo0: float, elo1: float, model: Model) -> float:
    """Return the log likelihood ratio of the nearest distribution at ``elo1`` to the nearest at ``elo0``."""
    counts = [count or EMPTY for count in pentanomial]
    observed = Sample(tuple(count / sum(counts) for count in counts))
    if model == "logistic":
        zero, one = (with_mean(observed, _score(elo)) for elo in (elo0, elo1))
    else:
        zero, one = (with_mean_in_deviations(observed, elo * sqrt(2) / NORMALIZED) for elo in (elo0, elo1))
    return sum(counts) * (zero.cost - one.cost)


def strength(pentanomial: Sequence[float]) -> EloEstimate:
    """Return Elo with its interval, the likelihood of superiority and normalized Elo."""
    pairs = sum(pentanomial)
    if not pairs:
        return EloEstimate(note="no pairs")
    counts = [count or EMPTY for count in pentanomial]
    sample = Sample(tuple(count / sum(counts) for count in counts))
    error = sample.deviation / sqrt(sum(counts))
    if pairs - max(pentanomial) < MIN_DIFFERING or abs(sample.mean - 0.5) + Z * error >= 0.5:
        return _strength_of_few(Sample(tuple(count / pairs for count in pentanomial)), pairs)
    return EloEstimate(
        elo=_elo(sample.mean),
        elo_interval=(_elo(sample.mean - Z * error), _elo(sample.mean + Z * error)),
        los=NormalDist().cdf((sample.mean - 0.5) / error),
        normalized_elo=_normalize(sample),
    )


def _strength_of_few(sample: Sample, pairs: float) -> EloEstimate:
    """Return the estimate by Chernoff's bound, without the normal approximation."""
    low, high = chernoff(sample.mean, pairs)
    p_value = exp(-pairs * divergence(sample.mean, 0.5)) / 2  # halved, to be 1/2 for an even score: no bound, but as for many
    return EloEstimate(
        elo=_elo(sample.mean),
        elo_interval=(_elo(low), _elo(high)),
        los=1 - p_value if sample.mean >= 0.5 else p_value,
        normalized_elo=_normalize(sample) if sample.deviation else None,
        note=_note_on_few(sample.mean),
    )


def _note_on_few(mean: float) -> str:
    if mean in {0.0, 1.0}:
        return f"every game was {'won' if mean else 'lost'}: no {'upper' if mean else 'lower'} end; the other end is Chernoff's"
    return FEW_DIFFER(least=MIN_DIFFERING)


def chernoff(mean: float, pairs: float) -> tuple[float, float]:
    """Return the 95 % interval of the mean of ``pairs`` scores from 0 to 1, valid for any number of them."""
    enough = log(2 / 0.05) / pairs

    def end(furthest: float) -> float:
        return mean if mean == furthest else bisect(lambda bound: divergence(mean, bound) < enough, mean, furthest, HALVINGS)[1]

    return end(0.0), end(1.0)


def divergence(p: float, q: float) -> float:
    """Return the Kullback-Leibler divergence of Bernoulli distributions with chance p from q; q must be above 0 and below 1."""
    return sum(actual * log(actual / model) for actual, model in ((p, q), (1 - p, 1 - q)) if actual)


def with_mean(observed: Sample, mean: float) -> Nearest:
    """Return the maximum likelihood distribution with this mean. Source: Owen (1988), empirical likelihood."""
    return _tilt(observed, [score - mean for score in SCORES])


def with_mean_in_deviations(observed: Sample, deviations: float) -> Nearest:
    """Return the maximum likelihood distribution whose mean lies ``deviations`` of its own standard deviations above 1/2.

    The standard deviation is linearized around the last estimate until the estimate converges.
    """
    nearest = Nearest((0.2,) * 5)
    for _ in range(MAX_ITERATIONS):
        centre, spread = nearest.mean, nearest.deviation
        linear = [score - 0.5 - deviations * spread * (1 + ((centre - score) / spread) ** 2) / 2 for score in SCORES]
        last, nearest = nearest, _tilt(observed, linear)
        if max(abs(new / old - 1) for new, old in zip(nearest.chances, last.chances, strict=True)) < TOLERANCE:
            break
    return nearest


def _tilt(observed: Sample, constraint: Sequence[float]) -> Nearest:
    """Return the maximum likelihood distribution under which ``constraint`` has mean zero: chance / (1 + x constraint)."""

    def slack(tilt: float) -> float:
        return _sum(observed.chances, [part / (1 + tilt * part) for part in constraint])

    tilt = _root(slack, -1 / max(constraint), -1 / min(constraint))
    chances = tuple(chance / (1 + tilt * part) for chance, part in zip(observed.chances, constraint, strict=True))
    return Nearest(chances, _sum(observed.chances, [log1p(tilt * part) for part in constraint]))


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a decreasing function with a pole at each end, by bisection to the last bit."""
    middle = (low + high) / 2
    while low < middle < high:
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
        middle = (low + high) / 2
    return middle


def _state(llr: float | None, lower: float, upper: float) -> SprtState:
    if llr is None:
        return "no pairs"
    if llr >= upper:
        return "accept H1"
    return "accept H0" if llr <= lower else "continue"


def _score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def _elo(score: float) -> float | None:
    """Return the logistic Elo of a mean score; None for 0 or 1, whose Elo is infinite."""
    return 400 * log10(score / (1 - score)) if 0 < score < 1 else None


def _normalize(sample: Sample) -> float:
    return (sample.mean - 0.5) / sample.deviation / sqrt(2) * NORMALIZED


def _sum(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def _check(pentanomial: Sequence[float], elo0: float, elo1: float, limit: float) -> None:
    if len(pentanomial) != len(SCORES) or not all(0 <= count <= MAX_COUNT for count in pentanomial):
        raise InputError(f"pentanomial: {' '.join(map(str, pentanomial))}; expected five counts of pairs, from 0 to {MAX_COUNT}")
    if not -limit <= elo0 < elo1 <= limit:
        raise InputError(f"elo0: {elo0:g}, elo1: {elo1:g}; expected elo0 < elo1, both from -{limit:g} to {limit:g}")
