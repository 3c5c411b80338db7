"""What happens in a league is passed on to plugins and to an address, at least once and in order."""

import hmac
import re
import shutil
import threading
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from socketserver import BaseRequestHandler, TCPServer

import pytest
from msgspec import json
from support.hostile.server import Response, answering, dripping, without_end
from support.leagues.events import joined, moment, pair
from support.leagues.sites import entered, league, play
from support.repository.distributions import install
from support.servers.webhooks import Posts, listening

from arena.errors import PluginError
from arena.league import membership
from arena.league.leagues import OpenLeague, open_league
from arena.league.notices import FILE, Notices
from arena.league.rules.events import Answered, AnyEvent, RoundClosed, SeasonClosed
from arena.league.rules.history import History, first_faults
from arena.league.rules.league_table import LeagueTable
from arena.plugins import manager, webhook
from arena.plugins.consent import WEBHOOK
from arena.plugins.hookspecs import hookimpl
from arena.plugins.webhook import SECRET, Webhook
from arena.records import Fault


class Recorder:
    """A plugin that records what it receives."""

    def __init__(self) -> None:
        self.events: list[tuple[int, str]] = []
        self.rounds: list[tuple[int, int, int]] = []

    @hookimpl
    def arena_event(self, league: str, number: int, event: AnyEvent) -> None:
        assert league == "Friday league"
        if not isinstance(event, Answered):  # of bots that are compared with each other, before a run
            self.events.append((number, type(event).__name__))

    @hookimpl
    def arena_round(self, number: int, before: LeagueTable, after: LeagueTable) -> None:
        self.rounds.append((number, sum(row.matches for row in before.rows) // 2, sum(row.matches for row in after.rows) // 2))


@pytest.fixture(scope="module", name="entered")
def two_bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return entered(tmp_path_factory.mktemp("entered"))


@pytest.fixture
def path(entered: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(entered, tmp_path / "friday"))


@pytest.mark.process
def test_events_and_rounds_are_passed_on_once_also_those_from_while_nothing_was_played(path: Path) -> None:
    first, second = Recorder(), Recorder()
    play(path, 2, first)
    membership.suspend(path, "ann-bot", "a copy")
    membership.reinstate(path, "ann-bot")
    play(path, 2, second)
    assert [name for _, name in first.events] == ["RoundClosed"]  # what was there before the plugin is not passed on
    assert [name for _, name in second.events] == ["Suspended", "Reinstated", "RoundOpened", "RoundClosed"]
    numbers = [number for number, _ in first.events + second.events]
    assert numbers == sorted(set(numbers))
    assert first.rounds + second.rounds == [(1, 0, 2), (2, 2, 4)]


@pytest.mark.process
def test_a_league_without_such_plugins_keeps_no_file(path: Path) -> None:
    play(path, 2)
    assert not (path / FILE).exists()


class _Faults:
    """A plugin that records the faults in the tables of a round, and the numbers of the events."""

    def __init__(self) -> None:
        self.faults: list[tuple[int, int]] = []
        self.events: list[int] = []

    @hookimpl
    def arena_event(self, number: int) -> None:
        self.events.append(number)

    @hookimpl
    def arena_round(self, before: LeagueTable, after: LeagueTable) -> None:
        self.faults.append((before.rows[0].faults, after.rows[0].faults))


def noticing(league: OpenLeague, plugin: object) -> Notices:
    plugins = manager.load(entry_points=False)
    plugins.register(plugin)
    return Notices(league, plugins)


def history_of(events: Sequence[AnyEvent]) -> History:
    """Return a history in which ann is at fault in a match of each of two rounds."""
    found = Fault(seat=0, kind="illegal", game=0, hand=1, detail="2c: not in hand")
    faults = tuple(first_faults(("ann@1", f"r{number}/ann@1:ben@1/0/0", found) for number in (1, 2)))
    played = tuple(pair("ann@1", "ben@1", number) for number in (1, 2))
    return History(events=tuple(events), played=played, faults=faults)


def test_the_table_before_a_round_has_no_faults_of_the_round(tmp_path: Path) -> None:
    recorder, events = _Faults(), [*joined("ann"), *joined("ben", author="bob")]
    with open_league(league(tmp_path)) as opened:
        notices = noticing(opened, recorder)
        notices.pass_on(history_of(events))
        notices.pass_on(history_of([*events, *(RoundClosed(at=moment(1), round=one, seed="0" * 64) for one in (1, 2))]))
    assert recorder.faults == [(0, 1), (1, 2)]


def test_events_after_a_rollback_are_passed_on_also_by_the_next_process(tmp_path: Path) -> None:
    recorder, events = _Faults(), [*joined("ann"), *joined("ben", author="bob")]
    with open_league(league(tmp_path)) as opened:
        noticing(opened, recorder).pass_on(history_of(events))
        noticing(opened, recorder).pass_on(history_of(events[:3]))
        noticing(opened, recorder).pass_on(history_of(events))
    assert recorder.events == [4, 5, 6]


@pytest.mark.process
def test_the_webhook_posts_a_new_leader_a_suspension_and_the_end_of_a_season(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    received: Posts = []
    with listening(received) as address:
        monkeypatch.setenv(WEBHOOK, address)
        monkeypatch.setenv(SECRET, "key")
        play(path, 2)
        membership.suspend(path, "ann-bot", "a copy", "olga")
        membership.reinstate(path, "ann-bot")
        membership.end_season(path, "holidays", "olga")
        play(path, 2)
    messages = [json.decode(body) for _, body in received]
    assert [message["kind"] for message in messages][:3] == ["new leader", "bot suspended", "season over"]
    assert messages[1]["reason"] == "a copy"
    assert {message["league"] for message in messages} == {"Friday league"}
    for headers, body in received:
        assert headers["X-Arena-Signature"] == hmac.new(b"key", body, sha256).hexdigest()


@pytest.mark.process
@pytest.mark.parametrize("status", [302, 500])
def test_an_address_that_refuses_stops_nothing_and_is_asked_once(path: Path, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    received: Posts = []
    with listening(received, status) as address:
        monkeypatch.setenv(WEBHOOK, address)
        play(path, 2)
    assert len(received) == 1


@pytest.mark.parametrize("answer", [b"SMTP ready\r\n", b"HTTP/1.0 200 OK\r\n" + b"x: y\r\n" * 200])
def test_an_answer_that_is_not_http_stops_nothing(answer: bytes, caplog: pytest.LogCaptureFixture) -> None:
    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1 << 16)
            self.request.sendall(answer)

    with TCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request, daemon=True)
        thread.start()
        event = SeasonClosed(at="2026-01-31T20:00:00Z", season=1)
        Webhook(f"http://127.0.0.1:{server.server_address[1]}/", "").arena_event("friday", event)
        thread.join()
    assert "webhook: season over was not received" in caplog.text


@pytest.mark.parametrize("answer", [dripping(b""), without_end(b"HTTP/1.1 200 OK\r\n", b"X: " + b"y" * 9999 + b"\r\n")])
def test_an_answer_that_drips_or_has_no_end_stops_nothing(
    answer: Response, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook, "SECONDS", 0.3)
    with answering(answer) as address:
        Webhook(address, "").arena_event("friday", SeasonClosed(at="2026-01-31T20:00:00Z", season=1))
    assert re.search("webhook: season over was not received: (timed out|more than 65,536 bytes)", caplog.text)


def test_the_webhook_is_off_by_default_and_takes_no_other_address(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not any(isinstance(plugin, Webhook) for plugin in manager.load(entry_points=False).get_plugins())
    monkeypatch.setenv(WEBHOOK, "file:///etc/passwd")
    with pytest.raises(PluginError, match=r"ARENA_WEBHOOK: found 'file:///etc/passwd'; expected an address"):
        manager.load(entry_points=False)


def test_a_plugin_may_be_called_webhook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "posting", {"posting.py": ""}, "[arena]\nwebhook = posting\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(WEBHOOK, "http://127.0.0.1:1/")
    assert {type(plugin).__name__ for plugin in manager.load().get_plugins()} == {"module", "HeldHooks", "Webhook"}
