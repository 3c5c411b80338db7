"""The files of an author: the logs of bots, and their matches."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from arena.league.rules.rounds import round_of
from arena.store.folder import Folder
from arena.store.store import Store
from arena.text import json_text, printable
from arena.web.club import views
from arena.web.club.context import Context

LOG_BYTES = 1 << 18  # of the end of a bot's log
RECORDS = 100  # that are read at a time for a download


class OwnFiles:
    """An author's own files."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/me/logs/{version}", self.log),
            Route("/me/matches.jsonl", self.matches),
        ]

    async def log(self, request: Request) -> Response:
        """Return the end of what a version of the caller's has written to stderr."""
        author = self._context.author(request)
        version = self._context.own_version(request.path_params["version"], author)
        folder = self._context.path / "logs" / "bots"
        return PlainTextResponse(await asyncio.to_thread(_log, folder, version.id))

    async def matches(self, request: Request) -> Response:
        """Return every match of the caller's bots in rounds that are over, as JSON lines."""
        author = self._context.author(request)
        snapshot = self._context.snapshot
        mine = {version.id for version in snapshot.field.versions if version.author == author}
        return StreamingResponse(
            _matches(self._context.path, mine, len(snapshot.calendar.closed)),
            media_type="application/x-ndjson",
            headers={"Content-Disposition": f'attachment; filename="matches-{author}.jsonl"'},
        )


def _log(folder: Path, version: str) -> str:
    """Return the end of a bot's log; each worker may have written a file of its own."""
    texts = []
    for path in (folder / f"{version}.stderr.1", folder / f"{version}.stderr", *sorted(folder.glob(f"{version}.*.stderr"))):
        try:
            with path.open("rb") as file:
                file.seek(max(0, file.seek(0, 2) - LOG_BYTES - 1))  # a byte more: ``_last_lines`` sees that the log is cut
                texts.append(file.read())
        except OSError:
            continue  # it does not exist, or was rotated meanwhile
    return printable(_last_lines(b"".join(texts)).decode("utf-8", "replace")) or f"{version} has written nothing\n"


def _last_lines(log: bytes) -> bytes:
    """Return the end of a log in whole lines."""
    return log if len(log) <= LOG_BYTES else log[-LOG_BYTES:].partition(b"\n")[2]


def _matches(path: Path, mine: set[str], closed: int) -> Iterator[bytes]:
    """Yield the matches of some versions in closed rounds as lines of JSON, without the details of faults of other authors' bots.

    The database is opened anew for each part, in the thread that reads it: a slow reader holds neither a thread nor the database.
    """
    seen = 0
    while True:
        with Store(Folder(path).database) as store:
            records = list(islice(store.records(after=seen), RECORDS))
        if not records:
            return
        seen += len(records)
        played = (record for record in records if not mine.isdisjoint(record.fixture.seats))
        shown = (views.with_details_of(record, mine) for record in played if round_of(record.fixture.id) <= closed)
        yield b"".join(json_text(record).encode() + b"\n" for record in shown)
