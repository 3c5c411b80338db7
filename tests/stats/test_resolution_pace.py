"""The estimated duration of a schedule, from the timing of a few hands."""

import pytest

from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult
from arena.stats.schedule_time import LONGEST, Pace, Probe, hands_a_match, pace


def probe(hands: int, *, start: float = 0.2, referee: float = 0.01, a: float = 0.03, b: float = 0.05) -> Probe:
    return Probe(("a", "b"), hands, start + hands * (referee + a + b), (hands * a, hands * b))


def test_start_referee_and_answers_are_separated() -> None:
    found = pace([probe(2), probe(8), probe(32)])
    assert found.start == pytest.approx(0.2)
    assert found.referee == pytest.approx(0.01)
    assert found.bots == pytest.approx({"a": 0.03, "b": 0.05})
    assert found.fixture(("b", "a"), 100) == pytest.approx(0.2 + 100 * 0.09)


def test_probes_of_one_length_count_everything_except_answers_as_start() -> None:
    found = pace([probe(2), probe(2)])
    assert found.referee == 0
    assert found.start == pytest.approx(0.22)


@pytest.mark.parametrize(("seconds", "line"), [((1.0, 0.9), (0.95, 0.0)), ((0.1, 5.0), (0.0, 0.51))])
def test_noise_never_makes_a_duration_negative(seconds: tuple[float, float], line: tuple[float, float]) -> None:
    found = pace([Probe(("a", "b"), 2, seconds[0], (0.0, 0.0)), Probe(("a", "b"), 8, seconds[1], (0.0, 0.0))])
    assert (found.start, found.referee) == pytest.approx(line)
    assert found.fixture(("a", "b"), 50) > 0


def test_a_bot_without_a_probe_counts_as_the_mean() -> None:
    assert pace([probe(4)]).fixture(("a", "unmet"), 10) == pytest.approx(pace([probe(4)]).start + 10 * (0.03 + 0.04))
    assert Pace(1.0, 0.5, {"a": 3.0}).fixture(("a", "unmet"), 10) == 66.0
    assert pace([]).fixture(("a", "unmet"), 10) == 0.0


def knock(points: int, winner: int = 0) -> HandResult:
    return HandResult(Ending.KNOCK, winner, points, (0, 0))


def test_the_length_of_a_match_follows_from_its_hands() -> None:
    assert hands_a_match([knock(25)], Rules(target=100, best_of=3)) == 8
    dead = HandResult(Ending.DEAD, None, 0, (5, 5))
    assert hands_a_match([knock(25), dead], Rules(target=100, best_of=3)) == pytest.approx(16, rel=0.1)
    even = hands_a_match([knock(25), knock(25, 1)], Rules(target=100, best_of=5))
    assert 21 < even < 28


@pytest.mark.process
def test_the_length_of_a_match_without_scores_is_limited() -> None:
    assert hands_a_match([HandResult(Ending.DEAD, None, 0, (5, 5))], Rules(max_hands=100_000)) == LONGEST
