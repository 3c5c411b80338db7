"""What a bot's last words say of the wall that it ran into: most languages name the failed call or the error's number."""

import re

from msgspec import Struct

LINES = 40  # of the end that may tell why


class Clue(Struct, frozen=True):
    """Words on stderr, and the wall that makes bots say them."""

    words: str  # a regular expression
    wall: str  # what the bot tried, and which layer forbids it
    advice: str


CLUES = (
    Clue(
        r"getaddrinfo|gaierror|EAI_AGAIN|Name or service not known|Temporary failure in name resolution",
        "looked up a host's name: there is no network (namespaces, seccomp)",
        "a bot plays by itself; put what it needs into its folder",
    ),
    Clue(
        r"socket|connect\(|ECONNREFUSED|Network is unreachable|urlopen|java\.net\.",
        "opened a socket: not allowed (namespaces, seccomp)",
        "a bot plays by itself; put what it needs into its folder",
    ),
    Clue(
        r"can't start new thread|pthread_create|Thread::new|unable to create native thread|uv_thread_create|std::system_error",
        "started a thread: more than it asked for (seccomp, RLIMIT_NPROC)",
        "say `threads: N` in bot.yaml; numeric libraries of Python bots are told to use one",
    ),
    Clue(
        r"fork|subprocess|posix_spawn|spawn \S+ E|vfork|_execute_child|child_process",
        "started a process: not allowed (seccomp)",
        "a bot is one process; do the work in it",
    ),
    Clue(
        r"No module named|Cannot find module|ClassNotFoundException|NoClassDefFoundError|cannot open shared object",
        "imported what it may not read: a bot reads itself, its language and what its package requires (namespaces, Landlock)",
        "put it beside the bot, or name it in the `dependencies` of the bot's package",
    ),
    Clue(
        r"Read-only file system|EROFS|tempfile|No usable temporary directory|open\([^)]*['\"][wax]",
        "wrote a file: not allowed (namespaces, Landlock)",
        "log to stderr; for a private folder say `scratch_mb: N` in bot.yaml",
    ),
    Clue(
        r"FileNotFoundError|No such file or directory|ENOENT|NoSuchFileException",
        "opened a file that it does not get to see: bots read their own folder and their language alone (namespaces)",
        "keep it in the bot's folder; name it by a path from there",
    ),
    Clue(
        r"MemoryError|std::bad_alloc|OutOfMemoryError|out of memory|Cannot allocate memory|ENOMEM",
        "asked for more memory than it was given (RLIMIT_DATA)",
        "use less, or raise `sandbox: {memory_mb: N}` in the spec",
    ),
    Clue(
        r"PermissionError|Permission denied|EACCES|EPERM|Operation not permitted|AccessDenied",
        "did something that only a trusted program may (Landlock, seccomp)",
        "the last lines above name the call",
    ),
)


def clue(stderr: str) -> Clue | None:
    """Return which wall a bot's last words point to: its last traceback, or its last lines; the most telling clue first."""
    last = stderr.rpartition("Traceback (most recent call last)")[2] if "Traceback" in stderr else stderr
    words = "\n".join(last.splitlines()[-LINES:])
    return next((one for one in CLUES if re.search(one.words, words)), None)
