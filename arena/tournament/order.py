"""The order in which fixtures start: never two at once on the same deals, and the legs of a pair in the order that a coin decides.

Two fixtures with the same ``deals`` key deal the same cards. If both were in play, a bot that plays in both could send itself the
opponent's cards through any channel between its two processes that the sandbox leaves open. So a key is *in play* from the moment
one of its fixtures starts until that fixture is done, and its other fixtures wait. A waiting fixture does not delay the fixtures
behind it.

A channel may also last, so that a bot leaves the cards of one leg for the other. No sandbox is known to be free of such channels,
but their use shows: a coin decides which leg of a pair is played first, and without a channel a bot plays no better in the legs
that it plays second (:mod:`arena.stats.pairs`). The coin is a hash of the run seed, the key of the pair and the two names. So no
bot can know it beforehand, it does not depend on the cards, and ``arena verify`` can check it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256

from arena.records import Fixture

LOOK_AHEAD = 10_000  # fixtures that may wait, or are read ahead to find the other leg of a pair (about 2 MB)


def goes_first(fixture: Fixture, seed: str) -> bool:
    """Tell whether a leg is played before the other leg of its pair; True for an entrant's match against itself."""
    one, other = sorted(fixture.seats)
    coin = sha256(f"arena-legs-1|{seed}|{fixture.pair}|{one}|{other}".encode()).digest()[0] & 1
    return one == other or fixture.seats[coin] == one


def by_coin(fixtures: Iterable[Fixture], seed: str) -> Iterator[Fixture]:
    """Yield fixtures in their order, but two legs of a pair change places if the coin says so.

    A leg whose other leg is not among the next ``LOOK_AHEAD`` fixtures keeps its place: the other was played, does not exist, or
    is further away.
    """
    upcoming = _LookAhead(fixtures)
    moved: dict[str, Fixture] = {}  # by the id of a leg that was put first: the leg that takes its place
    while fixture := upcoming.take():
        if fixture.id in moved:
            fixture = moved.pop(fixture.id)
        elif not goes_first(fixture, seed) and (other := upcoming.other_leg(fixture)):
            moved[other.id], fixture = fixture, other
        yield fixture


def out_of_order(played: Iterable[Fixture], is_first: Callable[[Fixture], bool]) -> Iterator[tuple[Fixture, Fixture]]:
    """Yield the pairs that were played in the wrong order by ``is_first``: both legs, as they were played."""
    waiting = dict[object, Fixture]()  # legs without the other one, by pair and seats
    for leg in played:
        first = waiting.pop((leg.pair, leg.seats[::-1]), None)
        if first is None:
            waiting[leg.pair, leg.seats] = leg
        elif not is_first(first):
            yield first, leg


class _LookAhead:
    """Reads fixtures ahead, and finds the other leg of a pair among those that were read."""

    def __init__(self, fixtures: Iterable[Fixture]) -> None:
        self._left = iter(fixtures)
        self._ahead: deque[Fixture] = deque()
        self._legs: dict[object, Fixture] = {}  # of those ahead, by pair and seats

    def take(self) -> Fixture | None:
        """Remove and return the next fixture; None: there is none."""
        if not self._ahead and not self._read():
            return None
        fixture = self._ahead.popleft()
        self._legs.pop((fixture.pair, fixture.seats), None)
        return fixture

    def other_leg(self, fixture: Fixture) -> Fixture | None:
        """Return the other leg of a fixture's pair, which stays in its place; None: it is not among the next LOOK_AHEAD."""
        other = (fixture.pair, fixture.seats[::-1])
        while other not in self._legs and len(self._ahead) < LOOK_AHEAD and self._read():
            pass
        return self._legs.pop(other, None)

    def _read(self) -> bool:
        """Read one more fixture; return whether there was one."""
        for fixture in self._left:
            self._ahead.append(fixture)
            self._legs[fixture.pair, fixture.seats] = fixture
            return True
        return False


class Schedule:
    """Orders the fixtures of an iterator so that no two with the same key are in play, and reads no more of it than needed."""

    def __init__(self, fixtures: Iterator[Fixture]) -> None:
        self._fixtures = fixtures
        self._ready: deque[Fixture] = deque()  # can start now; their keys are reserved
        self._waiting: dict[str, deque[Fixture]] = {}  # fixtures that wait for each key that is in play or reserved
        self._count = 0  # fixtures in ``_waiting``

    def start(self) -> Fixture | None:
        """Return the next fixture that may start, and reserve its key; None: none can until another is done, or none is left."""
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
        """Put a started fixture that was lost back, at the front of the queue; it keeps its key."""
        self._ready.appendleft(fixture)
