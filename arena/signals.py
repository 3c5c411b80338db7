"""A clean stop of a command: Ctrl-C, SIGTERM and SIGHUP stop it at any moment, once or repeatedly.

The first signal raises a KeyboardInterrupt in the main thread, and the stack unwinds: bots, workers and the database are closed.
Signals in the next seconds are ignored, so that closing is not interrupted; a later one raises another.

An exception that is raised at an arbitrary point can be lost. In a finalizer or a callback of the garbage collector Python only
reports it; C code that calls Python may discard it, as a look-up in a dictionary does, or replace it by another exception, as
SQLite does. So a timer looks from time to time, and raises another while the main thread handles no exception, until the stop is
reported (``reporting_stop``). When ``stop_requested`` is true, any exception that ends the command is treated as an effect of the
signal. Code that treats an error of SQLite as damage calls ``raise_if_stopped`` first.

When the command has ended, signals are ignored for good: before it exits, Python gives signals that have a handler their default
action back, which kills the process.

Before the handlers are set, while the interpreter and its packages of site start, SIGTERM kills silently, and Ctrl-C gives a
traceback of Python's own modules. To keep this time short, the module imports almost nothing.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPPED = 130  # exit code of a command that was stopped with nothing to keep: 128 + SIGINT, as in shells
RESUMABLE = 3  # exit code of one that was stopped, and that the same command line continues or begins
IGNORE_AFTER = 5.0  # seconds after a signal in which others are ignored; longer than closing bots and workers takes
RAISE_AGAIN = 0.01  # seconds until an interrupt that was lost is raised again
LOOK_AGAIN = 0.1  # seconds between later looks
EXIT_WITHIN = 10.0  # seconds until a stopped process exits, even if it still waits for a thread or child

STOPS_WITH_INPUT = "ARENA_STOPS_WITH_INPUT"  # variable of the environment: the process stops when its standard input ends

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
        self.reported = False  # the stop is reported: no other interrupt is needed
        self.code = STOPPED

    def __call__(self, number: int, _: object) -> None:
        if os.getpid() != self.owner:
            _handle_in_fork(number)
        elif not self.ended and (self.at is None or time.monotonic() - self.at > IGNORE_AFTER):
            self.at, self.reported = time.monotonic(), False
            signal.setitimer(signal.ITIMER_REAL, RAISE_AGAIN, LOOK_AGAIN)
            raise StoppedError

    def raise_again(self, _: int, __: object) -> None:
        """Raise another interrupt if the last one was lost: no exception is being handled where the main thread is."""
        if os.getpid() == self.owner and not (self.ended or self.reported) and sys.exc_info()[1] is None:
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


def stop_with_input() -> None:
    """Have this process stop, as by SIGTERM, when its standard input ends, if the server that began it asks for that.

    A server that is killed can end nothing, but the pipe between them ends with it.
    """
    if not os.environ.pop(STOPS_WITH_INPUT, ""):
        return
    import threading  # noqa: PLC0415 - for these processes alone

    def follow() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=follow, daemon=True).start()


def set_stop_code(code: int) -> None:
    """Set the exit code of a stop from now on: ``STOPPED``, the default, or ``RESUMABLE``."""
    _handler.code = code


def stop_code() -> int:
    """Return the exit code of a stop."""
    return _handler.code


def stop_requested() -> bool:
    """Tell whether a signal has asked this process to stop."""
    return _handler.at is not None


def raise_if_stopped() -> None:
    """Raise a KeyboardInterrupt if a signal has asked this process to stop: the error being handled may have replaced it."""
    if stop_requested():
        raise StoppedError


@contextmanager
def reporting_stop(error: Callable[[], Exception]) -> Iterator[None]:
    """Turn a stop by the user into the exception that ``error`` returns; no other interrupt is raised for the last signal then.

    A signal may arrive inside a library that turns it into an error of its own, so any error after a signal counts as a stop.
    """
    try:
        yield
    except BaseException as found:
        if not (stop_requested() or isinstance(found, KeyboardInterrupt)):
            raise
        _handler.reported = True
        raise error() from None


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
    """Report an exception that Python cannot raise, but not an interrupt, which is raised again."""
    if not (isinstance(lost.exc_value, KeyboardInterrupt) and os.getpid() == _handler.owner):
        sys.__unraisablehook__(lost)


@contextmanager
def handling(handler: Callable[[int, FrameType | None], None], *signals: signal.Signals) -> Iterator[None]:
    """Handle signals with ``handler`` inside the context; one that is ignored, as SIGHUP under nohup, stays ignored."""
    before = {number: signal.signal(number, handler) for number in signals if signal.getsignal(number) is not signal.SIG_IGN}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
