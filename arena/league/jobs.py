"""What a server does for authors in the background: it tests their uploads, and answers their requests."""

import logging
import math
import os
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryFile
from traceback import extract_tb
from typing import IO, Generic, Literal, TypeVar

from msgspec import Struct, json
from msgspec.structs import replace

from arena import interpreter
from arena.disk import inside, make_folder
from arena.errors import MALFORMED, ArenaError, naming_errors
from arena.league.folder import read_small, write_private
from arena.league.places import redact_paths
from arena.league.rules.events import LONGEST_TEXT, NO_REASON, Reason
from arena.league.rules.field import Version
from arena.league.special import names_of
from arena.league.submit import SubmissionLine, SubmissionOutcome, decode_line
from arena.league.uploads import MOST_LOST, Inbox, TooManyRequestsError, Upload, queue_again_as_lost
from arena.moments import Moment, later, now
from arena.roster.entrant import Name
from arena.runs.diff import SHOWN, Difference
from arena.store.folder import Folder

log = logging.getLogger(__name__)

PAUSE_AFTER_ERROR = 10.0  # seconds
LOOK_PAUSE = 0.1  # seconds between two looks at a process
GRACE = 10.0  # seconds from SIGTERM to SIGKILL, unless a thread has its own
IN_ARENA = "an error in arena; see the server's log"  # what pages say of it


class BackgroundThread:
    """A thread that calls ``look`` until it is stopped, also after an error in arena, and runs arena commands.

    Bots run in the process of a command, because they may hang or fill the memory, and because a server with threads cannot safely
    start them. The command uses the same lock, transactions and sandbox as one that is typed.
    """

    def __init__(self, name: str, grace: float = GRACE) -> None:
        """``grace``: seconds from SIGTERM to SIGKILL for a command that has to end."""
        self.grace = grace
        self.error = ""  # of arena, in the last look; empty: there was none
        self._stopped = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def alive(self) -> bool:
        """Tell whether the thread is running."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Look for work now."""
        self._wake.set()

    def look(self) -> float:
        """Do the next work, in the thread, and return the seconds until the next look."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the command that is running, and the thread."""
        self._stopped.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(2 * self.grace)

    def run_command(
        self,
        *words: str | Path,
        seconds: float = math.inf,
        give_up: Callable[[], bool] = lambda: False,
        began: Callable[[], None] = lambda: None,
        read: Callable[[bytes], None] | None = None,
        nice: int | None = None,
    ) -> "EndedCommand":
        """Run an arena command to its end, or until its ``seconds`` are over, ``give_up`` returns true or the thread is stopped.

        ``began`` is called when the process has been started; ``read`` receives each line of the output when it is complete;
        ``nice`` is the priority of the process, setpriority(2): higher is lower; None: the server's.

        Raises: OSError, if the machine has no room for a process; an error of ``began`` or ``read``, which ends the process.
        """
        command = interpreter.arena(*map(str, words))
        # In a session of its own the command gets no Ctrl-C from the terminal: the server does, and ends the command.
        with (
            TemporaryFile() as output,
            TemporaryFile() as errors,
            subprocess.Popen(  # noqa: S603 - our own command; a name in it begins with a letter or digit, a path with a slash
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
            ) as child,
        ):
            lines = _LineReader(output, read)
            until, late = time.monotonic() + seconds, False
            try:
                if nice is not None:
                    with suppress(OSError):  # it has ended already
                        os.setpriority(os.PRIO_PROCESS, child.pid, nice)
                began()
                while child.poll() is None:
                    late = time.monotonic() > until
                    if late or self._stopped.is_set() or give_up():
                        terminate(child, self.grace)
                        break
                    lines.read_new()
                    self._stopped.wait(LOOK_PAUSE)
                lines.read_new()
            except BaseException:
                child.kill()
                raise
            return EndedCommand(child.returncode, _content(output), _content(errors).decode("utf-8", "replace"), late)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wake.wait(self.look_once())
            self._wake.clear()

    def look_once(self) -> float:
        """Look, and return the seconds until the next look; an error in arena is logged."""
        try:
            pause = self.look()
        except Exception as error:  # noqa: BLE001 - our bug: one line says so, and the thread lives on
            self.error = f"{self._thread.name}: {IN_ARENA}"
            log.error("%s: %s", self._thread.name, error_line(error))  # noqa: TRY400 - one line
            return PAUSE_AFTER_ERROR
        self.error = ""
        return pause


