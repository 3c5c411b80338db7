"""Error handling for replaying recorded hands. A database may come from anybody, so its actions may be illegal or unreadable."""

from collections.abc import Iterator
from contextlib import contextmanager

from arena.errors import DamagedError
from arena.gin.actions import IllegalActionError
from arena.records import HandRecord


@contextmanager
def replaying(fixture: str, hand: HandRecord) -> Iterator[None]:
    """Convert the errors of a replay into one that names the hand. Raises: DamagedError."""
    try:
        yield
    except (IllegalActionError, ValueError) as error:
        raise DamagedError(f"{fixture} {hand.game}.{hand.hand}: its actions cannot be replayed: {error}") from None
