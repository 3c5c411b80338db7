"""Bots that authors have sent: each is received into a file, tested in a job by ``arena league submit``, and gets a verdict."""

import errno
import logging
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, BinaryIO, ClassVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.errors import ArenaError, InputError, StoreError, naming_errors
from arena.league.jobs import HOUR, JobLimits, JobQueue, ServerJob
from arena.league.leagues import BODY, JOBS
from arena.league.rules.events import LONGEST_TEXT
from arena.league.submission_lines import decode_line
from arena.league.submit import SubmissionOutcome
from arena.moments import now
from arena.roster.entrant import NAME_PATTERN, Name
from arena.runs.background import EndedCommand
from arena.store.folder import Folder
from arena.store.store import Store
from arena.store.witness import SeenLink
from arena.tournament.audition import Finding

log = logging.getLogger(__name__)

KEPT = 50  # uploads of an author whose verdicts are kept
INNER = r"^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}\Z"
Inner = Annotated[str, Meta(pattern=rf"^\Z|{INNER}")]


class UploadTooLargeError(ArenaError):
    """An upload is larger than allowed."""


class DiskFullError(StoreError):
    """There is not enough room for an upload."""


class UploadLimits(Struct, frozen=True, kw_only=True):
    """What authors may send."""

    size: int = 8 << 20  # bytes of one file
    an_hour: int = 12  # uploads of one author
    waiting: int = 3  # uploads of one author that have no verdict yet, those that are being sent included
    stored: int = 2 << 30  # bytes of all uploads and of all bots in the league's folder
    free: int = 256 << 20  # bytes that an upload must leave free on the disk

    def of_jobs(self, seconds: float) -> JobLimits:
        """Return the limits of the auditions, each of which may take some ``seconds``."""
        kept = max(KEPT, self.an_hour)  # those of the last hour are counted among them
        return JobLimits(waiting=self.waiting, recent=self.an_hour, period=HOUR, kept=kept, seconds=seconds, nice=None)


class Upload(ServerJob, frozen=True, kw_only=True, tag="upload"):
    """An upload, its audition and its verdict."""

    things: ClassVar[str] = "uploads"

    file: str  # a clean name: letters, digits and ``_.+-``
    name: Name | None = None  # for the bot; None: the bot's own
    inner: Inner = ""  # the bot in the file, as mine.player:Mine; empty: it is the only one
    size: int  # bytes
    findings: tuple[Finding, ...] = ()  # of the audition so far
    bot: str | None = None  # its file, as mine.py; None: it is in an archive, or not known yet
    version: str = ""  # that joined, or that is the same bot
    replaced: str = ""  # the version whose place it took
    receipt: SeenLink | None = None  # the last link of the league's chain, when it was received or got its verdict

    def source(self, league: Path) -> str:
        """Return the bot in the file, as commands name it."""
        path = league / JOBS / self.id / BODY / self.file
        return f"{path}:{self.inner}" if self.inner else str(path)

    def command(self, league: Path) -> Sequence[str | Path]:
        """Return the words of the command that tests it."""
        name = ("--name", self.name) if self.name else ()
        return ("league", "submit", league, self.source(league), "--author", self.author, *name, "--json")

    def after_line(self, line: bytes) -> "Upload":
        """Return it after a line of the command: with another finding, or with its verdict."""
        found = decode_line(line)
        if found and found.why_untested:
            raise ArenaError(found.why_untested)
        if found and found.finding:
            return replace(self, findings=(*self.findings, found.finding), bot=found.bot and Path(found.bot).name)
        return self.after_outcome(found.outcome) if found and found.outcome else self

    def after_outcome(self, outcome: SubmissionOutcome) -> "Upload":
        """Return it with the verdict of its submission."""
        judged = replace(self, receipt=outcome.receipt or self.receipt)
        if outcome.version:
            state = "joined" if outcome.joined else "known"
            return replace(judged, state=state, version=outcome.version.id, replaced=outcome.replaced)
        if outcome.error:
            log.error("upload %s: %s", self.id, outcome.reason)
        return replace(judged.failing(str(outcome.reason)), error=outcome.error)

    def after_command(self, ended: EndedCommand) -> "Upload":
        """Return it as it is: without a verdict, it is tested again."""
        if not self.has_result:
            log.warning("upload %s: the audition ended with code %d: %s", self.id, ended.code, ended.reason[-LONGEST_TEXT:])
        return self

    @property
    def may_be_done(self) -> bool:
        """Tell whether it passed its audition: then it may have joined."""
        return bool(self.findings) and self.findings[-1].ends_audition

    def failing(self, reason: str) -> "Upload":
        """Return it as refused."""
        return replace(self, state="refused", reason=reason[:LONGEST_TEXT])


