"""Requests to an application in this process, without a server: what is sent comes in parts, and may stop or never end."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import unquote

from msgspec import Struct, json
from starlette.types import ASGIApp

HOST = "127.0.0.1:1"
CLOSED = 0  # in place of a status: the sender has closed the connection before there was an answer


class Endpoint(Struct, frozen=True):
    """A path with parameters in braces, and the method that it takes."""

    method: str
    path: str


class Response(Struct, frozen=True):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def document(self) -> Any:
        return json.decode(self.body)

    @property
    def cookie(self) -> str:
        return self.headers.get("set-cookie", "").partition(";")[0]


async def asked(
    app: ASGIApp, method: str, target: str, parts: Iterable[bytes] = (), *, ends: str = "whole", **headers: str
) -> Response:
    """Send a request; after its parts it ends ``whole``, is ``closed`` by the sender, or is ``silent`` without end."""
    path, _, query = target.partition("?")
    named = {"host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": unquote(path),
        "raw_path": path.encode("latin-1", "replace"),
        "query_string": query.encode("latin-1", "replace"),
        "scheme": "http",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in named.items()],
        "client": ("127.0.0.1", 2),
        "server": ("127.0.0.1", 1),
        "root_path": "",
        "state": {},
    }
    started: dict[str, Any] = {}
    body = bytearray()

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            started.update(message)
        else:
            body.extend(message.get("body", b""))

    await app(scope, _receiving(list(parts), ends), send)
    named = {name.decode(): value.decode() for name, value in started.get("headers", ())}
    return Response(started.get("status", CLOSED), named, bytes(body))


def _receiving(parts: list[bytes], ends: str) -> Callable[[], Awaitable[MutableMapping[str, Any]]]:
    left = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    if ends == "whole":
        left.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> MutableMapping[str, Any]:
        if left:
            return left.pop(0)
        if ends != "closed":  # the sender waits for the answer
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    return receive


def ask(app: ASGIApp, method: str, target: str, parts: Iterable[bytes] = (), **options: str) -> Response:
    """Send a request, in an event loop of its own."""
    return asyncio.run(asked(app, method, target, parts, **options))
