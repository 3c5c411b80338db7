"""Who meets whom, and how long a seat may think."""

import pytest

from arena.extras.remote.lobby import Seek, pairings
from arena.extras.remote.session import ClockTerms, Elapsed, SeatClock

HOUSE = ("greedy", "cautious")
ANN, ANN2, BOB, EVE = (
    Seek("ann.a", "ann", 0.0),
    Seek("ann.b", "ann", 1.0),
    Seek("bob.a", "bob", 2.0),
    Seek("eve.a", "eve", 3.0),
)


def test_the_longest_waiting_meets_the_one_it_has_met_least_often() -> None:
    met = {frozenset(("ann.a", "bob.a")): 2, frozenset(("ann.a", "eve.a")): 1}

    assert pairings([EVE, BOB, ANN], met, 4.0, HOUSE, 10.0) == [("ann.a", "eve.a")]


def test_bots_of_one_author_never_meet_and_get_a_bot_of_the_house_after_the_stated_time() -> None:
    met = {frozenset(("ann.a", "greedy")): 1}

    assert pairings([ANN, ANN2], met, 9.9, HOUSE, 10.0) == []
    assert pairings([ANN, ANN2], met, 11.0, HOUSE, 10.0) == [("ann.a", "cautious"), ("ann.b", "greedy")]
    assert pairings([ANN, ANN2], met, 99.0, (), 10.0) == []


TERMS = ClockTerms(seconds=10.0, increment=2.0, lag=1.0, away=30.0)


@pytest.mark.parametrize(
    ("elapsed", "left", "away"),
    [
        (Elapsed(wall=4.0), 8.0, 30.0),
        (Elapsed(wall=4.0, lag=0.5), 8.5, 30.0),
        (Elapsed(wall=4.0, lag=3.0), 9.0, 30.0),  # of the lag only what the terms allow
        (Elapsed(wall=24.0, away=21.0), 9.0, 9.0),
        (Elapsed(wall=0.2, lag=0.9), 12.0, 30.0),
        (Elapsed(wall=50.0), 2.0, 30.0),
    ],
)
def test_an_answer_costs_the_time_in_which_a_seat_could_think(elapsed: Elapsed, left: float, away: float) -> None:
    after = SeatClock.start(TERMS).after_answer(elapsed)

    assert [after.left, after.away] == pytest.approx([left, away])


def test_a_question_is_lost_when_the_clock_is_at_zero_or_the_seat_was_away_too_long() -> None:
    clock = SeatClock.start(TERMS)

    assert clock.remaining(Elapsed(wall=9.0), connected=True) == 1.0
    assert clock.remaining(Elapsed(wall=25.0, away=20.0), connected=False) == 10.0
    assert clock.remaining(Elapsed(wall=35.0, away=30.0), connected=False) <= 0
    assert clock.after_fault(Elapsed(wall=10.0)).left == 2.0
