"""Reviews for readers of replays: the kept review of a match, and a thread that reviews hands by the command `arena review`.

A review takes half a minute of processor time for a hand, so there is one at a time, with a low priority, and few may wait. Its
result is kept in the run's folder, as if the command had been typed.
"""

import logging
import threading
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.league.jobs import NICE, PAUSE, BackgroundThread, RequestState
from arena.league.uploads import TooManyRequestsError
from arena.records import MatchRecord
from arena.reports.played import PlayedMatch, replay, with_review
from arena.results.stored import stored_run
from arena.runs.review_cache import read_kept
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.spec import Kinds

log = logging.getLogger(__name__)

LONGEST_REVIEW = 900.0  # seconds
MOST_WAITING = 8
MOST_KEPT = 200  # requests that are remembered, in all; the oldest that have ended are forgotten


def reviewed_match(folder: Folder, record: MatchRecord, known: Kinds) -> PlayedMatch:
    """Return a match of a run with its kept review. Raises: StoreError, SpecError, DamagedError."""
    with Store(folder.database) as store:
        run = stored_run(folder, store, known)
        match = replay(record, run.spec.rules, run.seed_of(record.fixture.id))
    return with_review(match, read_kept(folder, run.facts["commitment"]))


class ReviewTask(Struct, frozen=True, kw_only=True):
    """A hand that is to be reviewed."""

    folder: Path  # of its run
    fixture: str
    hand: str  # as 0.3; empty: all hands of the fixture


class ReviewState(Struct, frozen=True):
    """The state of a request for a review."""

    state: RequestState
    before: int = 0  # waiting requests that are reviewed first
    reason: str = ""  # why it failed


class Reviewing(BackgroundThread):
    """A thread that reviews requested hands, one after another."""

    def __init__(self) -> None:
        super().__init__("reviews")
        self._mutex = threading.Lock()
        self._known: dict[ReviewTask, ReviewState] = {}  # the oldest first

    def state(self, task: ReviewTask) -> ReviewState | None:
        """Return the state of a review; None: it was not requested, or is forgotten."""
        with self._mutex:
            found = self._known.get(task)
            before = self._waiting().index(task) if found and found.state == "waiting" else 0
        return replace(found, before=before) if found else None

    def ask(self, task: ReviewTask) -> None:
        """Queue the review of a hand, unless it waits or runs already. Raises: TooManyRequestsError."""
        with self._mutex:
            waiting = self._waiting()
            known = self._known.get(task)
            if known and known.state in ("waiting", "running"):
                return
            if len(waiting) >= MOST_WAITING:
                raise TooManyRequestsError(f"{MOST_WAITING} hands wait for a review; try again later")
            self._known.pop(task, None)
            self._known[task] = ReviewState("waiting")
            over = [one for one, state in self._known.items() if state.state in ("done", "failed")]
            for one in over[: max(0, len(self._known) - MOST_KEPT)]:
                del self._known[one]
        self.wake()

    def _waiting(self) -> list[ReviewTask]:
        return [one for one, state in self._known.items() if state.state == "waiting"]

    def look(self) -> float:
        """Review the next hand, if there is one; return the seconds until the next look."""
        with self._mutex:
            waiting = self._waiting()
            if not waiting:
                return PAUSE
            task = waiting[0]
            self._known[task] = ReviewState("running")
        found = ReviewState("failed", reason="the server has failed; its log says why")
        try:
            found = self._review(task)
        except OSError as error:
            log.warning("review of %s: %s", task.fixture, error)
        finally:
            with self._mutex:
                self._known[task] = found
        return 0.0

    def _review(self, task: ReviewTask) -> ReviewState:
        which = (task.fixture, task.hand) if task.hand else (task.fixture,)
        ended = self.run_command("review", task.folder, *which, "--workers", "1", "--quiet", seconds=LONGEST_REVIEW, nice=NICE)
        if ended.code == 0:
            return ReviewState("done")
        log.warning("review of %s %s: code %d: %s", task.fixture, task.hand, ended.code, ended.errors.strip())
        return ReviewState("failed", reason="it took too long" if ended.late else "the server's log says why")
