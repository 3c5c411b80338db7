"""What a server refuses: games that are not on record, more than there is room for, revoked tokens, other keys."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from msgspec.json import decode, encode
from msgspec.structs import replace
from support.processes.waiting import until
from support.records.verifying import first_difference
from support.servers.wire import FakeClock

from arena.errors import InputError, StoreError
from arena.extras.remote import game_server, games_table, record
from arena.extras.remote.game_server import GameServer, NoEntryError, UnfinishedGame
from arena.extras.remote.lobby import GameTerms
from arena.extras.remote.record import GAMES, BotsJoined, GameOpened, GameVoid, KeptAnswer, answer_events, chronicle
from arena.extras.remote.session import MOST_KEPT, FloodError
from arena.extras.remote.socket_player import SeatLink
from arena.extras.remote.tables import close, invite
from arena.league.tokens import add_token, revoke_tokens
from arena.plugins.manager import installed_kinds
from arena.records import Fixture, MatchRecord, Result, SingleHand
from arena.roster.entrant import NO_DIGEST, Entered
from arena.runs.stored_kinds import stored_run
from arena.store.folder import Folder
from arena.store.store import Store
from arena.testing import batch_record
from arena.tournament.completeness import compare
from arena.web.watched_run import WatchedRun

pytest.importorskip("cryptography", reason="needs the extra `remote`")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GameServer]:
    found = GameServer(tmp_path, GameTerms(), FakeClock())
    with found.open():
        yield found


def seek(server: GameServer, author: str, bot: str = "a") -> SeatLink:
    """Return the link of a bot that is in the lobby."""
    _, link = server.enter(author, bot, "")
    link.connect(0)
    link.receive('0 {"type":"seek"}')
    return link


def test_a_game_that_cannot_be_stored_is_not_dealt_and_its_bots_wait_again_within_their_quota(
    server: GameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(game_server, "GAMES_AN_HOUR", 1)
    links = [seek(server, author) for author in ("ann", "bob")]
    disk = pytest.MonkeyPatch()
    disk.setattr(server._store, "add_event", refuse)  # noqa: SLF001 - the disk is full

    server.tick()

    until(lambda: all(link.seeking is not None and not link.game for link in links))
    assert [list(link.session.frames(0)) for link in links] == [[], []]
    server.tick()  # after it no game begins for a while
    assert [link.game for link in links] == ["", ""]
    disk.undo()
    server._pause_until = 0.0  # noqa: SLF001 - and then it does
    server.tick()
    assert [link.game for link in links] == ["g2", "g2"]


def test_bots_of_a_game_that_can_neither_be_stored_nor_ended_may_seek_again(
    server: GameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(server, "_store_opened", lambda *_: None)
    monkeypatch.setattr(server, "_play_and_store", refuse)
    monkeypatch.setattr(server._store, "add_event", refuse)  # noqa: SLF001 - the disk is full from now on
    links = [seek(server, author) for author in ("ann", "bob")]

    server.tick()

    until(lambda: not any(link.game for link in links) and all(link.session.frames(0) for link in links))
    assert server._pause_until > 0  # noqa: SLF001 - no new game for a while


def test_the_number_of_a_game_is_above_all_on_record_and_a_game_continues_only_with_its_key(tmp_path: Path) -> None:
    # given a folder with a void game of a high number, and one that was begun with a key
    with GameServer(tmp_path, GameTerms(), FakeClock()).open():
        pass
    with Store(tmp_path / "arena.sqlite", write=True) as store:
        store.add_event(encode(GameOpened("2026-01-01T00:00:00Z", "g3", ("ann.a", "bob.a"), 6)).decode())
        store.add_event(encode(GameVoid("2026-01-01T00:00:00Z", "g7", "it was lost")).decode())
    (tmp_path / GAMES / "g3.json").write_bytes(encode(UnfinishedGame(keys=("a" * 64, ""))))

    server = GameServer(tmp_path, GameTerms(), FakeClock())
    with server.open():
        with pytest.raises(NoEntryError, match="continues only with the key"):
            server.enter("ann", "a", "", "b" * 64)
        server.enter("ann", "a", "", "a" * 64)
        links = [seek(server, author, "new") for author in ("eve", "fay")]
        server.tick()
        assert {link.game for link in links} == {"g8"}


@pytest.mark.parametrize(("name", "value"), [("GAMES_AN_HOUR", 0), ("MOST_BOTS", 0), ("free", 1 << 60)])
def test_no_game_begins_beyond_the_quota_of_an_author_or_on_a_full_disk(
    server: GameServer, monkeypatch: pytest.MonkeyPatch, name: str, value: int
) -> None:
    if name == "MOST_BOTS":
        monkeypatch.setattr(game_server, name, value)
        with pytest.raises(NoEntryError, match="bots; expected at most"):
            server.enter("ann", "a", "")
        return
    if name == "free":
        monkeypatch.setattr(server, "_free", value)
    else:
        monkeypatch.setattr(game_server, name, value)
    links = [seek(server, author) for author in ("ann", "bob")]

    server.tick()

    assert [link.game for link in links] == ["", ""]


def test_a_game_counts_for_the_quota_before_its_opening_is_stored(server: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_server, "GAMES_AN_HOUR", 1)
    disk_answers = Event()
    server._database_thread.submit(disk_answers.wait)  # noqa: SLF001 - the disk is slow
    for author in ("ann", "bob"):
        seek(server, author)
    server.tick()
    late = [seek(server, author, bot) for author, bot in (("ann", "b"), ("cid", "a"))]

    server.tick()

    disk_answers.set()
    assert [link.game for link in late] == ["", ""]


def test_a_revoked_token_ends_the_session_that_waits_and_closes_its_connection(server: GameServer) -> None:
    closed = list[bool]()
    link = seek(server, "ann")
    link.token = add_token(server.folder.path, "ann", timedelta(days=1)).token.digest
    link.attach(lambda: closed.append(True))
    server.tick()
    assert (list(server.links.values()), closed) == ([link], [])

    revoke_tokens(server.folder.path, ["ann"])
    server.tick()

    assert (server.links, closed) == ({}, [True])


def test_a_replaced_connection_is_woken_to_close_and_its_frames_do_not_count(server: GameServer) -> None:
    seats = pytest.importorskip("arena.extras.remote.routes")

    async def replace() -> None:
        _, link = server.enter("ann", "a", "")
        old = seats.FrameQueue(link, 0)
        waiting = asyncio.create_task(old.next())
        await asyncio.sleep(0)
        seats.FrameQueue(link, 0)
        old.receive('0 {"type":"seek"}')
        assert await asyncio.wait_for(waiting, 1) == []
        assert link.seeking is None

    asyncio.run(replace())


def test_an_answer_that_is_polled_may_have_characters_that_end_a_line_elsewhere(
    server: GameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats, starlette, asgi = map(
        pytest.importorskip, ("arena.extras.remote.routes", "starlette.applications", "support.servers.asgi")
    )
    monkeypatch.setattr(seats, "POLL_SECONDS", 0.0)
    token = add_token(server.folder.path, "ann", timedelta(days=1)).text
    secret, link = server.enter("ann", "a", "")
    link.session.ask("{}", 0.0)
    body = '1\r\n1 {"note":"a\u2028b\x85"}\r\n'.encode()
    address, app = f"/remote/poll?received=1&session={secret}", starlette.Starlette(routes=seats.RemoteSeats(server).routes())
    assert asgi.ask(app, "POST", address, [body], authorization=f"Bearer {token}").text.count("\n") == 1  # the welcome alone
    assert link.session.question is None
    assert link._answer  # noqa: SLF001 - as the thread of the game reads it
    assert link._answer.line == '{"note":"a\u2028b\x85"}'  # noqa: SLF001 - likewise


@pytest.mark.parametrize(("part", "ends", "status"), [(b"x" * 65537, "silent", 413), (b"x", "closed", 400)])
def test_a_poll_that_is_too_long_or_that_its_sender_breaks_off_is_refused(
    server: GameServer, part: bytes, ends: str, status: int
) -> None:
    seats, starlette, asgi = map(
        pytest.importorskip, ("arena.extras.remote.routes", "starlette.applications", "support.servers.asgi")
    )
    app = starlette.Starlette(routes=seats.RemoteSeats(server).routes())
    assert asgi.ask(app, "POST", "/remote/poll?bot=a", [part], ends=ends).status == status


def test_while_the_tokens_cannot_be_read_a_client_is_asked_to_come_again(server: GameServer) -> None:
    seats, starlette, asgi = map(
        pytest.importorskip, ("arena.extras.remote.routes", "starlette.applications", "support.servers.asgi")
    )
    add_token(server.folder.path, "ann", timedelta(days=1))
    (server.folder.path / "tokens.json").write_text("[")
    app = starlette.Starlette(routes=seats.RemoteSeats(server).routes())
    answer = asgi.ask(app, "POST", "/remote/poll?bot=a", authorization="Bearer x")
    assert (answer.status, answer.text) == (503, "the tokens cannot be read at the moment; try again later\n")


def test_games_begin_again_after_an_unexpected_error(
    server: GameServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    seats = pytest.importorskip("arena.extras.remote.routes")
    calls = []

    def tick() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise FileNotFoundError("the disk was away")

    monkeypatch.setattr(server, "tick", tick)
    monkeypatch.setattr(seats, "PAUSE", 0.0)
    monkeypatch.setattr(seats, "TICK", 0.0)

    async def serve() -> None:
        async with seats.RemoteSeats(server).life():
            await asyncio.sleep(0.05)

    asyncio.run(serve())
    assert len(calls) > 1
    assert "the disk was away" in caplog.text


def test_no_more_than_a_bound_waits_for_a_client_that_does_not_read(server: GameServer) -> None:
    seats = pytest.importorskip("arena.extras.remote.routes")

    async def flood() -> None:
        _, link = server.enter("ann", "a", "")
        queue = seats.FrameQueue(link, 0)
        for _ in range(seats.MOST_CONTROL):
            queue.add_control("0 {}")
        with pytest.raises(FloodError, match="without reading the answers"):
            queue.add_control("0 {}")
        for _ in range(MOST_KEPT + 1):
            link.send(b"{}")
        assert len(queue.take()) == seats.MOST_CONTROL + MOST_KEPT

    asyncio.run(flood())


def test_verify_names_a_void_game_and_answers_that_belong_to_no_opened_game(server: GameServer) -> None:
    with Store(server.folder.database, write=True) as store:
        store.add_event(encode(GameVoid("2026-01-01T00:00:00Z", "g1", "why")).decode())
        for event in answer_events("g2", 0, "", [KeptAnswer(0, "", 0, 0, "{}")]):
            store.add_event(event)

        assert chronicle(store).problems == ("g1: void, but not opened, or void already", "g2: answers, but it was not opened")


def test_closed_games_are_void_if_open_take_no_others_and_verify_names_one_without_an_end(tmp_path: Path) -> None:
    with GameServer(tmp_path, GameTerms(), FakeClock()).open():
        pass

    def open_game(game: str) -> None:
        with Store(tmp_path / "arena.sqlite", write=True) as store:
            store.add_event(encode(GameOpened("2026-01-01T00:00:00Z", game, ("ann.a", "bob.a"), 6)).decode())

    def found() -> list[str]:
        with Store(tmp_path / "arena.sqlite") as store:
            run = stored_run(Folder(tmp_path), store, installed_kinds())
            return [*map(str, (run.finished,)), *run.differences(compare(run.spec, run.names, store.results()))]

    open_game("g3")
    assert found()[0] == "False"
    close(tmp_path)
    assert found()[0] == "True"
    refusals: list[Callable[[], None]] = [lambda: close(tmp_path), lambda: invite(tmp_path, "ann", expires="1d")]
    for refused in refusals:
        with pytest.raises(StoreError, match="closed"):
            refused()
    with pytest.raises(StoreError, match="closed"), GameServer(tmp_path, GameTerms(), FakeClock()).open():
        pass
    open_game("g4")
    assert "g4: has no end, and the games are closed" in found()
    assert not any("g3: has no end" in line for line in found())


def test_verify_decodes_each_event_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with GameServer(tmp_path, GameTerms(), FakeClock()).open():
        pass
    with Store(tmp_path / "arena.sqlite", write=True) as store:
        store.add_event(encode(BotsJoined("2026-01-01T00:00:00Z", ())).decode())
    close(tmp_path)
    decoded = list[str]()

    def count(content: str, **options: Any) -> object:
        decoded.append(content)
        return decode(content, **options)

    monkeypatch.setattr(record, "decode", count)
    with Store(tmp_path / "arena.sqlite") as store:
        assert first_difference(tmp_path) == ""
        assert decoded == list(store.events())


def test_a_game_whose_file_cannot_be_removed_is_on_record_and_not_void(server: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def store(opened: GameOpened, _: object) -> MatchRecord:
        played = replace(batch_record(*opened.seats, [3]), fixture=Fixture(opened.game, opened.seats, opened.game, 1))
        server._run_in_database_thread(lambda: server._store_record(played, ("", ""), ([], [])))  # noqa: SLF001 - what follows a game
        return played

    monkeypatch.setattr(server, "_play_and_store", store)
    (server.folder.path / GAMES / "g1.json").mkdir()  # cannot be removed as a file is
    links = [seek(server, author) for author in ("ann", "bob")]

    server.tick()

    until(lambda: not any(link.game for link in links))
    with Store(server.folder.database) as store_now:
        assert [fixture.id for fixture in store_now.fixtures()] == ["g1"]
        assert chronicle(store_now).void == {}


@pytest.mark.parametrize("author", ["ann.x", "a" * 26])
def test_invite_refuses_an_author_whose_name_is_too_long_or_has_a_dot(server: GameServer, author: str) -> None:
    with pytest.raises(InputError, match="AUTHOR: found"):
        invite(server.folder.path, author, expires="1d")
    invite(server.folder.path, author, revoke=True)


def test_a_server_shows_its_own_games_as_running_until_it_is_stopped(tmp_path: Path) -> None:
    watched = WatchedRun(Folder(tmp_path / "games"), installed_kinds())
    server = GameServer(tmp_path / "games", GameTerms(), FakeClock())
    with server.open():
        watched.poll()
        assert (watched.snapshot.state, watched.snapshot.problem) == ("running", "")
    watched.poll()
    assert watched.snapshot.state == "stopped"


def game(number: int, *, seats: tuple[str, str] = ("a", "b")) -> Result:
    """Return a game of one hand, which the second seat has won."""
    fixture = Fixture(f"{number}", seats, f"{number}", 1)
    return Result(fixture=fixture, winner=None, games=(0, 0), points=(0, 30), hands=1, singles=(SingleHand(-30),))


@pytest.mark.parametrize(
    ("seats", "answer"),
    [
        (("ann.x", "cautious"), "ann.x is the only unconfined bot: -30.00 points a hand, luck subtracted"),
        (("ann.x", "ben.y"), "ben.y leads the unconfined bots: +30.00 points a hand, luck subtracted"),
    ],
)
def test_a_bot_leads_only_where_it_has_met_another_from_elsewhere(seats: tuple[str, str], answer: str) -> None:
    field = [Entered(name, "1", f"{record.ELSEWHERE}{name}" if "." in name else "", NO_DIGEST) for name in seats]
    assert games_table.details(field, [game(0, seats=seats)]).answer == answer


def test_the_score_of_few_games_with_one_result_has_no_interval() -> None:
    games = [game(number) for number in range(2)]
    assert [(one.bot, one.points, one.half) for one in games_table.scores(games)] == [("b", 30, None), ("a", -30, None)]
