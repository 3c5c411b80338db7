"""Serving on loopback, and nowhere else."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from arena.errors import InputError
from arena.signals import heard

ADDRESS = "127.0.0.1"
PARTING = 1  # seconds that open streams get when the server ends


def bound(port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 takes any that is free. Raises: InputError."""
    try:
        return socket.create_server((ADDRESS, port), backlog=512)
    except OSError as error:
        raise InputError(f"--port: {port} cannot be had on {ADDRESS}: {error.strerror}; 0 takes any that is free") from None


@contextmanager
def stoppable(app: ASGIApp) -> Iterator[uvicorn.Server]:
    """Give a server, to be run on a bound socket, that Ctrl-C, SIGTERM and a closed terminal end in good order at any moment.

    It logs nothing but errors.
    """
    config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=PARTING, lifespan="on", ws="none")
    server = uvicorn.Server(config)

    def end(_: int, __: FrameType | None) -> None:
        server.should_exit = True

    with heard(end, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        yield server
