"""Who is suspended: for faults in more than its share of matches since it last joined."""

import pytest
from msgspec.structs import replace
from support.leagues.events import moment
from support.leagues.small_league import league, some_rounds

from arena.league.rules.events import (
    Reason,
    Reinstated,
    RoundClosed,
    decode,
    encode,
)
from arena.league.rules.field import fold
from arena.league.rules.history import SuspensionRule, first_faults, suspensions
from arena.records import Fault


def fault(version: str, number: int, leg: int = 0) -> tuple[str, str, Fault]:
    found = Fault(seat=0, kind="illegal", game=0, hand=1, detail="2c: not in hand", turn='{"type":"turn"}')
    return version, f"r{number}/{version}:x/0/{leg}", found


@pytest.mark.parametrize(("at_fault", "suspended"), [(2, False), (3, True)])
def test_a_bot_is_suspended_for_faults_in_more_than_its_share_of_matches(at_fault: int, suspended: bool) -> None:  # noqa: FBT001
    faults = first_faults(fault("ann@1", number) for number in range(1, at_fault + 1))
    field = fold(league().events)
    found = suspensions(field.active, some_rounds(2), faults, SuspensionRule(share=0.25, least=8), moment(50))
    assert [event.version for event in found] == (["ann@1"] if suspended else [])
    for event in found:
        assert event.reason == Reason("at fault in 3 of 8 matches", "illegal: 2c: not in hand")
        assert (event.fixture, event.turn) == ("r3/ann@1:x/0/0", '{"type":"turn"}')


def test_a_suspension_for_a_fault_of_any_length_can_be_read_again() -> None:
    long = Fault(seat=0, kind="crash", game=0, hand=1, detail="x" * 20_000, turn="y" * (1 << 19))
    faults = first_faults((*fault("ann@1", number)[:2], long) for number in range(1, 4))
    (event,) = suspensions(fold(league().events).active, some_rounds(2), faults, SuspensionRule(share=0.25, least=8), moment(50))
    assert decode(encode(event)) == event


def test_results_and_faults_of_a_round_that_is_open_do_not_count() -> None:
    faults = tuple(first_faults(fault("ann@1", number) for number in range(1, 4)))
    closed = [RoundClosed(at=moment(9), round=number, seed="0" * 64) for number in (1, 2)]
    found = replace(league(*closed, played=some_rounds(3)), faults=faults).closed_rounds()
    assert (found.played, found.faults) == (some_rounds(2), faults[:2])


def test_several_faults_in_a_match_count_once() -> None:
    assert len(first_faults([fault("ann@1", 1), fault("ann@1", 1), fault("ann@1", 1, leg=1)])) == 2


def test_only_matches_since_it_last_joined_count() -> None:
    faults = first_faults(fault("ann@1", number) for number in range(1, 6))
    (version, *_) = fold([*league().events, Reinstated(at=moment(40), version="ann@1")]).active
    version = replace(version, joined=6)
    assert suspensions([version], some_rounds(5), faults, SuspensionRule(), moment(50)) == []
    (event,) = suspensions([replace(version, joined=3)], some_rounds(4), faults[:5], SuspensionRule(), moment(50))
    assert event.reason.public == "at fault in 3 of 8 matches"


def test_too_few_matches_suspend_nobody() -> None:
    faults = first_faults([fault("ann@1", 1)])
    assert suspensions(fold(league().events).active, some_rounds(1), faults, SuspensionRule(), moment(50)) == []
