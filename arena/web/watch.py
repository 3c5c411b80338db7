"""The one look at a folder of runs that all browsers share: a thread that reads, and tells the event loop what is new."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from arena.errors import ArenaError
from arena.store.folder import DATABASE, Folder
from arena.tournament.spec import Kinds
from arena.web.watched import Snapshot, Watched

log = logging.getLogger(__name__)

PAUSE = 0.5  # seconds between two looks
SHARE = 10  # a rating that took a second waits for ten before it is made again

Told = Callable[[Snapshot], None]


class Watch:
    """Every run in a folder, or the one run that the folder is."""

    def __init__(self, root: Path, kinds: Kinds, told: Told, gone: Callable[[str], None]) -> None:
        self.root = root.resolve()
        self.runs: dict[str, Watched] = {}  # by the name of the folder; replaced as a whole, so that others may read it
        self._kinds = kinds
        self._told = told
        self._gone = gone
        self._raters = ThreadPoolExecutor(1, thread_name_prefix="rating")
        self._rating: tuple[Future[None], str, float] | None = None  # what is being rated, and since when
        self._due: dict[str, tuple[float, int]] = {}  # by run: when it may be rated again, and how many matches were rated
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """End, without waiting for a rating."""
        self._stopped.set()
        self._raters.shutdown(wait=False, cancel_futures=True)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self.look()
            except Exception:  # one bad look must not be the last; it is our bug, and told as one
                log.exception("a look at %s failed", self.root)
            self._stopped.wait(PAUSE)

    def look(self) -> None:
        """Look at every run once."""
        self._find()
        for name, run in self.runs.items():
            if run.look():
                self._told(run.snapshot)
            self._rate(name, run)

    def _find(self) -> None:
        """Take in runs that have appeared, and forget those that have gone."""
        there = {folder.path.name: folder for folder in self._folders()}
        if there.keys() == self.runs.keys():
            return
        before = self.runs
        self.runs = {name: before.get(name) or Watched(folder, self._kinds) for name, folder in sorted(there.items())}
        for name in before.keys() - there.keys():
            self._gone(name)

    def _folders(self) -> Iterator[Folder]:
        """Yield the runs; a link that leads out of the folder is none."""
        if (self.root / DATABASE).is_file():
            yield Folder(self.root)
            return
        for path in self.root.glob(f"*/{DATABASE}"):
            if path.is_file() and path.resolve().is_relative_to(self.root):
                yield Folder(path.parent)

    def _rate(self, name: str, run: Watched) -> None:
        """Have a run rated in the background, one run at a time and none for more than a share of the time."""
        self._rated()
        due, rated = self._due.get(name, (0.0, 0))
        if self._rating is None and run.counted != rated and time.monotonic() >= due:
            self._due[name] = (due, run.counted)
            self._rating = (self._raters.submit(run.rate), name, time.monotonic())

    def _rated(self) -> None:
        if self._rating is None or not self._rating[0].done():
            return
        future, name, since = self._rating
        self._rating = None
        now = time.monotonic()
        self._due[name] = (now + SHARE * (now - since), self._due[name][1])
        error = future.exception()
        if isinstance(error, ArenaError | OSError):
            log.warning("%s cannot be rated: %s", name, error)
        elif error:
            raise error
