"""The uploads of an author: received, as JSON, and a page for each."""

import shlex
from collections.abc import Callable, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ArenaError, StoreError
from arena.league.jobs import JobQueue
from arena.league.uploads import Upload
from arena.runs.audition_steps import replay_command
from arena.text import json_text
from arena.web.club import advice
from arena.web.club.context import RENEWED, Context, http_error
from arena.web.club.receiving import Receiver
from arena.web.responses import json_response


class UploadPages:
    """Uploads, for authors and their programs."""

    def __init__(self, context: Context, jobs: JobQueue, submitted: Callable[[Upload], None]) -> None:
        """Make the pages; ``submitted`` is called with each new upload."""
        self._context = context
        self._jobs = jobs
        self._submitted = submitted
        self._receiver = Receiver(jobs, context.terms.limits, context.terms.patience)

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/me/uploads/{number}", self.upload_page),
            Route("/api/uploads", self.uploads),
            Route("/api/uploads", self.upload, methods=["POST"]),
            Route("/api/uploads/{number}", self.upload_state),
        ]

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
