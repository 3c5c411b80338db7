"""The tables at which people play rated matches: each match in a thread of its own, with a clock and without hints."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Router

from arena.errors import ArenaError, RunStoppedError, WorkerLostError
from arena.gin.view import Outcome, View
from arena.human.player import HumanPlayer
from arena.human.stopped_match import UnfinishedMatch, remove_unfinished
from arena.league.rules.events import Reason, SideOpened
from arena.league.rules.side_matches import names_in_run
from arena.league.side_matches import close, matches_of_people, plan_match, void_match
from arena.plugins import manager
from arena.records import MatchRecord
from arena.referee.job import Job, contest
from arena.referee.referee import Referee
from arena.reports.html_page import render
from arena.runs.background import GRACE
from arena.runs.open_run import OpenRun
from arena.runs.play import Observer, play_run
from arena.runs.runner import Runner
from arena.sdk.named_moves import Move
from arena.web.connection_limits import ConnectionLimits
from arena.web.guard import CHARTS
from arena.web.person import LEAVE, SentMove, WebPlayer
from arena.web.table import PersonsPlace

log = logging.getLogger(__name__)

MOVE_SECONDS = 120.0  # that a person has for a move, also with the page closed
READ_SECONDS = 30.0  # that a person has to read the result of the last hand
MOST_TABLES = 8  # at once
MOST_KEPT = 64  # finished tables whose page is still shown
ATTEMPTS = 3  # to play a match after which it is void, if the machine lost the bot's process
AT = "/people/at"  # below it is each table, by its secret


def play_rated(league: Path, opened: SideOpened, person: HumanPlayer) -> None:
    """Play the rest of an open match, and close it. It may be called in any thread.

    Raises: RunStoppedError, if the player was stopped; then the same call continues the match. WorkerLostError, if the machine has
    lost the bot's process again and again; StoreError, SpecError, RosterError, SandboxError.
    """
    start = plan_match(league, opened.run)

    def work(job: Job) -> MatchRecord:  # unlike ``job.play`` it ends no process that another table has started meanwhile
        unfinished = UnfinishedMatch(start.folder, job.seed)
        deals, players = contest(job.fixture, job.rules, job.seed), (person, job.player(1))
        return Referee(job.fixture, job.rules, deals, players, job.faults, so_far=unfinished.read(), keep=unfinished.keep).play()

    def conclude(run: OpenRun) -> None:
        if run.store.results()[0].lost:
            raise WorkerLostError(f"{opened.run}: the process of the bot was lost")
        close(league, opened.run, run)

    # It is reported to no plugin: one that fails would void a match that is over.
    play_run(start, Runner(manager.load(entry_points=False), "serial", workers=1, work=work), Observer(), conclude, log_level=None)
    start.folder.mark_reported()
    remove_unfinished(start.folder)


class RatedPlayer(WebPlayer):
    """A person who plays for a rating."""

    def __init__(self, opponent: str, show: Callable[[dict[str, Any]], None]) -> None:
        super().__init__(opponent, show, helped=False)

    def choose(self, view: View) -> Move | None:
        """Return the move that the browser sends; None: the person left, made no move in time, or the server stops."""
        clock = threading.Timer(MOVE_SECONDS, self.receive, [SentMove(state=0, move=LEAVE)])  # in any state
        clock.daemon = True
        clock.start()
        try:
            return super().choose(view)
        finally:
            clock.cancel()

    def hand_over(self, outcome: Outcome) -> None:
        """Show both players' cards; after the last hand, wait for the person, at most ``READ_SECONDS``."""
        super().hand_over(outcome)
        if outcome.game + 1 == self.hands:
            self._has_read.wait(READ_SECONDS)

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Send nothing: :meth:`finish` does, when the result is stored."""

    def finish(self, text: str, link: str) -> None:
        """Show that there is nothing more to play."""
        self._send({"kind": "match_over", "text": text, "link": link})

    def _replace(self, state: dict[str, Any]) -> None:
        """Show a state with the number of the hand in place of the score."""
        shown = dict(state)
        if "standing" in shown and self._named:
            shown["standing"] = f"rated: hand {self._named[0] + 1} of {self.hands}, {MOVE_SECONDS:.0f} seconds for a move"
        super()._replace(shown)


class RatedPlace(PersonsPlace):
    """The person's side of the table of a rated match."""

    def __init__(self, opened: SideOpened, limits: ConnectionLimits) -> None:
        person, bot = names_in_run([name for name, _ in opened.entrants])
        super().__init__(person, bot, limits, on_presence=lambda _: None, on_move=lambda *_: None)
        # one player under two names: only ``rated`` has the type with the clock
        self.person = self.rated = RatedPlayer(bot, self._show)
        self.opened = opened
        self.over = False

    @property
    def address(self) -> str:
        """Return where the person plays."""
        return f"{AT}/{self.key}/"

    async def _page(self, _: Request) -> Response:
        text = render("table.html", opponent=self.person.opponent, rated=True)
        return HTMLResponse(text, headers=CHARTS)


