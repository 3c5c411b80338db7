"""What a server does for authors in the background: it tests their uploads, and compares versions of their bots."""

import logging
import math
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from traceback import extract_tb
from typing import IO, Literal

from msgspec import DecodeError, Struct, json
from msgspec.structs import replace

from arena import interpreter
from arena.errors import ArenaError
from arena.league import submit
from arena.league.folder import write_private
from arena.league.places import without_places
from arena.league.rules.events import NO_REASON, Reason
from arena.league.rules.field import Version
from arena.league.submit import SubmissionOutcome
from arena.league.uploads import Inbox, Upload, without_verdict
from arena.roster.entrant import Name
from arena.runs.diff import SHOWN, Difference

log = logging.getLogger(__name__)

PAUSE_AFTER_ERROR = 10.0  # seconds
LOOK_PAUSE = 0.1  # seconds between two looks at a process
GRACE = 10.0  # seconds from SIGTERM to SIGKILL, where a thread says nothing else
IN_ARENA = "an error in arena; see the server's log"  # what pages say of it


class BackgroundThread:
    """A thread that calls ``look`` until it is stopped, also after an error in arena, and runs arena commands.

    A command is a process of its own, because a bot that is tested or played may hang or fill the memory, and the server has
    threads, from which starting bots would be unsafe. It gets the same lock, transaction and sandbox as a command that is typed.
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
        """Do what is to be done, in the thread, and return the seconds until the next look."""
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

        Raises: OSError, if the machine has no room for a process.
        """
        command = interpreter.arena(*map(str, words))
        # A session of its own: a Ctrl-C in the terminal is the server's, which ends the command itself.
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
                        end(child, self.grace)
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
            log.error("%s: %s", self._thread.name, in_one_line(error))  # noqa: TRY400 - one line
            return PAUSE_AFTER_ERROR
        self.error = ""
        return pause


def in_one_line(error: Exception) -> str:
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
        """Hand on the lines that are new."""
        while self._read and (found := os.pread(self._file.fileno(), 1 << 20, self._offset)):
            self._offset += len(found)
            *lines, self._rest = (self._rest + found).split(b"\n")
            for line in lines:
                self._read(line)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def end(child: "subprocess.Popen[bytes]", grace: float) -> None:
    """End a command: first gracefully, and after ``grace`` seconds for certain."""
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(grace)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


PAUSE = 0.5  # seconds between two looks at a queue, where nothing wakes the thread
PAUSE_AFTER_PROBLEM = 5.0  # seconds, if this machine could not test an upload
REASON = 10_000  # characters of a reason that are stored
NOT_FINISHED = "its audition ended without a verdict; it is tried again"


class Auditions(BackgroundThread):
    """A thread that tests the uploads in an inbox."""

    def __init__(
        self, league: Path, inbox: Inbox, seconds: float, changed: Callable[[Upload], None], hindrance: Callable[[], Reason]
    ) -> None:
        """``seconds`` are what an audition may take.

        ``changed`` is called in the thread with each upload that has changed. ``hindrance`` returns why nothing may be tested now,
        as a full disk; empty: it may.
        """
        super().__init__("auditions")
        self._league = league
        self._inbox = inbox
        self._seconds = seconds
        self._changed = changed
        self._hindrance = hindrance
        self._postponed = Counter[str]()  # by upload: how often this machine could not test it
        self.longest = self.total = 0.0  # seconds of the auditions so far
        self.count = 0
        self.errors = 0  # uploads that were refused because of an error of arena
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
        """Test an upload and store its verdict. Raises: ArenaError, if this machine cannot test it now: that does not count."""
        began = time.monotonic()
        try:
            tested = self._run_test(upload)
        except (ArenaError, OSError) as error:
            self._postponed[upload.id] += 1
            self._changed(self._inbox.stop(upload))
            raise ArenaError(f"the audition of upload {upload.id} is tried again: {error}") from None
        except BaseException:
            self._changed(self._inbox.change(without_verdict(upload)))
            raise
        if self._stopped.is_set() and tested.state in ("refused", "queued"):
            self._inbox.stop(upload)  # ended by the server, not by the bot: it is tested again after the next start
            return
        if tested.state != "queued":
            tested = self._inbox.end(tested)
            seconds = time.monotonic() - began
            self.count, self.total, self.longest = self.count + 1, self.total + seconds, max(self.longest, seconds)
        else:
            self._inbox.change(tested)
        self._changed(tested)

    def _run_test(self, upload: Upload) -> Upload:
        """Return an upload with what the command has found. Raises: ArenaError, OSError, if this machine cannot test it now."""
        test = _Test(upload, self._show)
        name = ("--name", upload.name) if upload.name else ()
        ended = self.run_command(
            *("league", "submit", self._league, self._inbox.bot(upload), "--author", upload.author, *name, "--json"),
            seconds=self._seconds,
            began=lambda: self._changed(self._inbox.begin(upload)),
            read=test.read,
        )
        if test.outcome and test.outcome.error:
            self.errors += 1
            log.error("upload %s: %s", upload.id, test.outcome.reason)
        last = (ended.errors[-REASON:].strip().splitlines() or [""])[-1]
        return with_verdict(test.upload, test.outcome, ended.code, last, self._seconds if ended.late else None)

    def _show(self, upload: Upload) -> None:
        """Show an upload with what has been found so far."""
        self._inbox.show(upload)
        self._changed(upload)


