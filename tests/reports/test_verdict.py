"""What a verdict decided, in words."""

import pytest

from arena.reports.verdict import decided
from arena.stats.sequential.betting import Verdict


@pytest.mark.parametrize(
    ("bounds", "above", "below"),
    [
        ((-0.5, 0.0), "not weaker by 0.5 or more", "weaker"),
        ((0.0, 0.5), "stronger", "not stronger by 0.5 or more"),
        ((-0.2, 0.3), "not weaker by 0.2 or more", "not stronger by 0.3 or more"),
        ((1.0, 2.0), "stronger by more than 1", "not stronger by 2 or more"),
        ((-2.0, -1.0), "not weaker by 2 or more", "weaker by more than 1"),
    ],
)
def test_a_verdict_says_what_was_decided_and_no_more(bounds: tuple[float, float], above: str, below: str) -> None:
    assert decided(Verdict.BETTER, bounds) == above
    assert decided(Verdict.NOT_AS_GOOD, bounds) == below
    assert decided(Verdict.UNDECIDED, bounds) == "undecided"
    assert decided(Verdict.CONTINUE, bounds) == "not decided yet"