class RatedTables:
    """The rated matches that are being played. Use it in the event loop."""

    def __init__(
        self, league: Path, limits: ConnectionLimits, why_not_now: Callable[[], Reason], renew: Callable[[], None]
    ) -> None:
        """``why_not_now`` returns why no bot may run now; empty: they may. ``renew`` waits until the pages show what is stored."""
        self.router = Router()
        self._league = league
        self._limits = limits
        self._why_not_now = why_not_now
        self._renew = renew
        self._places: dict[str, RatedPlace] = {}  # by the folders of their runs
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Continue the matches that an earlier server has left open, unless no bot may run now."""
        if self._why_not_now():
            return
        for match in matches_of_people(self._league):
            if match.closed is None:
                self.sit(match.opened)

    def stop(self) -> None:
        """Stop all matches; they continue when the server is started again."""
        for place in self._places.values():
            place.person.receive(None)
        for thread in self._threads:
            thread.join(GRACE)

    @property
    def full(self) -> bool:
        """Tell whether no other match can be played now."""
        return sum(not place.over for place in self._places.values()) >= MOST_TABLES

    def of(self, person: str) -> RatedPlace | None:
        """Return the table at which a person plays; None: there is none."""
        return next((place for place in self._places.values() if place.name == person and not place.over), None)

    def sit(self, opened: SideOpened) -> RatedPlace:
        """Begin or continue a match, and return its table."""
        place = self._places[opened.run] = RatedPlace(opened, self._limits)
        for run in [run for run, one in self._places.items() if one.over][:-MOST_KEPT]:
            del self._places[run]
        self.router.routes = [route for one in self._places.values() for route in one.routes()]
        self._threads = [one for one in self._threads if one.is_alive()]
        self._threads.append(threading.Thread(target=self._play, args=(place,), name=opened.run, daemon=True))
        self._threads[-1].start()
        return place

    def _play(self, place: RatedPlace) -> None:
        """Play a match, in a thread of its own."""
        try:
            self._play_fairly(place)
        except RunStoppedError:
            return
        except Exception:  # our bug, a lost copy or process, or a damaged file: the match is void, and the others are played
            log.exception("%s: cannot be played", place.opened.run)
            self._void_match(place)
        else:
            self._renew()  # before the link leads there
            place.rated.finish("The match is over, and counts.", f"/people/matches/{place.opened.name}")
        place.over = True

    def _play_fairly(self, place: RatedPlace) -> None:
        """Play a match, and continue it if the machine has lost the bot's process. Raises: as ``play_rated``."""
        for _ in range(ATTEMPTS - 1):
            try:
                return play_rated(self._league, place.opened, place.rated)
            except WorkerLostError as error:
                log.warning("%s: %s", place.opened.run, error)
        return play_rated(self._league, place.opened, place.rated)

    def _void_match(self, place: RatedPlace) -> None:
        text = "The server could not play this match; it does not count."
        try:
            void_match(self._league, place.opened.run, "the server could not play it")
        except ArenaError:
            log.exception("%s: stays open until the server is started again", place.opened.run)
            text = "The server cannot play this match now; it continues when the server is started again."
        place.rated.finish(text, "/people")
