"""Tests of what a failed bot has left: each looks for the symptom of one cause, and returns its detail."""

import os
import re
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Final

from arena.confinement.evidence import Evidence, library_folder, read_text
from arena.roster.python_bot import DATA_SUFFIXES

Seen = Callable[[Evidence], str | None]  # what stands for ``{}`` in cause and advice; None: the cause was not seen
ONE_COMPILER: Final = "-XX:TieredStopAtLevel=1"
FILE_ERRORS = "OSError PermissionError FileNotFoundError"
WRITES = r"open\(.{0,200}['\"][rbt]*[wax+][bt+]*['\"]|\.write_(?:text|bytes)\(|\.(?:mkdir|touch)\(|\bos\.(?:mkdir|makedirs)\("
EXIT_127 = re.compile(r"ended with exit code 12[67]\b")  # of a shell: a program cannot be executed, or is not there


def raised(types: str, message: str = "") -> Seen:
    """Return a test for the type of the last error in Python, one of ``types``, and a pattern of its message."""

    def seen(evidence: Evidence) -> str | None:
        error = evidence.error
        if error is None or error.type.rpartition(".")[2] not in types.split():
            return None
        return _found(re.search(message, error.message))

    return seen


def traced(pattern: str) -> Seen:
    """Return a test for a frame of the last traceback in Python: ``FILE:FUNCTION: SOURCE``."""

    def seen(evidence: Evidence) -> str | None:
        frames = evidence.error.frames if evidence.error else ()
        lines = (f"{frame.file}:{frame.function}: {frame.source}" for frame in frames)
        return next((_found(match) for match in map(re.compile(pattern).search, lines) if match), None)

    return seen


def line(pattern: str) -> Seen:
    """Return a test for a whole line among the last ones of stderr."""
    return lambda evidence: _found(re.search(rf"(?m)^(?:{pattern})$", evidence.end))


def answered(pattern: str) -> Seen:
    """Return a test for the beginning of what stands in place of an answer."""
    return lambda evidence: _found(re.match(pattern, evidence.answer))


def either(*tests: Seen) -> Seen:
    """Return the first test that has seen something."""
    return lambda evidence: next((found for test in tests if (found := test(evidence)) is not None), None)


def _found(match: re.Match[str] | None) -> str | None:
    return None if match is None else next((group for group in match.groups() if group), "")


def _detail(part: str) -> Callable[[Evidence], bool]:
    return lambda evidence: part in evidence.detail


_killed, computing, _idle = map(_detail, ("ended with SIG", "of processor time", "idle for"))


def outside_script(evidence: Evidence) -> str | None:
    """Return the program of a command whose script starts another one that is not there."""
    return evidence.program if EXIT_127.search(evidence.detail) and evidence.is_outside_script else None


def javas_libraries(evidence: Evidence) -> str | None:
    """Return the folder of Java's own libraries, which the loader did not find."""
    missing = line(r".+: error while loading shared libraries: libjli\.so: .+")(evidence)
    return None if missing is None else library_folder(evidence.program) or "/path/of/java/lib"


def javas_threads(evidence: Evidence) -> str | None:
    """Detect a Java virtual machine that could not start its threads."""
    if answered("#")(evidence) is not None and evidence.launch.threads == 1:  # its report of a fatal error begins so
        return ""
    failed = either(
        answered(r"\[.*\]\[os,thread\] Failed to start "), line(r".*OutOfMemoryError: unable to create native thread.*")
    )
    return failed(evidence)


def nodes_threads(evidence: Evidence) -> str | None:
    """Detect Node that was killed with one thread."""
    return "" if _killed(evidence) and evidence.launch.threads == 1 else None


def wrote(evidence: Evidence) -> str | None:
    """Detect a file that was written."""
    if raised("OSError", r"\[Errno 30\]|No space")(evidence) is not None:
        return ""
    if raised("FileNotFoundError", "No usable temporary directory")(evidence) is not None:
        return ""
    return traced(WRITES)(evidence) if raised("PermissionError")(evidence) is not None else None


def hidden_library(evidence: Evidence) -> str | None:
    """Return the name of a library in whose place a file of the bot was imported."""
    named = raised(
        "AttributeError ImportError ModuleNotFoundError", r"module '([\w.]+)'|from '([\w.]+)'|; '(\w+)' is not a package"
    )
    name = (named(evidence) or "").partition(".")[0]
    own = any(source.stem == name for source in evidence.own_sources())
    return name if own and (name in sys.stdlib_module_names or _is_installed(name)) else None


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None  # imports nothing for a top-level name
    except (ImportError, ValueError):
        return False