@contextmanager
def receiving(
    jobs: JobQueue, limits: UploadLimits, author: str, file: str, name: str | None, inner: str = ""
) -> Iterator["UploadDraft"]:
    """Yield a draft to write to. What was not committed at the end is removed. ``inner`` names one bot of several in it.

    Raises: InputError, for a name; TooManyRequestsError; DiskFullError; StoreError.
    """
    cleaned = clean(file)
    if name is not None and not re.match(NAME_PATTERN, name):
        raise InputError(f"the name is {name!r}; expected at most 50 letters, digits and _.-")
    if inner and not re.match(INNER, inner):
        raise InputError(f"the class is {inner[:200]!r}; expected a name of the bot in the file, as Mine or mine.player:Mine")
    assert jobs.league, "uploads need a disk"
    check_disk(jobs.league, limits)
    upload = Upload(author=author, file=cleaned, name=name, inner=inner, size=0, at=now())
    with jobs.reserving(Upload, author), jobs.drafting() as folder:
        assert folder
        draft = UploadDraft(jobs, limits.size, upload, folder)
        try:
            yield draft
        finally:
            draft.close()


def check_disk(league: Path, limits: UploadLimits) -> None:
    """Raise DiskFullError, if there is no room for an upload; StoreError, if the disk cannot be asked."""
    with naming_errors(league, "cannot be read"):
        free = shutil.disk_usage(league).free
    if free < limits.free + limits.size:
        raise DiskFullError("the disk of the league is full; the organiser has to make room")
    if _size(league / JOBS) + _size(league / "bots") + limits.size > limits.stored:
        raise DiskFullError("the league stores as many bots as it may; the organiser has to make room")


class UploadDraft:
    """An upload that is being received, in a folder without a number."""

    def __init__(self, jobs: JobQueue, most: int, upload: Upload, folder: Path) -> None:
        """Make the file, of at most ``most`` bytes. Raises: StoreError, DiskFullError."""
        self._jobs = jobs
        self._most = most
        self._upload = upload  # without its number and size
        self._folder = folder
        self._size = 0
        with _writing(folder.parent):
            (folder / BODY).mkdir()
            self._body: BinaryIO = (folder / BODY / upload.file).open("xb")

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):  # what is still buffered may not fit, and is not needed
            self._body.close()

    def write(self, part: bytes) -> None:
        """Write the next part of the file. Raises: UploadTooLargeError, DiskFullError, StoreError."""
        self._size += len(part)
        if self._size > self._most:
            raise UploadTooLargeError(f"the file is larger than {self._most} bytes")
        with _writing(self._folder.parent):
            self._body.write(part)

    def commit(self) -> Upload:
        """Return the upload, which is on the disk from now on. Raises: InputError, for an empty file; DiskFullError, StoreError."""
        if not self._size:
            raise InputError("the file is empty; expected a bot")
        with _writing(self._folder.parent):
            self._body.flush()
            os.fsync(self._body.fileno())
            self._body.close()
        receipt = _receipt(self._jobs.league) if self._jobs.league else None
        return self._jobs.add(replace(self._upload, size=self._size, at=now(), receipt=receipt), self._folder)


def clean(file: str) -> str:
    """Return the name under which a file is stored: the last part of the sent one, without unusual characters.

    Raises: InputError, if nothing is left of it, or it has no ending.
    """
    last = re.split(r"[/\\]", file)[-1]
    cleaned = re.sub(r"[^A-Za-z0-9_.+-]+", "-", last)[-100:].lstrip(".-+")
    if not re.fullmatch(r"[A-Za-z0-9_].*\.[A-Za-z0-9]+", cleaned):
        raise InputError(f"the file is called {last!r}; expected a name with an ending, as mine.py")
    return cleaned


def _receipt(league: Path) -> SeenLink | None:
    """Return the last link of a league's chain; None: it cannot be read now."""
    with suppress(StoreError), Store(Folder(league).database) as store:
        return store.seen_link()
    return None


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Name the folder of the uploads in errors of writing to it. Raises: DiskFullError, StoreError."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise DiskFullError("the disk of the league is full; the organiser has to make room") from None
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None


def _size(folder: Path) -> int:
    """Return the bytes of the files below a folder."""
    total = 0
    for path, _, files in os.walk(folder):
        for name in files:
            with suppress(OSError):  # removed meanwhile
                total += os.lstat(os.path.join(path, name)).st_size  # noqa: PTH118 - many files: four times as fast
    return total
