"""What strangers can hold open of a server, and that it answers everybody else meanwhile."""

import asyncio
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from support.hostile.flooding import NONSENSE, REQUESTS, answer, drip, endpoint, filled, health, held, many_addresses, one_address
from support.processes.waiting import until
from support.servers.serving import ask

from arena.web import server
from arena.web.channels import Channel, public_stream
from arena.web.connection_limits import MOST, OWN, Capacity, ConnectionLimits, Connections, Shares, reserve_descriptors, sender
from arena.web.responses import problem_handler
from arena.web.server import Sockets, bounded_server, listen

SMALL = Capacity(connections=40, connections_each=20, streams=12, streams_each=6)
LARGE = bytes(4 << 20)
HEALTH = b"GET /health HTTP/1.1\r\nHost: %b\r\n\r\n"


class Peer:
    """A connection of which only the address matters."""

    def __init__(self, address: str, read: list[str] | None = None) -> None:
        self.address = address
        self.dropped = False
        self._read = [] if read is None else read

    def read(self) -> None:
        self._read.append(self.address)

    def drop(self) -> None:
        self.dropped = True


async def accept(socket: WebSocket) -> None:
    await socket.accept()
    await wait_for_the_end(socket)


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    with suppress(WebSocketDisconnect):
        while True:
            await socket.send_text("x" * 1000)


async def wait_for_the_end(socket: WebSocket) -> None:
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


def application(limits: ConnectionLimits) -> Starlette:
    """Return a small application with everything that can be held open."""
    channel = Channel()
    channel.send(b"data: now\n\n")

    async def events(request: Request) -> Response:
        return public_stream(channel, limits, request)

    async def body(request: Request) -> Response:
        return PlainTextResponse(f"{len(await request.body())} bytes\n")

    async def text(content: bytes, _: Request) -> Response:
        return PlainTextResponse(content)

    routes = [Route("/events", events), Route("/sign-in", body, methods=["POST"])]
    routes += [Route(path, partial(text, content)) for path, content in {"/health": b"ok\n", "/large": LARGE}.items()]
    ends = {"/accepted": accept, "/unaccepted": wait_for_the_end, "/talkative": talk}
    sockets = [WebSocketRoute(path, end) for path, end in ends.items()]
    return Starlette(routes=[*routes, *sockets], exception_handlers={503: problem_handler("/")})


