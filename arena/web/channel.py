"""Server-sent events from one sender to any number of browsers.

An event replaces what the page shows, so only the latest matters: a slow browser skips those in between, and nothing queues up.
"""

import asyncio
from collections.abc import AsyncIterator

KEEPALIVE = 15.0  # seconds without an event after which a comment is sent, which detects a closed connection


class Channel:
    """Sends events to all that listen. Not thread-safe: use it in the event loop only."""

    def __init__(self) -> None:
        self._latest: bytes | None = None
        self._number = 0
        self._sent = asyncio.Event()

    def send(self, event: bytes) -> None:
        """Send an event to all listeners."""
        self._latest = event
        self._number += 1
        self._sent.set()
        self._sent = asyncio.Event()

    async def listen(self) -> AsyncIterator[bytes]:
        """Yield the latest event, then each new one; those sent while the listener is busy are skipped except the last."""
        received = 0
        while True:
            if self._latest is not None and self._number != received:
                received = self._number
                yield self._latest
                continue
            try:
                async with asyncio.timeout(KEEPALIVE):
                    await self._sent.wait()
            except TimeoutError:
                yield b": quiet\n\n"


def event(document: bytes) -> bytes:
    """Return a JSON document of one line as an event."""
    return b"data: " + document + b"\n\n"
