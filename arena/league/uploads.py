"""Bots that authors have sent, each with its state in a folder ``uploads/NUMBER/``. Its file is removed after the verdict.

A kill loses no upload that was answered with a number. The file is streamed into a new folder, which is renamed to its number once
everything in it is on the disk; folders without a number are removed at the next start. A later change of the state replaces
``upload.json`` atomically. An upload that was being tested when the process died is tested again: a bot that had joined meanwhile
is recognised by its digest, so it joins once. An audition that is lost in this way, or ends without a verdict, is counted in
``lost``, because the bot may be the reason; one that the server itself ended, or could not begin, is not.

One process has the inbox open, under a lock; its methods are thread-safe.
"""

import errno
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

from msgspec import Meta, Struct, json
from msgspec.structs import replace

from arena import disk
from arena.errors import MALFORMED, ArenaError, InputError, StoreError, naming_errors
from arena.league.folder import write_private
from arena.league.rules.events import TURN
from arena.moments import Moment, later, now
from arena.roster.entrant import NAME, Name
from arena.store.folder import Folder
from arena.store.store import Store
from arena.store.witness import SeenLink
from arena.tournament.audition import Finding

FOLDER = "uploads"
RECORD = "upload.json"
BODY = "body"  # the folder with the file, which is removed after the verdict
DRAFT = ".new-"  # beginning of the name of a folder without a number
KEPT = 50  # uploads of an author whose verdicts are kept
MOST_LOST = 3  # lost auditions after which an upload is refused
HOUR = timedelta(hours=1)

INNER = r"^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}\Z"
Inner = Annotated[str, Meta(pattern=rf"^\Z|{INNER}")]
UploadState = Literal["queued", "testing", "joined", "known", "refused"]


class UploadTooLargeError(ArenaError):
    """An upload is larger than allowed."""


class TooManyRequestsError(ArenaError):
    """An author has asked for too much lately, or has too much in a queue."""


class DiskFullError(StoreError):
    """There is not enough room for an upload."""


class UploadLimits(Struct, frozen=True, kw_only=True):
    """What authors may send."""

    size: int = 8 << 20  # bytes of one file
    an_hour: int = 12  # uploads of one author
    waiting: int = 3  # uploads of one author that have no verdict yet, those that are being sent included
    stored: int = 2 << 30  # bytes of all uploads and of all bots in the league's folder
    free: int = 256 << 20  # bytes that an upload must leave free on the disk


class Upload(Struct, frozen=True, kw_only=True):
    """An upload and its state."""

    id: str  # its number, in six digits
    author: Name
    file: str  # a clean name: letters, digits and ``_.+-``
    name: Name | None = None  # for the bot; None: the bot's own
    inner: Inner = ""  # the bot in the file, as mine.player:Mine; empty: it is the only one
    size: int  # bytes
    at: Moment
    state: UploadState = "queued"
    lost: int = 0  # auditions that ended without a verdict and were not stopped by the server
    findings: tuple[Finding, ...] = ()  # of the audition so far
    bot: str | None = None  # its file, as mine.py; None: it is in an archive, or not known yet
    version: str = ""  # that joined, or that is the same bot
    replaced: str = ""  # the version whose place it took
    reason: str = ""  # of a refusal, or why it waits again
    ended: Moment | None = None  # when it got its verdict; None: it has none yet
    receipt: SeenLink | None = None  # the last link of the league's chain, when it was received or got its verdict

    @property
    def refusal(self) -> str:
        """Return why it was refused, without the turn, which an older arena stored in the reason."""
        return self.reason.partition(TURN)[0]