@contextmanager
def served(limits: ConnectionLimits, *, proxied: bool = False, sockets: Sockets = "none") -> Iterator[str]:
    """Yield the address of a server in a thread."""
    with listen(0) as listener:
        running = bounded_server(application(limits), limits, proxied=proxied, sockets=sockets)
        thread = Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            running.should_exit = True
            thread.join()


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all deadlines pass at once."""
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "READER_SECONDS"):
        monkeypatch.setattr(server, name, 0.1)
    monkeypatch.setattr(server, "PACE", 1 << 30)


# --- what there is room for


def test_the_server_keeps_descriptors_for_itself_and_raises_the_limit_as_far_as_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {"now": (256, 1024)}
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits["now"])
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: limits.update(now=wanted))
    assert reserve_descriptors().connections == 1024 - OWN
    assert limits["now"] == (1024, 1024)
    limits["now"] = (1024, resource.RLIM_INFINITY)
    assert reserve_descriptors().connections == MOST
    assert limits["now"] == (MOST + OWN, resource.RLIM_INFINITY)
    limits["now"] = (100, 100)
    assert reserve_descriptors() == Capacity(connections=50, connections_each=12, streams=25, streams_each=6)


def test_a_client_with_ipv6_is_counted_by_the_64_bits_that_it_gets() -> None:
    assert sender("2001:db8:0:1::1") == sender("2001:db8:0:1:ffff::2") != sender("2001:db8:0:2::1")
    assert [sender(host) for host in ("192.0.2.1", "unknown", "")] == ["192.0.2.1", "unknown", ""]
    assert sender("::ffff:192.0.2.1") == "192.0.2.1"


def test_shares_are_given_back() -> None:
    shares = Shares(most=3, each=2)
    with shares.one_more("ann") as first, shares.one_more("ann") as second, shares.one_more("ann") as third:
        assert [first, second, third] == [True, True, False]
        with shares.one_more("ben") as fourth, shares.one_more("cid") as fifth:
            assert [fourth, fifth] == [True, False]
    assert (shares.total, shares.refused) == (0, 2)
    with shares.one_more("ann") as again:
        assert again


def test_the_connection_that_has_kept_the_server_waiting_longest_makes_room_for_one_of_its_address() -> None:
    connections = Connections(most=10, each=2)
    first, second, other, third = Peer("a"), Peer("a"), Peer("b"), Peer("a")
    for peer in (other, first, second):
        assert connections.add(peer)
        connections.set_waiting(peer, 1.0)
    connections.set_waiting(first, None)  # it has sent its request
    connections.set_waiting(first, 2.0)  # and waits for nothing again
    assert connections.add(third)
    assert [peer.dropped for peer in (first, second, other)] == [False, True, False]


def test_one_of_the_address_with_most_connections_makes_room_in_a_full_server() -> None:
    connections = Connections(most=3, each=2)
    alone, first, second = Peer("b"), Peer("a"), Peer("a")
    for peer in (alone, first, second):
        assert connections.add(peer)
        connections.set_waiting(peer, 1.0)
    assert connections.add(Peer("c"))
    assert [peer.dropped for peer in (alone, first, second)] == [False, True, False]


def test_where_nobody_keeps_the_server_waiting_another_connection_is_refused() -> None:
    connections = Connections(most=2, each=2)
    peers = [Peer("a"), Peer("b")]
    assert all(map(connections.add, peers))
    refused = Peer("c")
    assert not connections.add(refused)
    for peer in (refused, *peers):
        connections.remove(peer)
    assert (connections.total, connections.refused) == (0, 1)


def test_connections_of_different_addresses_are_read_in_turn() -> None:
    connections, order = Connections(most=10, each=10), list[str]()
    assert [connections.queue(Peer(address, order)) for address in "aaab"] == [True, False, False, False]
    while connections.read_next():
        pass
    assert order == ["a", "b", "a", "a"]


# --- a server


@pytest.mark.process
@pytest.mark.parametrize("source", [one_address, many_addresses])
@pytest.mark.parametrize("attack", [name for name in REQUESTS if name != "nothing read"])
def test_a_server_answers_while_more_connections_are_held_open_than_it_has_room_for(attack: str, source: object) -> None:
    limits = ConnectionLimits(SMALL)
    addresses = one_address if source is one_address else many_addresses
    with served(limits) as address, held(address, REQUESTS[attack], 3 * SMALL.connections, addresses) as lines:
        for _ in range(3):
            drip(lines)
            assert health(address) < float("inf")
            assert health(address, "127.0.0.77") < float("inf")
            assert limits.connections.total <= SMALL.connections + server.AT_ONCE
            assert limits.visitors.total <= (SMALL.streams_each if addresses is one_address else SMALL.streams)
    assert (limits.connections.total, limits.visitors.total) == (0, 0)


def test_an_event_stream_without_room_is_refused_with_the_time_to_try_again(caplog: pytest.LogCaptureFixture) -> None:
    with served(ConnectionLimits(SMALL)) as address, held(address, REQUESTS["event streams"], SMALL.streams_each) as lines:
        for line in lines:
            line.settimeout(60)
            assert line.recv(12) == b"HTTP/1.1 200"
        refused = ask(address, "/events")
        assert (refused.status, refused.headers["retry-after"]) == (503, "10")
        assert refused.text.startswith("live updates are off")
        assert ask(address, "/health").status == 200
        lines[0].close()
        until(lambda: ask(address, "/events", "HEAD").status == 200)
    assert not caplog.records


def test_a_full_server_refuses_a_connection_with_the_time_to_try_again() -> None:
    limits = ConnectionLimits(Capacity(connections=2, connections_each=2, streams=2, streams_each=2))
    with served(limits) as address, held(address, REQUESTS["event streams"], 2):
        until(lambda: limits.visitors.total == 2)
        refused = ask(address, "/health")
        assert (refused.status, refused.headers["retry-after"]) == (503, "10")
    assert limits.connections.refused == 1


@pytest.mark.process
@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("request_", [*(REQUESTS[name] for name in ("half a head", "a body that drips", "nothing at all")), HEALTH])
def test_a_connection_that_drips_or_is_idle_is_closed_after_its_time(request_: bytes) -> None:
    limits = ConnectionLimits(SMALL)
    with served(limits) as address, held(address, request_, 3) as lines:
        until(lambda: drip(lines) or limits.connections.dropped == 3)  # type: ignore[func-returns-value]
        until(lambda: limits.connections.total == 0)


@pytest.mark.process
@pytest.mark.usefixtures("short")
def test_who_does_not_read_a_long_response_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    limits = ConnectionLimits(SMALL)
    with served(limits) as address:
        with held(address, b"GET /large HTTP/1.1\r\nHost: %b\r\n\r\n", 3):
            until(lambda: limits.connections.dropped == 3)
        assert ask(address, "/large").body == LARGE
    assert not caplog.records


@pytest.mark.process
@pytest.mark.usefixtures("short")
def test_an_open_stream_and_a_slow_answer_have_all_the_time() -> None:
    limits = ConnectionLimits(SMALL)
    with served(limits) as address, held(address, REQUESTS["event streams"], 1):
        until(lambda: limits.visitors.total == 1)
        with held(address, REQUESTS["nothing at all"], 1):
            until(lambda: limits.connections.dropped == 1)  # another one, that was opened later
        assert limits.visitors.total == 1


def test_pipelined_requests_are_answered_in_order() -> None:
    with served(ConnectionLimits(SMALL)) as address, held(address, HEALTH * 300, 1) as [line]:
        line.settimeout(60)
        received = b""
        while received.count(b"\r\n\r\nok\n") < 300:
            received += line.recv(1 << 16)
        assert received.count(b"HTTP/1.1 200 OK") == 300


@pytest.mark.process
def test_nonsense_is_refused_or_left_aside_and_no_error_of_arena(caplog: pytest.LogCaptureFixture) -> None:
    with served(ConnectionLimits(SMALL)) as address:
        begins = {name: answer(address, request) for name, request in NONSENSE.items()}
        assert health(address) < float("inf")
    assert not [name for name, begin in begins.items() if begin.startswith(b"HTTP/1.1 5")]
    assert not caplog.records


# --- behind a proxy


def test_behind_a_proxy_each_client_has_its_own_share_and_the_proxy_more_than_one() -> None:
    limits = ConnectionLimits(SMALL)
    one = b"GET /events HTTP/1.1\r\nHost: %b\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n"
    other = one.replace(b"192.0.2.1", b"192.0.2.2")
    with served(limits, proxied=True) as address, held(address, one, 10), held(address, other, 3):
        until(lambda: limits.visitors.total == SMALL.streams_each + 3)
        with held(address, REQUESTS["half a head"], SMALL.connections_each):
            until(lambda: limits.connections.total > SMALL.connections_each)
            assert health(address) < float("inf")


def test_without_a_proxy_nobody_names_another_address_than_its_own() -> None:
    limits = ConnectionLimits(SMALL)
    with served(limits) as address:
        requests = [
            filled(b"GET /events HTTP/1.1\r\nHost: %%b\r\nX-Forwarded-For: 192.0.2.%d\r\n\r\n" % number, address)
            for number in range(SMALL.streams)
        ]
        lines = [socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2].strip("/")))) for _ in requests]
        for line, request in zip(lines, requests, strict=True):
            line.sendall(request)
        answers = [line.recv(12) for line in lines]
        for line in lines:
            line.close()
    assert answers.count(b"HTTP/1.1 200") == SMALL.streams_each


def test_a_client_of_the_proxy_has_no_more_requests_at_once_than_its_share() -> None:
    began, ends = asyncio.Event(), asyncio.Event()

    async def slow(*_: object) -> None:
        began.set()
        await ends.wait()

    async def statuses() -> list[int]:
        app, found = server.ClientShares(slow, Shares(most=10, each=1)), list[int]()

        async def send(message: object) -> None:
            found.append(message.get("status", 0)) if isinstance(message, dict) else None

        def call(client: str) -> asyncio.Task[None]:
            return asyncio.create_task(app({"type": "http", "client": (client, 1), "method": "GET"}, None, send))  # type: ignore[arg-type]

        first = call("192.0.2.1")
        await began.wait()
        await call("192.0.2.1")
        others = [call(client) for client in ("192.0.2.2", "127.0.0.1")]
        ends.set()
        await asyncio.gather(first, *others)
        return found

    assert asyncio.run(statuses()) == [503, 0]


@pytest.mark.process
@pytest.mark.usefixtures("short")
def test_a_websocket_counts_as_a_connection_and_is_ended_unless_it_is_accepted_in_time() -> None:
    pytest.importorskip("websockets", reason="needs the extra `remote`")
    limits = ConnectionLimits(SMALL)
    with served(limits, sockets="websockets-sansio") as address:
        for header in (b"Content-Length: 1\r\n", b"Transfer-Encoding: chunked\r\n"):
            with upgraded(address, b"/accepted", header) as peer:
                assert peer.makefile("rb").read().startswith(b"HTTP/1.1 400 ")  # and it is closed
        with upgraded(address, b"/unaccepted") as peer:
            assert peer.recv(1) == b""
        until(lambda: limits.connections.total == 0)
        with upgraded(address, b"/accepted") as peer:
            assert peer.recv(12) == b"HTTP/1.1 101"
            time.sleep(0.2)  # longer than it may take to be accepted
            assert limits.connections.total == 1
        until(lambda: limits.connections.total == 0)


@pytest.mark.process
@pytest.mark.usefixtures("short")
def test_a_websocket_that_nobody_reads_is_dropped_after_its_time(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("websockets", reason="needs the extra `remote`")
    limits = ConnectionLimits(SMALL)
    with served(limits, sockets="websockets-sansio") as address, upgraded(address, b"/talkative"):
        until(lambda: limits.connections.dropped == 1)
        until(lambda: limits.connections.total == 0)
    assert not caplog.records


def test_who_sends_pings_and_reads_no_answer_is_dropped_before_much_waits_for_it() -> None:
    pytest.importorskip("websockets", reason="needs the extra `remote`")
    ping = b"\x89\xfd" + bytes(4 + 125)
    limits = ConnectionLimits(SMALL)
    with (
        served(limits, sockets="websockets-sansio") as address,
        upgraded(address, b"/accepted") as peer,
        pytest.raises(ConnectionError),
    ):
        for _ in range(100):
            peer.sendall(ping * 1000)
    assert limits.connections.total == 0


def upgraded(address: str, path: bytes, header: bytes = b"") -> socket.socket:
    """Return a connection that asks for a WebSocket, and has room for little that it does not read."""
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    peer.settimeout(5)
    peer.connect(endpoint(address))
    head = NONSENSE["upgrade to a websocket"].partition(b"\r\n\r\n")[0].replace(b"/events", path)
    peer.sendall(filled(head, address) + b"\r\n" + header + b"\r\n")
    return peer
