"""Reviews for readers of replays: the kept review of a match, and the job that reviews hands by the command `arena review`.

A review takes half a minute of processor time for a hand, so there is one at a time, with a low priority, and few may wait. Its
result is kept in the run's folder, as if the command had been typed.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from msgspec import Struct

from arena.league.jobs import JobLimits, JobQueue, JobState, ServerJob
from arena.moments import now
from arena.records import MatchRecord
from arena.reports.played import PlayedMatch
from arena.reports.replays import replay, with_review
from arena.runs.background import EndedCommand
from arena.runs.review_cache import read_kept
from arena.runs.stored_kinds import stored_run
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.spec import Kinds

log = logging.getLogger(__name__)

REVIEWS = JobLimits(waiting=8, waiting_in_all=8, kept=200, seconds=900.0)


def reviewed_match(folder: Folder, record: MatchRecord, kinds: Kinds) -> PlayedMatch:
    """Return a match of a run with its kept review. Raises: StoreError, SpecError, DamagedError."""
    with Store(folder.database) as store:
        run = stored_run(folder, store, kinds)
        match = replay(record, run.spec.rules, run.seed_of(record.fixture.id))
    return with_review(match, read_kept(folder, run.facts["commitment"]))


class ReviewTask(Struct, frozen=True, kw_only=True):
    """What is to be reviewed."""

    run: str  # its folder, in the league's if that is what is served
    fixture: str
    hand: str  # as 0.3; empty: all hands of the fixture


class ReviewJob(ServerJob, frozen=True, kw_only=True, tag="review"):
    """A review of a hand, or of a match."""

    things: ClassVar[str] = "reviews"

    task: ReviewTask

    def command(self, league: Path) -> Sequence[str | Path]:
        """Return the words of the command that reviews it."""
        hand = (self.task.hand,) if self.task.hand else ()
        return ("review", league / self.task.run, self.task.fixture, *hand, "--workers", "1", "--quiet")

    def after_command(self, ended: EndedCommand) -> "ReviewJob":
        """Return it as done or failed; why is only in the log."""
        if ended.code == 0:
            return super().after_command(ended)
        log.warning("review of %s %s: code %d: %s", self.task.fixture, self.task.hand, ended.code, ended.errors.strip())
        return self.failing("the server's log says why")


class ReviewState(Struct, frozen=True):
    """The state of a review, as pages show it."""

    state: JobState
    before: int = 0  # waiting reviews that come first
    reason: str = ""  # why it failed


def review_state(jobs: JobQueue, task: ReviewTask) -> ReviewState | None:
    """Return the state of the last review of a task; None: it was not requested, or is forgotten."""
    found = jobs.last(ReviewJob, lambda one: one.task == task)
    if found is None:
        return None
    before = [one for one in jobs.waiting(ReviewJob) if one.state == "waiting" and int(one.id) < int(found.id)]
    return ReviewState(found.state, len(before) if found.state == "waiting" else 0, found.reason)


def ask_review(jobs: JobQueue, task: ReviewTask, author: str = "") -> None:
    """Queue a review, unless it waits or runs already. Raises: TooManyRequestsError, StoreError."""
    known = jobs.last(ReviewJob, lambda one: one.task == task)
    if known is None or known.has_result:
        jobs.ask(ReviewJob(author=author, at=now(), task=task))
