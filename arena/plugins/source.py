"""Names a plugin and the place in it where an error was raised or a wrong value returned."""

import logging
import signal
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager

from msgspec import Struct

from arena import signals
from arena.errors import ArenaError, OutOfTimeError, PluginError, RunStoppedError, WorkerLostError
from arena.text import in_one_line
from arena.tracebacks import frames

log = logging.getLogger(__name__)

# errors that arena handles, wherever they are raised
PASSED_ON = (ArenaError, OutOfTimeError, RunStoppedError, WorkerLostError, BrokenExecutor, CancelledError, GeneratorExit)


class UnexpectedError(Exception):
    """A plugin returned a wrong value."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(f"found {found}; expected {expected}")


class Source(Struct, frozen=True):
    """A place in a plugin, for messages."""

    plugin: str  # its name and distribution
    package: str  # the top-level package of its code
    where: str = ""

    def at(self, where: str) -> "Source":
        """Return a place in this one."""
        return Source(self.plugin, self.package, ", ".join(filter(None, (self.where, where))))

    def error(self, problem: str) -> PluginError:
        """Return the error of a problem here."""
        return PluginError(in_one_line(": ".join(filter(None, (self.plugin, self.where, problem)))))

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Turn what a plugin raises, or a wrong value, into a PluginError. Errors that a contract allows are passed on."""
        try:
            yield
        except UnexpectedError as error:
            raise self.error(str(error)) from None
        except PASSED_ON:
            raise
        except BaseException as error:
            if _is_of_user(error):
                log.warning("interrupted in %s: %s", self.plugin, self.where)
                raise
            raise self.error(f"{describe(error)}{self._line(error)}") from error

    def _line(self, error: BaseException) -> str:
        """Return the innermost line of the plugin's own code in a traceback; empty: there is none."""
        own = [one for one in frames(error) if one.module.partition(".")[0] == self.package]
        return f" (line {own[-1].line} of {own[-1].file})" if own else ""


def describe(error: BaseException) -> str:
    """Return the type and the message of an error in one line."""
    return ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))


def _is_of_user(error: BaseException) -> bool:
    """Tell whether an error is an interrupt by the user; Python's own handler raises the same type as a plugin."""
    by_python = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return isinstance(error, KeyboardInterrupt) and (signals.stop_requested() or by_python)
