"""Stops a command cleanly on Ctrl-C, SIGTERM or SIGHUP, at any moment, once or repeatedly.

The first signal raises a KeyboardInterrupt in the main thread, and the stack unwinds: bots, workers and the database are closed.
Signals in the next seconds are ignored, so that closing is not interrupted. A later one raises again, in case the first was lost.

An exception that is raised at an arbitrary point can be lost in two ways. In a finalizer or a callback of the garbage collector
Python only reports it; a timer then raises it once more. C code that calls Python, as SQLite does, may replace it by another
exception; so when ``requested`` is true, any exception that ends the command is treated as an effect of the signal.

When the command has ended, signals are ignored for good: Python restores their default action, which kills the process, before it
exits.

The first 20 ms, in which the interpreter starts, are not covered: SIGTERM then kills silently, and Ctrl-C gives a traceback of
Python's own modules. To keep this time short, the module imports almost nothing.
"""

import os
import signal
import sys
import time

STOPPED = 130  # exit code of a command that was stopped and stored nothing: 128 + SIGINT, as in shells
IGNORE_AFTER = 5.0  # seconds after a signal in which others are ignored; longer than closing bots and workers takes
RAISE_AGAIN = 0.01  # seconds until a lost interrupt is raised again
EXIT_WITHIN = 10.0  # seconds until a stopped process exits, even if it still waits for a thread or child

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StoppedError(KeyboardInterrupt):
    """Raised by a signal.

    A subclass is needed: if a plain KeyboardInterrupt leaves ``exec`` or ``eval`` of a string, as in ``namedtuple``, Python
    remembers it although it is caught, and at exit kills itself with SIGINT instead of returning the exit code.
    """


class _Handler:
    """The signal handler and its state."""

    def __init__(self) -> None:
        self.owner: int | None = None  # process that installed the handler; forks inherit it
        self.at: float | None = None  # monotonic time of the last signal that was not ignored; None: there was none
        self.ended = False

    def __call__(self, number: int, _: object) -> None:
        if os.getpid() != self.owner:
            _handle_in_fork(number)
        elif not self.ended and (self.at is None or time.monotonic() - self.at > IGNORE_AFTER):
            self.at = time.monotonic()
            raise StoppedError

    def raise_again(self, _: int, __: object) -> None:
        """Raise a lost interrupt."""
        if os.getpid() == self.owner and not self.ended:
            raise StoppedError


_handler = _Handler()


def install() -> None:
    """Handle the signals from now on, in this process; one that is ignored, as SIGHUP under nohup, stays ignored."""
    _handler.owner = os.getpid()
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _handler)
    signal.signal(signal.SIGALRM, _handler.raise_again)
    sys.unraisablehook = _unraisable


def requested() -> bool:
    """Return whether a signal has asked this process to stop."""
    return _handler.at is not None


def ignore_signals() -> None:
    """Ignore the signals from now on, because the command has ended."""
    # First of all, because a signal may arrive between the calls below.
    _handler.ended = True
    for number in (*_SIGNALS, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)


def end_soon(code: int, within: float = EXIT_WITHIN) -> None:
    """Make this process exit with ``code`` within some seconds, even if a thread or child that it waits for does not end."""
    import threading  # noqa: PLC0415 - needed only after a signal

    def end() -> None:
        time.sleep(within)
        os._exit(code)

    threading.Thread(target=end, daemon=True).start()


def _handle_in_fork(number: int) -> None:
    """Handle a signal in a worker that has not installed its own handlers yet: SIGTERM, sent by the director, ends it."""
    if number == signal.SIGTERM:
        os._exit(1)


def _unraisable(lost: "sys.UnraisableHookArgs") -> None:
    if isinstance(lost.exc_value, KeyboardInterrupt) and os.getpid() == _handler.owner:
        signal.setitimer(signal.ITIMER_REAL, RAISE_AGAIN)
    else:
        sys.__unraisablehook__(lost)
