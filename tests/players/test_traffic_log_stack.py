"""The stack of a bot that exceeds its time: the frames of its own code are in the fault's stderr, after a bounded wait."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.bots import players
from support.bots.programs import IMPORTS, SOON, program
from support.hands.builders import FIRST, holding
from support.processes.waiting import until
from support.sizes import mostly_nightly

import arena
from arena.confinement.profiles import Sandbox
from arena.gin.match import Phase
from arena.gin.seeing import see
from arena.limits import TimeLimits
from arena.players import bot_stack, traffic_log
from arena.players.base import PlayerFaultError
from arena.players.process import BotProcess
from arena.players.sandboxes import NoSandbox, StandardSandbox
from arena.players.traffic_log import TrafficLog
from arena.roster.finder import find

DRAW = see(holding("3c4c5c 7d7h7s Ah2h4h Ks", phase=Phase.DRAW), FIRST)
QUICK = TimeLimits(per_turn=0.3, stall=0.3, start=5.0)
SLOW = {
    "spins": "while True: pass",
    "sleeps": "time.sleep(600)",
    "loops in C": "return sum(itertools.repeat(0))",
    "reads its input": "return sys.stdin.read()",
}


def fault(folder: Path, text: str, sandbox: Sandbox, time: TimeLimits = QUICK) -> PlayerFaultError:
    """Return the fault of a bot that is begun and asked to draw."""
    (folder / "mine.py").write_text(f"import itertools, sys, time\nfrom arena.sdk import *\n{text}", encoding="utf-8")
    return players.fault(sandbox.wrap(find(f"{folder}/mine.py:Mine").launch), time, DRAW)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait long enough for a stack, however busy the machine is."""
    monkeypatch.setattr(bot_stack, "WAIT", 100.0)
    monkeypatch.setattr(bot_stack, "PAUSE", 0.5)


@pytest.mark.process
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("sandbox", [NoSandbox(), StandardSandbox()], ids=["none", "standard"])
@pytest.mark.parametrize("body", mostly_nightly(SLOW.values(), next(iter(SLOW.values()))), ids=SLOW)
def test_a_timeout_contains_the_bots_stack(tmp_path: Path, sandbox: Sandbox, body: str) -> None:
    text = f"def think():\n    {body}\nclass Mine(Bot):\n    def draw(self, view):\n        return think()\n"
    caught = fault(tmp_path, text, sandbox)
    assert caught.kind == "timeout"
    heading, draw, think = caught.stderr.splitlines()
    assert heading == "Out of time in (most recent call last):"
    assert 'File "mine.py", line ' in think
    assert think.endswith(" in think")
    assert draw == f'  File "mine.py", line {text[: text.index("return think()")].count(chr(10)) + 3} in draw'


@pytest.mark.process
@pytest.mark.usefixtures("patient")
def test_a_timeout_at_the_start_contains_the_stack_too(tmp_path: Path) -> None:
    caught = fault(tmp_path, "class Mine(Bot):\n    pass\ntime.sleep(600)\n", NoSandbox(), TimeLimits(start=1.0))
    assert caught.stderr == 'Out of time in (most recent call last):\n  File "mine.py", line 5 in <module>\n'


@pytest.mark.process
@pytest.mark.usefixtures("patient")
def test_a_deep_recursion_shows_the_innermost_frames(tmp_path: Path) -> None:
    deep = "class Mine(Bot):\n    def draw(self, view, depth=0):\n        while depth > 300: pass\n"
    deep += "        return self.draw(view, depth + 1)\n"
    lines = fault(tmp_path, deep, NoSandbox()).stderr.splitlines()
    assert len(lines) == 2 + bot_stack.FRAMES
    assert lines[1] == "  ..."
    assert lines[2].endswith("line 6 in draw")
    assert lines[-1].endswith("line 5 in draw")


