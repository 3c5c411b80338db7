"""Jobs that authors ask of a server: one queue, and threads that do its jobs by arena commands, each in a process of its own.

A job is a folder ``jobs/NUMBER/`` of the league, with the job in ``job.json`` and the files that belong to it.

A kill loses no job that was answered with a number. Its folder is filled under another name, and renamed to its number once
everything in it is on the disk; folders without a number are removed at the next start. A later change of the job replaces
``job.json`` atomically. A job that was running when the process died is run again. One that is lost in this way, or ends without a
result, is counted in ``lost``, because the bot may be the reason; one that the server itself ended, or could not begin, is not.

One process has the queue open, under a lock; its methods are thread-safe. A server of runs has a queue in memory only.
"""

import logging
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import ClassVar, Literal, Self, TypeVar, Union

from msgspec import Struct, json
from msgspec.structs import replace

from arena import disk
from arena.errors import MALFORMED, ArenaError, StoreError, naming_errors
from arena.league.leagues import BODY, JOBS, write_private
from arena.league.redaction import redact_paths
from arena.league.rules.events import NO_REASON, Reason
from arena.moments import Moment, later, now
from arena.runs.background import BackgroundThread, EndedCommand
from arena.store.folder import Folder

log = logging.getLogger(__name__)

RECORD = "job.json"
DRAFT = ".new-"  # beginning of the name of a folder without a number
MOST_LOST = 3  # times that a job was lost, after which it fails
LONGEST_REASON = 2000  # characters
NICE = 15  # priority of the process of a job that may wait: higher is lower, so that play and auditions go first
PAUSE = 0.5  # seconds between two looks at a queue, where nothing wakes the thread
PAUSE_AFTER_PROBLEM = 5.0  # seconds, if this machine could not do a job
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NO_RESULT = "it ended without a result"
GIVEN_UP = "it could not be finished; tell the organiser"
AGAIN = "it ended without a result; it is tried again"

JobState = Literal["waiting", "running", "done", "failed", "joined", "known", "refused"]  # the last three: of an upload


class TooManyRequestsError(ArenaError):
    """An author has asked for too much lately, or has too much in a queue."""


class JobLimits(Struct, frozen=True, kw_only=True):
    """What authors may ask for of one kind of jobs, and what a job may take."""

    waiting: int  # jobs of one author that are not over
    waiting_in_all: int | None = None  # jobs of all authors that are not over; None: as many as they like
    recent: int | None = None  # jobs of one author within the period; None: as many as it likes
    period: timedelta = HOUR
    kept: int  # jobs of one author that are over
    seconds: float  # that a job may take
    nice: int | None = NICE  # None: the priority of the server


