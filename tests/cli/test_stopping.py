"""Signals at any moment of a command, once or repeatedly: one line, exit code 130, or 3 if it can be resumed; no traceback."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from support.commands.calls import arena, command
from support.commands.every_command import registered
from support.commands.runs import league
from support.processes.marked import handles, left
from support.servers.serving import started
from support.sizes import mostly_nightly, size

from arena import __main__ as program
from arena import signals
from arena.store.folder import Folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="handlers are read from Linux's /proc")

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
COMMANDS: dict[str, tuple[object, ...]] = {
    "run": ("run", "league.yaml"),
    "duel": ("duel", "one.py:Mine", "two.py:Mine", "--hands", 80),
    "regress": ("regress", "one.py:Mine", "--against", "two.py:Mine", "--hands", 80),
    "match": ("match", "one.py:Mine", "two.py:Mine", "--hands", 80),
    "plan": ("plan", "league.yaml", "--seconds", 0.5),
    "report": ("report", "done"),
    "verify": ("verify", "--replay", "done"),
    "diff": ("diff", "one.py:Mine", "two.py:Mine", "--hands", 50),
    "debug": ("debug", "one.py:Mine", "--hand", 5),
    "bots check": ("bots", "check", "one.py:Mine", "--hands", 10),
    "doctor": ("doctor",),
    "judge": ("judge",),  # waits for its input
}
ENDED = {"regress": {0, 4, 5}}  # exit codes of a command that ended before the signal came: 4 weaker, 5 undecided; else 0
MOMENTS = size(3, 25)  # for each command, in the slow test
LONGEST = 6.0  # seconds after which a signal comes at the latest


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a league of two bots, and a finished run of it."""
    folder = tmp_path_factory.mktemp("bots")
    assert arena("run", league(folder), "--results", folder / "done").returncode == 0
    return folder


@pytest.mark.process
@pytest.mark.parametrize("which", SIGNALS)
@pytest.mark.parametrize("name", ["run", "judge"])
def test_a_command_is_stopped_in_one_line_while_it_imports(bots: Path, name: str, which: signal.Signals) -> None:
    code, message = stopped(bots, name, [which, which], 0.0)
    resumed = (signals.RESUMABLE, "arena: stopped; the same command continues from what is stored\n")
    assert (code, message) == (resumed if name == "run" else (signals.STOPPED, "arena: stopped\n"))


def test_a_command_that_is_stopped_before_a_handler_can_be_set_says_so_in_one_line() -> None:
    done = run_code(TOO_EARLY)
    assert (done.returncode, done.stderr) == (signals.STOPPED, "arena: stopped\n")


def test_commands_that_resume_end_alike_before_and_while_they_play_but_not_for_git() -> None:
    assert set(registered()) >= program.RESUMED
    assert program.is_resumed(["--no-color", "league", "run", "friday"])
    assert not program.is_resumed(["league", "show", "run"])
    assert not program.is_resumed(["regress", "mine.py", "--bisect"])


def test_an_interrupt_that_typer_has_turned_into_an_exit_ends_like_any_other() -> None:
    done = run_code(BY_TYPER)
    assert (done.returncode, done.stderr) == (signals.RESUMABLE, "arena: stopped; the same command continues from what is stored\n")


def test_a_run_that_is_reported_is_not_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []
    monkeypatch.setattr(signals, "set_stop_code", codes.append)
    Folder(tmp_path).mark_reported()
    assert codes == [signals.STOPPED]