def test_an_answer_that_comes_too_late_has_no_stack(tmp_path: Path) -> None:
    late = "class Mine(Bot):\n    def draw(self, view):\n        end = time.process_time() + 0.02\n"
    late += "        while time.process_time() < end: pass\n        return Draw()\n"
    caught = fault(tmp_path, late, NoSandbox(), TimeLimits(per_turn=0.01, stall=5.0))
    assert caught.kind == "timeout"
    assert "arena/sdk" not in caught.stderr


@pytest.mark.process
@pytest.mark.parametrize(
    ("code", "stderr"),
    [
        ("while True: pass", ""),
        ("signal.signal(signal.SIGURG, lambda *_: os.write(2, b'I was here\\n'))\nwhile True: pass", "I was here\n"),
        ("signal.signal(signal.SIGURG, lambda *_: [os.write(2, b'x' * 4096) for _ in range(10**6)])\nwhile True: pass", "x" * 4096),
        ("signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])\nwhile True: pass", ""),
        ("os.close(2)\nwhile True: pass", ""),
    ],
    ids=["does not handle it", "has its own handler", "has an endless handler", "blocks every signal", "closed its stderr"],
)
def test_no_reaction_to_the_signal_delays_the_referee(code: str, stderr: str, tmp_path: Path) -> None:
    begun = tmp_path / "its handler is set"
    ready = code.replace("while True: pass", f"open({str(begun)!r}, 'w').close()\nwhile True: pass")
    process = BotProcess(program(f"{IMPORTS}sys.stdin.readline()\n{ready}"), 65536, TrafficLog())
    process.send(b"question\n")
    until(begun.exists)
    with pytest.raises(PlayerFaultError) as caught:
        process.receive(SOON)
    process.close()
    assert caught.value.kind == "timeout"
    assert caught.value.stderr == stderr
    assert caught.value.wall < 60


def test_the_wait_for_a_stack_is_bounded() -> None:
    silent, end = os.pipe()
    child = os.posix_spawn("/bin/sleep", ["sleep", "600"], {})
    try:
        assert bot_stack.request_stack(child, silent) == b""
        assert os.waitpid(child, os.WNOHANG) == (0, 0), "it did not wait for the child's end"
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(silent)
        os.close(end)


@pytest.mark.process
def test_frames_of_an_arena_in_a_folder_of_any_name_are_removed(tmp_path: Path) -> None:
    home = tmp_path / "étude ł"
    home.mkdir()
    (home / "arena").symlink_to(Path(arena.__file__).parent)
    code = "import os; from arena.players.bot_stack import own_frames; os.write(1, own_frames(os.read(0, 4096)))"
    frame = rf'  File "{tmp_path}/\xe9tude \u0142/arena/sdk/loop.py", line 3 in serve'
    given = f"thinking\nStack (most recent call first):\n{frame}\n".encode()
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, input=given, cwd=home, env={"PYTHONPATH": str(home)}, capture_output=True, check=True, timeout=100
    )
    assert done.stdout == b"thinking\n"


def test_frames_of_the_sdk_and_of_the_interpreter_are_removed() -> None:
    sdk = Path(traffic_log.__file__).parents[1] / "sdk" / "loop.py"
    head = b"thinking\nStack (most recent call first):\n"
    ours = f'  File "{sdk}", line 3 in serve\n  File "<frozen runpy>", line 88 in _run_code\n'.encode()
    own = b'  File "/usr/lib/python3/numpy/core.py", line 2 in dot\n  File "/home/mine.py", line 6 in draw\n'
    traceback = b'  File "/home/mine.py", line 6 in draw\n  File "/usr/lib/python3/numpy/core.py", line 2 in dot\n'
    assert bot_stack.own_frames(head + own + ours) == b"thinking\n" + bot_stack.HEADING + traceback
    assert bot_stack.own_frames(head + ours + b"after\n") == b"thinking\nafter\n"
    assert bot_stack.own_frames(own + ours) == own + ours