def error_line(error: Exception) -> str:
    """Return an unexpected error and the place where it was raised."""
    frame = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {frame.filename}:{frame.lineno}: {' '.join(str(error).split())}"


class EndedCommand(Struct, frozen=True):
    """A command that has ended."""

    code: int
    output: bytes
    errors: str
    late: bool  # it was ended because its time was up


class _LineReader:
    """The complete lines of a file to which a process writes."""

    def __init__(self, file: IO[bytes], read: Callable[[bytes], None] | None) -> None:
        self._file = file
        self._read = read
        self._rest = b""
        self._offset = 0

    def read_new(self) -> None:
        """Call ``read`` with each new complete line."""
        while self._read and (found := os.pread(self._file.fileno(), 1 << 20, self._offset)):
            self._offset += len(found)
            *lines, self._rest = (self._rest + found).split(b"\n")
            for line in lines:
                self._read(line)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def terminate(child: "subprocess.Popen[bytes]", grace: float) -> None:
    """End a command by SIGTERM, after ``grace`` seconds by SIGKILL."""
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(grace)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


PAUSE = 0.5  # seconds between two looks at a queue, where nothing wakes the thread
PAUSE_AFTER_PROBLEM = 5.0  # seconds, if this machine could not test an upload
NOT_FINISHED = "its audition ended without a verdict; it is tried again"


class Auditions(BackgroundThread):
    """A thread that tests the uploads in an inbox."""

    def __init__(
        self, league: Path, inbox: Inbox, seconds: float, changed: Callable[[Upload], None], hindrance: Callable[[], Reason]
    ) -> None:
        """``seconds``: that an audition may take.

        ``changed`` is called in the thread with each upload that has changed. ``hindrance`` returns why nothing may be tested now,
        as a full disk; empty: it may.
        """
        super().__init__("auditions")
        self._league = league
        self._inbox = inbox
        self._seconds = seconds
        self._changed = changed
        self._hindrance = hindrance
        self._postponed = Counter[str]()  # by upload: the times that this machine could not test it
        self.longest = self.total = 0.0  # seconds of the auditions so far
        self.count = 0
        self.errors = 0  # auditions with an error of arena
        self.problem = NO_REASON  # why the queue stands still; empty: it does not

    def look(self) -> float:
        """Test the next upload, if there is one."""
        try:
            self.problem = self._hindrance()
            upload = None if self.problem else self._inbox.next(self._postponed)
            if upload:
                self._test(upload)
        except ArenaError as error:
            self.problem = Reason("uploads cannot be tested at the moment", str(error))
            log.warning("auditions: %s", error)
            return PAUSE_AFTER_PROBLEM
        return 0.0 if upload else PAUSE

    def _test(self, upload: Upload) -> None:
        """Test an upload and store its verdict; refuse one that was lost too often.

        Raises: ArenaError, if this machine cannot test it now; that does not count as an attempt.
        """
        if upload.lost >= MOST_LOST:
            reason = "its audition could not be finished; tell the organiser"
            self._changed(self._inbox.end(replace(upload, state="refused", reason=reason)))
            return
        began = time.monotonic()
        try:
            tested = self._run_test(upload)
        except (ArenaError, OSError) as error:
            self._postponed[upload.id] += 1
            self._changed(self._inbox.stop(upload))  # it is queued again
            raise ArenaError(f"the audition of upload {upload.id} is tried again: {error}") from None
        except BaseException:
            self._changed(self._inbox.change(queue_again_as_lost(upload)))
            raise
        if self._stopped.is_set() and tested.state in ("refused", "queued"):
            self._inbox.stop(upload)  # maybe because the server stops: it is tested again after the next start
            return
        if tested.state != "queued":
            tested = self._inbox.end(tested)
            seconds = time.monotonic() - began
            self.count, self.total, self.longest = self.count + 1, self.total + seconds, max(self.longest, seconds)
        else:
            self._inbox.change(tested)
        self._changed(tested)

    def _run_test(self, upload: Upload) -> Upload:
        """Test an upload by a command, and return it with the verdict. Raises: ArenaError, OSError, if this machine cannot now."""
        outcomes: list[SubmissionOutcome] = []

        def begin() -> None:
            nonlocal upload
            upload = self._inbox.begin(upload)
            self._changed(upload)

        def read(line: bytes) -> None:
            nonlocal upload
            found = decode_line(line) or SubmissionLine()
            if found.finding:
                findings = (*upload.findings, found.finding)
                upload = replace(upload, findings=findings, bot=found.bot and Path(found.bot).name)
                self._inbox.show(upload)
                self._changed(upload)
            if found.hindrance:
                raise ArenaError(found.hindrance)
            if found.outcome:
                outcomes.append(found.outcome)

        name = ("--name", upload.name) if upload.name else ()
        words = ("league", "submit", self._league, self._inbox.bot(upload), "--author", upload.author, *name, "--json")
        ended = self.run_command(*words, seconds=self._seconds, began=begin, read=read)
        outcome = outcomes[-1] if outcomes else None
        if outcome and outcome.error:
            self.errors += 1
            log.error("upload %s: %s", upload.id, outcome.reason)
        last = (ended.errors[-LONGEST_TEXT:].strip().splitlines() or [""])[-1]
        return with_verdict(upload, outcome, ended.code, last, self._seconds if ended.late else None)


