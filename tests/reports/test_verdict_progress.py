"""How far a comparison has come, in one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.matches.comparisons import compared

from arena.reports.hands_left import hands_left, line
from arena.stats.duels import ComparisonOutcome, Verdict
from arena.stats.scales import Interval


def outcome(hands: int, better: float, worse: float = 0.1) -> ComparisonOutcome:
    difference = Interval(0.9, -0.4, 2.2) if hands else None
    return compared(verdict=Verdict.CONTINUE, difference=difference, better=better, worse=worse, hands=hands, pairs=hands // 2)


def test_evidence_that_has_grown_tells_when_it_arrives() -> None:
    # evidence of 4.47 is half of the way to 20 on a logarithmic scale
    assert hands_left(outcome(1000, 20**0.5), 20_000) == (1000, False)


def test_before_evidence_has_grown_only_the_limit_is_known() -> None:
    assert hands_left(outcome(1000, 1.2), 20_000) == (19_000, True)
    assert hands_left(outcome(1000, 1.7), 1_200) == (200, True)


def test_a_test_that_is_judged_at_its_limit_continues_when_its_evidence_suffices() -> None:
    assert hands_left(outcome(1000, 25.0), 20_000) == (19_000, True)


def test_a_person_reads_hands_evidence_difference_and_time() -> None:
    assert line(outcome(1320, 3.1), 20_000, 1320, 20.0) == (
        "1,320 of at most 20,000 hands, evidence 3.1 (needs 20), +0.90 (-0.40 to +2.20) points a hand, about 2 min left"
    )
    assert line(outcome(0, 1.0, 1.0), 20_000, 0, 0.0) == "0 of at most 20,000 hands, evidence 1 (needs 20)"


@given(
    st.integers(0, 30_000),
    st.floats(1e-300, 1e300),
    st.floats(1e-300, 1e300),
    st.integers(2, 20_000),
    st.integers(0, 5_000),
    st.floats(0, 1e6),
)
def test_time_is_never_negative_and_hands_never_exceed_the_limit(
    hands: int, better: float, worse: float, most: int, more: int, rate: float
) -> None:
    left, _ = hands_left(outcome(hands, better, worse), most)
    assert 0 <= left <= max(most - hands, 0)
    text = line(outcome(hands, better, worse), most, hands + more, rate)
    counted, limit = (int(number.replace(",", "")) for number in text.partition(" hands")[0].split(" of at most "))
    assert counted <= limit
    assert "about -" not in text
    assert "at most -" not in text


@pytest.mark.parametrize("verdict", [Verdict.BETTER, Verdict.NOT_AS_GOOD, Verdict.UNDECIDED])
def test_a_decided_comparison_needs_no_time(verdict: Verdict) -> None:
    assert "left" not in line(replace(outcome(500, 21.0), verdict=verdict), 20_000, 500, 10.0)
