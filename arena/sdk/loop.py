"""Read questions and write a bot's answers, until ``bye`` or the end of the input.

Messages are compared by exact type: isinstance on msgspec's classes goes through ABCMeta and takes ten times as long.
"""

import importlib
import importlib.util
import io
import linecache
import os
import os.path
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

from arena import parameters
from arena.gin.rules import Rules
from arena.protocol import codec, dialogue, messages, notation, schema
from arena.sdk import mistakes
from arena.sdk.bot import Bot
from arena.sdk.checks import build, check_class
from arena.sdk.mistakes import BotError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


BOT = "bot_package"  # the name of the package around a bot's file


class Conversation:
    """The state of one conversation, and the bot, which is built when ``hello`` brings its seed."""

    def __init__(self, make: Callable[[str], Bot]) -> None:
        self._make = make
        self._bot = Bot()
        self._rules = Rules()
        self._dialogue = dialogue.Dialogue()

    def answer(self, message: messages.RefereeMessage) -> messages.Ready | messages.Answer | None:
        """Return the bot's answer to a message, or None if the message needs none. Raises: OutOfTurnError, BotError."""
        self._dialogue = self._dialogue.after(message)
        if not self._dialogue.bot_to_send:
            self._observe(message)
            return None
        answer = self._act(message) if type(message) is messages.Turn else self._greet(message)
        self._dialogue = self._dialogue.after(answer)
        return answer

    def _greet(self, hello: messages.RefereeMessage) -> messages.Ready:
        assert type(hello) is messages.Hello
        self._bot = build(self._make, hello.seed, hello.state or None)
        self._rules = hello.rules
        return messages.Ready(schema.VERSION, type(self._bot).__name__)

    def _act(self, turn: messages.Turn) -> messages.Answer:
        value = self._bot.answer(notation.view(turn, self._rules))
        return notation.answer(mistakes.action(type(self._bot), "answer", value), self._bot.taken_note() or None)

    def _observe(self, message: messages.RefereeMessage) -> None:
        if type(message) is messages.HandOver:
            self._bot.hand_over(notation.outcome(message))
        elif type(message) is messages.MatchOver:
            self._bot.match_over(message.won, message.games)


def serve(make: Callable[[str], Bot], questions: Iterable[bytes], answers: int, prepare: Callable[[], None] = lambda: None) -> None:
    """Write answers to a file descriptor until ``bye`` or the end of the questions; call ``prepare`` before ``ready`` is sent.

    Raises: MalformedError, OutOfTurnError, BotError.
    """
    conversation = Conversation(make)
    for line in questions:
        message = codec.decode_message(line)
        answer = conversation.answer(message)
        if type(answer) is messages.Ready:
            prepare()
        if answer is not None:
            os.write(answers, codec.encode(answer))
        if type(message) is messages.Bye:
            return


# Redirect a bot's ``print()`` to stderr, line by line, and ignore a closed pipe.
#
# The referee closes its end of the pipe when a match is over, perhaps while the bot still prints. The standard streams would raise
# BrokenPipeError, and make Python exit with code 120; here such output is dropped.


def redirect() -> int:
    """Redirect printed text to stderr, and return a new descriptor of the original stdout, for answers only."""
    answers = os.dup(1)
    os.dup2(2, 1)
    stream = _Unclosed(io.BufferedWriter(_Unbroken(2, "w", closefd=False)), "utf-8", "backslashreplace", line_buffering=True)
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = stream  # type: ignore[misc]  # typeshed marks them Final
    return answers


class _Unbroken(io.FileIO):
    """Descriptor 2; a write that fails counts as written."""

    def write(self, data: "ReadableBuffer") -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _Unclosed(io.TextIOWrapper):
    """A stream that ``sys.stdout.close()`` only flushes, because stderr is the same object."""

    def close(self) -> None:
        self.flush()


# Import the class of a target, ``module:Class`` or ``path/to/bot.py:Class``, perhaps with values, as ``Class(weight=2.5)``. This is
# done in the bot's own process, or in one of arena that plays trusted bots without a sandbox.


