"""Compares versions of bots for their authors, one after another, each by the command `arena league diff` in a process of its own.

The process has one worker and a low priority, so that play and auditions go first, and it is ended when its time is up. What was
found is kept in ``comparisons/`` in the league's folder, which only its owner may read; it can be removed at any time.
"""

import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Literal

from msgspec import DecodeError, Struct, json
from msgspec.structs import replace

from arena import interpreter
from arena.errors import ArenaError
from arena.league.field import Version
from arena.league.reasons import Reason
from arena.roster.entrant import Name
from arena.runs.difference import SHOWN, Difference
from arena.runs.leagues.auditions import GRACE
from arena.runs.leagues.background import IN_ARENA, BackgroundThread, end
from arena.runs.leagues.folder import write_private
from arena.runs.leagues.places import without_places

log = logging.getLogger(__name__)

FOLDER = "comparisons"
HANDS = 50  # that the old version plays against itself
SECONDS = 300.0  # that a comparison may take
NICE = 15  # priority of its process: higher is lower
AN_HOUR = 12  # comparisons of an author
WAITING = 2  # of an author that are not over
MOST_KEPT = 500  # in memory
LOOK_PAUSE = 0.5  # seconds between two looks
LONGEST_REASON = 2000  # characters
NOT_COUNTED = float("-inf")  # when a comparison was asked for that this machine could not begin

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

    def stop(self) -> None:
        """End the comparison that is running, and the thread."""
        self._end_thread(2 * GRACE)

    def get(self, old: Version, new: Version) -> VersionChange | None:
        """Return what is known of two versions; None: nobody has asked, or it was ended by a restart."""
        pairing = (old.digest, new.digest)
        with self._mutex:
            found = self._known.get(pairing)
        return found or self._stored(pairing)

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
        if sum(one.state in ("waiting", "running") for one in mine) >= WAITING:
            raise TooManyComparisonsError(f"{WAITING} comparisons of {author} are not over; try again later")
        if sum(one.asked > time.monotonic() - 3600 for one in mine) >= AN_HOUR:
            raise TooManyComparisonsError(f"{author} has asked for {AN_HOUR} comparisons within an hour; try again later")

    def _forget(self) -> None:
        """Drop the oldest that are over."""
        over = [pairing for pairing, one in self._known.items() if one.state in ("done", "failed")]
        for pairing in over[: max(0, len(self._known) - MOST_KEPT)]:
            del self._known[pairing]

    def look(self) -> float:
        """Make the next comparison, if one is asked for and nothing is in the way."""
        if self._hindrance():
            return LOOK_PAUSE
        with self._mutex:
            waiting = [(pairing, one) for pairing, one in self._known.items() if one.state == "waiting"]
        if not waiting:
            return LOOK_PAUSE
        pairing, one = waiting[0]
        self._set(pairing, replace(one, state="running"))
        try:
            done = self._made(one)
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

    def _made(self, one: VersionChange) -> VersionChange:
        """Return a comparison with what the command has found."""
        command = ("league", "diff", str(self._league), one.old, one.new, "--hands", str(HANDS), "--workers", "1", "--json")
        with (
            TemporaryFile() as output,
            TemporaryFile() as errors,
            subprocess.Popen(  # noqa: S603 - our own command; the names of versions begin with a letter or digit
                interpreter.arena(*command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            ) as child,
        ):
            late = self._wait(child)
            output.seek(0)
            errors.seek(0)
            said = without_places(self._league, errors.read().decode("utf-8", "replace")).strip().splitlines()
            return _with(one, child.returncode, output.read(), [line.removeprefix("arena: ") for line in said], late=late)

    def _wait(self, child: "subprocess.Popen[bytes]") -> bool:
        """Wait for a process, and return whether it was ended because its time was up."""
        with suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, child.pid, NICE)
        until = time.monotonic() + SECONDS
        while child.poll() is None:
            late = time.monotonic() > until
            if late or self._stopped.is_set():
                end(child, GRACE)
                return late
            self._stopped.wait(LOOK_PAUSE)
        return False

    # --- on the disk

    def _path(self, pairing: Pairing) -> Path:
        return self._folder / f"{pairing[0][:20]}-{pairing[1][:20]}.json"

    def _stored(self, pairing: Pairing) -> VersionChange | None:
        """Return what was stored; None: nothing that can be read."""
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
