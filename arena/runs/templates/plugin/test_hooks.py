"""Tests of my-part: run them with ``python -m pytest``."""

import my_part
import pytest

from arena.league.rules.events import SeasonClosed
from arena.league.rules.league_table import LeagueTable, TableRow
from arena.records import Fault
from arena.testing import match_record


def row(name: str, rank: int) -> TableRow:
    return TableRow(
        rank=rank,
        name=name,
        author="ann",
        version=1,
        digest="",
        rating=0.0,
        low=-1.0,
        high=1.0,
        matches=2,
        faults=0,
        state="active",
    )


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")


def test_a_fault_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    fault = Fault(seat=1, kind="timeout", game=0, hand=3, detail="no answer in 2 s")
    my_part.arena_recorded(match_record("one", "two", winner=0, faults=[fault]))
    assert caplog.messages == ["my-part: two in d/one-two: timeout"]


def test_an_event_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    my_part.arena_event("friday", 7, SeasonClosed(at="2026-01-31T20:00:00Z", season=1))
    assert caplog.messages == ["my-part: friday, event 7: SeasonClosed"]


def test_a_leader_is_logged_when_it_is_new(caplog: pytest.LogCaptureFixture) -> None:
    one, other = LeagueTable((row("one", 1), row("two", 2))), LeagueTable((row("two", 1), row("one", 2)))
    my_part.arena_round("friday", 12, one, one)
    my_part.arena_round("friday", 13, one, other)
    assert caplog.messages == ["my-part: friday, round 13: two@1 leads"]
