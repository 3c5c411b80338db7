"""Attacks on a server that need no token: connections that are opened, and kept.

    python tests/support/hostile/flooding.py http://127.0.0.1:8000/ 1400 20

Keeps 1,400 connections of each kind open for 20 seconds, from one address and from many, and prints how long ``/health`` takes.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from socket import AF_INET, SO_RCVBUF, SOCK_STREAM, SOL_SOCKET, create_connection, socket
from statistics import median

REQUESTS: Mapping[str, bytes] = {
    "half a head": b"GET / HTTP/1.1\r\nHost: %b\r\nX-Slow: ",
    "event streams": b"GET /events HTTP/1.1\r\nHost: %b\r\n\r\n",
    "HEAD of event streams": b"HEAD /events HTTP/1.1\r\nHost: %b\r\n\r\n",
    "a body that drips": b"POST /sign-in HTTP/1.1\r\nHost: %b\r\nOrigin: http://%b\r\nContent-Length: 7000\r\n\r\n",
    "idle after a response": b"GET /table.json HTTP/1.1\r\nHost: %b\r\n\r\n",
    "nothing read": b"GET /static/replay.js HTTP/1.1\r\nHost: %b\r\n\r\n" * 9,
    "a body that nobody reads": b"GET /table.json HTTP/1.1\r\nHost: %b\r\nContent-Length: 70000\r\n\r\n",
    "nothing at all": b"",
}
NONSENSE: Mapping[str, bytes] = {
    "upgrade to a websocket": b"GET /events HTTP/1.1\r\nHost: %b\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n\x81\x85\x00\x00\x00\x00hello",
    "upgrade to HTTP/2": b"GET / HTTP/1.1\r\nHost: %b\r\nConnection: Upgrade, HTTP2-Settings\r\n"
    b"Upgrade: h2c\r\nHTTP2-Settings: \r\n\r\n",
    "HTTP/2 at once": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(50),
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    "a proxy's line": b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\nHost: %b\r\n\r\n",
    "a chunk without a length": b"POST /sign-in HTTP/1.1\r\nHost: %b\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "a bad chunk into an event stream": b"GET /events HTTP/1.1\r\nHost: %b\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "two lengths": b"POST /sign-in HTTP/1.1\r\nHost: %b\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "a length without end": b"POST /sign-in HTTP/1.1\r\nHost: %b\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\nab",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "a head without end": b"GET / HTTP/1.1\r\nHost: %b\r\n" + b"X: y\r\n" * 20_000,
    "CONNECT": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: %b\r\n\r\n",
    "an address without a path": b"GET http://%b HTTP/1.1\r\nHost: %b\r\n\r\n",
    "many requests at once": b"GET /health HTTP/1.1\r\nHost: %b\r\n\r\n" * 2000,
    "requests behind an event stream": b"GET /events HTTP/1.1\r\nHost: %b\r\n\r\n"
    + b"GET /health HTTP/1.1\r\nHost: %b\r\n\r\n" * 20_000,
    "continue, and nothing more": b"POST /sign-in HTTP/1.1\r\nHost: %b\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
    "names that are not ASCII": b"GET /\xff\xfe HTTP/1.1\r\nHost: %b\r\nX-\xff: y\r\n\r\n",
}
Source = Callable[[int], str]  # the address of the connection with a number


def one_address(_: int) -> str:
    """Return the same address for all connections."""
    return "127.0.0.1"


def many_addresses(number: int) -> str:
    """Return another address of this machine for each connection."""
    return f"127.1.{number // 250}.{number % 250 + 1}"


def endpoint(address: str) -> tuple[str, int]:
    """Return host and port of an address."""
    host, _, port = address.removeprefix("http://").partition("/")[0].partition(":")
    return host, int(port)


def filled(request: bytes, address: str) -> bytes:
    """Return a request to an address."""
    return request.replace(b"%b", ":".join(map(str, endpoint(address))).encode())


@contextmanager
def held(address: str, request: bytes, count: int, source: Source = one_address) -> Iterator[list[socket]]:
    """Open connections that send a request and then neither read nor send; yields those that were accepted by the kernel."""
    sent, opened = filled(request, address), list[socket]()
    with ExitStack() as stack:
        for number in range(count):
            line = stack.enter_context(socket(AF_INET, SOCK_STREAM))
            line.setsockopt(SOL_SOCKET, SO_RCVBUF, 2048)
            line.bind((source(number), 0))
            line.settimeout(5)
            with suppress(OSError):  # refused, or dropped meanwhile
                line.connect(endpoint(address))
                line.settimeout(0)
                line.send(sent)
            opened.append(line)
        yield opened


def drip(lines: list[socket]) -> None:
    """Send another byte on each connection."""
    for line in lines:
        with suppress(OSError):
            line.send(b"x")


def health(address: str, source: str = "127.0.0.1", within: float = 30) -> float:
    """Return the seconds that ``/health`` took; inf: it did not answer with 200."""
    began = time.monotonic()
    try:
        with create_connection(endpoint(address), within, (source, 0)) as line:
            line.settimeout(within)
            line.sendall(filled(b"GET /health HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n\r\n", address))
            answered = line.recv(100).startswith(b"HTTP/1.1 200")
    except OSError:
        answered = False
    return time.monotonic() - began if answered else float("inf")


def answer(address: str, request: bytes, within: float = 30) -> bytes:
    """Return the beginning of what comes back; empty: the connection is closed without an answer."""
    with create_connection(endpoint(address), within) as line:
        with suppress(OSError):
            line.sendall(filled(request, address))
        try:
            return line.recv(4096)
        except ConnectionResetError:
            return b""


def measure(address: str, count: int, seconds: float) -> None:
    """Print how long ``/health`` takes during each attack."""
    for source in (one_address, many_addresses):
        for name, request in REQUESTS.items():
            began, took = time.monotonic(), list[float]()
            with held(address, request, count, source) as lines:
                opened = time.monotonic() - began
                while time.monotonic() < began + opened + seconds:
                    drip(lines)
                    took += [health(address), health(address, "127.0.0.77")]
                    time.sleep(0.2)
            where = source.__name__.replace("_", " ")
            sys.stdout.write(
                f"{count} x {name}, {where}: opened in {opened:.1f} s;"
                f" /health {len(took)} times, median {1000 * median(took):.0f} ms, longest {1000 * max(took):.0f} ms\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    measure(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
