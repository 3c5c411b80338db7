"""Work in the background of a server: a thread that looks for it again and again, and how it ends a command that it has started."""

import signal
import subprocess
import threading


class BackgroundThread:
    """A thread that calls ``look`` until it is stopped."""

    def __init__(self, name: str) -> None:
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
            self._wake.wait(self.look())
            self._wake.clear()


def end(child: "subprocess.Popen[bytes]", grace: float) -> None:
    """End a command: first gracefully, and after ``grace`` seconds for certain."""
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(grace)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