def with_verdict(upload: Upload, outcome: SubmissionOutcome | None, code: int, error: str, exceeded: float | None) -> Upload:
    """Return an upload with its verdict: that of the outcome; without one it is refused if the command took too long.

    ``exceeded``: the limit in seconds that the command exceeded; None: it did not. Without an outcome and within the limit, the
    audition is lost, and the upload is tested again.
    """
    if outcome:
        upload = replace(upload, receipt=outcome.receipt or upload.receipt)
    if outcome and outcome.version:
        return replace(upload, state="joined" if outcome.joined else "known", version=outcome.version.id, replaced=outcome.replaced)
    if outcome:
        return replace(upload, state="refused", reason=str(outcome.reason)[:LONGEST_TEXT])
    if exceeded is not None:
        return replace(upload, state="refused", reason=f"its audition took more than {exceeded:.0f} seconds")
    log.warning("upload %s: the audition ended with code %d: %s", upload.id, code, error)
    return replace(queue_again_as_lost(upload), reason=NOT_FINISHED)


# Requests of authors: answered one after another, each by a command of low priority, so that play and auditions go first.

NICE = 15  # priority of a command's process: higher is lower
LONGEST_REASON = 2000  # characters
MOST_WAITING = 2  # requests of one kind of an author, that are not over
NO_RESULT = "it ended without a result"
RequestState = Literal["waiting", "running", "done", "failed"]


class AuthorRequest(Struct, frozen=True, kw_only=True):
    """A request of an author and its state."""

    author: Name
    state: RequestState = "waiting"
    reason: str = ""  # why it failed

    @property
    def over(self) -> bool:
        """Tell whether it is done or has failed."""
        return self.state in ("done", "failed")


Key = TypeVar("Key")
Asked = TypeVar("Asked", bound=AuthorRequest)


