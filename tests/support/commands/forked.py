"""Arena's commands as processes that are forked from one that has imported arena: without the second that imports take.

Such a process is ``python -m arena`` with arguments, folder, environment, standard streams and a command line of its own, and it
ends as an interpreter ends. What a test asks of the start of a process, or by signals on its way, needs one that is started:
``calls.command``.
"""

import atexit
import ctypes
import gc
import json
import os
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOM = "-" * (1 << 14)  # a command line that may be overwritten
LONGEST = 1 << 17  # bytes of a request
REPORT = tuple(
    f"{name}.html"
    for name in ("answer", "bar", "bracket", "crumbs", "opening", "ranking", "report", "review", "standing_rows", "tables")
)


class Ended(NamedTuple):
    """How a command has ended."""

    code: int  # below 0: the number of a signal
    output: str
    error: str


class CommandFork:
    """The process that forks. It ends with this one, at the latest."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.spent = 0.0  # processor seconds of all commands
        with theirs:
            line = [sys.executable, __file__, str(theirs.fileno()), ROOM]
            alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # a process that forks has one thread
            pipe = subprocess.PIPE  # so Python makes streams for pipes, as those of the commands are
            self._process = subprocess.Popen(line, pass_fds=[theirs.fileno()], env=alone, stdin=pipe, stdout=pipe, stderr=pipe)

    def run(self, line: Sequence[str], folder: Path, environment: dict[str, str], typed: str, first: str) -> Ended:
        """Run a command to its end, and to that of all who write to its output.

        ``typed``: its standard input. ``first``: Python that its process runs before it.
        """
        stdin, keys = os.pipe()
        pipes = [os.pipe(), os.pipe()]
        theirs = [stdin, *(end for _, end in pipes)]
        socket.send_fds(self._ours, [json.dumps([line, str(folder), environment, first]).encode()], theirs)
        for end in theirs:
            os.close(end)
        command = int(self._ours.recv(64))
        try:
            output, error = _talk(keys, typed.encode(), [end for end, _ in pipes])
            code, spent = json.loads(self._ours.recv(64))
        except BaseException:  # as pytest-timeout raises it
            os.kill(command, signal.SIGKILL)
            self._ours.recv(64)
            raise
        self.spent += spent
        return Ended(code, output, error)

    def close(self) -> None:
        """End the process."""
        self._ours.close()
        self._process.communicate()


def _talk(keys: int, typed: bytes, ends: Sequence[int]) -> list[str]:
    """Write to a pipe, and return what comes from others until nobody can write any more."""
    found = dict.fromkeys(ends, b"")
    with selectors.DefaultSelector() as waiting:
        waiting.register(keys, selectors.EVENT_WRITE)
        for end in ends:
            waiting.register(end, selectors.EVENT_READ)
        while waiting.get_map():
            for ready, _ in waiting.select():
                if ready.fd == keys:
                    over = not (typed := _rest(keys, typed))
                else:
                    found[ready.fd] += (chunk := os.read(ready.fd, 1 << 16))
                    over = not chunk
                if over:
                    waiting.unregister(ready.fd)
                    os.close(ready.fd)
    return [text.decode() for text in found.values()]


def _rest(keys: int, typed: bytes) -> bytes:
    """Write a little, and return the rest; nothing: there is no reader any more."""
    with suppress(BrokenPipeError):
        return typed[os.write(keys, typed[: select.PIPE_BUF]) :]
    return b""


@cache
def source() -> CommandFork:
    """Return this process's own, which begins with its first command."""
    made = CommandFork()
    atexit.register(made.close)
    return made


def spent() -> float:
    """Return the processor seconds of all commands so far."""
    return source().spent if source.cache_info().currsize else 0.0


def serve(line: socket.socket) -> None:
    """Fork for each request; return in a fork that is ready to be a command, and exit in the process that forks."""
    _import_commands()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C at a terminal is for pytest
    while True:
        asked, streams, *_ = socket.recv_fds(line, LONGEST, 3)
        if not asked:
            sys.exit()
        if (command := os.fork()) == 0:
            line.close()
            *itself, first = json.loads(asked)
            _become(streams, *itself)
            exec(first, {})  # noqa: S102 - a test's own text
            return
        for stream in streams:
            os.close(stream)
        line.send(str(command).encode())
        _, status, used = os.wait4(command, 0)
        line.send(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime]).encode())


def _import_commands() -> None:
    """Import the commands, and what Typer imports when it first reads a value; compile the templates of a report."""
    from typer.testing import CliRunner  # noqa: PLC0415 - in the process that forks alone

    from arena.cli.app import build, function, own_commands  # noqa: PLC0415 - likewise
    from arena.reports.page import assets  # noqa: PLC0415 - likewise

    for described in own_commands().values():
        function(described)
    CliRunner().invoke(build(), ["melds", "7h"])
    for template in REPORT:
        assets.environment().get_template(template)
    assets.pack_sources(assets.REPORT_SCRIPTS)
    gc.freeze()


def _become(streams: list[int], line: list[str], folder: str, environment: dict[str, str]) -> None:
    """Take on what a process is started with."""
    for standard, stream in enumerate(streams):
        os.dup2(stream, standard)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.path[0] = folder
    sys.argv = ["arena", *line]
    _show_command_line([sys.executable, "-m", "arena", *line])


def _show_command_line(words: list[str]) -> None:
    """Overwrite the command line in /proc, by which tests know who is still there. Source: proc_pid_stat(5), arg_start."""
    start, end = map(int, Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[45:47])
    shown = os.fsencode("\0".join(words))[: end - start - 1]
    ctypes.memmove(start, shown.ljust(end - start, b"\0"), end - start)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
    runpy.run_module("arena", run_name="__main__", alter_sys=True)