class ServerJob(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """What an author asked for, its state and its result; each kind of jobs is a subclass."""

    things: ClassVar[str]  # the plural noun of its kind

    id: str = ""  # its number, in six digits; empty: it has none yet
    author: str  # empty: a visitor
    at: Moment  # when it was asked for
    state: JobState = "waiting"
    lost: int = 0  # times that it ended without a result and was not stopped by the server
    reason: str = ""  # why it failed, or waits again
    error: bool = False  # whether it failed because of an error of arena
    ended: Moment | None = None  # None: it is not over

    def command(self, league: Path) -> Sequence[str | Path]:
        """Return the words of the arena command that does it."""
        raise NotImplementedError

    def after_line(self, line: bytes) -> Self:  # noqa: ARG002 - of most kinds only the whole output counts
        """Return it after a line of its command's output. Raises: ArenaError, if the line says that this machine cannot do it."""
        return self

    def after_command(self, ended: EndedCommand) -> Self:
        """Return it after its command has ended in time; as it is, if that had no result and it has to be done again."""
        return replace(self, state="done") if ended.code == 0 else self.failing(ended.reason or NO_RESULT)

    def failing(self, reason: str) -> Self:
        """Return it as failed."""
        return replace(self, state="failed", reason=reason[:LONGEST_REASON])

    @property
    def may_be_done(self) -> bool:
        """Tell whether its command may have done it without having said so; then it is asked again, also when its time is up."""
        return False

    @property
    def has_failed(self) -> bool:
        """Tell whether it has failed."""
        return self.state in ("failed", "refused")

    @property
    def has_result(self) -> bool:
        """Tell whether it needs no other attempt."""
        return self.state not in ("waiting", "running")


AnyJob = TypeVar("AnyJob", bound=ServerJob)


class JobQueue:
    """The jobs of a server."""

    def __init__(self, limits: Mapping[type[ServerJob], JobLimits], league: Path | None = None) -> None:
        """``limits``: of each kind of jobs; ``league``: whose jobs are read, within :func:`open_jobs`, None: they are in memory.

        Raises: StoreError.
        """
        self.limits = limits
        self.league = league
        self.path = disk.inside(league, JOBS) if league else None
        self._mutex = threading.Lock()
        self._reserved = Counter[tuple[type[ServerJob], str]]()  # by kind and author: jobs that are being added
        names = [path.parent.name for path in sorted(self.path.glob(f"[0-9]*/{RECORD}"))] if self.path else []
        folders = [disk.inside(self.path, name, BODY).parent for name in names if self.path]
        stored = [read_job(disk.inside(folder, RECORD), tuple(limits)) for folder in folders]
        self._jobs = {one.id: _lost(one) if one.state == "running" else one for one in stored}

    def all(self, kind: type[AnyJob]) -> list[AnyJob]:
        """Return every job of a kind, the first one first."""
        with self._mutex:
            found = [one for one in self._jobs.values() if isinstance(one, kind)]
        return sorted(found, key=lambda job: int(job.id))

    def of(self, kind: type[AnyJob], author: str) -> list[AnyJob]:
        """Return the jobs of an author, the last one first."""
        return [job for job in reversed(self.all(kind)) if job.author == author]

    def waiting(self, kind: type[AnyJob]) -> list[AnyJob]:
        """Return the jobs that are not over, in the order in which they are done."""
        return [job for job in self.all(kind) if job.ended is None]

    def get(self, kind: type[AnyJob], number: str) -> AnyJob | None:
        """Return a job; None: there is none of that number and kind."""
        with self._mutex:
            found = self._jobs.get(number)
        return found if isinstance(found, kind) else None

    def last(self, kind: type[AnyJob], is_wanted: Callable[[AnyJob], bool]) -> AnyJob | None:
        """Return the last of the wanted jobs; None: there is none."""
        return next(filter(is_wanted, reversed(self.all(kind))), None)

    def next(self, kinds: Sequence[type[ServerJob]], postponed: Mapping[str, int]) -> ServerJob | None:
        """Return the job to do next; None: there is none.

        ``postponed``: by number, how often this machine could not do a job; such jobs come after the others.
        """
        waiting = [job for kind in kinds for job in self.waiting(kind)]
        return min(waiting, key=lambda job: (postponed.get(job.id, 0), int(job.id)), default=None)

    @contextmanager
    def reserving(self, kind: type[ServerJob], author: str) -> Iterator[None]:
        """Count a job that the caller adds, from now on. Raises: TooManyRequestsError."""
        limits, key = self.limits[kind], (kind, author)
        recent = later(now(), -limits.period)
        by = f"{kind.things} of {author}" if author else kind.things
        with self._mutex:
            mine = [job for job in self._jobs.values() if isinstance(job, kind) and job.author == author]
            begun = sum(count for (other, _), count in self._reserved.items() if other is kind)
            every = begun + sum(isinstance(job, kind) and job.ended is None for job in self._jobs.values())
            if limits.waiting_in_all is not None and every >= limits.waiting_in_all:
                raise TooManyRequestsError(f"{limits.waiting_in_all} {kind.things} are not over; try again later")
            if self._reserved[key] + sum(job.ended is None for job in mine) >= limits.waiting:
                raise TooManyRequestsError(f"{limits.waiting} {by} are not over; try again later")
            if limits.recent is not None and self._reserved[key] + sum(job.at > recent for job in mine) >= limits.recent:
                within = "an hour" if limits.period == HOUR else "a day"
                raise TooManyRequestsError(f"{limits.recent} {by} were asked for within {within}; try again later")
            self._reserved[key] += 1
        try:
            yield
        finally:
            with self._mutex:
                self._reserved[key] -= 1

    def ask(self, job: AnyJob) -> AnyJob:
        """Add a job without files, and return it with its number. Raises: TooManyRequestsError, StoreError."""
        with self.reserving(type(job), job.author), self.drafting() as folder:
            return self.add(job, folder)

    @contextmanager
    def drafting(self) -> Iterator[Path | None]:
        """Yield a folder for the files of a new job, which is removed unless the job is added; None: the queue is in memory."""
        if self.path is None:
            yield None
            return
        with naming_errors(self.path, "cannot be written"):
            folder = Path(tempfile.mkdtemp(prefix=DRAFT, dir=self.path))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)  # if it was added, it has its number

    def add(self, job: AnyJob, folder: Path | None) -> AnyJob:
        """Give a job whose files are in a folder its number, and return it. Raises: StoreError."""
        with self._mutex:
            taken = [*self._jobs, *(one.name for one in self.path.iterdir())] if self.path else self._jobs
            job = replace(job, id=f"{max((int(name) for name in taken if name.isdecimal()), default=0) + 1:06}")
            if folder and self.path:
                _write(folder, job)
                with naming_errors(self.path, "cannot be written"):
                    folder.rename(self.path / job.id)
                    disk.sync(self.path)
            self._jobs[job.id] = job
        return job

    def change(self, job: AnyJob) -> AnyJob:
        """Store a changed job. Raises: StoreError."""
        with self._mutex:
            if self.path:
                _write(self.path / job.id, job)
            self._jobs[job.id] = job
        return job

    def show(self, job: AnyJob) -> AnyJob:
        """Show a changed job to readers, without storing it: a step of one that is not over."""
        with self._mutex:
            self._jobs[job.id] = job
        return job

    def end(self, job: AnyJob) -> AnyJob:
        """Store a job that is over; remove the files that it needed, and the oldest such jobs of its author. Raises: StoreError."""
        ended = self.change(replace(job, ended=now()))
        over = [one for one in self.of(type(job), job.author) if one.ended][self.limits[type(job)].kept :]
        with self._mutex:
            if self.path:
                shutil.rmtree(self.path / job.id / BODY, ignore_errors=True)
            for old in over:
                if self.path:
                    shutil.rmtree(self.path / old.id, ignore_errors=True)
                del self._jobs[old.id]
        return ended