def missing_module(evidence: Evidence) -> str | None:
    """Return the top name of a module that was not found."""
    named = raised("ModuleNotFoundError", r"^No module named '([\w.]+)'")(evidence)
    return named.partition(".")[0] if named else None


def module_in_folder(evidence: Evidence) -> str | None:
    """Return a module that was not found, and lies in the bot's folder."""
    name = missing_module(evidence)
    return name if name and (evidence.beside(f"{name}.py") or evidence.beside(f"{name}/__init__.py")) else None


def installed_module(evidence: Evidence) -> str | None:
    """Return a module that was not found, and is installed here."""
    name = missing_module(evidence)
    return name if name and _is_installed(name) else None


MISSING_FILE = either(
    raised("FileNotFoundError NotADirectoryError", r"\[Errno \d+\] .*?: '(.+)'"),
    line(r"(?:Uncaught )?Error: ENOENT: no such file or directory, \w+ '(.+)'"),
    line(r"(?:Exception in thread .* )?java\.(?:nio\.file\.NoSuchFile|io\.FileNotFound)Exception: (\S+).*"),
    line(r"\S*awk: cannot open \"?([^\"]+?)\"? \(No such file or directory\)"),
    line(r"\S*awk: .*fatal: cannot open (?:source )?file [`']([^']+)'.*: No such file or directory"),
    line(r"([^\s:]+): No such file or directory"),  # perror(3)
)


def special_file(evidence: Evidence) -> str | None:
    """Return a missing file of the system's own folders."""
    path = MISSING_FILE(evidence)
    return path if path and path.startswith(("/proc", "/sys", "/dev")) else None


def other_names_data(evidence: Evidence) -> str | None:
    """Return a file of data beside the bot, and the name under which the bot may read it."""
    path = MISSING_FILE(evidence) or ""
    if not (os.path.dirname(path) in {"", ".", evidence.launch.folder} and evidence.beside(os.path.basename(path))):
        return None
    module = next((source.stem for source in evidence.own_sources()), "")
    suffix = os.path.splitext(path)[1]
    return f"{path} to {module}{suffix if suffix in DATA_SUFFIXES else '.bin'}"


def file_elsewhere(evidence: Evidence) -> str | None:
    """Return a missing file that exists outside of what the bot sees."""
    path = MISSING_FILE(evidence) or ""
    return path if os.path.isabs(path) and os.path.exists(path) else None


def late_file(evidence: Evidence) -> str | None:
    """Return a file that was refused after ``ready``, if the last error is about it: many a program does without one."""
    if evidence.fault != "crash":
        return None
    if evidence.error:
        return evidence.refused_files[-1] if evidence.refused_files and raised(FILE_ERRORS)(evidence) is not None else None
    *_, last = evidence.end.splitlines() or [""]
    return next((path for path in evidence.refused_files if path in last), None)


def late_import(evidence: Evidence) -> str | None:
    """Return a module whose import crashed the bot after ``ready``."""
    return next(iter(evidence.late_imports), None) if evidence.fault == "crash" else None


def asks_a_person(evidence: Evidence) -> str | None:
    """Return a source that calls ``input``, of a bot that was idle."""
    if not _idle(evidence):
        return None
    return next((source.name for source in evidence.own_sources() if re.search(r"(?m)^[^#\n]*\binput\(", read_text(source))), None)


def _still_there(evidence: Evidence) -> str | None:
    if not evidence.stack:
        return None
    frame = evidence.stack[-1]
    return f"{os.path.basename(frame.file)}:{frame.line} in {frame.function}"


def without_optimising_compiler(evidence: Evidence) -> str | None:
    """Detect a Java virtual machine that used up its processor time with its first compiler alone."""
    return "" if computing(evidence) and ONE_COMPILER in " ".join(evidence.launch.command) else None


def loops(evidence: Evidence) -> str | None:
    """Return the place at which a bot was computing when its time was over."""
    return _still_there(evidence) if computing(evidence) else None


def waits(evidence: Evidence) -> str | None:
    """Return the place at which a bot was idle when its time was over."""
    return _still_there(evidence) if _idle(evidence) else None