class RequestQueue(BackgroundThread, Generic[Key, Asked]):
    """A thread that answers the requests of authors."""

    def __init__(self, league: Path, things: str, hindrance: Callable[[], Reason]) -> None:
        """``things``: the plural noun of the requests; ``hindrance`` returns why no bot may run now, empty: they may."""
        super().__init__(things)
        self._league = league
        self._things = things
        self._hindrance = hindrance
        self._mutex = threading.Lock()
        self._known: dict[Key, Asked] = {}  # the oldest first

    def _check(self, author: str, most: int, period: str, is_recent: Callable[[Asked], bool]) -> None:
        """Check that an author has fewer than MOST_WAITING requests that are not over, and than ``most`` within a period.

        The caller holds the mutex. Raises: TooManyRequestsError.
        """
        mine = [one for one in self._known.values() if one.author == author]
        if sum(not one.over for one in mine) >= MOST_WAITING:
            raise TooManyRequestsError(f"{MOST_WAITING} {self._things} of {author} are not over; try again later")
        if sum(map(is_recent, mine)) >= most:
            raise TooManyRequestsError(f"{author} has asked for {most} {self._things} within {period}; try again later")

    def look(self) -> float:
        """Answer the next request, if there is one and nothing is in the way."""
        if self._hindrance():
            return PAUSE
        with self._mutex:
            key, one = next(((key, one) for key, one in self._known.items() if not one.over), (None, None))
        if key is None or one is None:
            return PAUSE
        self._set(key, replace(one, state="running"))
        try:
            self._set(key, self._answer(one))
        except (ArenaError, OSError) as error:
            log.warning("%s of %s: %s", self._things, one.author, error)
            self._set(key, self._failure(one, redact_paths(self._league, str(error))))
        except Exception:
            self._set(key, replace(one, state="failed", reason=IN_ARENA))
            raise
        return 0.0

    def _answer(self, one: Asked) -> Asked:
        """Answer a request, and return it with its new state. Raises: ArenaError, OSError."""
        raise NotImplementedError

    def _failure(self, one: Asked, reason: str) -> Asked:
        """Return a request that failed because of this machine."""
        return replace(one, state="failed", reason=reason)

    def _set(self, key: Key, changed: Asked) -> None:
        with self._mutex:
            self._known[key] = changed

    def _command_failure(self, one: Asked, ended: EndedCommand, seconds: float) -> Asked:
        """Return a request whose command has failed, with its last line, or with its limit in ``seconds`` if that was exceeded."""
        if ended.late:
            return replace(one, state="failed", reason=f"it took more than {seconds:.0f} seconds")
        return replace(one, state="failed", reason=(self._lines(ended) or [NO_RESULT])[-1][:LONGEST_REASON])

    def _lines(self, ended: EndedCommand) -> list[str]:
        """Return the lines that a command has written to stderr, without server paths."""
        lines = redact_paths(self._league, ended.errors).strip().splitlines()
        return [line.removeprefix("arena: ") for line in lines]


# Compares versions of bots for their authors by the command `arena league diff` with one worker.
#
# The results are kept in ``comparisons/`` in the league's folder, which only its owner may read; it can be removed at any time.

COMPARISONS = "comparisons"
COMPARED_HANDS = 50  # that the old version plays against itself
COMPARISON_SECONDS = 300.0  # that a comparison may take
MOST_AN_HOUR = 12  # comparisons of an author
MOST_KEPT = 500  # in memory
NOT_COUNTED = float("-inf")  # in place of the time of asking, if this machine has failed: that does not count for MOST_AN_HOUR


class VersionChange(AuthorRequest, frozen=True, kw_only=True):
    """A comparison of two versions that an author asked for: its state, and how the decisions have changed."""

    old: str  # version
    new: str  # version
    asked: float = 0.0  # by the monotonic clock
    difference: Difference | None = None  # None: the comparison is not done
    warnings: tuple[str, ...] = ()


_DIFFERENCE = json.Decoder(Difference)

VersionPair = tuple[str, str]  # the digests of the old and the new version


class VersionChanges(RequestQueue[VersionPair, VersionChange]):
    """A thread that compares versions when their author asks for it."""

    def __init__(self, league: Path, hindrance: Callable[[], Reason]) -> None:
        """``hindrance`` returns why no bot may run now; empty: they may."""
        super().__init__(league, "comparisons", hindrance)
        self._folder = inside(league, COMPARISONS)

    def get(self, old: Version, new: Version) -> VersionChange | None:
        """Return the comparison of two versions; None: not requested, or ended by a restart."""
        pair = (old.digest, new.digest)
        with self._mutex:
            found = self._known.get(pair)
        return found or read_small(self._path(pair), VersionChange)

    def ask(self, author: str, old: Version, new: Version) -> None:
        """Request a comparison of two versions, unless it is known and has not failed. Raises: TooManyRequestsError."""
        known = self.get(old, new)
        if known and known.state != "failed":
            return
        with self._mutex:
            self._check(author, MOST_AN_HOUR, "an hour", lambda one: one.asked > time.monotonic() - 3600)
            self._known.pop((old.digest, new.digest), None)
            asked = VersionChange(author=author, old=old.id, new=new.id, asked=time.monotonic())
            self._known[old.digest, new.digest] = asked
            self._forget()
        self.wake()

    def _forget(self) -> None:
        """Drop the oldest that are over, if there are more than MOST_KEPT."""
        over = [pair for pair, one in self._known.items() if one.over]
        for pair in over[: max(0, len(self._known) - MOST_KEPT)]:
            del self._known[pair]

    def _answer(self, one: VersionChange) -> VersionChange:
        """Run the command of a comparison, and return its result."""
        words = ("league", "diff", self._league, one.old, one.new, "--hands", str(COMPARED_HANDS), "--workers", "1", "--json")
        ended = self.run_command(*words, seconds=COMPARISON_SECONDS, nice=NICE)
        if ended.late or ended.code not in (0, 1):  # 1: decisions differ
            return self._command_failure(one, ended, COMPARISON_SECONDS)
        try:
            found = _DIFFERENCE.decode(ended.output)
        except MALFORMED:
            return replace(one, state="failed", reason=NO_RESULT)
        warnings = tuple(line[:LONGEST_REASON] for line in self._lines(ended)[:SHOWN])
        return replace(one, state="done", difference=replace(found, positions=found.positions[:SHOWN]), warnings=warnings)

    def _failure(self, one: VersionChange, reason: str) -> VersionChange:
        return replace(super()._failure(one, reason), asked=NOT_COUNTED)

    def _set(self, key: VersionPair, changed: VersionChange) -> None:
        super()._set(key, changed)
        if changed.difference:
            make_folder(self._league, COMPARISONS, mode=0o700)
            write_private(self._path(key), json.encode(changed).decode())

    def _path(self, pair: VersionPair) -> Path:
        return self._folder / f"{pair[0][:20]}-{pair[1][:20]}.json"


