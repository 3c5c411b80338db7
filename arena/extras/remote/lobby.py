"""The lobby: which of the bots that wait for a game meet.

Pure: its caller passes the time and the bots that wait.
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from arena.extras.remote.session import ClockTerms

BOT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,23}", re.ASCII)  # with its author's name at most 50 characters, as all entrants
AUTHOR = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,24}", re.ASCII)  # without a dot, which ends it in AUTHOR.BOT
Bots = frozenset[str]  # the names of two bots that have met


class GameTerms(Struct, frozen=True, kw_only=True):
    """The terms of the games on a server."""

    own_bots: tuple[str, ...] = ()  # of the server, as a spec names them
    hands: int = 6  # of a game
    wait: float = 10.0  # seconds after which a bot alone in the lobby gets one of the server
    rules: str = "standard"
    clock: ClockTerms = ClockTerms()


class Seek(Struct, frozen=True):
    """A bot that waits for a game."""

    bot: str
    author: str
    since: float  # seconds, of a monotonic clock


def pairings(
    waiting: Sequence[Seek], met: Mapping[Bots, int], now: float, own_bots: Sequence[str], wait: float
) -> list[tuple[str, str]]:
    """Return all pairs of bots that can meet now; the bot that has waited longest is paired first.

    An opponent is of another author: the one that was met least often, then the one that has waited longest. Where there is none, a
    bot that has waited ``wait`` seconds gets one of ``own_bots``, the server's.
    """
    found: list[tuple[str, str]] = []
    left = {seek.bot: seek for seek in sorted(waiting, key=lambda seek: seek.since)}
    while left:
        seek = left.pop(next(iter(left)))
        strangers = [other.bot for other in left.values() if other.author != seek.author]
        opponents = strangers or (own_bots if now - seek.since >= wait else ())
        if opponents:
            opponent = min(opponents, key=lambda other: met.get(frozenset((seek.bot, other)), 0))
            found.append((seek.bot, opponent))
            left.pop(opponent, None)
    return found