class Inbox:
    """The uploads of a league."""

    def __init__(self, path: Path, limits: UploadLimits) -> None:
        """Read the uploads of the league in a folder; call within :func:`open_inbox`. Raises: StoreError."""
        self.path = path / FOLDER
        self.limits = limits
        self._league = path
        self._mutex = threading.Lock()
        self._sending: dict[str, int] = {}  # by author: uploads that are being received
        folders = [disk.inside(self.path, one.parent.name, BODY).parent for one in self.path.glob(f"[0-9]*/{RECORD}")]
        stored = [read(folder / RECORD) for folder in folders]
        # the auditions that were under way are lost
        self._uploads = {one.id: queue_again_as_lost(one) if one.state == "testing" else one for one in stored}

    # --- reading

    def all(self) -> list[Upload]:
        """Return every upload, the first one first."""
        with self._mutex:
            return sorted(self._uploads.values(), key=lambda upload: upload.id)

    def of(self, author: str) -> list[Upload]:
        """Return the uploads of an author, the last one first."""
        return [upload for upload in reversed(self.all()) if upload.author == author]

    def waiting(self) -> list[Upload]:
        """Return the uploads without a verdict, in the order in which they are tested."""
        return [upload for upload in self.all() if upload.ended is None]

    def get(self, number: str) -> Upload | None:
        """Return an upload; None: there is none of that number."""
        with self._mutex:
            return self._uploads.get(number)

    def body(self, upload: Upload) -> Path:
        """Return the path of the file."""
        return self.path / upload.id / BODY / upload.file

    def bot(self, upload: Upload) -> str:
        """Return the bot in the file, as commands name it."""
        return f"{self.body(upload)}:{upload.inner}" if upload.inner else str(self.body(upload))

    # --- receiving

    @contextmanager
    def receiving(self, author: str, file: str, name: str | None, inner: str = "") -> Iterator["Draft"]:
        """Yield a draft to write to. What was not committed at the end is removed. ``inner`` names one bot of several in it.

        Raises: InputError, for a name; TooManyRequestsError; DiskFullError; StoreError.
        """
        cleaned = clean(file)
        if name is not None and not re.match(NAME, name):
            raise InputError(f"the name is {name!r}; expected at most 50 letters, digits and _.-")
        if inner and not re.match(INNER, inner):
            raise InputError(f"the class is {inner[:200]!r}; expected a name of the bot in the file, as Mine or mine.player:Mine")
        self._begin(author)
        try:
            upload = Upload(id="", author=author, file=cleaned, name=name, inner=inner, size=0, at=now())
            with closing(Draft(self, upload)) as draft:
                yield draft
        finally:
            with self._mutex:
                self._sending[author] -= 1

    def _begin(self, author: str) -> None:
        """Count an upload that begins. Raises: TooManyRequestsError, DiskFullError, StoreError."""
        self._check_disk()
        limits, recent = self.limits, later(now(), -HOUR)
        with self._mutex:
            mine = [upload for upload in self._uploads.values() if upload.author == author]
            sending = self._sending.get(author, 0)
            if sending + sum(upload.at > recent for upload in mine) >= limits.an_hour:
                raise TooManyRequestsError(f"{author} has sent {limits.an_hour} bots within an hour; try again later")
            if sending + sum(upload.ended is None for upload in mine) >= limits.waiting:
                raise TooManyRequestsError(f"{limits.waiting} bots of {author} are waiting for their auditions; try again later")
            self._sending[author] = sending + 1

    def _check_disk(self) -> None:
        """Raise DiskFullError, if there is no room for an upload; StoreError, if the disk cannot be asked."""
        with naming_errors(self._league, "cannot be read"):
            free = shutil.disk_usage(self._league).free
        if free < self.limits.free + self.limits.size:
            raise DiskFullError("the disk of the league is full; the organiser has to make room")
        if _size(self.path) + _size(self._league / "bots") + self.limits.size > self.limits.stored:
            raise DiskFullError("the league stores as many bots as it may; the organiser has to make room")

    def add(self, upload: Upload, folder: Path) -> Upload:
        """Give an upload that was received in a folder its number. Raises: StoreError."""
        receipt = _receipt(self._league)
        with self._mutex:
            number = f"{int(max(self._uploads, default='0')) + 1:06}"
            upload = replace(upload, id=number, at=now(), receipt=receipt)
            _write(folder, upload)
            with naming_errors(self.path, "cannot be written"):
                folder.rename(self.path / number)
                disk.sync(self.path)
            self._uploads[number] = upload
        return upload

    # --- changing

    def next(self, postponed: Mapping[str, int]) -> Upload | None:
        """Return the upload to test next; None: there is none.

        ``postponed``: by number, how often the test of an upload could not be begun; such uploads come after the others.
        """
        return min(self.waiting(), key=lambda upload: postponed.get(upload.id, 0), default=None)

    def begin(self, upload: Upload) -> Upload:
        """Store that an upload is being tested; if this process dies meanwhile, that counts as lost. Raises: StoreError."""
        return self.change(replace(upload, state="testing", findings=(), reason=""))

    def stop(self, upload: Upload) -> Upload:
        """Store that the audition of an upload was stopped, or could not begin; that is not counted. Raises: StoreError."""
        return self.change(replace(upload, state="queued", findings=()))

    def change(self, upload: Upload) -> Upload:
        """Store a changed upload. Raises: StoreError."""
        with self._mutex:
            _write(self.path / upload.id, upload)
            self._uploads[upload.id] = upload
        return upload

    def show(self, upload: Upload) -> None:
        """Show a changed upload to readers, without storing it: a step of an audition that is not over."""
        with self._mutex:
            self._uploads[upload.id] = upload

    def end(self, upload: Upload) -> Upload:
        """Store the verdict of an upload, and remove its file and the oldest uploads of its author. Raises: StoreError."""
        ended = self.change(replace(upload, ended=now()))
        shutil.rmtree(self.path / upload.id / BODY, ignore_errors=True)
        for old in [one for one in self.of(upload.author) if one.ended][KEPT:]:
            with self._mutex:
                shutil.rmtree(self.path / old.id, ignore_errors=True)
                del self._uploads[old.id]
        return ended


