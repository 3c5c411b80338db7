"""Advice for a bot that failed, by its kind and the cause that was seen; without a known cause there is none.

Running the bot again without a sandbox would give certainty, but would start a stranger's program unconfined; so only what it has
left is examined (:mod:`arena.confinement.evidence`). A row of ``CAUSES`` has kinds of bots, what shows the cause
(:mod:`arena.confinement.symptoms`), and the advice.
"""

from typing import Final

from msgspec import Struct

from arena.confinement import symptoms
from arena.confinement.evidence import BotKind, Evidence
from arena.confinement.symptoms import ONE_COMPILER, Seen, answered, either, line, raised, traced
from arena.roster.python_bot import DATA_SUFFIXES

FILE, PACKAGE, PYTHON, JAVA, NODE, PROGRAM = BotKind
SDK: Final = frozenset({FILE, PACKAGE})
COMMANDS: Final = frozenset({PYTHON, JAVA, NODE, PROGRAM})  # which have a manifest
IN_PYTHON: Final = SDK | {PYTHON}
ANY: Final = SDK | COMMANDS
_FOR_A_FILE = "a bot in one file reads no other but data of its own name"
_NUMBER_AS_LIST = r"^'int' object is not (?:iterable|subscriptable)|^argument of type 'int' |^object of type 'int' has no len\(\)"
_NO_NETWORK = "bots have no network; put what the bot needs into its files"


class BotHint(Struct, frozen=True):
    """Why a bot failed, and what its author can do."""

    cause: str  # follows "the bot"
    advice: str


class Cause(Struct, frozen=True):
    """A row of the table."""

    bots: frozenset[BotKind]
    seen: Seen
    cause: str
    advice: str