class _Test:
    """An audition that is running."""

    def __init__(self, upload: Upload, show: Callable[[Upload], None]) -> None:
        self.upload = upload
        self.outcome: SubmissionOutcome | None = None  # None: none yet
        self._show = show

    def read(self, line: bytes) -> None:
        """Read a line of the command. Raises: ArenaError, if it says that this machine cannot test the bot now."""
        found = submit.decode_line(line)
        if found and found.finding:
            findings = (*self.upload.findings, found.finding)
            self.upload = replace(self.upload, findings=findings, bot=found.bot and Path(found.bot).name)
            self._show(self.upload)
        if found and found.hindrance:
            raise ArenaError(found.hindrance)
        if found and found.outcome:
            self.outcome = found.outcome


def with_verdict(upload: Upload, outcome: SubmissionOutcome | None, code: int, error: str, late: float | None) -> Upload:
    """Return an upload with what the command has found; ``late`` is the limit in seconds, if it took longer.

    Then it is refused. Without an outcome and within the limit, the machine or the league is at fault, and it is tested again.
    """
    if outcome:
        upload = replace(upload, receipt=outcome.receipt or upload.receipt)
    if outcome and outcome.version:
        return replace(upload, state="joined" if outcome.joined else "known", version=outcome.version.id, replaced=outcome.replaced)
    if outcome:
        return replace(upload, state="refused", reason=str(outcome.reason)[:REASON])
    if late is not None:
        return replace(upload, state="refused", reason=f"its audition took more than {late:.0f} seconds")
    log.warning("upload %s: the audition ended with code %d: %s", upload.id, code, error)
    return replace(without_verdict(upload), reason=NOT_FINISHED)


# Compares versions of bots for their authors, one after another, each by the command `arena league diff` in a process of its own.
#
# The command has one worker and a low priority, so that play and auditions go first, and it is ended when its time is up. What was
# found is kept in ``comparisons/`` in the league's folder, which only its owner may read; it can be removed at any time.

FOLDER = "comparisons"
HANDS = 50  # that the old version plays against itself
SECONDS = 300.0  # that a comparison may take
NICE = 15  # priority of its process: higher is lower
MOST_AN_HOUR = 12  # comparisons of an author
MOST_WAITING = 2  # comparisons of an author that are not over
MOST_KEPT = 500  # in memory
LONGEST_REASON = 2000  # characters
NOT_COUNTED = float("-inf")  # in place of the time of asking, if this machine has failed: that does not count for MOST_AN_HOUR

VersionChangeState = Literal["waiting", "running", "done", "failed"]


class TooManyComparisonsError(ArenaError):
    """An author has asked for too much lately."""


class VersionChange(Struct, frozen=True, kw_only=True):
    """What changed between two versions."""

    author: Name
    old: str  # version
    new: str  # version
    asked: float = 0.0  # by the monotonic clock
    state: VersionChangeState = "waiting"
    difference: Difference | None = None  # None: it is not done
    warnings: tuple[str, ...] = ()
    reason: str = ""  # why it failed


_DECODER = json.Decoder(VersionChange)
_DIFFERENCE = json.Decoder(Difference)

Pairing = tuple[str, str]  # the digests of the old and the new version


