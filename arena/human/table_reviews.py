"""Reviews the hands of people at a table while they play on, in a process of low priority that is started beforehand."""

import logging
import os
import threading
from collections.abc import Callable, Sequence
from concurrent import futures
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from functools import partial

from msgspec import UNSET
from msgspec.structs import replace

from arena.errors import StoreError
from arena.gin.facts import Seat
from arena.records import HandRecord, MatchRecord, Usage
from arena.referee.job import Job
from arena.reports.played import PlayedMatch
from arena.reports.replays import replay, with_review
from arena.reports.report import Report
from arena.results.review_tasks import SeatReview, price
from arena.results.reviews import reviewed_hand, run_hands
from arena.review import habits
from arena.review.summary import Review, ReviewedHand, review
from arena.runs.review_cache import StoredReview, keep
from arena.runs.runner import Runner, prepare_silently
from arena.store.folder import Folder

log = logging.getLogger(__name__)

SEED = "review"  # the default of ``arena review``, which then adds to these reviews
NICENESS = 10  # of the process: play comes first

# receives the reviews, a seat, and all reviewed hands of the seat in the order of their reviews
OnReview = Callable[["TableReviews", Seat, Sequence[ReviewedHand]], None]


def open_background(runner: Runner) -> AbstractContextManager[futures.Executor]:
    """Open the process in which hands are reviewed, and end it without waiting for them."""
    return runner.open_pool(_prepare)


def _prepare() -> None:
    os.nice(NICENESS)
    prepare_silently()


class TableReviews:
    """The hands of one match that are over, and their reviews as far as they are done.

    Thread-safe, but for ``add``, which one thread calls.
    """

    def __init__(self, pool: futures.Executor, job: Job, seats: Sequence[Seat], on_review: OnReview) -> None:
        """Review the decisions of ``seats``; ``on_review`` is called in another thread."""
        self._pool = pool
        self._job = job
        self._seats = seats
        self._on_review = on_review
        self._lock = threading.Lock()
        self._done: list[ReviewedHand] = []
        self._keep: Callable[[Sequence[ReviewedHand]], None] = lambda _: None
        self._record = MatchRecord(
            fixture=job.fixture, winner=None, hands=(), games=(), faults=(), forfeit=None, usage=(Usage(), Usage())
        )

    def add(self, hand: HandRecord) -> None:
        """Begin to review a hand that is over; return at once."""
        self._record = replace(self._record, hands=(*self._record.hands, hand))
        *_, ended = run_hands([self._record], self._job.rules, lambda _: self._job.seed)
        for seat in self._seats:
            task = SeatReview(ended, seat, habits.usual_habits())
            with suppress(RuntimeError):  # the table is being closed
                future = self._pool.submit(price, task, self._job.rules, SEED)
                future.add_done_callback(partial(self._take_result, task))

    def _take_result(self, task: SeatReview, future: Future[StoredReview]) -> None:
        if future.cancelled() or (error := future.exception()):
            log.info("%s: not reviewed: %s", task.hand.place.name, "stopped" if future.cancelled() else error)
            return
        with self._lock:
            self._done.append(reviewed_hand(task, future.result()))
            of_seat = [one for one in self._done if one.seat == task.seat]
            self._keep_done()
        self._on_review(self, task.seat, of_seat)

    def keep_in(self, folder: Folder, commitment: str) -> None:
        """Keep all reviews, later ones too, in the folder of the match's run; call ``on_review`` again for those that are done."""
        with self._lock:
            self._keep = partial(keep, folder, commitment, SEED)
            self._keep_done()
            done = {seat: [one for one in self._done if one.seat == seat] for seat in self._seats}
        for seat, of_seat in done.items():
            if of_seat:
                self._on_review(self, seat, of_seat)

    def _keep_done(self) -> None:
        try:
            if self._done:
                self._keep(self._done)
        except StoreError as error:
            log.warning("%s: reviews are not kept: %s", self._job.fixture.id, error)

    def match(self) -> PlayedMatch:
        """Return the hands that are over, with the prices known so far, for a replay. Raises: DamagedError."""
        return with_review(replay(self._record, self._job.rules, self._job.seed), self._review())

    def add_to(self, report: Report) -> Report:
        """Return the report of the match with the prices known so far."""
        found = self._review()
        return replace(report, review=found or UNSET, played=[with_review(one, found) for one in report.played])

    def _review(self) -> Review | None:
        with self._lock:
            return review(self._done) if self._done else None