# Practice matches that authors request, which the league does not record.

PRACTICE = "practice"  # folder
REQUEST = "request.json"
DAY = timedelta(days=1)
MOST_A_DAY = 10  # practice matches of an author
PRACTICE_KEPT = 20  # of an author, that are over
PRACTICE_SECONDS = 600.0  # that one may take


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


class PracticeMatches(RequestQueue[str, PracticeMatch]):
    """A thread that plays practice matches when their author asks for them."""

    def __init__(self, league: Path, hindrance: Callable[[], Reason]) -> None:
        """``hindrance`` returns why no bot may run now; empty: they may. Stored matches that are not over are played again."""
        super().__init__(league, "practice matches", hindrance)
        self._folder = inside(league, PRACTICE)
        self._known = {
            one.id: one for path in sorted(self._folder.glob(f"[0-9]*/{REQUEST}")) if (one := read_small(path, PracticeMatch))
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
        return Folder(inside(self._league, PRACTICE, number, "run"))

    def ask(self, author: str, mine: Version, opponent: Version) -> PracticeMatch:
        """Store a request for a practice match, and return it. Raises: TooManyRequestsError, StoreError."""
        with self._mutex:
            self._check(author, MOST_A_DAY, "a day", lambda one: later(one.at, DAY) > now())
            folders = (path.name for path in self._folder.glob("[0-9]" * 6))  # also those whose record cannot be read
            number = f"{int(max(folders, default='0')) + 1:06}"
            asked = PracticeMatch(id=number, author=author, mine=mine.id, opponent=opponent.id, at=now())
            with naming_errors(self._folder, "cannot be written"):
                make_folder(self._league, PRACTICE, mode=0o700)
                (self._folder / number).mkdir(mode=0o700)
            self._store(number, asked)
            self._forget(author)
        self.wake()
        return asked

    def _forget(self, author: str) -> None:
        """Remove an author's finished matches except the last PRACTICE_KEPT."""
        over = [one for one in self._known.values() if one.author == author and one.over]
        for one in over[:-PRACTICE_KEPT]:
            del self._known[one.id]
            shutil.rmtree(self._folder / one.id, ignore_errors=True)

    def _answer(self, one: PracticeMatch) -> PracticeMatch:
        """Play a practice match, and return its new state; if the server stopped it, it is still to be played."""
        words = ("league", "practice", self._league, one.mine, one.opponent, "--results", self.run_of(one.id).path, "--quiet")
        ended = self.run_command(*words, seconds=PRACTICE_SECONDS, nice=NICE)
        if self._stopped.is_set() and ended.code:
            return one
        if ended.late or ended.code:
            return self._command_failure(one, ended, PRACTICE_SECONDS)
        return replace(one, state="done")

    def _set(self, key: str, changed: PracticeMatch) -> None:
        with self._mutex:
            self._store(key, changed)

    def _store(self, number: str, changed: PracticeMatch) -> None:
        write_private(inside(self._folder, number) / REQUEST, json.encode(changed).decode())
        self._known[number] = changed
