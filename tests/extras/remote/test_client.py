"""A stranger who has only the page: the bot of the page, and ``arena join``, at a server as its owner starts it."""

import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Self
from urllib.request import Request, urlopen

import pytest
from support.commands.calls import command
from support.hostile.flooding import NONSENSE, endpoint, filled
from support.processes.waiting import until
from support.repository.pages import blocks
from support.servers.serving import started
from support.servers.wire import HELLO, TURN, WELCOME, game_line

from arena.errors import InputError
from arena.extras.remote import joining
from arena.extras.remote.record import chronicle, open_games
from arena.league.tokens import add_token
from arena.store.store import Store

pytest.importorskip("websockets", reason="needs the extra `remote`")
wires = pytest.importorskip("arena.extras.remote.wires", reason="needs the extra `remote`")

(RAW,) = (
    block.text for block in blocks("text") if block.page == "arena/extras/remote/REMOTE.md" and block.text.startswith("import json")
)


def run(line: Sequence[str], folder: Path, token: str = "", code: int | None = None, **more: str) -> str:
    variables = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "ARENA_TOKEN": token, **more}
    done = subprocess.run(line, cwd=folder, env=variables, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode in ((0, 3) if code is None else (code,)), done.stderr  # 3: `arena verify` of a run that is not finished
    return done.stdout


@pytest.mark.process
def test_the_bot_of_the_page_and_arena_join_play_at_a_servers_tables(tmp_path: Path) -> None:
    # given a server with an invitation
    with started("tables", "games", "--own-bot", "cautious", "--wait", 0, "--port", 0, folder=tmp_path) as (_, address):
        token = add_token(tmp_path / "games", "ann", timedelta(days=1)).text
        text = RAW.replace("ws://127.0.0.1:8000", f"ws{address[4:-1]}")
        (tmp_path / "tiny.py").write_text(text, encoding="utf-8")
        # when both bots play
        run([sys.executable, "tiny.py"], tmp_path, token)
        said = run(command("join", address, "greedy", "--games", 1, "--key", "key"), tmp_path, token)
        verified = run(command("verify", "games"), tmp_path)
    closed = run(command("close", "games"), tmp_path)
    report = run(command("report", "games"), tmp_path)
    proved = run(command("verify", "games"), tmp_path, code=0)
    # then both games are on record, and the second one is signed
    assert "g2 is over" in said
    assert "12 hands, 0 differences" in verified
    assert "unfinished: the games are not closed\n" in verified
    assert len((tmp_path / "key").read_text()) == 64
    assert re.search(r"signed: \d+ answers in 1 of 1 game of ann\.greedy by the key \w{16}…, each with its seed, seats,", verified)
    # and closed games are proved, in a report without a rating or a pair
    assert closed.startswith("2 games on record\n")
    assert "12 hands, 0 differences" in proved
    assert re.search(r"ann\.tiny +unconfined +[+-]\d+\.\d\d", report)
    assert re.search(r"cautious +of the server", report)
    assert not re.search(r"Elo|[Pp]air|Rating|CPU", report)
    assert "class" in (tmp_path / "games" / "standings.csv").read_text().partition("\n")[0]


class Proxy(BaseHTTPRequestHandler):
    """Opens tunnels, and forwards what is posted."""

    def do_CONNECT(self) -> None:
        host, _, port = self.path.partition(":")
        with socket.create_connection((host, int(port))) as there:
            self.send_response(200)
            self.end_headers()
            back = Thread(target=carry, args=(there, self.connection), daemon=True)
            back.start()
            carry(self.connection, there)
            back.join()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name: self.headers[name] for name in ("Authorization", "Content-Type")}
        asked = Request(self.path, body, headers)  # noqa: S310 - of this machine
        with urlopen(asked) as answer:  # noqa: S310
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer.read())

    def log_request(self, *_: object) -> None:
        assert isinstance(self.server, ProxyServer)
        self.server.asked[self.command] += 1


class PollingProxy(Proxy):
    """Opens no tunnels."""

    def do_CONNECT(self) -> None:
        self.send_error(405)