@pytest.mark.process
@pytest.mark.parametrize("times", [1, 2])
def test_a_server_stops_without_a_word_while_a_live_page_is_open(tmp_path: Path, times: int) -> None:
    with started("serve", tmp_path, "--port", 0) as (server, address):
        host, port = address.removeprefix("http://").rstrip("/").split(":")
        with socket.create_connection((host, int(port))) as reader:  # of a live page, so that the server does not end at once
            reader.sendall(f"GET /events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            assert b" 200 " in reader.recv(4096)
            for _ in range(times):
                server.send_signal(signal.SIGINT)
                time.sleep(0.3)  # two signals at a time are one
            assert (server.communicate()[1], server.returncode) == ("", 0)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", mostly_nightly(COMMANDS, "run", "report"))
def test_a_command_is_stopped_in_one_line_at_any_moment(bots: Path, name: str) -> None:
    chance = Random(f"stopped {name}")
    for _ in range(MOMENTS):
        several = [chance.choice(SIGNALS) for _ in range(chance.choice((1, 2, 3)))]
        after = chance.uniform(0, LONGEST) if chance.random() < 0.6 else chance.uniform(0, 1)
        code, message = stopped(bots, name, several, after)
        what = f"{several} after {after:.3f} s: exit code {code}: {message}"
        assert code in {3, 130, *ENDED.get(name, {0})}, what
        assert "Traceback" not in message, what
        assert "Exception ignored" not in message, what
        if code == 130:
            assert message.splitlines()[-1] == "arena: stopped", what
        if code == 3 and name != "match":  # which shows what it has got
            assert message.splitlines()[-1].removeprefix("arena: ").startswith("stopped; "), what
    assert left(str(bots)) == []


def stopped(folder: Path, name: str, signals: list[signal.Signals], after: float) -> tuple[int, str]:
    """Start a command, send it signals that many seconds after it handles them, and return its exit code and standard error."""
    pipe = subprocess.PIPE
    line = command(*COMMANDS[name])
    with subprocess.Popen(line, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        while not handles(process.pid, signal.SIGHUP) and process.poll() is None:
            time.sleep(0.001)  # the start of the interpreter: see arena.signals
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            for which in signals:
                os.kill(process.pid, which)
                time.sleep(0.002)
        _, message = process.communicate()
    return process.returncode, message


TOO_EARLY = """
import sys

class Interrupted:
    def find_spec(self, name, *_):
        if name == "arena.signals":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
import arena.__main__
"""
BY_TYPER = """
import os, signal, sys
sys.argv = ["arena", "run", "cup.yaml"]
from arena import __main__ as program
from arena.cli import app

def command():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except KeyboardInterrupt:
        sys.exit(130)

app.build = lambda: command
program.main()
"""
LOST = """
import sys
from arena import signals
signals.install()
import os, signal, time

class Finalized:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0)

try:
    with signals.reporting_stop(ValueError):
        made = Finalized()
        del made
        time.sleep(20)
except ValueError:
    print("stopped", signals.stop_requested())
"""
DISCARDED = """
from arena import signals
signals.install()
import ctypes, os, signal, time

class Key:
    def __hash__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        return 1

look_up = ctypes.pythonapi.PyDict_GetItem  # discards every exception, and returns a null pointer
look_up.restype, look_up.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.py_object]
try:
    with signals.reporting_stop(ValueError):
        try:
            look_up({}, Key())
            time.sleep(20)
        except KeyboardInterrupt:
            time.sleep(0.3)  # this one is not raised again, because it is being handled
            raise
except ValueError:
    pass
time.sleep(0.3)  # and now it is reported
print("stopped", signals.stop_requested())
"""
ODD = """
import os, signal, sqlite3
from arena import __main__ as program
from arena.cli import app

def command():
    database = sqlite3.connect(":memory:")
    database.create_function("hit", 0, lambda: os.kill(os.getpid(), signal.SIGTERM))
    try:
        database.execute("SELECT hit()")
    except sqlite3.Error as error:
        from arena.errors import StoreError
        raise StoreError(str(error))

app.build = lambda: command
program.main()
"""


def run_code(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("code", [LOST, DISCARDED], ids=["lost in a finalizer", "discarded by a library"])
def test_an_interrupt_that_is_lost_comes_once_more(code: str) -> None:
    done = run_code(code)
    assert (done.stdout, done.stderr) == ("stopped True\n", "")


def test_an_interrupt_that_a_library_turns_into_an_error_still_ends_in_one_line() -> None:
    done = run_code(ODD)
    assert (done.returncode, done.stderr) == (130, "arena: stopped\n")
