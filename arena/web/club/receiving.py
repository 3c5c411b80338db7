"""Receives an upload: the body of the request is the file, which is written to the disk part by part as it comes.

There is no multipart form, so no parser of one: a page sends the chosen file with ``fetch``, a program with ``curl -T``. A body
may take a given time in total and a given time without a byte, so slow senders do not collect.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct
from starlette.requests import ClientDisconnect, Request

from arena.errors import ArenaError, InputError
from arena.league.jobs import JobQueue, TooManyRequestsError
from arena.league.uploads import Upload, UploadDraft, UploadLimits, UploadTooLargeError, receiving

PART = 1 << 16  # bytes that are collected before they are written
MOST_AT_ONCE = 64  # uploads that are received at the same time


class Patience(Struct, frozen=True, kw_only=True):
    """How slow a sender may be."""

    whole: float = 120.0  # seconds for the whole file
    quiet: float = 15.0  # seconds without a byte


class UploadTooSlowError(ArenaError):
    """A sender was too slow."""


class Receiver:
    """Receives uploads into a queue of jobs."""

    def __init__(self, jobs: JobQueue, limits: UploadLimits, patience: Patience) -> None:
        self._jobs = jobs
        self._limits = limits
        self._patience = patience
        self._now = 0  # uploads that are being received

    async def receive(self, request: Request, author: str) -> Upload:
        """Return the upload in a request, whose query has the name of the file, and if wanted that of the bot and its class.

        Raises: InputError, UploadTooLargeError, UploadTooSlowError, TooManyRequestsError, StoreError.
        """
        self._check_length(request)
        if self._now >= MOST_AT_ONCE:
            raise TooManyRequestsError("too many uploads at the same time; try again in a minute")
        self._now += 1
        try:
            query = request.query_params
            file, name = query.get("file", ""), query.get("name") or None
            async with self._receiving(author, file, name, inner=query.get("class", "")) as draft:
                await self._copy(request, draft)
                return await asyncio.to_thread(draft.commit)
        finally:
            self._now -= 1

    def _check_length(self, request: Request) -> None:
        """Raise UploadTooLargeError before anything is received, if the request says how long it is."""
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._limits.size:
            raise UploadTooLargeError(f"the file has {length[:20]} bytes; expected at most {self._limits.size}")

    @asynccontextmanager
    async def _receiving(self, author: str, file: str, name: str | None, inner: str) -> AsyncIterator[UploadDraft]:
        """Yield a draft, as ``receiving``; what touches the disk is done in threads."""
        context = receiving(self._jobs, self._limits, author, file, name, inner)
        draft = await asyncio.to_thread(context.__enter__)
        try:
            yield draft
        finally:
            await asyncio.to_thread(context.__exit__, None, None, None)

    async def _copy(self, request: Request, draft: UploadDraft) -> None:
        """Write the body to a draft. Raises: UploadTooSlowError, StoreError, UploadTooLargeError, InputError."""
        parts = aiter(request.stream())
        collected = bytearray()
        try:
            async with asyncio.timeout(self._patience.whole):
                while part := await self._next(parts):
                    collected += part
                    if len(collected) >= PART:
                        await asyncio.to_thread(draft.write, bytes(collected))
                        collected.clear()
        except TimeoutError:
            raise UploadTooSlowError(f"the file took more than {self._patience.whole:.0f} seconds") from None
        except ClientDisconnect:
            raise InputError("the connection was closed before the whole file had come") from None
        await asyncio.to_thread(draft.write, bytes(collected))

    async def _next(self, parts: AsyncIterator[bytes]) -> bytes:
        """Return the next part of a body; empty: there is no more. Raises: UploadTooSlowError, ClientDisconnect."""
        try:
            async with asyncio.timeout(self._patience.quiet):
                return await anext(parts, b"")
        except TimeoutError:
            raise UploadTooSlowError(f"nothing came for {self._patience.quiet:.0f} seconds") from None
