"""An HTTP server on loopback only: its pages show deals and seeds, so no other machine may reach them."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from arena.errors import InputError
from arena.signals import handling

ADDRESS = "127.0.0.1"
GRACE = 1  # seconds for open event streams when the server stops


def listen(port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 chooses a free port. Raises: InputError."""
    try:
        return socket.create_server((ADDRESS, port), backlog=512)
    except OSError as error:
        raise InputError(f"--port: {port} cannot be used on {ADDRESS}: {error.strerror}; 0 chooses a free port") from None


@contextmanager
def graceful_server(app: ASGIApp) -> Iterator[uvicorn.Server]:
    """Yield a server that SIGINT, SIGTERM and SIGHUP stop gracefully. It logs only errors.

    uvicorn handles signals only once it runs; a signal that arrives before is handled here.
    """
    config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=GRACE, lifespan="on", ws="none")
    server = uvicorn.Server(config)

    def end(_: int, __: FrameType | None) -> None:
        server.should_exit = True

    with handling(end, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        yield server
