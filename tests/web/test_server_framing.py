"""Where a request ends: a proxy and this server have to agree, or one request could hide in the body of another."""

from collections.abc import Iterator
from contextlib import suppress
from socket import create_connection
from threading import Thread

import pytest

pytest.importorskip("uvicorn", reason="needs the extra `web`")

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from arena.web.connection_limits import ConnectionLimits
from arena.web.server import bounded_server, listen

GET, POST = b"GET /first HTTP/1.1\r\nHost: x\r\n", b"POST /first HTTP/1.1\r\nHost: x\r\n"
SECOND = b"GET /second HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
BOTH, REFUSED, BROKEN = [b"/first", b"/second"], [b"400"], list[bytes]()

# what comes before SECOND, and who is answered; REFUSED: by a 400, and the connection is closed; BROKEN: it is closed at once
CASES = {
    "Content-Length and Transfer-Encoding": (POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", REFUSED),
    "the same in the other order": (POST + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n", REFUSED),
    "Transfer-Encoding in HTTP/1.0": (CHUNKED.replace(b"/1.1", b"/1.0") + b"0\r\n\r\n", REFUSED),
    "the same, kept alive": (CHUNKED.replace(b"/1.1\r\n", b"/1.0\r\nConnection: keep-alive\r\n") + b"0\r\n\r\n", REFUSED),
    # lengths
    "the same length twice": (POST + b"Content-Length: 1\r\nContent-Length: 1\r\n\r\na", BOTH),
    "the same length in a list": (POST + b"Content-Length: 1, 1\r\n\r\na", BOTH),
    "two lengths": (POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\na", REFUSED),
    "two lengths in a list": (POST + b"Content-Length: 1, 2\r\n\r\na", REFUSED),
    "a length with a sign": (POST + b"Content-Length: +1\r\n\r\na", REFUSED),
    "a hexadecimal length": (POST + b"Content-Length: 0x1\r\n\r\na", REFUSED),
    "an empty length": (POST + b"Content-Length: \r\n\r\n", REFUSED),
    "a GET with a body": (GET + b"Content-Length: %d\r\n\r\n" % len(SECOND) + SECOND, BOTH),
    "a length in another name": (POST + b"Content_Length: 9\r\n\r\n", BOTH),
    # codings
    "another coding": (POST + b"Transfer-Encoding: identity\r\n\r\n", REFUSED),
    "two codings": (POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", REFUSED),
    "one coding twice": (POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", REFUSED),
    "a space before the colon": (POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", REFUSED),
    "a vertical tab": (POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", REFUSED),
    "a coding in another name": (POST + b"Transfer_Encoding: chunked\r\n\r\n", BOTH),
    # lines
    "a folded line": (POST + b"X: a\r\n Content-Length: 9\r\n\r\n", BOTH),  # one line: RFC 9112, 5.2
    "a folded length": (POST + b"Content-Length:\r\n 1\r\n\r\na", BOTH),
    "a fold before the first field": (b"GET /first HTTP/1.1\r\n Host: x\r\n\r\n", REFUSED),
    "bare LF": (GET.replace(b"\r\n", b"\n") + b"\n", BOTH),  # the end of a line: RFC 9112, 2.2
    "bare CR": (GET.replace(b"\r\n", b"\r") + b"\r", REFUSED),
    "bare CR in a field": (GET + b"X: a\rContent-Length: 9\r\n\r\n", REFUSED),
    "NUL in a field": (GET + b"X: \0\r\n\r\n", REFUSED),
    "two hosts": (GET + b"Host: y\r\n\r\n", REFUSED),
    "an empty line before": (b"\r\n" + GET + b"\r\n", REFUSED),
    # chunks
    "an extension of a chunk": (CHUNKED + b"1;a=b\r\na\r\n0\r\n\r\n", BOTH),
    "an extension with a bare LF": (CHUNKED + b"1;a\nb\r\na\r\n0\r\n\r\n", BROKEN),
    "chunks with bare LF": (CHUNKED + b"1\na\n0\n\n", BROKEN),
    "another end of a chunk": (CHUNKED + b"1\r\naXX0\r\n\r\n", BROKEN),
    "a chunk with a sign": (CHUNKED + b"+1\r\na\r\n0\r\n\r\n", BROKEN),
    "a chunk of many digits": (CHUNKED + b"0" * 30 + b"1\r\na\r\n0\r\n\r\n", BROKEN),
    "a length in the trailer": (CHUNKED + b"0\r\nContent-Length: 99\r\n\r\n", BOTH),
}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Yield the port of a server that answers with the path of a request."""

    async def path(request: Request) -> PlainTextResponse:
        with suppress(ClientDisconnect):
            await request.body()
        return PlainTextResponse(request.url.path)

    limits = ConnectionLimits()
    with listen(0) as listener:
        running = bounded_server(Starlette(routes=[Route("/{path:path}", path, methods=["GET", "POST"])]), limits)
        thread = Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()[1]
        running.should_exit = True
        thread.join()


def answers(port: int, requests: bytes) -> list[bytes]:
    """Return the path of each request that is answered, or its status, until the server closes the connection."""
    received = b""
    with create_connection(("127.0.0.1", port), 60) as peer, suppress(ConnectionError):
        peer.sendall(requests)
        while part := peer.recv(1 << 16):
            received += part
    found = list[bytes]()
    for response in received.split(b"HTTP/1.1 ")[1:]:
        head, _, body = response.partition(b"\r\n\r\n")
        found.append(body if head.startswith(b"200") else head[:3])
    return found


@pytest.mark.parametrize("name", CASES)
def test_a_request_ends_at_one_place_or_its_connection_does(name: str, port: int) -> None:
    request, expected = CASES[name]
    assert answers(port, request + SECOND) == expected
