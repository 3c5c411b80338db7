"""A server as a user starts it, and what it answers."""

import os
import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from socket import socket
from typing import Any

from support.commands.calls import command
from support.repository.installing import as_user
from support.servers.asgi import Response


@contextmanager
def started(
    *arguments: object,
    message: str = r"(http://127\.0\.0\.1:\d+/\S*)",
    python: Path = Path(sys.executable),
    folder: Path | None = None,
    ordinary: bool = False,
    descriptors: int | None = None,
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Give a command that serves, perhaps with few descriptors, and the address that it names; it is ended as a person ends it.

    ``ordinary``: it is an ordinary user's, as are the files in its ``folder``.
    """
    pipe = subprocess.PIPE
    limited = [] if descriptors is None else ["prlimit", f"--nofile={descriptors}:{descriptors}"]
    called = [*limited, *command(*arguments, python=python)]
    options: dict[str, Any] = {"cwd": folder, "env": {**os.environ, "COLUMNS": "80"}, **as_user(ordinary=ordinary)}
    with subprocess.Popen(called, stdout=pipe, stderr=pipe, text=True, **options) as server:
        assert server.stderr
        try:
            line = server.stderr.readline()
            found = re.search(message, line)
            assert found, line + (server.stderr.read() if server.poll() is not None else "")
            yield server, found[1]
        finally:
            if server.poll() is None:
                server.send_signal(2)
            server.communicate()


@contextmanager
def serving(results: Path, python: Path = Path(sys.executable), *, ordinary: bool = False) -> Iterator[str]:
    """Give the address of ``arena serve``."""
    with started("serve", results, "--port", 0, python=python, ordinary=ordinary, folder=results) as (_, address):
        yield address


def ask(address: str, path: str, method: str = "GET", *, body: bytes | None = None, source: str = "", **headers: str) -> Response:
    """Ask for a path just as it is written, perhaps from another address of this machine."""
    with closing(_line(address, source)) as line:
        response = _asked(line, path, method, body, headers)
        return Response(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


def events(address: str, path: str) -> Generator[bytes, None, None]:
    """Yield the events of a stream as they come."""
    with closing(_line(address)) as line, closing(_asked(line, path, "GET", None, {})) as response:
        while received := response.readline():
            if received.startswith(b"data: "):
                yield received.removeprefix(b"data: ").strip()


def _line(address: str, source: str = "") -> HTTPConnection:
    host = address.removeprefix("http://").partition("/")[0]
    return HTTPConnection(host, timeout=200, source_address=(source, 0) if source else None)


def _asked(line: HTTPConnection, path: str, method: str, body: bytes | None, headers: dict[str, str]) -> HTTPResponse:
    line.putrequest(method, path, skip_host=True)
    for name, value in {"Host": f"{line.host}:{line.port}", **headers}.items():
        line.putheader(name, value)
    if body is not None:
        line.putheader("Content-Length", str(len(body)))
    line.endheaders(body)
    return line.getresponse()


def free_port() -> int:
    """Return a port at which nothing listens."""
    with socket() as line:
        line.bind(("127.0.0.1", 0))
        return int(line.getsockname()[1])
