"""Plays the friendly matches that authors ask a server for, one after another, by `arena league challenge` in a process of its own.

The process has one worker and a low priority, so that rounds and auditions go first. Requests are in memory: a restart drops those
that were not played. Results are beside the matches (:mod:`arena.league.challenge`).
"""

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.league.challenge import friendlies
from arena.league.jobs import NICE, PAUSE, BackgroundThread
from arena.league.rules.events import Reason
from arena.moments import now

log = logging.getLogger(__name__)

SECONDS = 300.0  # that a friendly match may take
A_DAY = 20  # of an author
MOST_WAITING = 2  # of an author
MOST_KEPT = 200  # in memory
FAILED = "it could not be played; ask again later"


class TooManyFriendliesError(ArenaError):
    """An author has asked for too many friendly matches."""


class WaitingFriendly(Struct, frozen=True):
    """A friendly match that is not stored."""

    author: str
    version: str
    opponent: str
    problem: str = ""  # why it failed; empty: it waits, or is played now


class Friendlies(BackgroundThread):
    """A thread that plays friendly matches."""

    def __init__(self, league: Path, hindrance: Callable[[], Reason]) -> None:
        """``hindrance`` returns why no bot may run now; empty: they may."""
        super().__init__("friendlies")
        self._league = league
        self._hindrance = hindrance
        self._mutex = threading.Lock()
        self._asked: list[WaitingFriendly] = []  # the oldest first

    def of(self, author: str) -> list[WaitingFriendly]:
        """Return the matches of an author that wait or have failed."""
        with self._mutex:
            return [one for one in self._asked if one.author == author]

    def ask(self, author: str, version: str, opponent: str) -> None:
        """Have a match played. Raises: TooManyFriendliesError."""
        today = sum(one.at[:10] == now()[:10] for one in friendlies(self._league, author))
        with self._mutex:
            waiting = [one for one in self._asked if one.author == author and not one.problem]
            if len(waiting) >= MOST_WAITING:
                raise TooManyFriendliesError(f"{len(waiting)} friendly matches of {author} are waiting; try again later")
            if today + len(waiting) >= A_DAY:
                raise TooManyFriendliesError(f"{author} has asked for {A_DAY} friendly matches today (UTC); try again tomorrow")
            self._asked = [*self._asked, WaitingFriendly(author, version, opponent)][-MOST_KEPT:]
        self.wake()

    def look(self) -> float:
        """Play the next match, if one is asked for and nothing is in the way."""
        with self._mutex:
            one = next((one for one in self._asked if not one.problem), None)
        if one is None or self._hindrance():
            return PAUSE
        words = ("league", "challenge", self._league, one.version, one.opponent, "--json")
        ended = self.run_command(*words, seconds=SECONDS, nice=NICE)
        if ended.code and not self._stopped.is_set():
            log.warning("friendly match of %s and %s: code %d: %s", one.version, one.opponent, ended.code, ended.errors.strip())
        with self._mutex:
            place = self._asked.index(one)
            self._asked[place : place + 1] = [replace(one, problem=FAILED)] if ended.code else []
        return 0.0
