"""Pairs bots that come and go. Pure: its caller passes the time and the bots that wait."""

import re
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from arena.remote.session import ClockTerms

BOT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,23}", re.ASCII)  # with its author's name at most 50 characters, as all entrants
AUTHOR = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,24}", re.ASCII)  # without a dot, which ends it in AUTHOR.BOT
Bots = frozenset[str]  # the names of two bots that have met


class HallTerms(Struct, frozen=True, kw_only=True):
    """The terms of the games on a server."""

    house: tuple[str, ...] = ()  # bots of the server, as a spec names them
    hands: int = 6  # of a game
    wait: float = 10.0  # seconds after which a bot alone in the lobby gets a bot of the house
    rules: str = "standard"
    clock: ClockTerms = ClockTerms()


class Seek(Struct, frozen=True):
    """A bot that waits for a game."""

    bot: str
    author: str
    since: float  # seconds, of a monotonic clock


class Pairing(Struct, frozen=True):
    """Two bots that are to meet."""

    seeker: str
    opponent: str


class Lobby(Struct, frozen=True, kw_only=True):
    """The rules of pairing."""

    house: tuple[str, ...] = ()  # names of the server's bots
    wait: float = 10.0  # seconds after which a bot without an opponent gets one of these

    def pair(self, waiting: Sequence[Seek], met: Mapping[Bots, int], now: float) -> list[Pairing]:
        """Return all pairings that can be made now; the bot that has waited longest is paired first.

        An opponent is of another author: the one that was met least often, then the one that has waited longest. Where there is
        none, a bot that has waited ``wait`` seconds gets a bot of the house.
        """
        pairings: list[Pairing] = []
        left = {seek.bot: seek for seek in sorted(waiting, key=lambda seek: seek.since)}
        while left:
            seek = left.pop(next(iter(left)))
            if found := self._find(seek, left.values(), met, now):
                pairings.append(found)
                left.pop(found.opponent, None)
        return pairings

    def _find(self, seek: Seek, others: Collection[Seek], met: Mapping[Bots, int], now: float) -> Pairing | None:
        strangers = [other.bot for other in others if other.author != seek.author]
        if strangers:
            return Pairing(seek.bot, _least_met(seek.bot, strangers, met))
        if self.house and now - seek.since >= self.wait:
            return Pairing(seek.bot, _least_met(seek.bot, self.house, met))
        return None


def _least_met(bot: str, others: Sequence[str], met: Mapping[Bots, int]) -> str:
    """Return the first of those that a bot has met least often."""
    return min(others, key=lambda other: met.get(frozenset((bot, other)), 0))
