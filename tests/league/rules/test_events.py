"""The field, the seasons and the rounds of a league as folds over its events."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.leagues.events import ROUNDS, SECRET, joined, moment, refused, round_opened, some_history

from arena.errors import DamagedError, InputError
from arena.league.rules import events as kinds
from arena.league.rules import round_seeds
from arena.league.rules.events import Activated, Reason, Retired, RoundClosed, SeasonClosed, SeasonOpened, SeasonStopped, Suspended
from arena.league.rules.field import FieldLimits, fold
from arena.league.rules.history import History
from arena.league.rules.rounds import Calendar, LeagueRounds, calendar, fixtures, round_of
from arena.tournament.seeds import commitment

HISTORIES = st.builds(lambda seed, steps: list(some_history(Random(seed), steps)), st.integers(0, 10_000), st.integers(1, 60))
OPENED = SeasonOpened(at=moment(0), season=1, rounds=ROUNDS, commitment=round_seeds.commit(SECRET, ROUNDS))
STOPPED = SeasonStopped(at=moment(0), season=1)


@given(HISTORIES)
def test_every_event_is_read_as_it_was_stored(history: list[kinds.AnyEvent]) -> None:
    assert [kinds.decode(kinds.encode(event)) for event in history] == history


@given(HISTORIES, st.integers(0, 60))
def test_the_field_at_any_moment_is_that_of_the_events_until_then(history: list[kinds.AnyEvent], minute: int) -> None:
    then = History(events=tuple(history), played=(), faults=()).until(moment(minute))
    count = sum(event.at <= moment(minute) for event in history)
    assert then.field() == fold(history[:count])
    assert then.calendar() == calendar(history[:count])


@given(HISTORIES, st.integers(0, 60), st.integers(0, 1000))
def test_an_earlier_moment_can_be_shown_also_where_the_clock_was_set_back(
    history: list[kinds.AnyEvent], minute: int, seed: int
) -> None:
    chance = Random(seed)
    wrong = [replace(event, at=moment(chance.randrange(60))) for event in history]
    then = History(events=tuple(wrong), played=(), faults=()).until(moment(minute))
    assert then.field() == fold(wrong[: len(then.events)])


@given(HISTORIES, st.integers(0, 60))
def test_the_fold_can_be_resumed_anywhere(history: list[kinds.AnyEvent], place: int) -> None:
    field, dates = fold(history[:place]), calendar(history[:place])
    for event in history[place:]:
        field, dates = field.after(event), dates.after(event)
    assert (field, dates) == (fold(history), calendar(history))


def test_a_season_is_over_once_its_last_round_is_closed_or_it_was_stopped() -> None:
    opened, closed = round_opened(1, []), RoundClosed(at=moment(1), round=1, seed=round_seeds.seed(SECRET, ROUNDS, 1))
    before = Calendar(season=replace(OPENED, rounds=1))
    after = replace(before, opened=(opened,), closed=(closed,))
    next_season = replace(after, rounds_before=1)
    states = before, replace(before, opened=(opened,)), after, replace(before, stopped=True), next_season, Calendar()
    assert [dates.season_is_over for dates in states] == [False, False, True, True, False, False]


def test_a_refusal_whose_predecessor_was_refused_before_cannot_be_folded() -> None:
    (first, first_refused), (second, second_refused) = (refused("ann-bot", number, 0) for number in (1, 2))
    with pytest.raises(DamagedError, match="version 'ann-bot@1' was never submitted"):
        fold([first, second, first_refused, second_refused])


def test_a_version_that_waits_counts_for_the_limits_in_place_of_its_predecessor() -> None:
    waiting = [*joined("ann-bot", 2)[:2], Activated(at=moment(0), version="ann-bot@2", waits=True)]
    field = fold([*joined("ann-bot"), *waiting])
    limits = FieldLimits(per_author=2)
    submitted, *accepted = joined("new-bot", at=1)
    both = fold(accepted, field.apply(submitted, limits))
    with pytest.raises(InputError, match="ann has 2 active or waiting bots, ann-bot@2, new-bot@1; expected less than 2"):
        both.apply(joined("third-bot")[0], limits)
    assert both.apply(joined("new-bot", 2)[0], limits).of("new-bot")[-1].id == "new-bot@2"
    with pytest.raises(InputError, match="the league has 2 active or waiting bots; expected less than 2: retire one first"):
        both.apply(joined("third-bot", author="ben")[0], FieldLimits(active=2))


def test_a_new_version_takes_the_place_of_the_one_before_it_and_not_of_an_earlier_one_that_plays_again() -> None:
    field = fold([*joined("ann"), *joined("ann", 2)])
    assert field.apply(joined("ann", 3)[0], FieldLimits(per_author=2)).of("ann")[-1].id == "ann@3"
    with pytest.raises(InputError, match="ann has 1 active bots, ann@1; expected less than 1"):
        field.apply(joined("ann", 3)[0], FieldLimits(per_author=1))


def test_a_version_joins_for_the_next_round_also_when_its_season_opens() -> None:
    late = [*joined("ben")[:2], Activated(at=moment(0), version="ben@1", waits=True)]
    field = fold([*joined("ann"), *late, round_opened(1, []), OPENED, *joined("cat")])
    assert [(version.id, version.joined) for version in field.versions] == [("ann@1", 1), ("ben@1", 2), ("cat@1", 2)]


@given(HISTORIES)
def test_no_version_is_ever_lost_and_each_follows_the_one_before_it(history: list[kinds.AnyEvent]) -> None:
    field = fold(history)
    accepted = [event.version for event in history if isinstance(event, Activated)]
    assert [version.id for version in field.versions] == accepted
    for name in {version.name for version in field.versions}:
        ids = [version.id for version in field.of(name)]
        assert [version.predecessor for version in field.of(name)] == [None, *ids[:-1]]


def test_a_refused_submission_is_no_entrant_but_is_remembered() -> None:
    field = fold([*joined("ann"), *refused("ann", 2, 1), *joined("ann", 2, at=2)])
    assert [(version.id, version.state) for version in field.versions] == [("ann@1", "active"), ("ann@2", "active")]
    assert [(refusal.version.id, str(refusal.reason)) for refusal in field.refusals] == [("ann@2", "crash")]


def test_a_state_begins_with_its_event_and_keeps_its_reason() -> None:
    events = [*joined("ann"), Suspended(at=moment(5), version="ann@1", reason=Reason("three faults"), fixture="r1/x/0/0")]
    (version,) = fold(events).versions
    assert (version.state, version.since, str(version.reason)) == ("suspended", moment(5), "three faults")


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([Retired(at=moment(0), version="ann@1")], "version 'ann@1' was never submitted"),
        (joined("ann", 2), "'ann@2' was submitted; expected ann@1"),
        ([OPENED, OPENED], "season 1 was opened before the last was closed"),
        ([SeasonClosed(at=moment(0), season=1)], "season 1 was closed, but was not open"),
        ([OPENED, SeasonStopped(at=moment(0), season=2)], "season 2 was stopped, but was not open"),
        ([OPENED, SeasonClosed(at=moment(0), season=2)], "season 2 was closed, but was not open"),
        ([OPENED, round_opened(1, []), SeasonClosed(at=moment(0), season=1)], "season 1 was closed while a round was open"),
        ([replace(OPENED, season=2)], "season 2 was opened; expected 1"),
        ([OPENED, STOPPED, STOPPED], "season 1 was stopped, but was not open"),
        ([OPENED, STOPPED, round_opened(1, [])], "round 1 was opened in a season that was stopped"),
        ([OPENED, round_opened(2, [])], "round 2 was opened; expected 1"),
        ([OPENED, round_opened(1, []), round_opened(2, [])], "round 2 was opened; expected 2"),
        ([OPENED, round_opened(1, []), RoundClosed(at=moment(0), round=2, seed="0" * 64)], "round 2 was closed, but was not open"),
        ([round_opened(1, [])], "round 1: its commitment does not continue the season's"),
        ([OPENED, RoundClosed(at=moment(0), round=1, seed="0" * 64)], "round 1 was closed, but was not open"),
        ([OPENED, round_opened(1, []), RoundClosed(at=moment(0), round=1, seed="0" * 64)], "not the one that was committed to"),
    ],
)
def test_events_that_cannot_follow_each_other_are_refused(events: list[kinds.AnyEvent], message: str) -> None:
    with pytest.raises(DamagedError, match=message):
        [fold(events), calendar(events)]


def test_a_reason_of_either_part_is_one_and_an_empty_one_is_none() -> None:
    reasons = Reason(), Reason("slow"), Reason(detail="crash"), Reason("slow", "crash")
    assert [(bool(one), str(one)) for one in reasons] == [(False, ""), (True, "slow"), (True, "crash"), (True, "slow; crash")]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"event":"lost"}', '{"event":"retired","at":"now","version":"ann@1"}'])
def test_a_text_that_is_no_event_is_refused(text: str) -> None:
    with pytest.raises(DamagedError, match="event: "):
        kinds.decode(text)


def test_each_revealed_seed_hashes_to_the_one_before_and_the_first_to_the_seasons_commitment() -> None:
    revealed = [round_seeds.seed(SECRET, ROUNDS, number) for number in range(1, ROUNDS + 1)]
    assert [commitment(seed) for seed in revealed] == [round_seeds.commit(SECRET, ROUNDS), *revealed[:-1]]
    assert revealed[-1] == SECRET


def test_a_round_has_both_legs_of_every_pair_on_deals_of_their_own() -> None:
    played = list(fixtures(round_opened(7, [("ann@1", "ben@2"), ("cat@1", "dan@1")])))
    assert [(one.id, one.seats, one.deals) for one in played[::2]] == [
        ("r7/ann@1:ben@2/0/0", ("ann@1", "ben@2"), "r7/ann@1:ben@2/0"),
        ("r7/ann@1:ben@2/0/1", ("ben@2", "ann@1"), "r7/ann@1:ben@2/0"),
    ]
    assert len({one.id for one in played}) == 4
    assert {round_of(one.deals) for one in played} == {7}


@pytest.mark.parametrize("key", ["a:b/1/0", "r/a:b/1/0", "r²/a:b/1/0", "rx/a:b/1/0"])
def test_the_key_of_a_fixture_without_its_round_is_refused(key: str) -> None:
    with pytest.raises(DamagedError, match="not a fixture of a league; expected one that begins with its round, as r12/"):
        round_of(key)


def test_the_format_asks_for_what_was_not_played() -> None:
    opened = round_opened(1, [("ann@1", "ben@2")])
    assert list(LeagueRounds(rounds=(opened,)).fixtures((), ())) == list(fixtures(opened))


def test_an_event_that_could_not_be_read_back_is_refused() -> None:
    short = Retired(at=moment(1), version="ann-bot@1", reason="x" * kinds.LONGEST_TEXT)
    assert kinds.decode(kinds.encode(short)) == short
    with pytest.raises(DamagedError, match="length <= 10000"):
        kinds.encode(replace(short, reason=f"{short.reason}x"))
