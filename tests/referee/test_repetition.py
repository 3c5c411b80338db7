"""A recorded fixture is played again; only a bot that gives the same other answer each time contradicts its record."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from support.matches.in_process import Answer, fixture, greedy, job_of, match, once

from arena.gin.actions import Discard
from arena.gin.cards import each
from arena.gin.score import Ending
from arena.gin.view import View
from arena.records import Fault, MatchRecord
from arena.referee import job
from arena.referee.repetition import Repetition, repeat

JOB = job_of(fixture())
Choice = Callable[[View], int]


def discarding(choose: Choice, seed: str, turn: int = 0) -> Answer:
    """Return a bot that chooses another card to discard once, in its discard of that number."""
    turns = 0

    def answer(view: View) -> Discard | None:
        nonlocal turns
        turns += "discard" in view.may
        return Discard(choose(view)) if "discard" in view.may and turns > turn else None

    return once(answer, greedy(seed))


def lowest(view: View) -> int:
    return min(each(view.may_discard))


def highest(view: View) -> int:
    return max(each(view.may_discard))


RECORD = match(greedy("0"), greedy("1"))
LOWEST = match(discarding(lowest, "0"), greedy("1"))
HIGHEST = match(discarding(highest, "0"), greedy("1"))
LATER = match(discarding(lowest, "0", turn=2), greedy("1"))
OPPONENT = match(greedy("0"), discarding(lowest, "1"))
CUT = replace(  # by a fault that may be the machine's, before any play differs
    RECORD,
    hands=(replace(RECORD.hands[0], actions=RECORD.hands[0].actions.partition(" ")[0], ending=Ending.FAULT), *RECORD.hands[1:]),
    faults=(Fault(seat=0, kind="timeout", game=0, hand=0, detail="slow"),),
)


def repeated(monkeypatch: pytest.MonkeyPatch, *plays: MatchRecord, nondeterministic: frozenset[str] = frozenset()) -> Repetition:
    """Return what comes of a fixture whose next plays are ``plays``; all of them are used."""
    coming = iter(plays)
    monkeypatch.setattr(job, "play", lambda _: next(coming))
    found = repeat(JOB, RECORD, nondeterministic)
    assert next(coming, None) is None
    return found


def test_a_bot_that_plays_as_on_record_is_played_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert repeated(monkeypatch, RECORD) == Repetition(RECORD.fixture.id)


def test_a_bot_that_acts_otherwise_each_time_contradicts_its_record(monkeypatch: pytest.MonkeyPatch) -> None:
    found = repeated(monkeypatch, LOWEST, LOWEST, LOWEST)
    assert (found.differing, found.nondeterministic) == ("a", frozenset())
    assert found.difference.startswith("a-b/0/0 hand 0.0, turn ")


@pytest.mark.parametrize("plays", [(LOWEST, HIGHEST), (LOWEST, LOWEST, HIGHEST)])
def test_a_bot_that_does_not_act_the_same_twice_contradicts_nothing(
    monkeypatch: pytest.MonkeyPatch, plays: tuple[MatchRecord, ...]
) -> None:
    found = repeated(monkeypatch, *plays)
    assert (found.differing, found.nondeterministic, found.difference) == ("a", frozenset({"a"}), "")


def test_an_opponent_that_led_it_elsewhere_leaves_the_action_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    found = repeated(monkeypatch, LATER, OPPONENT)
    assert (found.differing, found.nondeterministic, found.difference) == ("a", frozenset({"b"}), "")


@pytest.mark.parametrize("plays", [(LOWEST, CUT), (LOWEST, LOWEST, CUT)])
def test_a_play_that_the_machine_may_have_ended_before_the_action_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, plays: tuple[MatchRecord, ...]
) -> None:
    found = repeated(monkeypatch, *plays)
    assert (found.differing, found.difference) == ("a", "")


def test_a_bot_that_is_known_to_be_odd_is_not_played_more_than_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = repeated(monkeypatch, LOWEST, nondeterministic=frozenset({"a"}))
    assert (found.differing, found.nondeterministic, found.difference) == ("a", frozenset(), "")
