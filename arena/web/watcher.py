"""A thread that watches a folder of runs for all browsers.

It looks at every run twice a second and calls back with each changed snapshot. Ratings may take seconds, so they are computed in
another thread, for one run at a time.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from arena.errors import ArenaError
from arena.store.folder import DATABASE, Folder
from arena.tournament.spec import Kinds
from arena.web.snapshot import Snapshot, WatchedRun

log = logging.getLogger(__name__)

PAUSE = 0.5  # seconds between two looks
PAUSE_FACTOR = 10  # a rating that took 1 s is computed again after 10 s at the earliest

OnChange = Callable[[Snapshot], None]
OnRemoval = Callable[[str], None]  # gets the name of the run


class Watch:
    """Watches every run in a folder, or one run if the folder is that of a run. Callbacks are called in the watching thread."""

    def __init__(self, root: Path, kinds: Kinds, changed: OnChange, removed: OnRemoval) -> None:
        self.root = root.resolve()
        self.runs: dict[str, WatchedRun] = {}  # by folder name; replaced, never changed, because other threads read it
        self._kinds = kinds
        self._changed = changed
        self._removed = removed
        self._raters = ThreadPoolExecutor(1, thread_name_prefix="rating")
        self._rating: tuple[Future[None], str, float] | None = None  # the run that is being rated, and since when
        self._due: dict[str, tuple[float, int]] = {}  # by run: when it may be rated again, and how many records were rated
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread, without waiting for a rating."""
        self._stopped.set()
        self._raters.shutdown(wait=False, cancel_futures=True)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self.look()
            except Exception:  # our bug: it is logged, and the next look may succeed
                log.exception("%s: reading failed", self.root)
            self._stopped.wait(PAUSE)

    def look(self) -> None:
        """Look at every run once."""
        self._find()
        for name, run in self.runs.items():
            try:
                self._look(name, run)
            except Exception:  # our bug: it is logged, and the other runs are still shown
                log.exception("%s: reading failed", name)

    def _look(self, name: str, run: WatchedRun) -> None:
        if run.look():
            self._changed(run.snapshot)
        self._rate(name, run)

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
            if path.is_file() and path.resolve().is_relative_to(self.root):
                yield Folder(path.parent)

    def _rate(self, name: str, run: WatchedRun) -> None:
        """Start to rate a run in the background, if it has new records, none is being rated and its pause is over."""
        self._finish_rating()
        due, rated = self._due.get(name, (0.0, 0))
        if self._rating is None and run.counted != rated and time.monotonic() >= due:
            self._due[name] = (due, run.counted)
            self._rating = (self._raters.submit(run.rate), name, time.monotonic())

    def _finish_rating(self) -> None:
        if self._rating is None or not self._rating[0].done():
            return
        future, name, since = self._rating
        self._rating = None
        now = time.monotonic()
        self._due[name] = (now + PAUSE_FACTOR * (now - since), self._due[name][1])
        error = future.exception()
        if isinstance(error, ArenaError | OSError):
            log.warning("%s: cannot be rated: %s", name, error)
        elif error:
            raise error
