"""Files that other programs wait for: written at every ending of a command, also after a usage error or an error in arena.

An autograder or a build server shows what is in the file; without it, it only shows that something has failed. A command writes its
file itself when it has an outcome. If it ends with an error and has not, the error is written here.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path

from arena.errors import ArenaError, RunStoppedError, WorkerLostError, of_system

OWED = {  # by the words of a command: its option that names the file, and the function that writes an error to it
    ("bots", "check"): ("--gradescope", "arena.cli.bots:write_problem"),
    ("regress",): ("--junit", "arena.compare.junit:write_problem"),
}


@contextmanager
def writing_owed(arguments: Sequence[str]) -> Iterator[None]:
    """Write the file that a command owes by its ``arguments``, if the block ends with an error and has not written it."""
    words = [word for word in arguments if not word.startswith("-")]
    owed = next((owed for command, owed in OWED.items() if tuple(words[: len(command)]) == command), None)
    file = _value(arguments, owed[0]) if owed else None
    if not (owed and file):
        yield
        return
    before = _state(file)
    try:
        yield
    except BaseException as error:
        problem = _problem(error)
        if problem and _state(file) == before:
            module, _, function = owed[1].partition(":")
            with suppress(ArenaError, OSError):  # what cannot be written is an error that the command has told
                getattr(import_module(module), function)(file, problem)
        raise


def _value(arguments: Sequence[str], option: str) -> Path | None:
    """Return the last value of an option among the words of a command line; None: it has none."""
    found = [after for word, after in pairwise(arguments) if word == option]
    found += [word.removeprefix(f"{option}=") for word in arguments if word.startswith(f"{option}=")]
    return Path(found[-1]) if found and found[-1] else None


def _state(file: Path) -> tuple[int, ...]:
    """Return what changes when a file is written; empty: it cannot be read."""
    try:
        found = file.stat()
    except OSError:
        return ()
    return (found.st_ino, found.st_mtime_ns, found.st_size)


def _problem(error: BaseException) -> str:
    """Return why a command has ended, as it has told the user; empty: in good order."""
    if isinstance(error, SystemExit):
        if not error.code:
            return ""
        return _problem(error.__context__) if error.__context__ else f"ended with exit code {error.code}"
    if isinstance(error, KeyboardInterrupt):
        return "stopped"
    if isinstance(error, ArenaError | RunStoppedError | WorkerLostError):
        return str(error)
    return of_system(error) or f"an error in arena: {type(error).__name__}: {error}"
