"""The order in which fixtures start: never two at once on the same deals.

Two fixtures with the same ``deals`` key deal the same cards. If both were in play, a bot that plays in both could send itself the
opponent's cards through any channel between its two processes that the sandbox leaves open. So a key is *in play* from the moment
one of its fixtures starts until that fixture is done, and its other fixtures wait. A waiting fixture does not delay the fixtures
behind it.
"""

from collections import deque
from collections.abc import Iterator

from arena.records import Fixture

LOOK_AHEAD = 10_000  # fixtures that may wait (about 2 MB); when there are more, none is read until one is done


class Schedule:
    """Returns the fixtures of an iterator in its order as far as their keys allow, and reads no more of it than needed."""

    def __init__(self, fixtures: Iterator[Fixture]) -> None:
        self._fixtures = fixtures
        self._ready: deque[Fixture] = deque()  # can start now; their keys are reserved
        self._waiting: dict[str, deque[Fixture]] = {}  # fixtures that wait for each key that is in play or reserved
        self._count = 0  # fixtures in ``_waiting``

    def start(self) -> Fixture | None:
        """Return the next fixture that may start, and reserve its key; None if none can start until another is done."""
        if self._ready:
            return self._ready.popleft()
        while self._count < LOOK_AHEAD and (fixture := next(self._fixtures, None)):
            if fixture.deals not in self._waiting:
                self._waiting[fixture.deals] = deque()
                return fixture
            self._waiting[fixture.deals].append(fixture)
            self._count += 1
        return None

    def done(self, fixture: Fixture) -> None:
        """Release the key of a played fixture, or pass it to the next fixture that waits for it."""
        if waiting := self._waiting[fixture.deals]:
            self._ready.append(waiting.popleft())
            self._count -= 1
        else:
            del self._waiting[fixture.deals]

    def again(self, fixture: Fixture) -> None:
        """Return a started fixture that was lost to the front of the queue; it keeps its key."""
        self._ready.appendleft(fixture)
