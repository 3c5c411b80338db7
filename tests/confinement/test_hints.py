"""A hint needs a kind of bot and a cause that was seen: each row of the table has an example; printed text alone shows nothing."""

import sys
from pathlib import Path
from typing import Any

import pytest

from arena.confinement.evidence import SDK as SDK_COMMAND
from arena.confinement.evidence import BotKind, Evidence
from arena.confinement.hints import CAUSES, Cause, hint_for
from arena.roster.entrant import Launch

FILE, PACKAGE, PYTHON, JAVA, NODE, PROGRAM = BotKind
SOCKET = (
    '  File "lib/python3.11/socket.py", line 5, in getaddrinfo',
    '  File "lib/python3.11/socket.py", line 5, in create_connection',
)
PIPE = '  File "lib/python3.11/asyncio/selector_events.py", line 107, in _make_self_pipe'
SPAWN = '  File "lib/python3.11/subprocess.py", line 1849, in _execute_child\n    errpipe_read, errpipe_write = os.pipe()'
FATAL = r"#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n#  Internal Error"
CRASH = "ended with exit code 1 without an answer"
BUSY, IDLE = "no answer within 2.000 s of processor time", "no answer; idle for 2.003 s; allowed: 2.000 s"


def error(last: str, *frames: str) -> str:
    """Return a traceback of Python in the bot's own file, with further frames."""
    return "\n".join(("Traceback (most recent call last):", '  File "bot.py", line 5, in draw', *frames, last))


def stack(function: str) -> str:
    return f'Out of time in (most recent call last):\n  File "bot.py", line 4 in {function}'


def launch(kind: BotKind, folder: Path, **given: Any) -> Launch:
    """Return the launch of a bot of a kind in a folder, which gets its file."""
    (folder / "bot.py").touch()
    commands: dict[BotKind, tuple[str, ...]] = {
        FILE: (*SDK_COMMAND, f"{folder}/bot.py:Mine"),
        PACKAGE: (*SDK_COMMAND, "bots.bot:Mine"),
        PYTHON: ("/usr/bin/python3", "bot.py"),
        JAVA: ("/usr/bin/java", "-jar", "bot.jar"),
        NODE: ("/usr/bin/node", "bot.js"),
        PROGRAM: (f"{folder}/bot",),
    }
    files = {FILE: ("bot.py",), PACKAGE: ("bot.py", "__init__.py")}.get(kind, ())
    return Launch(
        **{"command": commands[kind], "folder": str(folder), "files": tuple(f"{folder}/{file}" for file in files)} | given
    )


def seen(kind: BotKind, folder: Path, stderr: str = "", answer: str = "", detail: str = CRASH, **given: Any) -> Evidence:
    fault = "timeout" if detail in {BUSY, IDLE} else "malformed" if answer else given.pop("fault", "crash")
    return Evidence(launch=launch(kind, folder, **given), fault=fault, detail=detail, stderr=stderr, answer=answer)


MODULE = "ModuleNotFoundError: No module named"
NO_FILE = "FileNotFoundError: [Errno 2] No such file or directory:"
JAVAS = 'Exception in thread "main" java'
ONLY_C1 = ("/usr/bin/java", "-XX:TieredStopAtLevel=1", "Bot")
ENDED = "ended with SIGSEGV without an answer"