class Draft:
    """An upload that is being received, in a folder without a number."""

    def __init__(self, inbox: Inbox, upload: Upload) -> None:
        """Make the folder and the file. Raises: StoreError, DiskFullError."""
        self._inbox = inbox
        self._upload = upload  # without its number and size
        self._size = 0
        with _writing(inbox.path):
            self.folder = Path(tempfile.mkdtemp(prefix=DRAFT, dir=inbox.path))
            (self.folder / BODY).mkdir()
            self._body: BinaryIO = (self.folder / BODY / upload.file).open("xb")

    def close(self) -> None:
        """Close the file, and remove it unless the upload was committed."""
        with suppress(OSError):  # what is still buffered may not fit, and is not needed
            self._body.close()
        if self.folder.name.startswith(DRAFT):  # it was not committed
            shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, part: bytes) -> None:
        """Write the next part of the file. Raises: UploadTooLargeError, DiskFullError, StoreError."""
        self._size += len(part)
        if self._size > self._inbox.limits.size:
            raise UploadTooLargeError(f"the file is larger than {self._inbox.limits.size} bytes")
        with _writing(self._inbox.path):
            self._body.write(part)

    def commit(self) -> Upload:
        """Return the upload, which is on the disk from now on. Raises: InputError, for an empty file; DiskFullError, StoreError."""
        if not self._size:
            raise InputError("the file is empty; expected a bot")
        with _writing(self._inbox.path):
            self._body.flush()
            os.fsync(self._body.fileno())
            self._body.close()
        upload = self._inbox.add(replace(self._upload, size=self._size), self.folder)
        self.folder = self._inbox.path / upload.id
        return upload


@contextmanager
def open_inbox(path: Path, limits: UploadLimits) -> Iterator[Inbox]:
    """Open the inbox of the league in a folder. Raises: BusyError, if another process has it open; StoreError."""
    with naming_errors(path, "cannot be written"):
        uploads = disk.make_folder(path, FOLDER)
    with Folder(uploads).lock():
        uploads.chmod(0o700)  # what an author has sent is the author's alone
        for rest in uploads.glob(f"{DRAFT}*"):
            shutil.rmtree(rest, ignore_errors=True)
        yield Inbox(path, limits)


def clean(file: str) -> str:
    """Return the name under which a file is stored: the last part of the sent one, without unusual characters.

    Raises: InputError, if nothing is left of it, or it has no ending.
    """
    last = re.split(r"[/\\]", file)[-1]
    cleaned = re.sub(r"[^A-Za-z0-9_.+-]+", "-", last)[-100:].lstrip(".-+")
    if not re.fullmatch(r"[A-Za-z0-9_].*\.[A-Za-z0-9]+", cleaned):
        raise InputError(f"the file is called {last!r}; expected a name with an ending, as mine.py")
    return cleaned


def read(path: Path) -> Upload:
    """Return a stored upload. Raises: StoreError."""
    try:
        return json.decode(path.read_bytes(), type=Upload)
    except (OSError, *MALFORMED) as error:
        raise StoreError(f"{path}: cannot be read: {error}; restore it from a backup, or remove its folder") from None


def queue_again_as_lost(upload: Upload) -> Upload:
    """Return an upload that waits again, with its audition counted as lost."""
    return replace(upload, state="queued", findings=(), lost=upload.lost + 1)


def _receipt(league: Path) -> SeenLink | None:
    """Return the last link of a league's chain; None: it cannot be read now."""
    with suppress(StoreError), Store(Folder(league).database) as store:
        return store.seen_link()
    return None


def _write(folder: Path, upload: Upload) -> None:
    write_private(folder / RECORD, json.encode(upload).decode())


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
