"""Tests uploads one after another, each by the command `arena league submit` in a process of its own.

It is a process because a bot that is tested may hang or fill the memory, and the server has threads, from which starting bots
would be unsafe. It gets the same lock, transaction and sandbox as a submission that is typed. When the time is up it is ended
like any command, by SIGTERM, and then by SIGKILL.
"""

import logging
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from msgspec.structs import replace

from arena import interpreter
from arena.errors import ArenaError
from arena.league.reasons import NO_REASON, Reason
from arena.runs.leagues import submission_lines
from arena.runs.leagues.background import BackgroundThread, end
from arena.runs.leagues.submit import SubmissionOutcome
from arena.runs.leagues.uploads import Inbox, Upload, lost

log = logging.getLogger(__name__)

PAUSE = 0.5  # seconds between two looks at the queue, where nothing wakes the thread
PAUSE_AFTER_PROBLEM = 5.0  # seconds, if this machine could not test an upload
GRACE = 10.0  # seconds from SIGTERM to SIGKILL
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
        self._child: subprocess.Popen[bytes] | None = None
        self._postponed = Counter[str]()  # by upload: how often this machine could not test it
        self.longest = self.total = 0.0  # seconds of the auditions so far
        self.count = 0
        self.errors = 0  # uploads that were refused because of an error of arena
        self.problem = NO_REASON  # why the queue stands still; empty: it does not

    def stop(self) -> None:
        """End the audition that is running, which is begun again later, and the thread."""
        self._stopped.set()  # first, so that the thread begins no other
        if child := self._child:
            end(child, GRACE)
        self._end_thread(2 * GRACE)

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
            tested = self._tested(upload)
        except (ArenaError, OSError) as error:
            self._postponed[upload.id] += 1
            self._changed(self._inbox.stop(upload))
            raise ArenaError(f"the audition of upload {upload.id} is tried again: {error}") from None
        except BaseException:
            self._changed(self._inbox.change(lost(upload)))
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

    def _tested(self, upload: Upload) -> Upload:
        """Return an upload with what the command has found. Raises: ArenaError, OSError, if this machine cannot test it now."""
        with TemporaryFile() as errors, self._started(upload, errors) as child:
            self._child = child
            limit = _TimeLimit(child, self._seconds)
            try:
                self._changed(self._inbox.begin(upload))
                if self._stopped.is_set():
                    end(child, GRACE)
                upload, outcome = self._followed(upload, child)
                child.wait()
            except BaseException:
                child.kill()
                raise
            finally:
                limit.cancel()
                self._child = None
            late = self._seconds if limit.reached else None
            if outcome and outcome.error:
                self.errors += 1
                log.error("upload %s: %s", upload.id, outcome.reason)
            return with_verdict(upload, outcome, child.returncode, _last_line(errors), late)

    def _followed(self, upload: Upload, child: "subprocess.Popen[bytes]") -> tuple[Upload, SubmissionOutcome | None]:
        """Return an upload with the steps of its audition, and what came of it; None: the command has ended without that.

        Raises: ArenaError, if the command says that this machine cannot test it now.
        """
        outcome: SubmissionOutcome | None = None
        for line in child.stdout or ():
            found = submission_lines.decode_line(line)
            if found and found.finding:
                upload = replace(upload, findings=(*upload.findings, found.finding), bot=found.bot and Path(found.bot).name)
                self._inbox.show(upload)
                self._changed(upload)
            if found and found.hindrance:
                raise ArenaError(found.hindrance)
            outcome = found.outcome if found and found.outcome else outcome
        return upload, outcome

    def _started(self, upload: Upload, errors: IO[bytes]) -> "subprocess.Popen[bytes]":
        name = ("--name", upload.name) if upload.name else ()
        command = ("league", "submit", str(self._league), self._inbox.bot(upload), "--author", upload.author, *name, "--json")
        return subprocess.Popen(  # noqa: S603 - our own command; the names in it begin with a letter or digit, the paths with a slash
            interpreter.arena(*command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # a Ctrl-C in the terminal is the server's, which ends the audition itself
        )


class _TimeLimit:
    """Ends a process when its time is up."""

    def __init__(self, child: "subprocess.Popen[bytes]", seconds: float) -> None:
        self.reached = False
        self._child = child
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        """Let the process end by itself."""
        self._timer.cancel()

    def _end(self) -> None:
        self.reached = True
        end(self._child, GRACE)


def with_verdict(upload: Upload, outcome: SubmissionOutcome | None, code: int, error: str, late: float | None) -> Upload:
    """Return an upload with what the command has found; ``late`` are the seconds that it took too long.

    Without an outcome it is the machine's fault, or the league's, and the upload is tested again.
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
    return replace(lost(upload), reason=NOT_FINISHED)


def _last_line(errors: IO[bytes]) -> str:
    size = errors.seek(0, 2)
    errors.seek(max(size - REASON, 0))
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""
