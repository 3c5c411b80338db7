"""Strength as a test: pytest is run on the repository of a bot author."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.commands.calls import arena

BOTS = """
from arena.sdk import Action, Bot, Discard, Knock, Take, View, deadwood, each


class Mine(Bot):
    def knocks(self, view: View, left: int) -> bool:
        return left <= 8


class Weak(Bot):
    def throws(self, view: View) -> int:
        return max(each(view.may_discard), key=lambda card: deadwood(view.without(card)))


class Illegal(Bot):
    def discard(self, view: View) -> Action:
        return Knock(min(each(view.may_discard)))
"""

TESTS = """
def test_weak(arena):
    arena.assert_not_weaker("mine.py:Weak", "mine.py:Mine")

def test_strong(arena):
    outcome = arena.assert_stronger("mine.py:Mine", "mine.py:Weak")
    assert outcome.difference.low > 0

def test_not_stronger(arena):
    arena.assert_stronger("mine.py:Weak", "mine.py:Mine")

def test_too_few_hands(arena):
    arena.assert_not_weaker("mine.py:Mine", "greedy", hands=8)

def test_legal(arena):
    arena.assert_legal("mine.py:Mine", hands=16)

def test_illegal(arena):
    arena.assert_legal("mine.py:Illegal", hands=16)
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of somebody's bots and their tests."""
    folder = tmp_path_factory.mktemp("repository")
    folder.chmod(0o755)
    (folder / "mine.py").write_text(BOTS)
    (folder / "test_mine.py").write_text(TESTS)
    return folder


PYTEST = """
import os, sys, pytest
for key in [key for key in os.environ if key.startswith("PYTEST_")]:
    del os.environ[key]
sys.exit(pytest.main({arguments}))
"""


def pytest_on(repository: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a process of its own, that is forked, from elsewhere."""
    return arena(first=PYTEST.format(arguments=arguments(repository, *options)), folder=Path("/"))


def started_pytest_on(repository: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest as the author would, from elsewhere."""
    command = [sys.executable, "-m", "pytest", *arguments(repository, *options)]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    return subprocess.run(command, capture_output=True, text=True, cwd="/", env=environment, check=False)


def arguments(repository: Path, *options: str) -> list[str]:
    return ["-p", "no:cacheprovider", "--rootdir", str(repository), *options, str(repository)]


@pytest.mark.process
def test_passed_failed_and_undecided_are_shown_apart(repository: Path, tmp_path: Path) -> None:
    run = started_pytest_on(repository, "--arena-sandbox=none", f"--junit-xml={tmp_path}/out.xml")
    cases = {case.get("name"): case for case in ET.parse(tmp_path / "out.xml").iter("testcase")}
    passed = {name for name, case in cases.items() if case.find("failure") is None}
    assert passed == {"test_strong", "test_legal"}, run.stdout
    message = {name: "".join(failure.get("message", "") for failure in case.iter("failure")) for name, case in cases.items()}
    assert message["test_weak"].startswith("AssertionError: Weak is weaker than Mine: Weak against Mine: ")
    assert message["test_not_stronger"].startswith("AssertionError: Weak is not stronger than Mine")
    assert message["test_too_few_hands"].startswith("arena.assertions.UndecidedError: undecided within the budget of 8 hands")
    assert " (-" in message["test_too_few_hands"], "with its interval"
    assert "illegal" in message["test_illegal"]
    assert "R6.1" in message["test_illegal"]


@pytest.mark.nightly
@pytest.mark.process
@pytest.mark.parametrize("way", ["skip", "xfail"])
def test_undecided_can_be_skipped_or_expected(repository: Path, way: str) -> None:
    run = pytest_on(repository, "--arena-sandbox=none", f"--arena-undecided={way}", "-k", "too_few", "-rsx")
    assert run.returncode == 0, run.stdout
    assert "undecided within the budget of 8 hands" in run.stdout
    assert {"skip": "1 skipped", "xfail": "1 xfailed"}[way] in run.stdout


@pytest.mark.process
def test_a_bot_that_is_not_there_is_shown_without_frames_of_ours(tmp_path: Path) -> None:
    (tmp_path / "test_gone.py").write_text("def test_gone(arena):\n    arena.assert_stronger('gredy', 'greedy')\n")
    message = pytest_on(tmp_path).stdout
    assert "no bot 'gredy'; did you mean 'greedy'?" in message
    assert "finder.py" not in message


@pytest.mark.process
def test_a_name_with_control_characters_is_shown_in_one_printable_line(tmp_path: Path) -> None:
    (tmp_path / "test_gone.py").write_text(
        "def test_gone(arena):\n    arena.assert_stronger('x\\x1b[2J\\u202e\\nforged.py', 'greedy')\n"
    )
    message = pytest_on(tmp_path).stdout
    assert r"\x1b[2J\u202e\nforged" in message
    assert "\x1b" not in message
    assert "\nforged" not in message


@pytest.mark.process
def test_the_seconds_of_a_comparison_are_a_budget_too(repository: Path) -> None:
    run = pytest_on(repository, "--arena-sandbox=none", "--arena-seconds=0.001", "-k", "test_strong")
    assert run.returncode == 1
    assert "UndecidedError: undecided within the budget of 20000 hands and 0.001 s" in run.stdout


@pytest.mark.process
def test_progress_is_shown_on_request(repository: Path) -> None:
    run = pytest_on(repository, "--arena-sandbox=none", "-v", "-k", "too_few")
    assert "0 hands no result yet" in " ".join(run.stdout.split("= FAILURES")[0].split())


@pytest.mark.nightly
@pytest.mark.process
def test_the_workers_of_xdist_each_compare_for_themselves(repository: Path) -> None:
    run = started_pytest_on(repository, "--arena-sandbox=none", "-n", "2", "-k", "strong or legal")
    assert "2 passed" in run.stdout, run.stdout
    assert "2 failed" in run.stdout, run.stdout


@pytest.mark.nightly
@pytest.mark.process
def test_the_same_bots_give_the_same_verdict_again(repository: Path) -> None:
    message = [
        [line for line in pytest_on(repository, "--arena-sandbox=none", "-k", "too_few").stdout.splitlines() if "Undecided" in line]
        for _ in range(2)
    ]
    assert message[0] == message[1]
    assert message[0]


@pytest.mark.process
def test_an_option_that_is_none_is_an_error(repository: Path) -> None:
    run = pytest_on(repository, "--arena-undecided=perhaps", "-k", "too_few")
    assert "arena_undecided: found 'perhaps'; expected one of fail, skip, xfail" in run.stdout


@pytest.mark.process
@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("hands=many", "arena_hands: found 'many'; expected a whole number, 2 or more"),
        ("hands=0", "arena_hands: found '0'; expected a whole number, 2 or more"),
        ("seconds=nan", "arena_seconds: found 'nan'; expected a number, above 0"),
        ("workers=-1", "arena_workers: found '-1'; expected a whole number, above 0"),
    ],
)
def test_a_budget_that_is_none_is_shown_in_one_line(repository: Path, option: str, message: str) -> None:
    assert message in pytest_on(repository, f"--arena-{option}", "-k", "too_few").stdout


def test_nothing_of_arena_is_imported_before_it_is_asked_for() -> None:
    message = "import sys, arena.pytest_plugin; print(sorted(name for name in sys.modules if name.split('.')[0] in "
    message += "{'arena', 'msgspec', 'numpy', 'typer', 'pluggy'} and not name.startswith('pluggy')))"
    run = subprocess.run([sys.executable, "-c", message], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['arena', 'arena.pytest_plugin']"
