"""Which state a version begins a round with, and what ``arena verify`` finds if that does not follow from the records."""

from collections.abc import Iterable

import pytest
from support.leagues.events import SECRET, round_opened

from arena.league.rules import round_seeds
from arena.league.rules.events import AnyEvent, Reinstated, RoundClosed, Withdrawn, decode, encode
from arena.league.rules.learning import Learned, differences, is_replayable, learn, lessons, needed_states, starts
from arena.players.kept_states import EMPTY_DIGEST
from arena.records import LeftStates

ONE, TWO = "1" * 64, "2" * 64
OPENED = round_opened(1, [("a@1", "b@1"), ("a@1", "c@1")])
A_LEARNS_IN, B_LEARNS_IN = "r1/a@1:c@1/0/1", "r1/a@1:b@1/0/1"


def closed(what: Learned = (), number: int = 1) -> RoundClosed:
    return RoundClosed(at="2026-01-01T00:00:00Z", round=number, seed=round_seeds.seed(SECRET, 500, number), learned=what)


def left(fixture: str, zero: str, one: str, states: tuple[str | None, str | None]) -> LeftStates:
    return LeftStates(fixture, (zero, one), states)


def found(events: Iterable[AnyEvent], states: Iterable[LeftStates], *, learns: bool = True) -> list[str]:
    return list(differences(events, states, learns=learns))


def test_a_version_learns_from_the_last_of_its_fixtures() -> None:
    assert lessons(OPENED) == {"a@1": A_LEARNS_IN, "b@1": B_LEARNS_IN, "c@1": A_LEARNS_IN}


def test_a_state_that_is_not_kept_or_has_not_changed_is_no_news() -> None:
    states = [left(A_LEARNS_IN, "c@1", "a@1", (EMPTY_DIGEST, ONE)), left(B_LEARNS_IN, "b@1", "a@1", (None, None))]
    assert learn({}, states) == (("a@1", ONE),)
    assert learn({"a@1": ONE, "c@1": TWO}, states) == (("c@1", EMPTY_DIGEST),)


def test_a_round_begins_with_what_was_learned_in_any_round_before_it() -> None:
    assert starts([]) == {}
    assert starts([closed((("a@1", ONE), ("b@1", ONE))), closed((("a@1", TWO),), 2)]) == {"a@1": TWO, "b@1": ONE}


def test_states_are_needed_for_the_last_rounds_and_for_every_version_that_may_play_again() -> None:
    three, four = "3" * 64, "4" * 64
    rounds = [closed((("a@1", ONE),)), closed((("b@1", TWO),), 2), closed((("b@1", three),), 3), closed((("b@1", four),), 4)]
    assert needed_states([], 1) == set()
    assert needed_states(rounds, 1) == {ONE, three, four}  # b began the fourth round with what it had learned in the third
    assert needed_states(rounds, 2) == {ONE, TWO, three, four}
    assert [number for number in range(1, 6) if is_replayable(number, len(rounds), 2)] == [3, 4, 5]


def test_what_was_learned_is_an_event_and_older_events_are_without_it() -> None:
    event = closed((("a@1", ONE),))
    assert decode(encode(event)) == event
    assert decode(encode(event).replace(f',"learned":[["a@1","{ONE}"]]', "")) == closed()


def test_states_that_follow_from_the_records_are_no_differences() -> None:
    states = [left(A_LEARNS_IN, "c@1", "a@1", (None, ONE))]
    assert found([OPENED, closed((("a@1", ONE),))], states) == []
    assert found([OPENED], states) == [], "a round that is open has learned nothing yet"
    assert found([OPENED, closed()], [], learns=False) == []


@pytest.mark.parametrize(
    ("event", "states", "difference"),
    [
        ((), [left(A_LEARNS_IN, "c@1", "a@1", (None, ONE))], "round 1: what a@1 has learned does not follow"),
        ((("a@1", TWO),), [left(A_LEARNS_IN, "c@1", "a@1", (None, ONE))], "round 1: what a@1 has learned does not follow"),
        ((("a@1", ONE),), [], "round 1: what a@1 has learned does not follow"),
        (
            (("a@1", ONE),),
            [left(B_LEARNS_IN, "b@1", "a@1", (None, ONE))],
            "r1/a@1:b@1/0/1: keeps a state of a@1, which learns nothing",
        ),
    ],
)
def test_states_that_do_not_follow_from_the_records_are_found(event: Learned, states: list[LeftStates], difference: str) -> None:
    assert found([OPENED, closed(event)], states)[0].startswith(difference)


def test_a_withdrawn_version_begins_with_nothing_if_it_plays_again() -> None:
    withdrawn, reinstated = (kind(at="2026-01-01T00:00:00Z", version="a@1") for kind in (Withdrawn, Reinstated))
    learned: list[AnyEvent] = [OPENED, closed((("a@1", ONE), ("b@1", ONE)))]
    assert starts([*learned, withdrawn]) == {"b@1": ONE}
    assert starts([*learned, withdrawn, closed((("a@1", TWO),), 2), reinstated]) == {"b@1": ONE}, "it was left in the open round"
    assert starts([*learned, withdrawn, reinstated, closed((("a@1", TWO),), 2)]) == {"a@1": TWO, "b@1": ONE}


def test_a_league_without_learning_has_no_states() -> None:
    states = [left(A_LEARNS_IN, "c@1", "a@1", (None, ONE))]
    assert "keeps a state of a@1" in found([OPENED, closed((("a@1", ONE),))], states, learns=False)[0]