CAUSES: Final = (  # the most specific first
    # the command
    Cause(
        COMMANDS,
        line(r"cannot start (.*): (?:Permission denied|No such file or directory|Exec format error)"),  # the launcher's own words
        "has a command that cannot be executed: its file is not executable, or its first line names no interpreter that is there",
        "name the interpreter, as `command: [sh, bot.sh]`; or `chmod +x` the file, and begin it with `#!/bin/sh`, without a CR",
    ),
    Cause(
        COMMANDS,
        symptoms.outside_script,
        "names {} in its command, which is a script that starts another program (a shim)",
        "name the program that it starts, by its whole path: for pyenv `pyenv which python3` prints it",
    ),
    Cause(
        frozenset({JAVA}),
        symptoms.javas_libraries,
        "could not load Java's own libraries: the loader finds them through /proc, which a bot does not have",
        "write `command: [/bin/sh, -c, 'LD_LIBRARY_PATH={} exec java …']`",
    ),
    Cause(
        COMMANDS,
        line(r".+: error while loading shared libraries: (\S+): .+"),
        "could not load the shared library {}: it is not in the bot's folder or the system's, or is looked for through /proc",
        "put it into the folder, and write `command: [/bin/sh, -c, 'LD_LIBRARY_PATH=. exec ./bot']`; or link statically",
    ),
    # threads, and memory of a virtual machine
    Cause(
        frozenset({JAVA}),
        symptoms.javas_threads,
        "has fewer threads than a Java virtual machine starts (seccomp, RLIMIT_NPROC)",
        "write `threads: 32` in bot.yaml, which a spec must grant; -XX:+UseSerialGC -XX:TieredStopAtLevel=1 need 16",
    ),
    Cause(
        frozenset({JAVA}),
        line(
            r"(?:Exception in thread .* |Caused by: )?java\.lang\.OutOfMemoryError: (?:Java heap space|GC overhead limit exceeded)"
        ),
        "needs a larger heap than its command gives the virtual machine",
        "raise -Xmx in the command, as -Xmx400m, and `sandbox: {{memory_mb: N}}` in the spec to about 200 more than that",
    ),
    Cause(
        frozenset({JAVA}),
        line(r"(?:Exception in thread .* |Caused by: )?java\.lang\.StackOverflowError"),
        "needs a larger stack than its command gives each thread, or never ends a recursion",
        "raise -Xss in the command, as -Xss4m",
    ),
    Cause(
        frozenset({JAVA}),
        either(
            answered(r"#(?:\\n|\s)*# There is insufficient memory for the Java Runtime"),
            line(r".*VM warning:.*errno=12.*"),
            line(r"(?:Exception in thread .* )?java\.lang\.OutOfMemoryError.*"),
        ),
        "needs more memory than its limit (RLIMIT_DATA): a Java virtual machine sizes itself by the machine",
        "give it -Xmx64m -Xss512k -XX:ReservedCodeCacheSize=16m, or raise `sandbox: {{memory_mb: N}}` in the spec",
    ),
    Cause(
        frozenset({NODE}),
        symptoms.nodes_threads,
        "has one thread, and Node starts six more (seccomp, RLIMIT_NPROC)",
        "write `threads: 8` in bot.yaml; a spec must grant them",
    ),
    Cause(
        SDK,
        raised("RuntimeError", "^can't start new thread$"),
        "started a thread: a bot of the SDK has one (seccomp)",
        "do the work in the method; a bot with a manifest, bot.yaml, can ask for `threads: N`",
    ),
    Cause(
        COMMANDS,
        either(
            raised("RuntimeError", "^can't start new thread$"),
            line(r"terminate called after throwing an instance of 'std::system_error'"),
            line(r"runtime: failed to create new OS thread.*"),
            line(r"thread '.*' panicked at .*failed to spawn thread.*"),
        ),
        "started more threads than bot.yaml asks for (seccomp, RLIMIT_NPROC)",
        "write `threads: N` in bot.yaml; numeric libraries are set to use that many threads",
    ),
    # processes, pipes and the network
    Cause(
        IN_PYTHON,
        traced(r"(?:subprocess|multiprocessing).*:|:_execute_child:|\bos\.(?:fork|posix_spawnp?|system|popen)\("),
        "started a process: not allowed (seccomp)",
        "a bot is a single process; do the work there",
    ),
    Cause(
        COMMANDS,
        either(
            line(r"(?:Uncaught )?Error: spawn(?:Sync)? \S+ E\w+"),
            line(r"\s+syscall: 'spawn.*"),
            line(r".+: (?:\d+: |line \d+: )?(?:Cannot fork|fork: .*)"),
        ),
        "started a process: not allowed (seccomp)",
        "a bot is a single process: do the work there; the last command of a shell script can be `exec PROGRAM`",
    ),
    Cause(
        SDK,
        either(traced(r"asyncio/selector_events\.py:"), traced(r"\bos\.pipe2?\(|\bsocketpair\(")),
        "made a pipe, which a bot may not; asyncio needs one (seccomp)",
        "write plain methods, without asyncio",
    ),
    Cause(
        frozenset({PYTHON}),
        either(traced(r"asyncio/selector_events\.py:"), traced(r"\bos\.pipe2?\(|\bsocketpair\(")),
        "made a pipe: only bots with threads may, since other bots can read the number of a new pipe (seccomp)",
        "avoid pipes (asyncio needs one), or write `threads: 2` in bot.yaml; a spec must grant it",
    ),
    Cause(
        ANY,
        either(
            raised("gaierror"),
            raised("URLError", "Temporary failure in name resolution"),
            traced(r"socket\.py:getaddrinfo:"),
            line(r"(?:Uncaught )?Error: getaddrinfo E\w+ .*"),
            line(r"(?:Exception in thread .* )?java\.net\.UnknownHostException.*"),
        ),
        "looked up a host name: there is no network (namespaces, seccomp)",
        _NO_NETWORK,
    ),
    Cause(
        ANY,
        either(
            traced(r"\bsocket\.py:|\bsocket\.socket\("),
            raised("ConnectionRefusedError URLError"),
            line(r"(?:Uncaught )?Error: (?:connect|listen) E\w+.*"),
            line(r"(?:Exception in thread .* )?java\.net\.\w+Exception.*"),
        ),
        "opened a socket: not allowed (namespaces, seccomp)",
        _NO_NETWORK,
    ),
    # modules, and mistakes in methods
    Cause(
        SDK,
        raised("BotError", "of type coroutine; expected"),
        "has an `async def`, which returns a coroutine and no answer",
        "write `def` without `async`; the SDK calls the method and uses what it returns",
    ),
    Cause(
        SDK,
        either(raised("TypeError", _NUMBER_AS_LIST), raised("AttributeError", "^'int' object has no attribute")),
        "used a number as a list or an object; the cards of a view are one number, with a bit for each card",
        "write `each(view.may_discard)`, of arena.sdk, for the cards one by one; a card is a number from 0 to 51",
    ),
    Cause(
        IN_PYTHON,
        symptoms.hidden_library,
        "has a file of its own, {}.py, with the name of a library, which is imported in place of that",
        "rename the file",
    ),
    Cause(
        frozenset({FILE}),
        symptoms.module_in_folder,
        "imported {}, which is beside it: " + _FOR_A_FILE,
        "add an empty __init__.py, which makes the folder a bot's package, and import it by an import statement",
    ),
    Cause(
        SDK,
        symptoms.installed_module,
        "imported {}, which is installed but not granted: its import statements do not name it, or it is never granted",
        "write `import {}`; a library with bots, from a local folder (`pip install -e`), or without a RECORD is granted to no bot",
    ),
    Cause(
        SDK,
        symptoms.missing_module,
        "imported {}, which is not installed where arena is",
        "pip install it there, or put the module into the bot's package",
    ),
    Cause(
        frozenset({PYTHON}),
        symptoms.missing_module,
        "imported {}, which is neither in its folder nor granted from the environment of the command's interpreter",
        "install it there by pip, and import it by an import statement of the sources that the command names",
    ),
    Cause(
        frozenset({NODE}),
        line(r"(?:Uncaught )?Error: Cannot find module '(.+)'"),
        "required {}, which is not in its folder",
        "npm install it there; a bot reads its own folder and Node itself",
    ),
    Cause(
        frozenset({JAVA}),
        line(r"(?:Exception in thread .* |Caused by: )?java\.lang\.(?:ClassNotFoundException|NoClassDefFoundError): (\S+)"),
        "needs the class {}, which is not on its class path",
        "put the jar into the bot's folder and name it in `-cp`, relative to the folder",
    ),
    # files
    Cause(
        SDK,
        symptoms.wrote,
        "wrote a file: not allowed (namespaces, Landlock)",
        "print to stderr, or call self.note(text), which a replay shows; a bot of the SDK writes to self.state alone",
    ),
    Cause(
        COMMANDS,
        either(
            symptoms.wrote,
            line(r"(?:Uncaught )?Error: EROFS: .*"),
            line(r".+: Read-only file system"),
            line(r"(?:Exception in thread .* )?java\.\S+: .*Read-only file system.*"),
        ),
        "wrote a file: not allowed (namespaces, Landlock)",
        "log to stderr; for a private folder write `scratch_mb: N` in bot.yaml",
    ),
    Cause(
        SDK,
        symptoms.late_import,
        "imported {} after its `ready`, when it may open no file (the seal)",
        "import it at the top of the bot's module",
    ),
    Cause(
        COMMANDS,
        symptoms.late_import,
        "imported {} after its `ready`, when it may open no file (the seal)",
        "import it before; or write `reads_while_playing: true` in bot.yaml, which every report shows",
    ),
    Cause(
        SDK,
        symptoms.late_file,
        "opened {} after its `ready`, when it may open no file (the seal)",
        "read it when the module is imported, at its top",
    ),
    Cause(
        COMMANDS,
        symptoms.late_file,
        "opened {} after its `ready`, when it may open no file (the seal)",
        "open it before; or write `reads_while_playing: true` in bot.yaml, which every report shows",
    ),
    Cause(
        ANY,
        symptoms.special_file,
        "opened {}: a bot has neither /proc nor /sys",
        "do without it; `limits` of hello has what a bot may use",
    ),
    Cause(
        SDK,
        symptoms.other_names_data,
        "opened a file that it may not read: " + _FOR_A_FILE,
        f"rename {{}}, and open it by that name; the endings are {', '.join(DATA_SUFFIXES)}",
    ),
    Cause(
        ANY,
        symptoms.file_elsewhere,
        "opened {}, which it cannot see: bots read only their own files and their language (namespaces)",
        "put it into the bot's folder, and use a path relative to that folder",
    ),
    Cause(
        ANY,
        symptoms.MISSING_FILE,
        "opened {}, which is not in its folder",
        "put it there, and use a path relative to that folder",
    ),
    # limits
    Cause(
        ANY,
        lambda evidence: "" if evidence.fault == "memory" else None,
        "used more memory than its limit (RLIMIT_DATA)",
        "use less, or raise `sandbox: {{memory_mb: N}}` in the spec",
    ),
    Cause(
        ANY,
        lambda evidence: "" if evidence.fault == "lost" else None,
        "has ended, and nothing shows why",
        "the machine may have been the cause: try again with more memory free, and with less other load",
    ),
    Cause(
        IN_PYTHON,
        raised("PermissionError"),
        "made a call that the sandbox forbids (Landlock, seccomp)",
        "the last lines above name the call",
    ),
    Cause(
        SDK,
        symptoms.asks_a_person,
        "waits at `input()` in {}, where nobody types",
        "remove it: the SDK reads the referee's messages, and calls the bot's methods",
    ),
    Cause(
        SDK,
        symptoms.loops,
        "was still computing at {}",
        "end the loop there, or raise `time: {{per_turn: N}}` in the spec if the answer needs longer",
    ),
    Cause(
        SDK,
        symptoms.waits,
        "was waiting at {}",
        "answer without waiting: nothing comes, and no time passes that a bot could use",
    ),
    Cause(
        frozenset({JAVA}),
        symptoms.without_optimising_compiler,
        "used up its processor time, without Java's optimising compiler, which its command leaves out",
        f"remove {ONE_COMPILER} from the command, and raise -XX:ReservedCodeCacheSize to 64m; or raise `time: {{{{per_turn: N}}}}`",
    ),
    Cause(
        COMMANDS,
        lambda evidence: "" if evidence.fault == "timeout" and symptoms.computing(evidence) else None,
        "needed more processor time than it has",
        "compute less, by `limits` of hello, or raise `time: {{per_turn: N}}` in the spec",
    ),
    Cause(
        frozenset({PYTHON}),
        lambda evidence: "" if evidence.fault == "timeout" else None,
        "has sent no line",
        "flush each answer, as `print(line, flush=True)`, and read line by line",
    ),
    Cause(
        COMMANDS,
        lambda evidence: "" if evidence.fault == "timeout" else None,
        "has sent no line",
        "flush each answer, and read line by line; `limits` of hello has the limits of an answer",
    ),
    Cause(
        COMMANDS,
        lambda evidence: "" if evidence.fault == "malformed" else None,
        "wrote something else than an answer",
        "write one line of JSON for each answer and nothing else to standard output; log to stderr",
    ),
    Cause(
        ANY,
        lambda evidence: "" if evidence.fault == "illegal" else None,
        "chose what is not legal",
        "`may` and `may_discard` of the turn list what is legal; `arena docs rules` has the clause",
    ),
)


def hint_for(evidence: Evidence) -> BotHint | None:
    """Return the first hint whose cause was seen of a bot of its kind; None: no cause was."""
    for cause in CAUSES:
        if evidence.kind in cause.bots and (found := cause.seen(evidence)) is not None:
            return BotHint(cause.cause.format(found), cause.advice.format(found))
    return None