# kind, what was seen, and the beginnings of cause and advice
EXAMPLES: list[tuple[BotKind, dict[str, Any], str, str]] = [
    (
        PROGRAM,
        {"stderr": "cannot start bot.sh: Permission denied"},
        "has a command that cannot be executed",
        "name the interpreter",
    ),
    (
        PROGRAM,
        {"stderr": "cannot start bot.sh: Exec format error"},
        "has a command that cannot be executed",
        "name the interpreter",
    ),
    (
        JAVA,
        {"stderr": "/usr/bin/java: error while loading shared libraries: libjli.so: cannot"},
        "could not load Java's",
        "write `comm",
    ),
    (
        PROGRAM,
        {"stderr": "./bot: error while loading shared libraries: libx.so: cannot"},
        "could not load the shared",
        "put it into",
    ),
    (JAVA, {"answer": FATAL}, "has fewer threads", "write `threads: 32`"),
    (
        JAVA,
        {"answer": '[0.02s][warning][os,thread] Failed to start thread "G1"', "threads": 4},
        "has fewer threads",
        "write `threads",
    ),
    (
        JAVA,
        {"answer": r"#\n# There is insufficient memory for the Java Runtime", "threads": 32},
        "needs more memory",
        "give it -Xmx",
    ),
    (JAVA, {"stderr": f"{JAVAS}.lang.OutOfMemoryError: Java heap space"}, "needs a larger heap", "raise -Xmx"),
    (JAVA, {"stderr": f"{JAVAS}.lang.StackOverflowError"}, "needs a larger stack", "raise -Xss"),
    (JAVA, {"stderr": f"{JAVAS}.lang.OutOfMemoryError: Metaspace"}, "needs more memory", "give it -Xmx"),
    (JAVA, {"detail": BUSY, "command": ONLY_C1}, "used up its processor time, without Java's", "remove -XX:TieredStopAtLevel=1"),
    (NODE, {"detail": ENDED}, "has one thread", "write `threads: 8`"),
    (FILE, {"stderr": error("RuntimeError: can't start new thread")}, "started a thread", "do the work in the method"),
    (PYTHON, {"stderr": error("RuntimeError: can't start new thread")}, "started more threads", "write `threads: N`"),
    (
        PROGRAM,
        {"stderr": "terminate called after throwing an instance of 'std::system_error'"},
        "started more threads",
        "write `thr",
    ),
    (
        FILE,
        {"stderr": error("PermissionError: [Errno 1] Operation not permitted", SPAWN)},
        "started a process",
        "a bot is a single",
    ),
    (NODE, {"stderr": "Error: spawnSync /bin/sh EPERM"}, "started a process", "a bot is a single process"),
    (PROGRAM, {"stderr": "run.sh: 1: Cannot fork"}, "started a process", "a bot is a single process"),
    (FILE, {"stderr": error("PermissionError: [Errno 1] Operation not permitted", PIPE)}, "made a pipe", "write plain methods"),
    (PYTHON, {"stderr": error("AttributeError: no attribute '_ssock'", PIPE)}, "made a pipe", "avoid pipes"),
    (
        FILE,
        {"stderr": error("socket.gaierror: [Errno -3] Temporary failure in name resolution")},
        "looked up a host",
        "bots have no",
    ),
    (
        FILE,
        {"stderr": f"import of 'encodings.idna' after `ready`\n{error('LookupError: encoding', SOCKET[0])}"},
        "looked up",
        "bots have",
    ),
    (NODE, {"stderr": "Error: getaddrinfo EAI_AGAIN example.com"}, "looked up a host name", "bots have no network"),
    (PACKAGE, {"stderr": error("PermissionError: [Errno 1] Operation", SOCKET[1])}, "opened a socket", "bots have no network"),
    (JAVA, {"stderr": f"{JAVAS}.net.SocketException: Operation not permitted", "threads": 9}, "opened a socket", "bots have no"),
    (
        FILE,
        {"stderr": error("BotError: Mine.draw returned <x>, of type coroutine; expected Draw()")},
        "has an `async def`",
        "write `def`",
    ),
    *(
        (PACKAGE, {"stderr": error(wrong)}, "used a number as a list", "write `each(view.may_discard)`")
        for wrong in (  # of min(cards), cards[0], card in cards, len(cards), card.rank
            "TypeError: 'int' object is not iterable",
            "TypeError: 'int' object is not subscriptable",
            "TypeError: argument of type 'int' is not iterable",
            "TypeError: object of type 'int' has no len()",
            "AttributeError: 'int' object has no attribute 'rank'",
        )
    ),
    (FILE, {"stderr": error(f"{MODULE} 'helpers'")}, "imported helpers, which is not installed", "pip install it there"),
    (FILE, {"stderr": error(f"{MODULE} 'numpy'")}, "imported numpy, which is installed", "write `import numpy`"),
    (PYTHON, {"stderr": error(f"{MODULE} 'numpy'")}, "imported numpy, which is neither", "install it there by pip"),
    (NODE, {"stderr": "Error: Cannot find module 'lodash'"}, "required lodash", "npm install it there"),
    (JAVA, {"stderr": f"{JAVAS}.lang.NoClassDefFoundError: Util", "threads": 9}, "needs the class Util", "put the jar into"),
    (FILE, {"stderr": error("OSError: [Errno 30] Read-only file system: 'log.txt'")}, "wrote a file", "print to stderr"),
    (
        FILE,
        {"stderr": error("PermissionError: [Errno 1] not permitted: 'l'", "    open('l', mode='a')")},
        "wrote a file",
        "print to st",
    ),
    (
        PYTHON,
        {"stderr": error("FileNotFoundError: [Errno 2] No usable temporary directory found")},
        "wrote a file",
        "log to stderr",
    ),
    (NODE, {"stderr": "Error: EROFS: read-only file system, open 'x'"}, "wrote a file", "log to stderr"),
    (
        FILE,
        {"stderr": f"import of 'csv' after `ready`: a\n{error('ImportError: import of')}"},
        "imported csv after",
        "import it at the",
    ),
    (
        PYTHON,
        {"stderr": f"import of 'csv' after `ready`: a\n{error('ImportError: import of')}"},
        "imported csv after",
        "import it before",
    ),
    (
        FILE,
        {"stderr": f"refused after `ready`: openat w.txt\n{error('PermissionError: w.txt')}"},
        "opened w.txt after",
        "read it when",
    ),
    (
        PROGRAM,
        {"stderr": "refused after `ready`: openat w.txt\nw.txt: Operation not permitted"},
        "opened w.txt after",
        "open it before",
    ),
    (FILE, {"stderr": error(f"{NO_FILE} '/proc/cpuinfo'")}, "opened /proc/cpuinfo", "do without it"),
    (
        PYTHON,
        {"stderr": error(f"{NO_FILE} '{__file__}'")},
        f"opened {__file__}, which it cannot see",
        "put it into the bot's folder",
    ),
    (FILE, {"stderr": error(f"{NO_FILE} 'none.txt'")}, "opened none.txt, which is not in its folder", "put it there"),
    (PROGRAM, {"stderr": "w.bin: No such file or directory"}, "opened w.bin, which is not in its folder", "put it there"),
    (PROGRAM, {"stderr": "awk: cannot open w.awk (No such file or directory)"}, "opened w.awk", "put it there"),
    (PROGRAM, {"stderr": "gawk: fatal: cannot open file `w' for reading: No such file or directory"}, "opened w", "put it there"),
    (NODE, {"stderr": "Error: ENOENT: no such file or directory, open 'w.txt'"}, "opened w.txt", "put it there"),
    (FILE, {"fault": "memory"}, "used more memory", "use less, or raise `sandbox: {memory_mb: N}`"),
    (FILE, {"fault": "lost"}, "has ended, and nothing shows why", "the machine may have been the cause"),
    (
        FILE,
        {"stderr": error("PermissionError: [Errno 1] Operation not permitted")},
        "made a call that the sandbox forbids",
        "the last",
    ),
    (FILE, {"stderr": stack("throws"), "detail": BUSY}, "was still computing at bot.py:4 in throws", "end the loop there"),
    (
        FILE,
        {"stderr": f"refused after `ready`: openat /proc\n{stack('throws')}", "detail": BUSY},
        "was still computing",
        "end the loop",
    ),
    (FILE, {"stderr": stack("throws"), "detail": IDLE}, "was waiting at bot.py:4 in throws", "answer without waiting"),
    (
        JAVA,
        {"stderr": "refused after `ready`: openat /proc/self/stat", "detail": BUSY},
        "needed more processor time",
        "compute less",
    ),
    (PYTHON, {"detail": IDLE}, "has sent no line", "flush each answer, as `print(line, flush=True)`"),
    (PROGRAM, {"detail": IDLE}, "has sent no line", "flush each answer, and read"),
    (PROGRAM, {"answer": "hello"}, "wrote something else than an answer", "write one line of JSON"),
    (FILE, {"fault": "illegal"}, "chose what is not legal", "`may` and `may_discard`"),
]


