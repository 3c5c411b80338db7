"""The spec of a league: every mistake is one line; when it opens, when its seasons end, and which bots wait for the next one."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace
from support import refusals
from support.leagues.events import ROUNDS, SECRET, joined, moment

from arena.cli.league import _run_lines
from arena.errors import InputError, SpecError
from arena.gin.rules import Rules
from arena.league import leagues
from arena.league.leagues import new, open_league
from arena.league.observing import LeagueObserver
from arena.league.play import PlayedLeague, StopRule, play_rounds
from arena.league.rules import consequences, round_seeds
from arena.league.rules.aims import TopAim
from arena.league.rules.events import (
    Activated,
    AnyEvent,
    Reason,
    Reinstated,
    Retired,
    SeasonClosed,
    SeasonOpened,
    Submitted,
    Suspended,
    Withdrawn,
    decode,
    encode,
)
from arena.league.rules.field import FieldLimits, fold
from arena.league.rules.seasons import Deadlines, SeasonTerms
from arena.league.rules.spec import LeagueSpec, LearningTerms, parse_league
from arena.league.submit import SubmissionOutcome, submit_bot
from arena.moments import later
from arena.plugins import manager
from arena.plugins.manager import installed_kinds
from arena.runs.logs import log_nowhere
from arena.runs.runner import Runner
from arena.stats.ratings import PointsRating
from arena.tournament.spec import LEAGUE_KEYS

KINDS = manager.kinds(manager.load(entry_points=False))


def read(text: str) -> LeagueSpec:
    return parse_league(text, KINDS, "friday.yaml")


def test_everything_but_the_mapping_has_a_default() -> None:
    spec = read("title: Friday\n")
    assert (spec.title, spec.rules, spec.rating, spec.aim, spec.pairs, spec.hands) == (
        "Friday",
        Rules(),
        PointsRating(),
        "order",
        1,
        None,
    )


def test_an_aim_is_the_order_or_the_best_few() -> None:
    assert read("aim: order\n").aim == "order"
    assert read("aim: {top: 3}\n").aim == TopAim(3)


def test_bots_keep_what_they_learn_only_if_the_spec_says_so() -> None:
    assert read("title: Friday\n").learning is None
    assert read("learning: {}\n").learning == LearningTerms(size_mb=1, files=100, rounds=50)
    assert read("learning: {size_mb: 4, rounds: 2}\n").learning == LearningTerms(size_mb=4, rounds=2)


@pytest.mark.parametrize("key", sorted(LEAGUE_KEYS))
def test_a_key_of_leagues_that_a_tournament_refuses_is_one_that_leagues_know(key: str) -> None:
    with pytest.raises(SpecError) as refused:
        read(f"{key}: .nan\n")
    assert "unknown key" not in str(refused.value)


MISTAKES = [  # with the line that is named
    ("bots: [greedy]\n", 1),
    ("title: F\naim: best\n", 2),
    ("aim: {top: 0}\n", 1),
    ("level: 2\n", 1),
    ("limits: {active: 1001}\n", 1),
    ("limits: {authors: 3}\n", 1),
    ("suspension: {share: much}\n", 1),
    ("season: 3\n", 1),
    ("learning: {size_mb: 65}\n", 1),
    ("learning: {mb: 1}\n", 1),
    ("anchors:\n- {version: a@1, rating: 0}\n- {version: a@1, rating: 3}\n", 3),
    ("templates: starter.py\n", 1),
    ("templates: [a.py, a.py]\n", 1),
    ("rating: {prior: 2}\n", 1),
    ("rating: elo\n", 1),
    ("format: duel\n", 1),
    ("[]\n", 1),
    ("title: [\n", 2),
]


@pytest.mark.parametrize(("text", "line"), MISTAKES)
def test_a_mistake_is_reported_with_its_place(text: str, line: int) -> None:
    with pytest.raises(SpecError) as caught:
        read(text)
    assert (caught.value.path, caught.value.line) == ("friday.yaml", line)


def test_a_mistake_is_one_line_that_says_what_was_found_and_what_was_expected(golden: Callable[[str, str], None]) -> None:
    golden("messages/league_spec.txt", refusals.page(SpecError, {text: partial(read, text) for text, _ in MISTAKES}))


BERLIN = SeasonTerms(every="week", at="sunday 18:00", zone="Europe/Berlin")
WEEKLY = Deadlines(season=BERLIN, opens="2026-09-07 08:00", closes="1d")
SPEC = """
title: Term
rules: {target: 10, best_of: 1}
sandbox: none
audition: {hands: 8}
likeness: null
opens: 2026-09-07 08:00
closes: 1d
season: {every: week, at: sunday 18:00, zone: Europe/Berlin}
"""
BOT = "from arena.sdk import Bot\n\nclass Mine(Bot):\n    '''{0}'''\n"


@pytest.mark.parametrize(
    ("opened", "end"),
    [
        ("2026-09-07T06:00:00Z", "2026-09-13T16:00:00Z"),
        ("2026-09-13T15:59:59Z", "2026-09-13T16:00:00Z"),
        ("2026-09-13T16:00:00Z", "2026-09-20T16:00:00Z"),
        ("2026-10-20T00:00:00Z", "2026-10-25T17:00:00Z"),  # after the end of summer time
    ],
)
def test_a_season_ends_by_the_clock_on_the_wall_of_its_zone(opened: str, end: str) -> None:
    assert WEEKLY.end(opened) == end
    assert [WEEKLY.is_over(opened, at) for at in (opened, end)] == [False, True]
    assert Deadlines(season=SeasonTerms()).end(opened) is None
    daily = Deadlines(season=SeasonTerms(every="day", at="18:00"))
    assert daily.end("2026-09-07T18:00:00Z") == "2026-09-08T18:00:00Z"


def test_a_season_that_opens_in_the_repeated_hour_does_not_end_before_it_opened() -> None:
    daily = Deadlines(season=SeasonTerms(every="day", at="02:45", zone="Europe/Berlin"))
    assert daily.end("2026-10-25T01:30:00Z") == "2026-10-26T01:45:00Z"


def test_submissions_close_before_the_end_of_each_season_or_once_at_a_date() -> None:
    opened, closed = "2026-09-07T06:00:00Z", "2026-09-12T16:00:00Z"
    assert [WEEKLY.closing(opened, at) for at in ("2026-09-12T15:59:59Z", closed)] == [None, closed]
    once = Deadlines(season=SeasonTerms(zone="Europe/Berlin"), closes="2026-09-10 12:00")
    for dated in (once, replace(once, season=BERLIN)):
        assert dated.closing(opened, "2026-09-11T00:00:00Z") == "2026-09-10T10:00:00Z"
    assert once.closing("2026-09-10T11:00:00Z", "2026-09-11T00:00:00Z") is None  # this season began after the date
    assert once.closing("2026-09-10T10:00:00Z", "2026-09-11T00:00:00Z") is None, "nor does one that began with it"
    assert Deadlines(season=BERLIN).closing(opened, closed) is None
    assert Deadlines(season=SeasonTerms()).words(closed) == closed
    assert [WEEKLY.opening(at) for at in ("2026-09-07T05:00:00Z", opened)] == ["2026-09-07T06:00:00Z", None]
    assert WEEKLY.words(closed) == "2026-09-12T16:00:00Z (Saturday 18:00 in Europe/Berlin)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "season: {every: week, at: '18:00'}",
            "1: season.at: found every week at '18:00'; expected a day and a time as sunday 18:00",
        ),
        ("season: {every: day, at: sunday 18:00}", "expected a time as 18:00"),
        ("season: {at: sunday 18:00}", "1: season.at: found 'sunday 18:00' without `every`; expected every: day or every: week"),
        ("season: {zone: Mars}", "1: season.zone: found the zone 'Mars'; expected a name as Europe/Berlin"),
        ("closes: 1d", "1: closes: found '1d'; expected a date, or season: {every: week, at: sunday 18:00} beside it"),
        ("closes: 12x", "1: closes: found '12x'; expected a duration"),
        ("opens: soon", "1: opens: found the date 'soon'; expected one as 2026-09-30 18:00"),
        ("season: {at: funday 18:00}", "season.at"),
    ],
)
def test_dates_that_mean_nothing_are_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(SpecError) as refused:
        parse_league(text, installed_kinds(), "term.yaml")
    assert message in str(refused.value)


def test_a_version_that_waits_takes_its_place_when_the_season_opens() -> None:
    submitted, tested, _ = joined("ann", 2, at=3)
    late: list[AnyEvent] = [submitted, tested, Activated(at=moment(3), version="ann@2", waits=True)]
    before = fold([*joined("ann"), *joined("ben", author="ben"), *late])
    assert [version.state for version in before.versions] == ["active", "active", "waiting"]
    opened = SeasonOpened(at=moment(9), season=1, rounds=ROUNDS, commitment=round_seeds.commit(SECRET, ROUNDS))
    after = before.after(opened)
    assert [(one.state, one.since == moment(9)) for one in after.versions] == [
        ("retired", True),
        ("active", False),
        ("active", True),
    ]
    assert str(after.version("ann@1").reason) == "replaced by ann@2"
    again = consequences.acceptance("ann@3", before, moment(5), waits=True)
    assert again == [
        Retired(at=moment(5), version="ann@2", reason="replaced by ann@3"),
        Activated(at=moment(5), version="ann@3", waits=True),
    ]
    third = replace(submitted, version="ann@3") if isinstance(submitted, Submitted) else submitted
    assert before.apply(third, FieldLimits(per_author=1)).versions  # it takes the place of both
    with pytest.raises(InputError, match="less than 1"):
        before.apply(replace(third, version="new@1"), FieldLimits(per_author=1))
    assert '"waits"' not in encode(Activated(at=moment(3), version="ann@2"))
    assert decode(encode(late[2])) == late[2]


NEXT_SEASON = SeasonOpened(at=moment(9), season=1, rounds=ROUNDS, commitment=round_seeds.commit(SECRET, ROUNDS))


@pytest.mark.parametrize(
    "ended",
    [
        Retired(at=moment(4), version="ann@2"),
        Suspended(at=moment(4), version="ann@2", reason=Reason("late")),
        Withdrawn(at=moment(4), version="ann@2"),
    ],
    ids=lambda event: event.__struct_config__.tag,
)
def test_a_version_that_waits_still_waits_after_it_was_reinstated(ended: Retired | Suspended | Withdrawn) -> None:
    submitted, tested, _ = joined("ann", 2, at=3)
    late = [submitted, tested, Activated(at=moment(3), version="ann@2", waits=True)]
    out_and_in = ended, Reinstated(at=moment(5), version="ann@2")
    field = fold([*joined("ann"), *late])
    for event in out_and_in:
        field = field.apply(event, FieldLimits())
    assert [version.state for version in field.versions] == ["active", "waiting"]
    field = field.after(NEXT_SEASON)
    assert [version.state for version in field.versions] == ["retired", "active"]
    for event in out_and_in:
        field = field.apply(event, FieldLimits())
    assert field.version("ann@2").state == "active", "its season has begun"


def test_two_waiting_versions_of_a_bot_both_play_in_the_next_season() -> None:
    events: list[AnyEvent] = joined("ann")
    for number in (2, 3):
        submitted, tested, _ = joined("ann", number, at=3)
        events += [submitted, tested, Activated(at=moment(3), version=f"ann@{number}", waits=True)]
        events += [Retired(at=moment(4), version="ann@2")] if number == 2 else [Reinstated(at=moment(5), version="ann@2")]
    states = [[version.state for version in fold(several).versions] for several in (events, [*events, NEXT_SEASON])]
    assert states == [["active", "waiting", "waiting"], ["retired", "active", "active"]]


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (PlayedLeague(matches=0, rounds=0, opens="2099-09-07T06:00:00Z"), "the league opens at 2099-09-07T06:00:00Z: no round is"),
        (PlayedLeague(matches=0, rounds=0, alone=True), "fewer than two bots are active: no round is played before another is"),
        (
            PlayedLeague(matches=0, rounds=0, alone=True, waiting=("a@1", "b@1"), season_ends="2099-09-13T16:00:00Z"),
            "fewer than two bots are active; this season ends at 2099-09-13T16:00:00Z, and a@1, b@1 play from the next one on",
        ),
        (
            PlayedLeague(matches=0, rounds=0, alone=True, waiting=("a@1",)),
            "this season ends by `arena league season close`, and a@1",
        ),
    ],
)
def test_a_league_that_waits_says_until_when(result: PlayedLeague, line: str) -> None:
    assert line in list(_run_lines(result))[-1]


@pytest.mark.process
def test_bots_that_came_after_the_deadline_are_named_with_the_end_of_the_season(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ["2026-09-08T00:00:00Z"]
    for module in ("play", "submit", "leagues"):
        monkeypatch.setattr(f"arena.league.{module}.now", lambda: clock[0])
    log_nowhere()
    (tmp_path / "term.yaml").write_text(SPEC)
    new(tmp_path / "term", tmp_path / "term.yaml")
    clock[0] = "2026-09-13T12:00:00Z"
    for name in ("ann", "ben"):
        (tmp_path / "mine.py").write_text(BOT.format(name))
        submit_bot(tmp_path / "term", str(tmp_path / "mine.py"), name, name, lambda _: None)
    runner = Runner(manager.load(entry_points=False), "serial", 1)
    played = play_rounds(tmp_path / "term", runner, StopRule(rounds=1), LeagueObserver(), None)
    assert (played.alone, played.waiting) == (True, ("ann@1", "ben@1"))
    assert played.season_ends == "2026-09-13T16:00:00Z (Sunday 18:00 in Europe/Berlin)"


@pytest.mark.process
def test_a_term_is_played_by_one_command_that_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ["2026-09-01T00:00:00Z"]
    for module in ("play", "submit", "leagues"):
        monkeypatch.setattr(f"arena.league.{module}.now", lambda: clock[0])
    log_nowhere()
    league = tmp_path / "term"
    (tmp_path / "term.yaml").write_text(SPEC)
    new(league, tmp_path / "term.yaml")

    def enter(name: str, text: str = "") -> SubmissionOutcome:
        (tmp_path / "mine.py").write_text(BOT.format(name + text))
        return submit_bot(league, str(tmp_path / "mine.py"), name, name, lambda _: None)

    def cron(at: str) -> PlayedLeague:
        clock[0] = at
        return play_rounds(
            league, Runner(manager.load(entry_points=False), "serial", 1), StopRule(rounds=1), LeagueObserver(), None
        )

    assert [enter(name).closed for name in ("ann", "ben")] == ["", ""]
    early = cron("2026-09-02T00:00:00Z")
    assert (early.rounds, early.alone, early.opens) == (0, False, "2026-09-07T06:00:00Z (Monday 08:00 in Europe/Berlin)")
    assert cron("2026-09-08T00:00:00Z").rounds == 1
    clock[0] = "2026-09-13T12:00:00Z"
    late = enter("ann", " again")
    assert late.closed == "2026-09-12T16:00:00Z (Saturday 18:00 in Europe/Berlin)"
    assert late.version
    assert (late.version.state, late.replaced) == ("waiting", "")
    for week in range(10):
        assert cron(later("2026-09-13T17:00:00Z", timedelta(weeks=week))).rounds == 1
    with open_league(league) as opened:
        events = leagues.events_of(opened.store)
        assert [version.state for version in fold(events).versions] == ["retired", "active", "active"]
        history = leagues.history(opened.folder, opened.store)
        assert list(consequences.differences(history, opened.spec)) == []
    assert sum(isinstance(event, SeasonClosed) for event in events) == 10