def bot_class(target: str) -> type[Bot]:
    """Import a bot's module and return its class. Raises: BotError, and any error of the import."""
    where, _, class_and_values = target.rpartition(":")
    try:
        name, values = parameters.split(class_and_values)
    except ValueError as error:
        raise BotError(str(error)) from None
    module = _from_file(os.path.abspath(where)) if where.endswith(".py") else importlib.import_module(where)  # noqa: PTH100
    if not hasattr(module, name):
        bots = [name for name, found in vars(module).items() if isinstance(found, type) and found.__module__ == module.__name__]
        raise BotError(f"{where} has no class {name!r}; it has {', '.join(bots) or 'no class'}")
    found = check_class(getattr(module, name), name)
    try:
        return parameters.with_values(found, values) if values else found
    except ValueError as error:
        raise BotError(f"{name}: {error}") from None


def _from_file(path: str) -> ModuleType:
    """Import a file by its path; if its folder is a package, the file can import modules of it, by relative imports or by name.

    A folder that is not a package may hold unrelated files. A file with the name of a library would be imported in its place, so
    such a folder is not added to ``sys.path``, and a file with the name of a standard module is imported by another name.
    """
    if not os.path.isfile(path):
        raise ImportError(f"{path} is not a file")
    folder, file = os.path.split(path)
    package, name = _import_package(folder), file.removesuffix(".py")
    if not package:
        return _execute(f"{BOT}_{name}" if name in sys.stdlib_module_names else name, path)
    sys.path.insert(0, folder)
    return importlib.import_module(package if name == "__init__" else f"{package}.{name}")


def _import_package(folder: str) -> str:
    """Import a folder as a package, and return its name; empty, if it is not a package.

    The outermost package is named BOT, because a folder may have the name of a library.
    """
    start = os.path.join(folder, "__init__.py")  # noqa: PTH118 - importing pathlib takes time
    if not os.path.isfile(start):
        return ""
    around, own = os.path.split(folder)
    if outer := _import_package(around):
        return f"{outer}.{own}"
    name = BOT
    while name in sys.modules and sys.modules[name].__file__ != start:  # of another bot in the same process
        name += "_"
    if name not in sys.modules:
        _execute(name, start, [folder])
    return name


def _execute(name: str, path: str, folders: list[str] | None = None) -> ModuleType:
    """Import a file as a module of that name; with ``folders``, as a package whose modules are there."""
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=folders)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# What the SDK does when a bot is ready: in a sandbox the bot cannot open a file from then on.
#
# Without a sandbox an import fails then too, so that an author sees the error early. The lines that a traceback shows are read
# before.

READS = "ARENA_READS_WHILE_PLAYING"  # in the environment of a bot that is never sealed
LAZY = {"numpy": ("numpy.fft", "numpy.linalg", "numpy.random")}  # modules that a library imports when they are first used
MOST_FILES, MOST_BYTES = 100, 1 << 20  # of a bot whose lines are kept


class LateImports:
    """A finder of modules that refuses each import from a file."""

    def __init__(self) -> None:
        self._named: set[str] = set()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:  # noqa: ARG002
        """Raise ImportError; name the module on stderr, once, since the bot may catch the error and fail later."""
        error = f"import of {name!r} after `ready`: a bot opens no file then; import it at the top of the bot's module"
        if name not in self._named:
            self._named.add(name)
            print(error, file=sys.stderr)  # noqa: T201 - it goes to the bot's log
        raise ImportError(error, name=name)


def seal() -> None:
    """Refuse every further import from a file, and keep the lines of the bot's own files for tracebacks.

    The modules of LAZY are imported before. A bot that reads while it plays is left as it is.
    """
    if READS in os.environ:
        return
    for library in LAZY.keys() & sys.modules.keys():
        for module in LAZY[library]:
            importlib.import_module(module)
    _keep_lines()
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter, LateImports()]


def _keep_lines() -> None:
    """Keep the lines of the bot's own files in ``linecache``, and let it open no file any more."""
    own, left = f"{os.getcwd()}/", MOST_BYTES  # noqa: PTH109 - likewise
    files = [file for module in [*sys.modules.values()] if (file := getattr(module, "__file__", None)) and file.startswith(own)]
    for file in filter(os.path.isfile, files[:MOST_FILES]):  # a virtual environment in this folder may have unreadable ones
        if file.endswith(".py") and (left := left - os.stat(file).st_size) >= 0:  # noqa: PTH116 - likewise
            lines = linecache.getlines(file)
            linecache.cache[file] = (0, None, lines, file)  # without a time, so that it is never checked again
    linecache.updatecache = linecache.checkcache = lambda *_: []  # type: ignore[assignment]  # it takes any arguments
