"""A thread that watches a folder of runs for all browsers.

It looks at every run about twice a second and calls back with each changed snapshot. Ratings may take seconds, so they are computed
in another thread, for one run at a time.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from arena.disk import real
from arena.errors import ArenaError
from arena.runs.background import BackgroundThread
from arena.store.folder import DATABASE, Folder
from arena.tournament.spec import Kinds
from arena.web.watched_run import Snapshot, WatchedRun

log = logging.getLogger(__name__)

PAUSE = 0.5  # seconds between two looks
PAUSE_FACTOR = 10  # a rating that took 1 s is computed again after 10 s at the earliest

OnChange = Callable[[Snapshot], None]
OnRemoval = Callable[[str], None]  # gets the name of the run


class Watch(BackgroundThread):
    """Watches every run in a folder, or one run if the folder is that of a run. Callbacks are called in the watching thread."""

    def __init__(self, root: Path, kinds: Kinds, changed: OnChange, removed: OnRemoval) -> None:
        super().__init__("watch", grace=0.0)  # ``stop`` does not wait: a look may take long
        self.root = real(root)
        self.runs: dict[str, WatchedRun] = {}  # by folder name; replaced, never changed, because other threads read it
        self._kinds = kinds
        self._changed = changed
        self._removed = removed
        self._raters = ThreadPoolExecutor(1, thread_name_prefix="rating")
        self._rating: tuple[Future[None], str, float] | None = None  # the run that is being rated, and since when
        self._due: dict[str, float] = {}  # by run: when it may be rated again
        self.first_read = threading.Event()  # set when every run was looked at once, or the first look failed

    def stop(self) -> None:
        """Stop the thread, without waiting for a rating."""
        super().stop()
        self._raters.shutdown(wait=False, cancel_futures=True)

    def poll(self) -> float:
        """Look at every run once, and return the seconds until the next look."""
        try:
            self._find()
            for name, run in self.runs.items():
                self._read_run(name, run)
        finally:
            self.first_read.set()
        return PAUSE

    def _read_run(self, name: str, run: WatchedRun) -> None:
        try:
            if run.poll():
                self._changed(run.snapshot)
            self._rate(name, run)
        except Exception:  # our bug: it is logged, and the other runs are still shown
            log.exception("%s: reading failed", name)

    def _find(self) -> None:
        """Add new runs, and remove those whose folder is gone."""
        found = {folder.path.name: folder for folder in self._folders()}
        if found.keys() == self.runs.keys():
            return
        before = self.runs
        self.runs = {name: before.get(name) or WatchedRun(folder, self._kinds) for name, folder in sorted(found.items())}
        for name in before.keys() - found.keys():
            self._removed(name)

    def _folders(self) -> Iterator[Folder]:
        """Yield the folders of runs; links that lead out of the watched folder are ignored."""
        if (self.root / DATABASE).is_file():
            yield Folder(self.root)
            return
        for path in self.root.glob(f"*/{DATABASE}"):
            if path.is_file() and real(path).is_relative_to(self.root):
                yield Folder(path.parent)

    def _rate(self, name: str, run: WatchedRun) -> None:
        """Start to rate a run in the background, if it has new records, none is being rated and its pause is over."""
        self._finish_rating()
        if self._stopped.is_set() or self._rating is not None:
            return
        if run.count != run.rated and time.monotonic() >= self._due.get(name, 0.0):
            run.rated = run.count
            self._rating = (self._raters.submit(run.rate), name, time.monotonic())

    def _finish_rating(self) -> None:
        if self._rating is None or not self._rating[0].done():
            return
        future, name, since = self._rating
        self._rating = None
        now = time.monotonic()
        self._due[name] = now + PAUSE_FACTOR * (now - since)
        error = future.exception()
        if isinstance(error, ArenaError | OSError):
            log.warning("%s: cannot be rated: %s", name, error)
        elif error:
            log.error("%s: rating failed", name, exc_info=error)  # our bug; here another run is looked at
