"""Leaves the names of the server's folders out of every response of a league.

Tracebacks of bots name files by their full paths, and so do errors of the league. An author knows a file by its place in the bot;
where the server keeps it is nobody else's affair. The bytes of a response are searched, so no page and no text can be forgotten;
what is stored stays as it was written. It hides nothing from a bot, which may write the name of its folder in a code of its own.
"""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from markupsafe import escape
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.players.file_names import SHARED, installation
from arena.printable import json_text
from arena.runs.leagues.intake import BOTS, ENVIRONMENTS
from arena.runs.leagues.uploads import BODY
from arena.runs.leagues.uploads import FOLDER as UPLOADS

INSIDE = (
    rf"(?:(?:(?:{BOTS}|{ENVIRONMENTS})/[\w.-]+|{UPLOADS}/\d+/{BODY})/)?".encode()
)  # of a league: where a bot or its libraries are


class Places:
    """The folders of a server and of one league."""

    def __init__(self, league: Path) -> None:
        self._league = league.name.encode()
        names = [*_written(league.absolute()), *_written(league.resolve())]
        leagues = b"|".join(_longest_first(names))
        others = b"|".join(_longest_first(name for folder in _folders() for name in _written(folder)))
        self._pattern = re.compile(rb"(?:%b)(?P<inside>/%b|(?![\w.-]))|(?:%b)/" % (leagues, INSIDE, others))

    def left_out(self, text: bytes) -> bytes:
        """Return a text in which a file has its name relative to its bot, else to its league, else to a folder of the server."""
        return self._pattern.sub(lambda found: self._league if found["inside"] == b"" else b"", text)


def _folders() -> Iterator[Path]:
    """Yield the folders of the server that a bot or an error may name."""
    yield from installation() | ({Path.home(), Path.cwd(), Path(tempfile.gettempdir())} - SHARED)


def _written(folder: Path) -> set[bytes]:
    """Return how the name of a folder is written in text, in pages and in JSON."""
    name = str(folder)
    return {name.encode(), str(escape(name)).encode(), json_text(name)[1:-1].encode()}


def _longest_first(names: Iterator[bytes] | list[bytes]) -> list[bytes]:
    return [re.escape(name) for name in sorted(set(names), key=len, reverse=True)]


class WithoutPlaces:
    """Leaves places out of the responses of an application. A part of a stream must hold whole lines."""

    def __init__(self, app: ASGIApp, places: Places) -> None:
        self._app = app
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        start: Message = {}

        async def sending(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message  # its length is known with the body
                return
            body = self._places.left_out(message.get("body", b""))
            if start:
                headers = MutableHeaders(scope=start)
                if not message.get("more_body") and "content-length" in headers:
                    headers["content-length"] = str(len(body))
                await send(start)
                start = {}
            await send({**message, "body": body})

        await self._app(scope, receive, sending if scope["type"] == "http" else send)
