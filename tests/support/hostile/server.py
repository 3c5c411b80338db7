"""A server on loopback that sends whatever a test wants, as long as its client listens."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from socket import socket
from socketserver import BaseRequestHandler, ThreadingTCPServer
from ssl import SSLContext
from threading import Event, Thread

# what one connection is sent, in parts; receives the beginning of the request, and an event that is set when the test is over
Response = Callable[[bytes, Event], Iterable[bytes]]


@contextmanager
def answering(response: Response, requests: list[bytes] | None = None, tls: SSLContext | None = None) -> Iterator[str]:
    """Yield the address of a server that answers the beginning of each request, which is added to ``requests``."""
    over = Event()

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError), tls.wrap_socket(self.request, server_side=True) if tls else self.request as stream:
                self.answer(stream)  # until the client closes the connection

        def answer(self, stream: socket) -> None:
            head = stream.recv(1 << 16)
            if requests is not None:
                requests.append(head)
            for part in response(head, over):
                if over.is_set():
                    return
                stream.sendall(part)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http{'s' if tls else ''}://127.0.0.1:{server.server_address[1]}"
        finally:
            over.set()
            server.shutdown()


def at_once(*parts: bytes) -> Response:
    """Return a response of some parts, after which the connection is closed."""
    return lambda _head, _over: parts


def without_end(head: bytes, part: bytes) -> Response:
    """Return a response whose part is repeated as fast as it is read."""

    def send(_: bytes, over: Event) -> Iterator[bytes]:
        yield head
        while not over.is_set():
            yield part

    return send


def dripping(head: bytes, part: bytes = b"x", pause: float = 0.01) -> Response:
    """Return a response that continues in small parts, each in time for a limit that is counted from the last one."""

    def send(_: bytes, over: Event) -> Iterator[bytes]:
        yield head
        while not over.wait(pause):
            yield part

    return send
