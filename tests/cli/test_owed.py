"""Files for autograders and build servers are written at every ending of a command, also of one that is called wrongly."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import parse

import pytest
from support.commands.calls import arena

from arena.cli import bots, owed
from arena.errors import RosterError

HELPED = {
    "mine.py": """
from helper import best
from arena.sdk import Bot

class Mine(Bot):
    def throws(self, view):
        return best(view)
""",
    "helper.py": """
from arena.sdk import each

def best(view):
    return max(each(view.may_discard))
""",
}


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    """Return a folder as an autograder has it: with a bot, and a helper beside it."""
    folder = tmp_path / "autograder" / "submission"
    folder.mkdir(parents=True)
    for name, text in HELPED.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def graded(file: Path) -> dict[str, Any]:
    tests = json.loads(file.read_text(encoding="utf-8"))["tests"]
    assert sum(one["max_score"] for one in tests) == 100
    return {one["name"]: (one["score"], one["output"]) for one in tests}


def failing(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@pytest.mark.process
def test_the_documented_autograder_grades_a_bot_of_two_files(submission: Path, tmp_path: Path) -> None:
    ended = arena("bots", "check", submission, "--hands", "8", "--gradescope", "results.json", folder=tmp_path)
    assert ended.returncode == 0, ended.stdout
    assert sum(score for score, _ in graded(tmp_path / "results.json").values()) == 100


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("mine.py", "helper.py"), "got more than was expected: 'helper.py'; expected "),
        ((), "missing argument 'bot'; expected "),
        (("nobody",), "no bot 'nobody'; "),
        (("mine.py", "--colour"), "no such option: --colour"),
        (("mine.py", "--hands", "none"), "--hands: found 'none'; expected a whole number"),
    ],
)
def test_a_wrong_call_is_graded_with_its_line(submission: Path, words: tuple[str, ...], line: str) -> None:
    ended = arena("bots", "check", *words, "--gradescope", "results.json", folder=submission)
    assert ended.returncode == 2
    found = graded(submission / "results.json")
    assert {score for score, _ in found.values()} == {0}
    assert all(output == ended.stderr.removeprefix("arena: ").rstrip("\n") for _, output in found.values())
    assert ended.stderr.startswith(f"arena: {line}")


@pytest.mark.parametrize("option", [("--junit", "out.xml"), ("--junit=out.xml",)])
def test_a_wrong_call_of_a_regression_test_is_an_error_for_a_build_server(tmp_path: Path, option: tuple[str, ...]) -> None:
    ended = arena("regress", "nobody", "--against", "greedy", *option, folder=tmp_path)
    assert ended.returncode == 2
    suite = parse(tmp_path / "out.xml").getroot()
    assert (suite.attrib["tests"], suite.attrib["errors"], suite.attrib["failures"]) == ("1", "1", "0")
    (error,) = suite.iter("error")
    assert error.attrib["message"] == ended.stderr.removeprefix("arena: ").rstrip("\n")


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (KeyError("boom"), "an error in arena: KeyError: 'boom'"),
        (RosterError("no such bot"), "no such bot"),
        (KeyboardInterrupt(), "stopped"),
        (SystemExit(3), "ended with exit code 3"),
        (OSError(28, os.strerror(28)), "No space left on device"),
    ],
)
def test_whatever_ends_a_command_is_in_its_file(tmp_path: Path, error: BaseException, problem: str) -> None:
    file = tmp_path / "results.json"
    file.write_text("of an earlier call")
    with pytest.raises(type(error)), owed.writing_owed(["bots", "check", "mine.py", "--gradescope", str(file)]):
        failing(error)()
    assert graded(file)["start"] == (0, problem)


def test_what_a_command_has_written_stays(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    with pytest.raises(SystemExit), owed.writing_owed(["bots", "check", "mine.py", "--gradescope", str(file)]):
        bots.write_problem(file, "the first")
        raise SystemExit(1)
    assert graded(file)["start"] == (0, "the first")


@pytest.mark.parametrize("words", [["bots", "list"], ["bots", "check", "mine.py"], ["bots", "check", "--gradescope"]])
def test_a_command_that_owes_no_file_writes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit), owed.writing_owed(words):
        raise SystemExit(2)
    assert not list(tmp_path.iterdir())


def test_the_help_writes_no_file(tmp_path: Path) -> None:
    assert arena("bots", "check", "--gradescope", "results.json", "--help", folder=tmp_path).returncode == 0
    assert not list(tmp_path.iterdir())


def test_each_owed_file_is_that_of_a_command() -> None:
    for command, (option, _) in owed.OWED.items():
        assert option in arena(*command, "--help").stdout