class VersionChanges(BackgroundThread):
    """A thread that compares versions when their author asks for it."""

    def __init__(self, league: Path, hindrance: Callable[[], Reason]) -> None:
        """``hindrance`` returns why no bot may run now; empty: they may."""
        super().__init__("comparisons")
        self._league = league
        self._folder = league / FOLDER
        self._hindrance = hindrance
        self._mutex = threading.Lock()
        self._known: dict[Pairing, VersionChange] = {}  # the oldest first

    def get(self, old: Version, new: Version) -> VersionChange | None:
        """Return the comparison of two versions; None: not requested, or ended by a restart."""
        pairing = (old.digest, new.digest)
        with self._mutex:
            found = self._known.get(pairing)
        return found or self._read_stored(pairing)

    def ask(self, author: str, old: Version, new: Version) -> None:
        """Compare two versions of an author, unless that is known. Raises: TooManyComparisonsError."""
        known = self.get(old, new)
        if known and known.state != "failed":
            return
        with self._mutex:
            self._check(author)
            self._known.pop((old.digest, new.digest), None)
            asked = VersionChange(author=author, old=old.id, new=new.id, asked=time.monotonic())
            self._known[old.digest, new.digest] = asked
            self._forget()
        self.wake()

    def _check(self, author: str) -> None:
        mine = [one for one in self._known.values() if one.author == author]
        if sum(one.state in ("waiting", "running") for one in mine) >= MOST_WAITING:
            raise TooManyComparisonsError(f"{MOST_WAITING} comparisons of {author} are not over; try again later")
        if sum(one.asked > time.monotonic() - 3600 for one in mine) >= MOST_AN_HOUR:
            raise TooManyComparisonsError(f"{author} has asked for {MOST_AN_HOUR} comparisons within an hour; try again later")

    def _forget(self) -> None:
        """Drop the oldest that are over."""
        over = [pairing for pairing, one in self._known.items() if one.state in ("done", "failed")]
        for pairing in over[: max(0, len(self._known) - MOST_KEPT)]:
            del self._known[pairing]

    def look(self) -> float:
        """Make the next comparison, if one is asked for and nothing is in the way."""
        if self._hindrance():
            return PAUSE
        with self._mutex:
            waiting = [(pairing, one) for pairing, one in self._known.items() if one.state == "waiting"]
        if not waiting:
            return PAUSE
        pairing, one = waiting[0]
        self._set(pairing, replace(one, state="running"))
        try:
            done = self._compare(one)
            self._set(pairing, done)
            if done.difference:
                self._store(pairing, done)
        except (ArenaError, OSError) as error:
            log.warning("comparing %s and %s: %s", one.old, one.new, error)
            reason = without_places(self._league, str(error))
            self._set(pairing, replace(one, state="failed", reason=reason, asked=NOT_COUNTED))
        except Exception:
            self._set(pairing, replace(one, state="failed", reason=IN_ARENA))
            raise
        return 0.0

    def _set(self, pairing: Pairing, comparison: VersionChange) -> None:
        with self._mutex:
            self._known[pairing] = comparison

    def _compare(self, one: VersionChange) -> VersionChange:
        """Return a comparison with what the command has found."""
        words = ("league", "diff", self._league, one.old, one.new, "--hands", str(HANDS), "--workers", "1", "--json")
        ended = self.run_command(*words, seconds=SECONDS, nice=NICE)
        said = without_places(self._league, ended.errors).strip().splitlines()
        return _with(one, ended.code, ended.output, [line.removeprefix("arena: ") for line in said], late=ended.late)

    # --- on the disk

    def _path(self, pairing: Pairing) -> Path:
        return self._folder / f"{pairing[0][:20]}-{pairing[1][:20]}.json"

    def _read_stored(self, pairing: Pairing) -> VersionChange | None:
        """Return the stored comparison; None: none that can be read."""
        try:
            return _DECODER.decode(self._path(pairing).read_bytes())
        except (OSError, DecodeError, RecursionError):
            return None

    def _store(self, pairing: Pairing, comparison: VersionChange) -> None:
        """Store a comparison. Raises: StoreError, OSError."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        write_private(self._path(pairing), json.encode(comparison).decode())


def _with(one: VersionChange, code: int, output: bytes, said: list[str], *, late: bool) -> VersionChange:
    """Return a comparison after its process has ended with a code. Exit code 1: decisions differ."""
    if late:
        return replace(one, state="failed", reason=f"it took more than {SECONDS:.0f} seconds")
    if code not in (0, 1):
        return replace(one, state="failed", reason=(said or ["it ended without a result"])[-1][:LONGEST_REASON])
    try:
        found = _DIFFERENCE.decode(output)
    except (DecodeError, RecursionError):
        return replace(one, state="failed", reason="it ended without a result")
    warnings = tuple(line[:LONGEST_REASON] for line in said[:SHOWN])
    return replace(one, state="done", difference=replace(found, positions=found.positions[:SHOWN]), warnings=warnings)
