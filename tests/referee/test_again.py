"""Two records of a fixture: where they part, and by whose action."""

import pytest
from matches import SEED, SHORT, greedy, match, once
from msgspec.structs import replace

from arena.gin.actions import Action, BigGin, Discard
from arena.gin.cards import each
from arena.gin.view import View
from arena.players.base import PlayerFault
from arena.records import FaultKind, MatchRecord
from arena.referee.again import Parting, parting


def parted(one: MatchRecord, other: MatchRecord) -> Parting | None:
    return parting(one, other, SHORT, SEED)


PLAYED = match(greedy("0"), greedy("1"))


def test_records_of_the_same_play_do_not_part() -> None:
    assert parted(PLAYED, match(greedy("0"), greedy("1"))) is None


@pytest.mark.parametrize("seat", [0, 1])
def test_whoever_answers_otherwise_first_is_named_with_both_answers(seat: int) -> None:
    players = [greedy("0"), greedy("1")]
    players[seat] = once(lambda view: Discard(min(each(view.may_discard))) if "discard" in view.may else None, players[seat])
    found = parted(PLAYED, match(*players))
    assert found
    assert found.seat == seat
    where = f"game {found.game} hand {found.hand} action {found.action}"
    assert str(found) == f"{where}: seat {seat}: {found.first}; played again: {found.second}"
    assert found.first != found.second


def faulty(kind: FaultKind) -> MatchRecord:
    def fails(view: View) -> Action | None:
        if view.phase == "discard":
            raise PlayerFault(kind, "gone")
        return None

    return match(once(fails), greedy("1"))


@pytest.mark.parametrize("kind", ["timeout", "crash", "memory"])
def test_a_fault_that_the_machine_may_have_caused_is_no_parting(kind: FaultKind) -> None:
    assert parted(faulty(kind), match(once(lambda _: None), greedy("1"))) is None


def test_an_illegal_action_is_one() -> None:
    odd = match(once(lambda view: BigGin() if view.phase == "discard" else None), greedy("1"))
    found = parted(match(once(lambda _: None), greedy("1")), odd)
    assert found
    assert (found.seat, found.second) == (0, "a fault")


def test_what_is_no_action_does_not_count() -> None:
    assert parted(PLAYED, replace(PLAYED, usage=PLAYED.usage[::-1], winner=None)) is None
