"""How far a comparison has come, and about how long it still takes.

A comparison ends at its limit of hands, or earlier when its evidence reaches a bound. The log of the evidence for a true answer
grows in proportion to the hands, so its growth so far tells when it will arrive. Before there is any, only the limit is known.
"""

from math import log

from arena.reports.numbers import duration, interval
from arena.reports.verdict import evidence
from arena.stats.duels import ComparisonOutcome, Verdict

LEAST_GROWTH = 0.5  # of the log of evidence; with less, chance decides its direction


def hands_left(outcome: ComparisonOutcome, most_hands: int) -> tuple[int, bool]:
    """Return about how many hands are left, and whether that is only the limit; never less than zero."""
    limit = max(most_hands - outcome.hands, 0)
    found, proof = _leading(outcome)
    # ``found`` may exceed ``proof`` without a verdict: with ``until: limit`` the test is judged at its limit
    if found <= 0 or log(found) < LEAST_GROWTH or found >= proof:
        return limit, True
    expected = round(outcome.hands * (log(proof) - log(found)) / log(found))
    return (limit, True) if expected >= limit else (expected, False)


def line(outcome: ComparisonOutcome, most_hands: int, hands: int, rate: float) -> str:
    """Return the progress in one line; ``hands`` were played, some perhaps not counted yet, at ``rate`` a second (0: unknown)."""
    counted = f"{hands:,} of at most {max(most_hands, hands):,} hands"
    known = [] if outcome.difference is None else [f"{interval(outcome.difference)} {outcome.unit}"]
    return ", ".join([counted, _evidence(outcome), *known, *_time(outcome, most_hands, hands, rate)])


def beside_bar(outcome: ComparisonOutcome, most_hands: int, hands: int, rate: float) -> str:
    """Return the text beside a bar over the hands; the arguments are those of ``line``."""
    return ", ".join([f"at most {max(most_hands, hands):,} hands", _evidence(outcome), *_time(outcome, most_hands, hands, rate)])


def _evidence(outcome: ComparisonOutcome) -> str:
    return f"evidence {evidence(*_leading(outcome))}"


def _time(outcome: ComparisonOutcome, most_hands: int, hands: int, rate: float) -> list[str]:
    """Return the time that is left; none if it is not known, or after a verdict."""
    if rate <= 0 or outcome.verdict is not Verdict.CONTINUE:
        return []
    left, only_limit = hands_left(outcome, most_hands)
    seconds = max(left - (hands - outcome.hands), 0) / rate
    return [f"{'at most' if only_limit else 'about'} {duration(seconds)} left"]


def _leading(outcome: ComparisonOutcome) -> tuple[float, float]:
    """Return the evidence of the side that is nearer to its bound, on a log scale, and that bound."""
    both = zip((outcome.better, outcome.worse), outcome.proof, strict=True)
    return max(both, key=lambda one: log(max(one[0], 1e-300)) / log(one[1]))