@pytest.mark.parametrize(("kind", "what", "cause", "advice"), EXAMPLES)
def test_a_cause_that_was_seen_leads_to_the_advice_for_the_kind_of_bot(
    kind: BotKind, what: dict[str, Any], cause: str, advice: str, tmp_path: Path
) -> None:
    evidence = seen(kind, tmp_path, **what)
    hint = hint_for(evidence)
    assert evidence.kind is kind
    assert hint is not None
    assert hint.cause.startswith(cause)
    assert hint.advice.startswith(advice)


def used(evidence: Evidence) -> Cause:
    """Return the row that a hint is from."""
    return next(cause for cause in CAUSES if evidence.kind in cause.bots and cause.seen(evidence) is not None)


def test_each_row_of_the_table_has_an_example(tmp_path: Path) -> None:
    shown = [used(seen(kind, tmp_path, **what)) for kind, what, *_ in EXAMPLES]
    shown += [
        used(evidence) for evidence in (_beside(tmp_path), _shim(tmp_path), _library(tmp_path), _asking(tmp_path), _data(tmp_path))
    ]
    assert [cause.cause for cause in CAUSES if cause not in shown] == []


def _beside(folder: Path) -> Evidence:
    (folder / "helpers.py").touch()
    return seen(FILE, folder, error(f"{MODULE} 'helpers'"))


