"""Playing in the background: when it pauses, and what it says."""

from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from support.leagues.sites import club, league
from support.servers.asgi import HOST, ask

from arena.cli.terminal import print_json
from arena.errors import InputError
from arena.league.play import PlayedLeague
from arena.league.rules.events import NO_REASON, Reason
from arena.runs.background import EndedCommand
from arena.web.club.context import ClubTerms
from arena.web.club.hosting import Hosting, PlayTerms, parse_hours


def at(hour: int) -> Callable[[], datetime]:
    return lambda: datetime(2026, 1, 31, hour, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "hour", "inside"),
    [
        ("9:00-17:00", 9, True),
        ("09:00-17:00", 17, False),
        ("22:00-06:00", 23, True),
        ("22:00-06:00", 5, True),
        ("22:00-06:00", 6, False),
    ],
)
def test_hours_may_go_past_midnight(text: str, hour: int, inside: bool) -> None:  # noqa: FBT001 - a value of the table above
    assert parse_hours(text).contain(60 * hour + 30) is inside


@pytest.mark.parametrize("text", ["", "9-17", "24:00-06:00", "22:00", "22:00-22:00", "22:61-06:00", "٢٢:00-06:00", "22:00-06:00\n"])
def test_wrong_hours_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected"):
        parse_hours(text)


def test_play_pauses_out_of_its_hours_and_when_the_machine_has_a_problem(tmp_path: Path) -> None:
    terms = PlayTerms(hours=parse_hours("22:00-06:00"))
    late = Hosting(tmp_path, terms, lambda: NO_REASON, at(12))._reason()  # noqa: SLF001 - without starting the thread
    assert late == Reason("play is paused: it is played from 22:00-06:00, local time")
    assert Hosting(tmp_path, terms, lambda: NO_REASON, at(23))._reason() == NO_REASON  # noqa: SLF001 - likewise
    unsafe = Hosting(tmp_path, terms, lambda: Reason("no sandbox", "/srv is closed"), at(23))
    assert unsafe._reason() == Reason("play is paused: no sandbox", "/srv is closed")  # noqa: SLF001 - likewise


def test_a_league_is_played_where_the_options_say() -> None:
    assert PlayTerms().options() == []
    there = PlayTerms(workers=8, executor="{name: dask, scheduler: tcp://10.0.0.1:8786}")
    assert there.options() == ["--workers", "8", "--executor", "{name: dask, scheduler: tcp://10.0.0.1:8786}"]


def ended(tmp_path: Path, code: int, output: bytes = b"", errors: str = "") -> tuple[float, str, int]:
    hosting = Hosting(tmp_path, PlayTerms(), lambda: NO_REASON)
    hosting.paused = NO_REASON
    return hosting._on_end(EndedCommand(code, output, errors, late=False)), str(hosting.paused), hosting.failures  # noqa: SLF001 - as after a process


def printed(played: PlayedLeague) -> bytes:
    with redirect_stdout(StringIO()) as output:
        print_json("league-run", played)
    return output.getvalue().encode()


def test_a_process_that_has_played_its_time_is_followed_by_the_next_at_once(tmp_path: Path) -> None:
    assert ended(tmp_path, 0, b"a plugin's line\n" + printed(PlayedLeague(matches=40, rounds=3))) == (0.0, "", 0)


@pytest.mark.parametrize(
    ("played", "reason"),
    [
        (PlayedLeague(matches=0, rounds=0, alone=True), "fewer than two bots are active"),
        (PlayedLeague(matches=0, rounds=0, opens="2026-09-07T06:00:00Z"), "the league opens at 2026-09-07T06:00:00Z"),
    ],
)
def test_a_league_in_which_nothing_can_be_played_waits_and_says_why(tmp_path: Path, played: PlayedLeague, reason: str) -> None:
    wait, paused, failures = ended(tmp_path, 0, printed(played))
    assert (wait > 1, paused, failures) == (True, f"play waits: {reason}", 0)


WAITS = "play waits: another process plays the league, or its results could not be stored; friday: process 7 is playing it already"


def test_a_league_that_another_process_plays_is_left_to_it(tmp_path: Path) -> None:
    wait, paused, failures = ended(tmp_path, 3, errors="arena: friday: process 7 is playing it already\n")
    assert (wait > 1, paused, failures) == (True, WAITS, 0)


def test_a_failure_is_shown_and_tried_again_less_and_less_often(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    hosting = Hosting(tmp_path, PlayTerms(), lambda: NO_REASON)
    failed = EndedCommand(2, b"", "arena: season-1.secret: missing or changed\n", late=False)
    waits = []
    for failures in (0, 1, 2, 3, 4, 5, 2000):  # 2000: after a week
        hosting.paused, hosting.failures = NO_REASON, failures
        waits.append(hosting._on_end(failed))  # noqa: SLF001 - as after a process
    assert hosting.paused == Reason("play has failed; it is tried again", "season-1.secret: missing or changed")
    assert waits == [20, 40, 80, 160, 320, 320, 320]
    assert len(caplog.records) == 7


def test_the_page_says_why_nothing_is_played(tmp_path: Path) -> None:
    with club(league(tmp_path), ClubTerms(play=PlayTerms())) as made:
        assert made.context.hosting
        made.context.hosting.paused = Reason("play waits: fewer than two bots are active")
        assert "Play waits: fewer than two bots are active." in ask(made.app([HOST]), "GET", "/").text