@contextmanager
def open_jobs(league: Path, limits: Mapping[type[ServerJob], JobLimits]) -> Iterator[JobQueue]:
    """Open the jobs of the league in a folder. Raises: BusyError, if another process has them open; StoreError."""
    with naming_errors(league, "cannot be written"):
        path = disk.make_folder(league, JOBS, mode=0o700)  # what an author has sent is the author's alone
    with Folder(path).lock():
        for rest in path.glob(f"{DRAFT}*"):
            shutil.rmtree(rest, ignore_errors=True)
        yield JobQueue(limits, league)


def read_job(path: Path, kinds: tuple[type[ServerJob], ...]) -> ServerJob:
    """Return a stored job. Raises: StoreError."""
    try:
        job: ServerJob = json.decode(path.read_bytes(), type=Union[kinds])  # noqa: UP007 - the kinds are a value
    except (OSError, *MALFORMED) as error:
        raise StoreError(f"{path}: cannot be read: {error}; restore it from a backup, or remove its folder") from None
    return job


def _write(folder: Path, job: ServerJob) -> None:
    write_private(folder / RECORD, json.encode(job).decode())


def _lost(job: AnyJob) -> AnyJob:
    """Return a job that waits again, counted as lost."""
    return replace(job, state="waiting", lost=job.lost + 1)


class JobRunner(BackgroundThread):
    """A thread that does jobs of some kinds, one after another."""

    def __init__(
        self,
        name: str,
        queue: JobQueue,
        kinds: Sequence[type[ServerJob]],
        why_not_now: Callable[[], Reason] = lambda: NO_REASON,
        changed: Callable[[ServerJob], None] = lambda _: None,
    ) -> None:
        """``why_not_now`` returns why no bot may run now, as a full disk; empty: they may.

        ``changed`` is called in the thread with each job that has changed.
        """
        super().__init__(name)
        self._queue = queue
        self._kinds = kinds
        self._why_not_now = why_not_now
        self._changed = changed
        self._postponed = Counter[str]()  # by job: the times that this machine could not do it
        self.longest = self.total = 0.0  # seconds of the jobs so far
        self.count = self.errors = 0  # jobs that are over, and those of them that failed because of an error of arena
        self.problem = NO_REASON  # why the queue stands still; empty: it does not

    def poll(self) -> float:
        """Do the next job, if there is one and nothing is in the way."""
        self.problem = self._why_not_now()
        job = None if self.problem else self._queue.next(self._kinds, self._postponed)
        if job is None:
            return PAUSE
        try:
            self._changed(self._do(job))
        except (ArenaError, OSError) as error:
            self._postponed[job.id] += 1
            with suppress(StoreError):  # a full disk may be the reason
                self._changed(self._queue.change(job))  # it waits again; this does not count as an attempt
            self.problem = Reason(f"{job.things} cannot be done at the moment", str(error))
            log.warning("%s: %s is tried again: %s", self._thread.name, job.id, error)
            return PAUSE_AFTER_PROBLEM
        return 0.0

    def _do(self, job: ServerJob) -> ServerJob:
        """Do a job, and return it with its stored state. Raises: ArenaError, OSError, if this machine cannot do it now."""
        if job.lost >= MOST_LOST:
            return self._queue.end(job.failing(GIVEN_UP))
        began = time.monotonic()
        try:
            done = self._run_job(job)
        except (ArenaError, OSError):
            raise
        except BaseException:
            self._changed(self._queue.change(_lost(job)))
            raise
        if self._stopped.is_set() and not (done.has_result and not done.has_failed):
            return self._queue.change(job)  # maybe because the server stops: it is done after the next start
        if not done.has_result:
            return self._queue.change(replace(_lost(job), reason=AGAIN))
        seconds = time.monotonic() - began
        self.count, self.total, self.longest = self.count + 1, self.total + seconds, max(self.longest, seconds)
        self.errors += done.error
        return self._queue.end(done)

    def _run_job(self, job: ServerJob) -> ServerJob:
        """Run the command of a job, and return it with its result. Raises: ArenaError, OSError, if this machine cannot now."""
        limits = self._queue.limits[type(job)]
        league = self._queue.league or Path()
        job = self._queue.change(replace(job, state="running", reason=""))
        self._changed(job)

        def read(line: bytes) -> None:
            nonlocal job
            after = job.after_line(line)
            if after is not job:
                job = self._queue.show(after)
                self._changed(job)

        ended = self.run_command(*job.command(league), seconds=limits.seconds, nice=limits.nice, read=read)
        if ended.late and not job.has_result:
            return job if job.may_be_done else job.failing(f"it took more than {limits.seconds:.0f} seconds")
        return job.after_command(replace(ended, errors=redact_paths(league, ended.errors)))
