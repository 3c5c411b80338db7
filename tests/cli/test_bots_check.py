"""``arena bots check``, as a user calls it."""

import json
import re
import shlex
from pathlib import Path

import pytest
from support.commands.calls import arena

ILLEGAL = """
from arena.sdk import Bot, Discard

class Mine(Bot):
    def discard(self, view):
        print("thinking of", view.stock)
        return Discard(view.drawn) if view.took[0] else super().discard(view)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a bot that throws what it has just taken."""
    (tmp_path / "bot.py").write_text(ILLEGAL, encoding="utf-8")
    return tmp_path


@pytest.mark.process
def test_a_bot_that_comes_with_arena_passes() -> None:
    ended = arena("bots", "check", "greedy", "--hands", "16")
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.splitlines()[-1] == "greedy passed"
    assert ended.stderr == ""


@pytest.mark.process
def test_what_broke_a_bot_is_shown_again_by_the_command_that_is_shown(folder: Path) -> None:
    ended = arena("bots", "check", "./bot.py:Mine", "--hands", "16", folder=folder)
    assert ended.returncode == 1
    assert "FAILED  hands" in ended.stdout
    assert "R4.3" in ended.stdout
    message = re.search(r"see it again: arena ((?:.*\\\n)*.*)", ended.stdout)
    assert message is not None
    assert max(map(len, message.group(0).splitlines())) <= 80

    again = arena(*shlex.split(message.group(1).replace("\\\n", "")), folder=folder)

    assert again.returncode == 1
    fault = next(line for line in again.stdout.splitlines() if line.startswith("fault: illegal"))
    assert fault.removeprefix("fault: illegal: ") in ended.stdout
    assert "stderr: thinking of" in again.stdout


@pytest.mark.process
def test_no_process_of_a_bot_without_a_sandbox_stays_behind(tmp_path: Path) -> None:
    start = '__import__("subprocess").Popen(["sleep", "60"], start_new_session=True).pid'
    text = f"from arena.sdk import Bot\n\nopen('pids', 'a').write(f'{{{start}}}\\n')\n\n\nclass Mine(Bot): ...\n"
    (tmp_path / "bot.py").write_text(text, encoding="utf-8")
    ended = arena("bots", "check", "./bot.py:Mine", "--hands", "16", "--sandbox", "none", folder=tmp_path)
    assert ended.stdout.endswith("passed\n")
    children = (tmp_path / "pids").read_text(encoding="utf-8").split()
    assert children
    assert not any(Path(f"/proc/{child}").exists() for child in children)


@pytest.mark.process
def test_the_same_is_there_for_programs(folder: Path) -> None:
    ended = arena("bots", "check", "./bot.py:Mine", "--hands", "16", "--json", folder=folder)
    message = json.loads(ended.stdout)
    assert (ended.returncode, message["passed"]) == (1, False)
    assert [step["step"] for step in message["steps"]] == ["start", "hands"]
    assert json.loads(message["steps"][1]["turn"])["type"] == "turn"


@pytest.mark.process
def test_without_sandbox_it_says_so() -> None:
    ended = arena("bots", "check", "greedy", "--hands", "16", "--sandbox", "none")
    assert "under no sandbox; not proved safe against a malicious bot" in ended.stdout


@pytest.mark.process
def test_no_such_bot_is_a_mistake_of_the_user() -> None:
    assert arena("bots", "check", "gredy").returncode == 2
