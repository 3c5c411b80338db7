"""Commands of a background thread: their output comes through a pipe, and they end when they have to."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.processes.marked import alive, handles, left
from support.processes.waiting import until

from arena import interpreter
from arena.runs.background import BackgroundThread, EndedCommand

pytestmark = pytest.mark.process
LINES = "import os; os.write(1, b'one\\ntw'); os.write(1, b'o\\nrest')"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"
LEAVES_A_CHILD = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid)"
SILENT = "import os, sys; os.close(1); print('arena: one', file=sys.stderr); print('arena: no', file=sys.stderr); os._exit(2)"
SERVER = "import sys; from arena.runs.background import BackgroundThread as T; T('').run_command('serve', *sys.argv[1:])"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., EndedCommand]:
    monkeypatch.setattr(interpreter, "arena", lambda text: (sys.executable, "-c", text))
    return BackgroundThread("test", grace=0.1).run_command


def test_each_line_is_received_when_it_is_complete_and_the_output_whole(run: Callable[..., EndedCommand]) -> None:
    lines: list[bytes] = []
    assert run(LINES, read=lines.append) == EndedCommand(0, b"one\ntwo\nrest", "", late=False)
    assert lines == [b"one", b"two"]


def test_more_than_a_pipe_holds_is_received(run: Callable[..., EndedCommand]) -> None:
    assert len(run("print('x' * 1_000_000)").output) == 1_000_001


def test_a_command_that_does_not_end_is_killed(run: Callable[..., EndedCommand]) -> None:
    ready: list[bytes] = []
    ended = run(STUBBORN, read=ready.append, give_up=lambda: bool(ready))
    assert (ended.code, ended.late, ready) == (-9, False, [b"ready"])
    assert run(STUBBORN, seconds=0.0).late


def test_a_process_that_a_command_leaves_behind_does_not_hold_it_up(run: Callable[..., EndedCommand]) -> None:
    os.kill(int(run(LEAVES_A_CHILD).output), signal.SIGKILL)  # it is still there


def test_the_reason_of_a_failure_is_its_last_line(run: Callable[..., EndedCommand]) -> None:
    ended = run(SILENT)
    assert (ended.code, ended.error_lines, ended.reason) == (2, ["one", "no"], "no")


def test_an_error_in_a_line_ends_the_command(run: Callable[..., EndedCommand]) -> None:
    def read(line: bytes) -> None:
        raise ValueError(line)

    with pytest.raises(ValueError, match="ready"):
        run(STUBBORN, read=read)


def test_a_command_ends_with_the_server_that_began_it_even_if_that_is_killed(tmp_path: Path) -> None:
    mark = str(tmp_path)
    with subprocess.Popen([sys.executable, "-c", SERVER, mark, "--port", "0"]) as server:
        until(lambda: any(handles(pid, signal.SIGTERM) for pid in {*alive(mark)} - {server.pid}))
        server.kill()
    assert left(mark) == []
