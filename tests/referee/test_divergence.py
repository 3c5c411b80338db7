"""The first action in which two records of a fixture differ."""

import pytest
from msgspec.structs import replace
from support.matches.in_process import SEED, SHORT, greedy, match, once

from arena.gin.actions import Action, BigGin, Discard
from arena.gin.cards import each
from arena.gin.view import View
from arena.players.base import PlayerFaultError
from arena.records import FaultKind, MatchRecord
from arena.referee.divergence import Divergence, first_divergence


def divergence(one: MatchRecord, other: MatchRecord) -> Divergence | None:
    return first_divergence(one, other, SHORT, SEED)


PLAYED = match(greedy("0"), greedy("1"))


def test_records_of_the_same_play_have_no_divergence() -> None:
    assert divergence(PLAYED, match(greedy("0"), greedy("1"))) is None


@pytest.mark.parametrize("seat", [0, 1])
def test_the_first_seat_that_answers_differently_is_named_with_both_answers(seat: int) -> None:
    players = [greedy("0"), greedy("1")]
    players[seat] = once(lambda view: Discard(min(each(view.may_discard))) if "discard" in view.may else None, players[seat])
    found = divergence(PLAYED, match(*players))
    assert found
    assert found.seat == seat
    where = f"hand {found.game}.{found.hand}, turn {found.turn}"
    assert str(found) == f"{where}: seat {seat}: {found.first}; played again: {found.second}"
    assert found.first != found.second
    assert PLAYED.hands[found.hand].actions.split()[found.turn - 1] == found.first


def test_a_divergence_in_a_later_hand_is_found_unless_the_machine_may_have_ended_an_earlier_one() -> None:
    def later(view: View) -> Action | None:
        return Discard(min(each(view.may_discard))) if view.game == 1 and "discard" in view.may else None

    odd = match(once(later), greedy("1"), hands=2)
    found = divergence(match(once(lambda _: None), greedy("1"), hands=2), odd)
    assert found
    assert (found.game, found.seat) == (1, 0)
    assert divergence(faulty("timeout", hands=2), odd) is None


def faulty(kind: FaultKind, hands: int | None = None) -> MatchRecord:
    def fails(view: View) -> Action | None:
        if view.phase == "discard":
            raise PlayerFaultError(kind, "gone")
        return None

    return match(once(fails), greedy("1"), hands=hands)


@pytest.mark.parametrize("kind", ["timeout", "crash", "memory"])
def test_a_fault_that_the_machine_may_have_caused_is_not_a_divergence(kind: FaultKind) -> None:
    assert divergence(faulty(kind), match(once(lambda _: None), greedy("1"))) is None


def test_an_illegal_action_is_a_divergence() -> None:
    odd = match(once(lambda view: BigGin() if view.phase == "discard" else None), greedy("1"))
    found = divergence(match(once(lambda _: None), greedy("1")), odd)
    assert found
    assert (found.seat, found.second) == (0, "a fault")


def test_only_actions_are_compared() -> None:
    assert divergence(PLAYED, replace(PLAYED, usage=PLAYED.usage[::-1], winner=None)) is None
