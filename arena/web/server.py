"""Serving on loopback, and nowhere else."""

import socket

import uvicorn
from starlette.types import ASGIApp

from arena.errors import InputError

ADDRESS = "127.0.0.1"
PARTING = 1  # seconds that open streams get when the server ends


def bound(port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 takes any that is free. Raises: InputError."""
    try:
        return socket.create_server((ADDRESS, port), backlog=512)
    except OSError as error:
        raise InputError(f"--port: {port} cannot be had on {ADDRESS}: {error.strerror}; 0 takes any that is free") from None


def server(app: ASGIApp) -> uvicorn.Server:
    """Return a server, to be run on a bound socket; it logs nothing but errors."""
    config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=PARTING, lifespan="on", ws="none")
    return uvicorn.Server(config)
