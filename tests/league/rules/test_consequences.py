"""What follows from the events and results of a league, and is found where it is missing or wrong."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace
from support.leagues.events import SECRET, joined, moment, pair, refused, round_opened

from arena.league.rules import round_seeds
from arena.league.rules.consequences import acceptance, differences
from arena.league.rules.events import Activated, AnyEvent, Reinstated, Retired, RoundClosed, RoundOpened, SeasonOpened, Suspended
from arena.league.rules.field import fold
from arena.league.rules.history import Faulty, History, suspensions
from arena.league.rules.pairing import METHOD
from arena.league.rules.spec import LeagueSpec, parse_league
from arena.plugins.manager import installed_kinds
from arena.records import Fault

ROUNDS = 500
BOTH = ("ann@1", "ben@1")
PLAYED = tuple(pair(*BOTH, number) for number in range(1, 5))
FAULT = Fault(seat=0, kind="crash", game=0, hand=0, detail="it ended", turn='{"type":"turn"}')
FAULTS = tuple(Faulty("ben@1", f"r{number}/ann@1:ben@1/0/1", FAULT) for number in range(1, 5))


def spec(text: str = "") -> LeagueSpec:
    return parse_league(f"title: Friday\n{text}", installed_kinds(), "league.yaml")


def opened(number: int) -> RoundOpened:
    return round_opened(number, [BOTH], moment(10 * number))


def closed(number: int) -> RoundClosed:
    return RoundClosed(at=moment(10 * number + 5), round=number, seed=round_seeds.seed(SECRET, ROUNDS, number))


def start() -> list[AnyEvent]:
    season = SeasonOpened(at=moment(0), season=1, rounds=ROUNDS, commitment=round_seeds.commit(SECRET, ROUNDS))
    return [*joined("ann", author="ann"), *joined("ben", author="ben"), season]


def four_rounds() -> list[AnyEvent]:
    """Return the events of a league in which ben faults in every second match, until the fourth round has shown it."""
    events = [*start(), *(event for number in range(1, 5) for event in (opened(number), closed(number)))]
    return [*events, *suspensions(fold(events).active, PLAYED, FAULTS, spec().suspension, moment(60))]


def found(events: Sequence[AnyEvent], text: str = "") -> list[str]:
    return list(differences(History(events=tuple(events), played=PLAYED, faults=FAULTS), spec(text)))


def test_a_league_in_which_all_follows_has_no_differences() -> None:
    events = four_rounds()
    assert isinstance(events[-1], Suspended)
    assert found(events) == []
    assert found([*events, *joined("ben", 2, "ben", 70), Reinstated(at=moment(80), version="ben@1")]) == []


def test_a_new_version_that_replaces_an_active_one_is_as_it_must_be() -> None:
    first, second, third = joined("ann", 2, "ann", 70)
    end = Retired(at=moment(70), version="ann@1", reason="replaced by ann@2")
    assert found([*four_rounds(), first, second, end, third]) == []
    [problem] = found([*four_rounds(), first, second, third])
    assert problem.startswith("event 'retired' of ann@1 at 2026-01-01T01:10:00Z is missing, but follows from what was before;")
    assert problem.endswith(" found event 'activated' of ann@2 at 2026-01-01T01:10:00Z")


def test_of_several_events_that_are_missing_at_the_end_the_first_is_named() -> None:
    [problem] = found([*four_rounds(), *joined("ann", 2, "ann", 70)[:2]])
    assert problem.startswith("event 'retired' of ann@1 ")


def test_a_new_version_replaces_the_one_before_it_and_no_earlier_one_that_plays_again() -> None:
    field = fold([*joined("ann"), *joined("ann", 2), *joined("ann", 3)])
    end = Retired(at=moment(9), version="ann@2", reason="replaced by ann@3")
    assert acceptance("ann@3", field, moment(9), waits=False) == [end, Activated(at=moment(9), version="ann@3")]


@pytest.mark.parametrize(
    ("changed", "problems"),
    [
        ({}, []),
        ({"pairings": ()}, ["round 1: ann@1 against ben@1 is missing, but follows from the events and results before it"]),
        (
            {"pairings": (BOTH, ("ann@1", "cat@1"))},
            ["round 1: ann@1 against cat@1 was played, but does not follow from the events and results before it"],
        ),
        ({"method": METHOD + 1}, [f"event 'round-opened' of number 1 at {moment(10)}: its method {METHOD + 1} is not known"]),
    ],
)
def test_pairings_that_do_not_follow_by_the_method_of_today_are_found(changed: dict[str, Any], problems: list[str]) -> None:
    assert found([*start(), replace(replace(opened(1), method=METHOD), **changed)]) == problems


def test_a_suspension_that_is_missing_is_found() -> None:
    assert found(four_rounds()[:-1]) == [
        "event 'suspended' of ben@1 at 2026-01-01T00:45:00Z is missing, but follows from what was before"
    ]


def changed(**values: str) -> list[AnyEvent]:
    *events, last = four_rounds()
    return [*events, replace(last, **values)]


@pytest.mark.parametrize("values", [{"version": "ann@1"}, {"reason": "no reason"}, {"turn": ""}, {"fixture": "r1/ann@1:ben@1/0/1"}])
def test_a_suspension_that_says_something_else_is_found(values: dict[str, str]) -> None:
    assert "'suspended' of ben@1" in found(changed(**values))[0]


def test_a_suspension_that_comes_too_early_is_found() -> None:
    *events, last = four_rounds()
    early = [*events[:-2], replace(last, at=moment(36)), *events[-2:]]
    assert "'suspended' of ben@1 at 2026-01-01T00:36:00Z does not follow from the faults before it" in found(early)[0]


def test_a_bot_that_joins_without_a_submission_is_found() -> None:
    events = [*start(), Retired(at=moment(5), version="ann@1"), joined("ann", at=6)[2]]
    assert found(events) == ["event 'activated' of ann@1 at 2026-01-01T00:06:00Z does not follow a submission"]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ([Reinstated(at=moment(5), version="ann@1")], "'reinstated' of ann@1 at 2026-01-01T00:05:00Z cannot be: ann@1 is active"),
        (
            [Retired(at=moment(5), version="ann@1")] * 2,
            "cannot be: ann@1 is retired since 2026-01-01T00:05:00Z; expected active or suspended to be retired",
        ),
        (joined("ann", 2, "eve", 5)[:1], "cannot be: the name 'ann' is that of a bot of ann"),
        (joined("cat", 1, "ann", 5)[:1], "cannot be: ann has 1 active bots, ann@1; expected less than 1"),
        ([replace(opened(1), pairs=2)], "has pairs 2; the spec says 1"),
    ],
)
def test_what_cannot_have_been_decided_is_found(more: list[AnyEvent], problem: str) -> None:
    problems = found([*start(), *more], "limits: {per_author: 1}")
    assert problem in "".join(problems[:1])
    assert bool(problems) == bool(problem)


def test_a_round_without_a_coin_after_one_with_a_coin_is_found() -> None:
    older, today, later = (opened(1), closed(1)), (replace(opened(2), coin=True), closed(2)), (opened(3), closed(3))
    assert found([*start(), *older, *today]) == []
    [problem] = found([*start(), *older, *today, *later])
    assert "of number 3" in problem
    assert "lets no coin decide which legs are played first; the round before it did" in problem


def test_a_closed_round_without_all_of_its_matches_is_found() -> None:
    events = [*start(), *(event for number in range(1, 6) for event in (opened(number), closed(number)))]
    assert "'round-closed' of number 5 at 2026-01-01T00:55:00Z has 0 of its 2 matches on record" in "".join(
        differences(History(events=tuple(events), played=PLAYED, faults=()), spec())
    )


def test_a_refused_submission_has_no_consequences() -> None:
    assert found([*start(), *refused("cat", 1, 5), *joined("cat", 1, "ann", 6)]) == []


def test_a_round_that_deals_both_legs_of_a_bot_that_reads_while_it_plays_alike_is_found() -> None:
    submitted, *rest = start()
    reading = [replace(submitted, reads_while_playing=True), *rest]
    assert found([*reading, replace(opened(1), separate_deals=("ann@1",))]) == []
    for events in ([*reading, opened(1)], [*start(), replace(opened(1), separate_deals=("ann@1",))]):
        [problem] = found(events)
        assert "has legs on different deals for" in problem
