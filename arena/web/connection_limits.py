"""Limits on the connections and event streams that clients hold open, in all and for each address.

A connection costs a descriptor, and a process without descriptors can neither accept another nor open a database. So the server
keeps some for itself, and no address gets more than a part of the rest. Without room for a new connection, the server drops the one
that has kept it waiting for a request longest: of the new connection's address, if that has all its part, and otherwise of the
address that has most connections, among those with a waiting one. So requests that never end do not keep out those that arrive in
one piece.
"""

import resource
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv6Address, ip_address
from typing import Protocol

from msgspec import Struct

MOST = 2000  # connections, each of about 50 kB
OWN = 256  # descriptors that the server keeps for itself: databases in 32 threads, 64 files of uploads, pipes of children, logs
RETRY_AFTER = {"Retry-After": "10"}  # seconds; the header of every refusal
OF_A_MEMBER = 16  # event streams of an author, or of a place at a table


class Capacity(Struct, frozen=True, kw_only=True):
    """How many connections and event streams there may be at once."""

    connections: int
    connections_each: int  # of one address
    streams: int  # public event streams
    streams_each: int  # of one address


def reserve_descriptors() -> Capacity:
    """Raise the limit of descriptors as far as it is allowed and useful, and return the capacity that it leaves.

    Source: getrlimit(2).
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + OWN if hard == resource.RLIM_INFINITY else min(MOST + OWN, hard)
    if soft == resource.RLIM_INFINITY:
        soft = wanted
    if soft < wanted:
        with suppress(OSError, ValueError):  # macOS allows less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    connections = min(MOST, soft - min(OWN, soft // 2))
    return Capacity(
        connections=connections, connections_each=connections // 4, streams=connections // 2, streams_each=connections // 8
    )


def sender(host: str) -> str:
    """Return the address under which a client is counted: of IPv6 the first 64 bits, because that is what one client gets.

    An IPv4 address that a proxy writes as IPv6, ``::ffff:192.0.2.1``, is counted as IPv4.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return host
    return str(address.ipv4_mapped or IPv6Address(int(address) >> 64 << 64))


class Shares:
    """Counts what holders have at once, in all and each. Use it in the event loop only."""

    def __init__(self, most: int, each: int) -> None:
        self._most = most
        self._each = each
        self._held = Counter[str]()
        self.total = 0
        self.refused = 0

    @contextmanager
    def one_more(self, holder: str) -> Iterator[bool]:
        """Count one for the holder while the context lasts; yields False, and counts nothing, where that would be too many."""
        if self.total >= self._most or self._held[holder] >= self._each:
            self.refused += 1
            yield False
            return
        self._held[holder] += 1
        self.total += 1
        try:
            yield True
        finally:
            self.total -= 1
            self._held[holder] -= 1
            if not self._held[holder]:
                del self._held[holder]


class OpenConnection(Protocol):
    """A connection, as it is registered."""

    address: str  # where it comes from

    def read(self) -> None:
        """Begin to read from it."""

    def drop(self) -> None:
        """Close it at once."""


class Connections:
    """Registers the open connections, and those that keep the server waiting. Use it in the event loop only."""

    def __init__(self, most: int, each: int) -> None:
        self.trusted = ""  # the address of the reverse proxy, whose connections are those of many clients; empty: there is none
        self.total = 0
        self.refused = 0
        self.dropped = 0
        self._most = most
        self._each = each
        self._held = Counter[str]()  # by address
        # by address: the connections that keep the server waiting, the longest first, each with the time until which it may
        self._waiting: dict[str, dict[OpenConnection, float]] = {}
        self._unread: dict[str, deque[OpenConnection]] = {}  # by address

    def add(self, peer: OpenConnection) -> bool:
        """Register a connection, and return whether it is admitted; without room, drop one that keeps the server waiting.

        A connection that is not admitted is counted too, until it is removed.
        """
        if self._held[peer.address] >= self._each and peer.address != self.trusted:
            admitted = self._make_room(peer.address)
        elif self.total < self._most:
            admitted = True
        else:
            largest = max(self._waiting, key=self._held.__getitem__, default="")
            admitted = self._make_room(largest)
        self._held[peer.address] += 1
        self.total += 1
        self.refused += not admitted
        return admitted

    def _make_room(self, address: str) -> bool:
        """Drop the connection of an address that has kept the server waiting longest; return whether there was one."""
        waiting = self._waiting.get(address)
        if not waiting:
            return False
        self._drop(next(iter(waiting)))
        return True

    def queue(self, peer: OpenConnection) -> bool:
        """Queue a connection to be read; return whether the queue was empty, and :meth:`read_next` has to be scheduled."""
        first = not self._unread
        self._unread.setdefault(peer.address, deque()).append(peer)
        return first

    def read_next(self) -> bool:
        """Read the next connection, and return whether there are more.

        Addresses take turns, so that many connections from one do not delay those from others.
        """
        address = next(iter(self._unread))
        queue = self._unread.pop(address)
        queue.popleft().read()
        if queue:
            self._unread[address] = queue
        return bool(self._unread)

    def set_waiting(self, peer: OpenConnection, until: float | None) -> None:
        """Note that a connection keeps the server waiting from now on, and may do so until a time; None: it no longer does."""
        address = peer.address
        self._waiting.get(address, {}).pop(peer, None)
        if until is not None:
            self._waiting.setdefault(address, {})[peer] = until
        elif address in self._waiting and not self._waiting[address]:
            del self._waiting[address]

    def remove(self, peer: OpenConnection) -> None:
        """Forget a connection that was lost."""
        self.set_waiting(peer, None)
        self.total -= 1
        self._held[peer.address] -= 1
        if not self._held[peer.address]:
            del self._held[peer.address]

    def drop_late(self, now: float) -> None:
        """Drop the connections that have kept the server waiting too long."""
        for peer in [peer for waiting in self._waiting.values() for peer, until in waiting.items() if until < now]:
            self._drop(peer)

    def _drop(self, peer: OpenConnection) -> None:
        self.set_waiting(peer, None)  # it is lost only later, and must not be chosen again
        self.dropped += 1
        peer.drop()


class ConnectionLimits:
    """The connections and event streams of one server, counted against its capacity."""

    def __init__(self, capacity: Capacity | None = None) -> None:
        """``capacity`` None: as much as the machine allows."""
        self.capacity = capacity or reserve_descriptors()
        self.connections = Connections(self.capacity.connections, self.capacity.connections_each)
        self.visitors = Shares(self.capacity.streams, self.capacity.streams_each)  # public event streams, by address
        # event streams of people with a token or a secret address, by name
        self.members = Shares(self.capacity.connections // 4, OF_A_MEMBER)