class ProxyServer(ThreadingHTTPServer):
    """A proxy of this machine, that counts what it is asked for."""

    def __init__(self, handler: type[Proxy]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.asked = Counter[str]()

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


def carry(one: socket.socket, other: socket.socket) -> None:
    """Pass bytes on until a side closes."""
    with suppress(OSError):
        while found := one.recv(65536):
            other.sendall(found)
        other.shutdown(socket.SHUT_WR)


@pytest.mark.process
@pytest.mark.parametrize(("handler", "command_used"), [(Proxy, "CONNECT"), (PollingProxy, "POST")])
def test_arena_join_plays_through_a_proxy_by_long_polls_if_it_opens_no_tunnel(
    tmp_path: Path, handler: type[Proxy], command_used: str
) -> None:
    serve = ("tables", "games", "--own-bot", "cautious", "--wait", 0, "--port", 0)
    with started(*serve, folder=tmp_path) as (_, address), ProxyServer(handler) as proxy:
        token = add_token(tmp_path / "games", "ann", timedelta(days=1)).text
        through = f"http://127.0.0.1:{proxy.server_port}"
        said = run(command("join", address, "greedy", "--games", 1), tmp_path, token, HTTP_PROXY=through, HTTPS_PROXY=through)
    assert "g1 is over" in said
    assert proxy.asked[command_used] > 0


@pytest.mark.process
def test_a_bot_that_reads_nothing_delays_no_other_game(tmp_path: Path) -> None:
    serve = ("tables", "games", "--own-bot", "cautious", "--wait", 0, "--port", 0)
    with started(*serve, folder=tmp_path) as (_, address), socket.create_connection(endpoint(address)) as silent:
        # given a bot that has asked for a game and then neither reads nor answers
        one, other = (add_token(tmp_path / "games", author, timedelta(days=1)).text for author in ("ann", "bob"))
        head = NONSENSE["upgrade to a websocket"].partition(b"\r\n\r\n")[0].replace(b"/events", b"/remote/socket?bot=silent")
        seek = b'0 {"type":"seek"}'
        frame = bytes((0x81, 0x80 | len(seek))) + bytes(4) + seek  # its mask is zero
        silent.sendall(filled(head, address) + b"\r\nAuthorization: Bearer " + one.encode() + b"\r\n\r\n")
        assert silent.recv(12) == b"HTTP/1.1 101"
        silent.sendall(frame)
        games = tmp_path / "games" / "arena.sqlite"
        until(lambda: len(opened(games)) == 1)
        # when another one plays
        said = run(command("join", address, "greedy", "--games", 1), tmp_path, other)
        # then its game is over, while that of the first continues
        assert "g2 is over" in said
        assert opened(games) == ["g1"]


def opened(database: Path) -> list[str]:
    with Store(database) as store:
        return open_games(store, chronicle(store))


@pytest.mark.parametrize("wire", ["SocketWire", "PollWire"])
@pytest.mark.parametrize("to", ["/elsewhere", "of another server"])
def test_a_redirection_is_not_followed_and_its_error_is_one_line(wire: str, to: str) -> None:
    client = pytest.importorskip("arena.extras.remote.client")
    asked, elsewhere = list[str](), list[str]()

    class Redirecting(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            (asked if self.server is server else elsewhere).append(self.path)
            self.send_response(302)
            self.send_header("Location", to if to == "/elsewhere" else f"ws://localhost:{other.server_port}/")
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Redirecting) as server, HTTPServer(("127.0.0.1", 0), Redirecting) as other:
        for one in (server, other):
            Thread(target=one.serve_forever, args=(0.01,), daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with pytest.raises(client.ConnectionLostError, match=r"^it redirects to \S+, where no token is sent$"):
            if wire == "SocketWire":
                client.SocketWire(address, "bot=a", "arena-x")
            else:
                client.PollWire(address, lambda: "bot=a", "arena-x").receive()
        for one in (server, other):
            one.shutdown()
    assert (len(asked), elsewhere) == (1, [])


def test_the_time_of_the_last_game_is_that_of_the_clock_on_the_wall_after_it_was_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    class Evening(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls(2026, 10, 24, 23, 45, tzinfo=tz)

    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    try:
        monkeypatch.setattr(joining, "datetime", Evening)
        assert joining._moment("23:30").astimezone(UTC) == datetime(2026, 10, 25, 22, 30, tzinfo=UTC)  # noqa: SLF001
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("port", ["of a server without tables", "closed"])
def test_a_server_that_cannot_be_joined_is_named_in_one_line(port: str) -> None:
    client = pytest.importorskip("arena.extras.remote.client")
    said: list[str] = []
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as closed, HTTPServer(("127.0.0.1", 0), NothingThere) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        closed.server_close()
        url = f"http://127.0.0.1:{(closed if port == 'closed' else server).server_port}"
        request = client.JoinRequest(url=url, token="arena-x", name="a", answers=client.BotAnswers("a", None))  # noqa: S106 - any
        with pytest.raises(InputError) as refused:
            client.Joining(request, None, said.append).play()
        server.shutdown()
    why = "Connection refused" if port == "closed" else wires.NO_TABLES
    assert str(refused.value) == f"{url}: cannot be joined: {why}"
    assert len(said) == (port != "closed"), "it says that it tries long polls"


def test_another_servers_page_is_not_taken_for_the_end_of_a_session() -> None:
    class NoSession(NothingThere):
        def do_GET(self) -> None:
            self.send_error(404, explain="Your session has no such page")

    client = pytest.importorskip("arena.extras.remote.client")
    said: list[str] = []

    def tell(text: str) -> None:
        said.append(text)
        assert len(said) < 3

    with HTTPServer(("127.0.0.1", 0), NoSession) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        request = client.JoinRequest(url=url, token="arena-x", name="a", answers=Answered())  # noqa: S106 - any
        with pytest.raises(InputError, match=rf"^{url}: cannot be joined: {re.escape(wires.NO_TABLES)}$"):
            client.Joining(request, None, tell).play()
        server.shutdown()


@pytest.mark.parametrize(
    "page",
    [
        b"<!doctype html>\n",
        b'0 {"type":"welcome"}',
        b'0 {"type":1}',
        b"0 []",
        b'x {"type":"turn"}',
        b"\xff",
        b'1 {"type":"x","y":' + b"[" * 9999,
    ],
)
def test_a_server_that_answers_with_something_else_than_frames_is_named_in_one_line(page: bytes) -> None:
    class LogIn(NothingThere):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

    client = pytest.importorskip("arena.extras.remote.client")
    with HTTPServer(("127.0.0.1", 0), LogIn) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        request = client.JoinRequest(url=url, token="arena-x", name="a", answers=client.BotAnswers("a", None))  # noqa: S106 - any
        with pytest.raises(InputError, match=rf"^{url}: cannot be joined: it sends no frame but .*$"):
            client.Joining(request, None, lambda _: None).play()
        server.shutdown()


@pytest.mark.parametrize("url", ["http://[", "http://x:port", "http://x:99999", "http://:80", "http://x#f", "ftp://x", "x"])
def test_what_is_no_address_is_refused_in_one_line(url: str) -> None:
    client = pytest.importorskip("arena.extras.remote.client")
    with pytest.raises(InputError, match=rf"^URL: found '{re.escape(url)}'; expected an address as "):
        client.server_url(url)


def test_the_scheme_of_an_address_may_be_in_capitals() -> None:
    assert pytest.importorskip("arena.extras.remote.client").server_url("HTTPS://club.example.org/") == "https://club.example.org"


@pytest.mark.parametrize("proxy", ["nonsense", "http://127.0.0.1:port"])
def test_an_invalid_address_of_a_proxy_is_reported_in_one_line(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("arena.extras.remote.client")
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(InputError, match=r"^http://192\.0\.2\.1: cannot be joined: "):
        client.SocketWire("http://192.0.2.1", "bot=a", "arena-x")


def test_a_connection_that_closes_during_the_handshake_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    from websockets.exceptions import ConnectionClosedError  # noqa: PLC0415 - the extra, which may not be installed

    def closing(*_: object, **__: object) -> None:
        raise ConnectionClosedError(None, None)

    monkeypatch.setattr(wires, "connect", closing)
    with pytest.raises(wires.ConnectionLostError):
        wires.SocketWire("http://192.0.2.1", "bot=a", "arena-x")


class Answered:
    """Answers every question alike."""

    def ask(self, kind: str, line: bytes) -> bytes:
        return b'{"kind":"draw"}'

    def queue(self, line: bytes) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_lost_poll_loses_neither_the_wish_for_a_game_nor_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("arena.extras.remote.client")
    monkeypatch.setattr(client, "FIRST_PAUSE", 0.01)
    welcome, game, over = (
        f"{WELCOME}\n",
        f"1 {game_line()}\n2 {HELLO}\n3 {TURN}\n",
        '4 {"type":"game_over","game":"g1","points":3}\n',
    )
    answers: list[str | None] = [welcome, None, welcome + game, None, welcome + over]  # None: lost
    received: list[str] = []

    class Polled(NothingThere):
        def do_GET(self) -> None:
            self.send_error(404)

        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            answer = answers.pop(0)
            if answer is None:
                self.send_error(503)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer.encode())

    with HTTPServer(("127.0.0.1", 0), Polled) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        request = client.JoinRequest(url=url, token="arena-x", name="a", answers=Answered(), games=1)  # noqa: S106 - any
        assert client.Joining(request, None, lambda _: None).play() == 1
        server.shutdown()
    # the first poll begins the session
    _, lost, again, lost_too, again_too = received
    assert '0 {"type":"seek"}\n' in lost
    assert '0 {"type":"seek"}\n' in again
    assert '3 {"kind":"draw"}\n' in lost_too
    assert '3 {"kind":"draw"}\n' in again_too


@pytest.mark.process
def test_a_bot_that_waits_for_a_game_stops_at_its_time() -> None:
    client = pytest.importorskip("arena.extras.remote.client")
    from websockets.sync.server import ServerConnection, serve  # noqa: PLC0415 - the extra, which may not be installed

    def silent(connection: ServerConnection) -> None:
        connection.send('0 {"type":"welcome","session":"s","bot":"ann.a"}')
        for _ in connection:
            pass

    with serve(silent, "127.0.0.1", 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.socket.getsockname()[1]}"
        end = datetime.now().astimezone() + timedelta(seconds=0.5)
        request = client.JoinRequest(url=url, token="arena-x", name="a", answers=Answered(), until=end)  # noqa: S106 - any
        playing = Thread(target=client.Joining(request, None, lambda _: None).play, daemon=True)
        playing.start()
        playing.join(10)
        assert not playing.is_alive()


class NothingThere(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_error(404)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass
