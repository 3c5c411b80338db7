"""The pages behind a token: an author's uploads, verdicts, bots, logs, faults and matches; and what an organiser decides."""

import asyncio
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec.json import encode
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from arena.errors import ArenaError, StoreError
from arena.league import membership, positions
from arena.league.jobs import JobQueue
from arena.league.requests import COMPARED_HANDS, PracticeMatch, ask_comparison, find_comparison
from arena.league.rules.events import Reinstated, Retired
from arena.league.rules.field import Version
from arena.league.rules.rounds import round_of
from arena.league.uploads import Upload
from arena.reports.html_page import render
from arena.reports.page.assets import step
from arena.runs.audition_steps import BOT, replay_command
from arena.runs.difference_words import summary
from arena.runs.differences import KIND_NAMES, debug_command
from arena.store.folder import Folder
from arena.store.store import Store
from arena.text import json_text, printable
from arena.web.channels import EventStream, event
from arena.web.club import advice, views
from arena.web.club.context import Context, http_error
from arena.web.club.receiving import Receiver
from arena.web.club.shown_reviews import review_section
from arena.web.club.watch import LeagueSnapshot
from arena.web.responses import json_response

LOG_BYTES = 1 << 18  # of the end of a bot's log
SHOWN = 10  # uploads on the author's page
RENEWED = 3  # seconds after which a page with a pending upload or comparison is loaded again
RECORDS = 100  # that are read at a time for a download


class AuthorPages:
    """The pages behind an author's token, and the addresses for authors' programs."""

    def __init__(self, context: Context, jobs: JobQueue, submitted: Callable[[Upload], None]) -> None:
        """Make the pages; ``submitted`` is called with each new upload."""
        self._context = context
        self._jobs = jobs
        self._submitted = submitted
        self._receiver = Receiver(jobs, context.terms.limits, context.terms.patience)

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/sign-in", self.sign_in_page),
            Route("/sign-in", self.sign_in, methods=["POST"]),
            Route("/sign-out", self.sign_out, methods=["POST"]),
            Route("/me", self.page),
            Route("/me/events", self.events),
            Route("/me/retire", self.retire, methods=["POST"]),
            Route("/me/reinstate", self.reinstate, methods=["POST"]),
            Route("/me/logs/{version}", self.log),
            Route("/me/changes", self.compare, methods=["POST"]),
            Route("/me/changes/{old}/{new}", self.changes),
            Route("/me/matches.jsonl", self.matches),
            Route("/me/uploads/{number}", self.upload_page),
            Route("/api/uploads", self.uploads),
            Route("/api/uploads", self.upload, methods=["POST"]),
            Route("/api/uploads/{number}", self.upload_state),
        ]

    # --- signing in

    async def sign_in_page(self, request: Request) -> Response:
        """Return the page on which an author signs in."""
        return self._context.page(request, "club_sign_in.html", {"wrong": False})

    async def sign_in(self, request: Request) -> Response:
        """Begin a session."""
        found = await self._context.form(request)
        response = RedirectResponse("/me", 303)
        if self._context.callers.sign_in(found.get("token", ""), response) is None:
            return self._context.page(request, "club_sign_in.html", {"wrong": True}, 401)
        return response

    async def sign_out(self, request: Request) -> Response:
        """End the session."""
        await self._context.form(request)
        response = RedirectResponse("/", 303)
        self._context.callers.sign_out(self._context.caller(request), response)
        return response

    # --- uploads

    async def upload(self, request: Request) -> Response:
        """Receive a bot, and return its upload as JSON, with status 201."""
        author = self._context.author(request)
        self._context.check_own_page(request)
        if self._context.unsafe:
            raise HTTPException(503, self._context.unsafe.public)
        try:
            upload = await self._receiver.receive(request, author)
        except ArenaError as error:
            raise http_error(error, 507 if isinstance(error, StoreError) else 400) from None
        self._submitted(upload)
        response = json_response(json_text(upload), 201)
        response.headers["Location"] = f"/api/uploads/{upload.id}"
        return response

    async def uploads(self, request: Request) -> Response:
        """Return the caller's uploads as JSON, the last first."""
        author = self._context.author(request)
        return json_response(json_text(self._jobs.of(Upload, author)))

    async def upload_state(self, request: Request) -> Response:
        """Return an upload of the caller as JSON."""
        return json_response(json_text(self._own_upload(request)))

    async def upload_page(self, request: Request) -> Response:
        """Return the page of an upload: its steps, and why it was refused."""
        upload = self._own_upload(request)
        values = {
            "upload": upload,
            "again": lambda finding: shlex.join(replay_command(finding, upload.bot)),
            "cards": lambda finding: advice.turn_cards(finding.turn, self._context.spec.rules),
            "next_step": advice.audition_advice,
            "renewed": RENEWED if upload.ended is None else 0,
        }
        return self._context.page(request, "club_upload.html", values)

    def _own_upload(self, request: Request) -> Upload:
        """Return the requested upload of the caller. Raises: HTTPException 404, also for another author's."""
        author = self._context.author(request)
        upload = self._jobs.get(Upload, request.path_params["number"])
        if upload is None or upload.author != author:
            raise HTTPException(404, "upload not found")
        return upload

    # --- the page

    async def page(self, request: Request) -> Response:
        """Return the caller's page."""
        author = self._context.author_or_sign_in(request)
        snapshot, uploads = self._context.snapshot, self._jobs.of(Upload, author)
        names = dict.fromkeys(version.name for version in snapshot.field.versions if version.author == author)
        mine = [snapshot.field.of(name)[::-1] for name in names]
        refusals = [one for one in snapshot.field.refusals if one.version.author == author]
        reviewed = await asyncio.to_thread(self._with_review, snapshot, names)
        known = await asyncio.to_thread(positions.load, self._context.path, snapshot.spec.rules)
        values = {
            "author": author,
            "practice": self._jobs.of(PracticeMatch, author),
            "opponents": [version.id for version in snapshot.field.active],
            "auditions": {upload.version: upload for upload in uploads if upload.state == "joined"},
            "advice": lambda version, costs: advice.bot_advice(version, refusals, costs),
            "others": lambda version: advice.other_decisions(snapshot, version, known),
            "reviewed": reviewed,
            "uploads": uploads[:SHOWN],
            "waiting": [upload.id for upload in self._jobs.waiting(Upload)],
            "bots": mine,
            "row": snapshot.table.row,
            "next_match": lambda version: views.next_match(snapshot, version),
            "rank_range": lambda version: views.rank_range(snapshot.table.row(version.id)),
            "costly": lambda version: [one for one in views.meetings(snapshot, version.id) if one.points < 0][: views.COSTLY],
            "endings": lambda version: snapshot.endings.get(version.id, []),
            "limits": self._context.terms.limits,
            "field": self._context.spec.limits,
            "events": "/me/events",
        }
        return self._context.page(request, "club_me.html", values)

    def _with_review(self, snapshot: LeagueSnapshot, names: Iterable[str]) -> set[str]:
        """Return the bots with reviewed decisions."""
        return {name for name in names if review_section(self._context.path, snapshot, name)}

    async def events(self, request: Request) -> Response:
        """Return the updates of the caller's page, as server-sent events."""
        author = self._context.author(request)
        self.update(author)  # a channel keeps its last event, with which the new page begins
        return EventStream(self._context.channel(author).listen(), self._context.limits.members, author)

    def update(self, author: str) -> None:
        """Send the state of an author's uploads to its pages."""
        waiting = [upload.id for upload in self._jobs.waiting(Upload)]
        shown = render("club_uploads.html", uploads=self._jobs.of(Upload, author)[:SHOWN], waiting=waiting)
        self._context.channel(author).send(event(encode({"uploads": shown})))

    async def retire(self, request: Request) -> Response:
        """Retire a version of the caller's, but not a suspended one."""
        return await self._change(request, Retired)

    async def reinstate(self, request: Request) -> Response:
        """Reinstate a version of the caller's, but not a suspended one, which only an organiser can."""
        return await self._change(request, Reinstated)

    async def _change(self, request: Request, kind: type[Retired | Reinstated]) -> Response:
        author, found = self._context.author(request), await self._context.form(request)
        version = self._version_of(found.get("version", ""), author).id
        await self._context.store(lambda: membership.change_own(self._context.path, version, author, kind))
        return RedirectResponse("/me", 303)

    def _version_of(self, version: str, author: str) -> Version:
        """Return a version of an author. Raises: HTTPException 404, also for another author's."""
        found = self._context.snapshot.field.by_id.get(version)
        if found is None or found.author != author:
            raise HTTPException(404, "version not found")
        return found

    # --- what changed between versions

    async def changes(self, request: Request) -> Response:
        """Return the page of what changed between two versions of the caller's."""
        author = self._context.author(request)
        old, new = (self._version_of(request.path_params[name], author) for name in ("old", "new"))
        found = await asyncio.to_thread(find_comparison, self._jobs, old, new)
        command = debug_command(BOT, self._context.spec.rules, self._context.spec.time, name=BOT)
        values = {
            "old": old,
            "new": new,
            "found": found,
            "summary": summary,
            "kinds": KIND_NAMES,
            "hands": COMPARED_HANDS,
            "again": lambda position: command.of(position.hand, position.seat, position.seed),
            "bot": BOT,
            "renewed": RENEWED if found and found.ended is None else 0,
        }
        return self._context.page(request, "club_changes.html", values)

    async def compare(self, request: Request) -> Response:
        """Request a comparison of two versions of the caller's."""
        author, fields = self._context.author(request), await self._context.form(request)
        old, new = (self._version_of(fields.get(name, ""), author) for name in ("old", "new"))
        if old is new:
            raise HTTPException(400, "found the same version twice; expected two")
        if problem := self._context.why_not_now():
            raise HTTPException(503, problem.public)
        await asyncio.to_thread(ask_comparison, self._jobs, author, old, new)
        if self._context.requests:
            self._context.requests.wake()
        return RedirectResponse(f"/me/changes/{step(old.id)}/{step(new.id)}", 303)

    # --- own files

    async def log(self, request: Request) -> Response:
        """Return the end of what a version of the caller's has written to stderr."""
        author = self._context.author(request)
        version = self._version_of(request.path_params["version"], author)
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
