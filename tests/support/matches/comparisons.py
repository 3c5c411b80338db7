"""Outcomes of comparisons, made without playing."""

from typing import Any

from arena.stats.duels import ComparisonOutcome, Verdict


def compared(**facts: Any) -> ComparisonOutcome:
    """Return the outcome of 40 hands that left the question open, but for the facts that are given."""
    usual: dict[str, Any] = {
        "verdict": Verdict.UNDECIDED,
        "unit": "points a hand",
        "bounds": (0.0, 0.5),
        "difference": None,
        "better": 1.0,
        "worse": 1.0,
        "proof": (20.0, 20.0),
        "hands": 40,
        "decided": None,
        "pairs": 20,
    }
    return ComparisonOutcome(**{**usual, **facts})
