"""Guesses from the end of a bot's stderr which restriction of the sandbox made it fail.

Most languages name the failed call or the error number. Running the bot again without a sandbox would give certainty, but would
start a stranger's program unconfined; so only the text is examined.
"""

import re

from msgspec import Struct

from arena.confinement.launcher import NO_MEMORY

LINES = 40  # of stderr that are searched, the last ones


class SandboxHint(Struct, frozen=True):
    """A pattern of messages on stderr, and the restriction that causes them."""

    pattern: str  # a regular expression
    cause: str  # what the bot tried, and which layer forbids it; follows "it"
    advice: str


SEALED = "after `ready`"  # in each line about a call that the seal refused

HINTS = (  # the most specific first
    SandboxHint(
        r"(?m)^cannot start .*: (Permission denied|No such file or directory|Exec format error)$",  # of the launcher
        "has a command that cannot be executed: its file is not executable, or its first line names no interpreter that is there",
        "name the interpreter, as `command: [sh, bot.sh]`; or `chmod +x` the file, and begin it with `#!/bin/sh`, without a CR",
    ),
    SandboxHint(
        r"getaddrinfo|gaierror|EAI_AGAIN|Name or service not known|Temporary failure in name resolution",
        "looked up a host name: there is no network (namespaces, seccomp)",
        "bots have no network; put what the bot needs into its folder",
    ),
    SandboxHint(
        SEALED,
        "opened or imported a file after its `ready` (the seal)",
        "open and import everything before; or write `reads_while_playing: true` in bot.yaml, which every report shows",
    ),
    SandboxHint(
        r"socketpair|_make_self_pipe|os\.pipe\b|pipe2",
        "made a pipe: only bots with threads may, since other bots can read the number of a new pipe (seccomp)",
        "avoid pipes (asyncio needs one), or write `threads: 2` in bot.yaml; a spec must grant it",
    ),
    SandboxHint(
        r"socket|connect\(|ECONNREFUSED|Network is unreachable|urlopen|java\.net\.",
        "opened a socket: not allowed (namespaces, seccomp)",
        "bots have no network; put what the bot needs into its folder",
    ),
    SandboxHint(
        r"can't start new thread|pthread_create|Thread::new|unable to create native thread|uv_thread_create|std::system_error",
        "started more threads than bot.yaml asks for (seccomp, RLIMIT_NPROC)",
        "write `threads: N` in bot.yaml; numeric libraries are set to use that many threads",
    ),
    SandboxHint(
        r"fork|subprocess|posix_spawn|spawn \S+ E|vfork|_execute_child|child_process",
        "started a process: not allowed (seccomp)",
        "a bot is a single process; do the work there",
    ),
    SandboxHint(
        r"No module named|Cannot find module|ClassNotFoundException|NoClassDefFoundError|cannot open shared object",
        "imported what it may not read: bots read their own files, their language and what they import (namespaces, Landlock)",
        "install the module, or put it beside the bot, in a folder with __init__.py or bot.yaml; import it by an import statement",
    ),
    SandboxHint(
        r"Read-only file system|EROFS|tempfile|No usable temporary directory|open\(.{0,200}['\"][wax][bt+]{0,2}['\"]",
        "wrote a file: not allowed (namespaces, Landlock)",
        "log to stderr; for a private folder write `scratch_mb: N` in bot.yaml",
    ),
    SandboxHint(
        r"FileNotFoundError|No such file or directory|ENOENT|NoSuchFileException",
        "opened a file that it cannot see: bots read only their own folder and their language (namespaces)",
        "keep the file in the bot's folder, and use a path relative to that folder",
    ),
    SandboxHint(
        r"MemoryError|std::bad_alloc|OutOfMemoryError|out of memory|Cannot allocate memory|ENOMEM",
        "used more memory than its limit (RLIMIT_DATA)",
        "use less, or raise `sandbox: {memory_mb: N}` in the spec",
    ),
    SandboxHint(
        r"PermissionError|Permission denied|EACCES|EPERM|Operation not permitted|AccessDenied",
        "made a call that the sandbox forbids (Landlock, seccomp)",
        "the last lines above name the call",
    ),
)


def hint_for(stderr: str) -> SandboxHint | None:
    """Return the first hint that matches the last lines of the bot's last traceback, or of ``stderr`` without one; None: none does.

    Lines about calls that the seal refused are always searched: they stand before the traceback that they caused.
    """
    before, _, last = stderr.rpartition("Traceback (most recent call last)")
    text = "\n".join((*(line for line in before.splitlines() if SEALED in line), *last.splitlines()[-LINES:]))
    return next((hint for hint in HINTS if re.search(hint.pattern, text)), None)


# Whether a bot ended because it ran out of memory.
#
# The kernel does not say: beyond RLIMIT_DATA an allocation fails, and each program reacts in its own way. Three signs are checked:
# the exit code, which an uncaught MemoryError in Python sets; the messages on stderr of other languages; and the peak memory of a
# bot that a signal killed, which had no chance to write one. They are checked only for a bot that ended on its own, which is a
# fault in any case; a bot that fakes a sign only exchanges one fault for another.

SIGNS = (  # messages on stderr
    "MemoryError",  # Python
    "std::bad_alloc",  # C++, and what is written in it
    "out of memory",  # JavaScript, Go, Java's native half
    "OutOfMemoryError",  # Java
    "Cannot allocate memory",  # the C library's text for ENOMEM
    "memory allocation of",  # Rust
    "memory exhausted",  # awk, and other GNU programs
)
NEARLY = 0.9  # of the limit
LAST_CHARACTERS = 2000  # of stderr: an error that the bot survived may be named further above


def died_of_memory(exit_code: int, stderr: str, peak_kb: int, memory_mb: int | None) -> bool:
    """Tell whether a bot that ended on its own ran out of memory.

    ``exit_code``: as in subprocess, negative for a signal. ``stderr``: the end of its log. ``peak_kb``: ``ru_maxrss`` of wait4(2).
    ``memory_mb``: of the launch; None: no limit.
    """
    if exit_code == 0:
        return False
    end = stderr[-LAST_CHARACTERS:]
    if exit_code == NO_MEMORY or any(sign in end for sign in SIGNS):
        return True
    return memory_mb is not None and exit_code < 0 and peak_kb >= NEARLY * memory_mb * 1024
