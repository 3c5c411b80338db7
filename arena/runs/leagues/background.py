"""Work in the background of a server: a thread that looks for it again and again, and how it ends a command that it has started."""

import logging
import signal
import subprocess
import threading
from traceback import extract_tb

log = logging.getLogger(__name__)

PAUSE_AFTER_ERROR = 10.0  # seconds
IN_ARENA = "an error in arena; see the server's log"  # what pages say of it


class BackgroundThread:
    """A thread that calls ``look`` until it is stopped, also after an error in arena."""

    def __init__(self, name: str) -> None:
        self.error = ""  # of arena, in the last look; empty: there was none
        self._stopped = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def alive(self) -> bool:
        """Return whether the thread is running."""
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

    def _end_thread(self, within: float) -> None:
        """Stop looking, and wait for the thread, at most ``within`` seconds."""
        self._stopped.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(within)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wake.wait(self.looked())
            self._wake.clear()

    def looked(self) -> float:
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
    """Return what an unexpected error is and where it was raised."""
    frame = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {frame.filename}:{frame.lineno}: {' '.join(str(error).split())}"


def end(child: "subprocess.Popen[bytes]", grace: float) -> None:
    """End a command: first gracefully, and after ``grace`` seconds for certain."""
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(grace)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
