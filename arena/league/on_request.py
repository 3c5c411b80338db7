"""Matches that authors request: practice matches, which the league does not record, and challenges, which are rated."""

import logging
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from msgspec import Struct, json
from msgspec.structs import replace

from arena.errors import InputError
from arena.league import folder as leagues
from arena.league.folder import add, open_league, read_small, write_private
from arena.league.jobs import NICE, AuthorRequest, RequestQueue
from arena.league.rules.challenges import Challenges
from arena.league.rules.events import Challenged, Reason, bot_name
from arena.league.rules.field import Version
from arena.league.special import EventRequest, entrants_of, sources_of, spec_of
from arena.league.submit import find_version
from arena.moments import Moment, later, now
from arena.store.folder import Folder
from arena.tournament.plan import Plan

log = logging.getLogger(__name__)

FOLDER = "practice"
RECORD = "request.json"
SPEC = "{title: Practice, format: {name: round-robin, pairs: 1}, reports: []}"
DAY = timedelta(days=1)
MOST_A_DAY = 10  # practice matches of an author
MOST_WAITING = 2  # of an author, that are not over
KEPT = 20  # of an author, that are over
SECONDS = 600.0  # that one may take


class PracticeMatch(AuthorRequest, frozen=True, kw_only=True):
    """A practice match that an author has asked for: two legs on the same deals."""

    id: str  # its number, in six digits
    mine: str  # version
    opponent: str  # version
    at: Moment

    @property
    def names(self) -> tuple[str, str]:
        """Return the names by which both play in it."""
        return names_of(self.mine, self.opponent)


def names_of(mine: str, opponent: str) -> tuple[str, str]:
    """Return the names by which two versions play: those of their bots; of the same bot, with the version's number."""
    mine_name, opponent_name = map(bot_name, (mine, opponent))
    if mine_name != opponent_name:
        return mine_name, opponent_name
    return mine.replace("@", "-"), opponent.replace("@", "-")


def practice_plan(path: Path, bot: str, against: str) -> Plan:
    """Return the plan of a practice match of two versions. Raises: InputError, StoreError, SpecError, RosterError."""
    with open_league(path) as league:
        field = leagues.field(league.store)
        mine, other = find_version(field, bot), find_version(field, against)
        if mine is other:
            raise InputError(f"found {mine.id} twice; expected two versions")
        named = dict(zip(names_of(mine.id, other.id), (mine, other), strict=True))
        request = EventRequest(name="practice", text=SPEC, file="practice", size=2)
        return Plan(spec_of(league, sources_of(named), request), entrants_of(league, named), seed=None)


class PracticeMatches(RequestQueue[str, PracticeMatch]):
    """A thread that plays practice matches when their author asks for them."""

    def __init__(self, league: Path, hindrance: Callable[[], Reason]) -> None:
        """``hindrance`` returns why no bot may run now; empty: they may. Stored matches that are not over are played again."""
        super().__init__(league, "practice matches", hindrance)
        self._folder = league / FOLDER
        self._known = {
            one.id: one for path in sorted(self._folder.glob(f"[0-9]*/{RECORD}")) if (one := read_small(path, PracticeMatch))
        }

    def of(self, author: str) -> list[PracticeMatch]:
        """Return the practice matches of an author, the last first."""
        with self._mutex:
            return [one for one in reversed(self._known.values()) if one.author == author]

    def get(self, number: str) -> PracticeMatch | None:
        """Return a practice match; None: there is none of this number."""
        return self._known.get(number)

    def run_of(self, number: str) -> Folder:
        """Return the folder of the run of a practice match."""
        return Folder(self._folder / number / "run")

    def ask(self, author: str, mine: Version, opponent: Version) -> PracticeMatch:
        """Store a request for a practice match, and return it. Raises: TooManyRequestsError, StoreError."""
        with self._mutex:
            self._check(author, MOST_WAITING, MOST_A_DAY, "a day")
            folders = (path.name for path in self._folder.glob("[0-9]" * 6))  # also those whose record cannot be read
            number = f"{int(max(folders, default='0')) + 1:06}"
            asked = PracticeMatch(id=number, author=author, mine=mine.id, opponent=opponent.id, at=now())
            self._folder.mkdir(mode=0o700, exist_ok=True)
            (self._folder / number).mkdir(mode=0o700)
            self._store(number, asked)
            self._forget(author)
        self.wake()
        return asked

    def _is_recent(self, one: PracticeMatch) -> bool:
        return later(one.at, DAY) > now()

    def _forget(self, author: str) -> None:
        """Remove an author's finished matches except the last ``KEPT``."""
        over = [one for one in self._known.values() if one.author == author and one.over]
        for one in over[:-KEPT]:
            del self._known[one.id]
            shutil.rmtree(self._folder / one.id, ignore_errors=True)

    def _answer(self, one: PracticeMatch) -> PracticeMatch:
        """Play a practice match, and return its new state; if the server stopped it, it is still to be played."""
        words = ("league", "practice", self._league, one.mine, one.opponent, "--results", self.run_of(one.id).path, "--quiet")
        ended = self.run_command(*words, seconds=SECONDS, nice=NICE)
        if self._stopped.is_set() and ended.code:
            return one
        if ended.late or ended.code:
            return self._command_failure(one, ended, SECONDS)
        return replace(one, state="done")

    def _set(self, key: str, changed: PracticeMatch) -> None:
        with self._mutex:
            self._store(key, changed)

    def _store(self, number: str, changed: PracticeMatch) -> None:
        write_private(self._folder / number / RECORD, json.encode(changed).decode())
        self._known[number] = changed


# Challenges: each waits in the chain until a round takes it.


class AskedChallenge(Struct, frozen=True, kw_only=True):
    """A challenge that was stored."""

    version: str
    opponent: str
    author: str  # who asked
    at: Moment
    place: int  # of its event among all events
    waiting: int  # challenges that wait, including this one


def ask(path: Path, version: str, opponent: str, by: str | None = None) -> AskedChallenge:
    """Store a challenge, and return it; ``by`` must be the author of the version, if it is given.

    Raises: InputError, StoreError, SpecError.
    """
    with leagues.open_league(path, write=True) as league, league.store.deciding():
        events = leagues.events_of(league.store)
        field, known = leagues.field(league.store), Challenges(events)
        mine, other = find_version(field, version), find_version(field, opponent)
        if by is not None and mine.author != by:
            raise InputError(f"{mine.id} is of {mine.author}; expected a bot of {by}")
        event = Challenged(at=now(), version=mine.id, opponent=other.id)
        known.check(event, field, league.spec.challenges)
        add(league.store, event)
        known.add(event)
        return AskedChallenge(
            version=mine.id,
            opponent=other.id,
            author=mine.author,
            at=event.at,
            place=len(events) + 1,
            waiting=len(known.waiting),
        )
