"""What was seen of a bot that failed, in parts: its kind, its last uncaught error, its stack, and the calls that were refused.

Each part has a fixed form: that of Python's tracebacks, of faulthandler, or of arena's own lines. Text that a bot merely printed is
no evidence. A bot that forges a form only misleads its own author.
"""

import os
import re
import shutil
from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Final

from msgspec import Struct

from arena.interpreter import SANDBOXED
from arena.roster.entrant import Launch
from arena.roster.manifest_folder import PYTHON

LINES: Final = 40  # of stderr in which programs' own forms of errors are looked for, the last ones
SOURCE_BYTES: Final = 1 << 20  # of a bot's file that is read
SEALED: Final = "after `ready`"  # in each line about a call that the seal refused
SDK: Final = (*SANDBOXED, "arena.sdk")

_TRACEBACK = "Traceback (most recent call last):\n"
_STACK = "Out of time in (most recent call last):\n"
_FRAME = re.compile(r'^\s+File "(?P<file>[^"]+)", line (?P<line>\d+)(?:,? in (?P<function>.+))?$')
_ERROR = re.compile(r"^(?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$")
_REFUSED = re.compile(rf"^refused {SEALED}: (?P<call>\S+) (?P<path>.+)$", re.MULTILINE)
_IMPORT = re.compile(rf"^import of '(?P<name>[\w.]+)' {SEALED}", re.MULTILINE)
_BY_PYTHON = ("tracemalloc",)  # modules that Python itself imports to print a warning or a traceback
_JAVA = re.compile(r"(?:^|[\s/])java(?:\s|$)")


class BotKind(StrEnum):
    """How a bot is started."""

    FILE = "a single file of the SDK"
    PACKAGE = "a package of the SDK"
    PYTHON = "a command in Python"
    JAVA = "a command in Java"
    NODE = "a command in Node"
    PROGRAM = "another command"


class StackFrame(Struct, frozen=True):
    """A line of a traceback."""

    file: str
    line: int
    function: str
    source: str = ""  # the text of the line, as far as it is known


class PythonError(Struct, frozen=True):
    """An error that ended a program in Python."""

    type: str
    message: str
    frames: tuple[StackFrame, ...]  # the innermost last


class Evidence(Struct, frozen=True, kw_only=True, dict=True):
    """What was seen of a bot's failure."""

    launch: Launch  # as it was entered, without a sandbox
    fault: str  # the kind of the fault
    detail: str  # one line of the referee
    stderr: str = ""
    answer: str = ""  # what the bot wrote in place of an answer, escaped

    @cached_property
    def kind(self) -> BotKind:
        """Return how the bot is started."""
        command = self.launch.command
        if command[: len(SDK)] == SDK:
            return BotKind.PACKAGE if any(file.endswith("__init__.py") for file in self.launch.files) else BotKind.FILE
        program = os.path.basename(command[0])
        if PYTHON.fullmatch(program):
            return BotKind.PYTHON
        if any(map(_JAVA.search, command)):
            return BotKind.JAVA
        return BotKind.NODE if program in {"node", "nodejs"} else BotKind.PROGRAM

    @property
    def program(self) -> str:
        """Return the path of the command's program."""
        return self.launch.command[0]

    @property
    def end(self) -> str:
        """Return the last lines of stderr."""
        return "\n".join(self.stderr.splitlines()[-LINES:])

    @cached_property
    def error(self) -> PythonError | None:
        """Return the last error of Python; None: there is none."""
        _, found, text = self.stderr.rpartition(_TRACEBACK)
        frames: list[StackFrame] = []
        for line in text.splitlines() if found else ():
            if match := _FRAME.match(line):
                frames.append(_frame(match))
            elif line.startswith("    ") and frames and not frames[-1].source:
                frames[-1] = StackFrame(frames[-1].file, frames[-1].line, frames[-1].function, line.strip())
            elif SEALED not in line and (match := _ERROR.match(line)):
                return PythonError(match["type"], match["message"] or "", tuple(frames))
        return None

    @cached_property
    def stack(self) -> tuple[StackFrame, ...]:
        """Return where a bot of the SDK was when its time was up, the innermost frame last; nothing: unknown."""
        _, found, text = self.stderr.rpartition(_STACK)
        return tuple(_frame(match) for match in map(_FRAME.match, text.splitlines()) if match) if found else ()

    @cached_property
    def refused_files(self) -> tuple[str, ...]:
        """Return the files that the sealed bot asked for, without the sources that Python opens to print a traceback."""
        traced = {match["file"] for match in map(_FRAME.match, self.stderr.splitlines()) if match}
        return tuple(match["path"] for match in _REFUSED.finditer(self.stderr) if match["path"] not in traced)

    @cached_property
    def late_imports(self) -> tuple[str, ...]:
        """Return the modules that the sealed bot imported."""
        return tuple(match["name"] for match in _IMPORT.finditer(self.stderr) if match["name"] not in _BY_PYTHON)

    @property
    def is_outside_script(self) -> bool:
        """Tell whether the command is a script that is not the bot's own, such as a shim of pyenv."""
        if Path(self.program).is_relative_to(self.launch.folder):
            return False
        return _first_bytes(self.program) == b"#!"

    def own_sources(self) -> Iterator[Path]:
        """Yield the bot's own files in Python; of a command, those of its folder itself."""
        files = map(Path, self.launch.files) if self.launch.files else Path(self.launch.folder).glob("*.py")
        yield from (file for file in files if file.suffix == ".py")

    def beside(self, name: str) -> bool:
        """Tell whether the bot's folder has a file."""
        return bool(name) and os.path.isfile(os.path.join(self.launch.folder, name))


def library_folder(program: str) -> str:
    """Return the folder ``lib`` beside that of a program; empty: the program is not found."""
    found = shutil.which(program)
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(found))), "lib") if found else ""
    return folder if os.path.isdir(folder) else ""


def read_text(source: Path) -> str:
    """Return the text of a bot's file; empty: it cannot be read."""
    try:
        with source.open("rb") as file:
            return file.read(SOURCE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _frame(match: re.Match[str]) -> StackFrame:
    return StackFrame(match["file"], int(match["line"]), match["function"] or "")


def _first_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(2)
    except OSError:
        return b""
