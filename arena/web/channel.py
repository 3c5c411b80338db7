"""One sender, any number of listeners: each hears the latest of what was said, made once for all of them."""

import asyncio
from collections.abc import AsyncIterator

QUIET = 15.0  # seconds after which a listener is told that nothing happened, so that a dead line is noticed


class Channel:
    """Server-sent events. Used from the event loop alone."""

    def __init__(self) -> None:
        self._latest: bytes | None = None
        self._number = 0
        self._said = asyncio.Event()

    def say(self, event: bytes) -> None:
        """Send an event; who is still busy with the one before hears the latest only."""
        self._latest = event
        self._number += 1
        self._said.set()
        self._said = asyncio.Event()

    async def listen(self) -> AsyncIterator[bytes]:
        """Yield the latest event, and then each that follows."""
        heard = 0
        while True:
            if self._latest is not None and self._number != heard:
                heard = self._number
                yield self._latest
                continue
            try:
                async with asyncio.timeout(QUIET):
                    await self._said.wait()
            except TimeoutError:
                yield b": quiet\n\n"


def event(document: bytes) -> bytes:
    """Return one line of JSON as an event."""
    return b"data: " + document + b"\n\n"
