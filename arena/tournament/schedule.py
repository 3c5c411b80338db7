"""The order in which fixtures start: never two at once on the same deals, and the legs of a pair in the order that a coin decides.

Two fixtures with the same ``deals`` key deal the same cards. If both were in play, a bot that plays in both could send itself the
opponent's cards through any channel between its two processes that the sandbox leaves open. So a key is *in play* from the moment
one of its fixtures starts until that fixture is done, and its other fixtures wait. A waiting fixture does not delay the fixtures
behind it.

A channel may also last, so that a bot leaves the cards of one leg for the other. No sandbox is known to be free of such channels,
but their use shows: a coin decides which leg of a pair is played first, and without a channel a bot plays no better in those that
it plays second (:mod:`arena.stats.second_legs`). The coin is a hash of the run seed, the deals and the two names. So no bot can
know it beforehand, it does not depend on the cards, and ``arena verify`` can check it.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from hashlib import sha256

from arena.records import Fixture

LOOK_AHEAD = 10_000  # fixtures that may wait (about 2 MB); when there are more, none is read until one is done


def goes_first(fixture: Fixture, seed: str) -> bool:
    """Return whether a leg is played before the other leg of its pair; an entrant's match against itself is no leg of one."""
    one, other = sorted(fixture.seats)
    coin = sha256(f"arena-legs-1|{seed}|{fixture.deals}|{one}|{other}".encode()).digest()[0] & 1
    return one == other or fixture.seats[coin] == one


def by_coin(fixtures: Iterable[Fixture], seed: str) -> Iterator[Fixture]:
    """Yield fixtures in their order, but two legs of a pair change places if the coin says so.

    A leg whose other leg is not among the next ``LOOK_AHEAD`` fixtures keeps its place: the other was played, or does not exist.
    """
    left, ahead = iter(fixtures), deque[Fixture]()
    moved: set[str] = set()  # ids of legs that wait in the place of the other leg
    while fixture := ahead.popleft() if ahead else next(left, None):
        if fixture.id in moved:
            moved.remove(fixture.id)
        elif not goes_first(fixture, seed) and (place := _other_leg(fixture, ahead, left)) is not None:
            moved.add(fixture.id)
            fixture, ahead[place] = ahead[place], fixture
        yield fixture


def _other_leg(fixture: Fixture, ahead: deque[Fixture], left: Iterator[Fixture]) -> int | None:
    """Return the place of the other leg in ``ahead``, to which fixtures of ``left`` are moved; None: it is not found."""
    for place, other in enumerate(ahead):
        if _are_legs(fixture, other):
            return place
    while len(ahead) < LOOK_AHEAD and (following := next(left, None)):
        ahead.append(following)
        if _are_legs(fixture, following):
            return len(ahead) - 1
    return None


def _are_legs(fixture: Fixture, other: Fixture) -> bool:
    """Return whether two fixtures are the legs of a pair: the same deals, with the seats swapped."""
    return fixture.deals == other.deals and fixture.seats == other.seats[::-1]


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