def _data(folder: Path) -> Evidence:
    (folder / "weights.txt").touch()
    return seen(FILE, folder, error(f"{NO_FILE} 'weights.txt'"))


def _shim(folder: Path) -> Evidence:
    shims = folder.parent / f"{folder.name}-shims"
    shims.mkdir(exist_ok=True)
    (shims / "python3").write_text("#!/bin/sh\n")
    return seen(
        PYTHON, folder, "pyenv: No such file", detail="ended with exit code 127", command=(str(shims / "python3"), "bot.py")
    )


def _library(folder: Path) -> Evidence:
    (folder / "random.py").touch()
    return seen(PYTHON, folder, error("AttributeError: module 'random' has no attribute 'shuffle'"))


def _asking(folder: Path) -> Evidence:
    evidence = seen(FILE, folder, "name? ", detail=IDLE)
    (folder / "bot.py").write_text("name = input('name? ')\n")
    return evidence


def test_a_file_beside_a_bot_in_one_file_is_to_be_renamed_or_to_be_made_part_of_a_package(tmp_path: Path) -> None:
    data, module = hint_for(_data(tmp_path)), hint_for(_beside(tmp_path))
    assert data
    assert data.advice == "rename weights.txt to bot.txt, and open it by that name; the endings are .json, .txt, .csv, .bin, .npz"
    assert module
    assert module.advice.startswith("add an empty __init__.py")


def test_a_shim_is_named_and_how_to_find_what_it_starts(tmp_path: Path) -> None:
    evidence = _shim(tmp_path)
    hint = hint_for(evidence)
    assert hint
    assert f"names {evidence.program} in its command" in hint.cause
    assert "pyenv which python3" in hint.advice


def test_a_file_with_the_name_of_a_library_is_to_be_renamed(tmp_path: Path) -> None:
    hint = hint_for(_library(tmp_path))
    assert hint
    assert "random.py" in hint.cause
    assert hint.advice == "rename the file"


def test_a_bot_that_asks_a_person_gets_a_hint(tmp_path: Path) -> None:
    hint = hint_for(_asking(tmp_path))
    assert hint
    assert "`input()` in bot.py" in hint.cause


WORDS = (
    "socket subprocess FileNotFoundError MemoryError spawn x EPERM Permission denied out of memory No module named 'numpy' EROFS"
)


@pytest.mark.parametrize("kind", BotKind)
@pytest.mark.parametrize("stderr", ["", "thinking", WORDS, error(f"RuntimeError: {WORDS}"), error("KeyError: 'Kd'")])
def test_text_that_a_bot_printed_or_an_error_of_its_own_leads_to_no_hint(kind: BotKind, stderr: str, tmp_path: Path) -> None:
    assert hint_for(seen(kind, tmp_path, stderr, threads=32)) is None


def test_an_error_before_the_last_traceback_does_not_count(tmp_path: Path) -> None:
    caught = f"{error('PermissionError: [Errno 1]')}\nplaying without a table\n"
    assert hint_for(seen(FILE, tmp_path, f"{caught}{error(KEY)}")) is None


KEY = "KeyError: 'Kd'"


def test_what_python_opens_to_print_a_traceback_is_not_what_the_bot_opened(tmp_path: Path) -> None:
    printed = f"{error('x')}\nrefused after `ready`: openat bot.py\nPermissionError: [Errno 1] Operation not permitted"
    warned = f"{error(KEY)}\nimport of 'tracemalloc' after `ready`: a bot opens no file then"
    evidence = seen(FILE, tmp_path, printed)
    assert evidence.refused_files == ()
    assert hint_for(seen(FILE, tmp_path, warned)) is None


def test_this_interpreter_is_no_shim(tmp_path: Path) -> None:
    evidence = seen(PYTHON, tmp_path, detail="ended with exit code 127", command=(sys.executable, "bot.py"))
    assert not evidence.is_outside_script
