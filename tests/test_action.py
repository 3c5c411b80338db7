"""The action for pull requests, .github/actions/regress: its steps run here as a runner runs them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.repository.files import ROOT

ACTION = ROOT / ".github" / "actions" / "regress"
ALL = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"]
STEPS: dict[str, Any] = {step["name"]: step for step in ALL}
BOT = "from arena.sdk import Bot\n\n\nclass Mine(Bot):\n    pass\n"
LOSES = BOT.replace("import Bot", "import Bot, Discard, each").replace(
    "    pass\n", "    def discard(self, view):\n        return Discard(min(each(view.may_discard)))\n"
)


pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed here")


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)  # noqa: S607 - as a user's shell finds it


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a clone of a repository on whose branch main stands the bot mine.py."""
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "-q", "-b", "main")
    (origin / "mine.py").write_text(BOT, encoding="utf-8")
    git(origin, "add", ".")
    git(origin, "commit", "-qm", "A bot")
    git(tmp_path, "clone", "-q", str(origin), "clone")
    return tmp_path / "clone"


def run(name: str, clone: Path, **changes: str) -> "subprocess.CompletedProcess[str]":
    """Run a step; what the runner fills in is given."""
    scratch = clone.parent
    known = {"BOT": "mine.py:Mine", "AGAINST": "main", "GAUNTLET": "", "HANDS": "64", "SANDBOX": "none", "NUMBER": "7"}
    runner = {
        "RUNNER_TEMP": str(scratch),
        "GITHUB_OUTPUT": str(scratch / "output"),
        "GITHUB_STEP_SUMMARY": str(scratch / "summary"),
    }
    path = {"PATH": f"{scratch}:{Path(sys.executable).parent}:{os.environ['PATH']}", "GITHUB_ACTION_PATH": str(ACTION)}
    command = ["bash", "-eo", "pipefail", "-c", STEPS[name]["run"]]
    return subprocess.run(
        command, cwd=clone, env={**os.environ, **known, **runner, **path, **changes}, capture_output=True, text=True, check=False
    )


def test_no_input_is_pasted_into_a_command() -> None:
    assert [name for name, step in STEPS.items() if "${{" in step.get("run", "")] == []


@pytest.mark.nightly
@pytest.mark.process
def test_a_bot_that_did_not_change_is_not_weaker_and_the_pull_request_says_so(clone: Path) -> None:
    done = run("Compare", clone)
    assert done.returncode == 0, done.stderr
    assert (clone.parent / "output").read_text() == "exit-code=0\n"
    comment = (clone / "arena-comment.md").read_text()
    assert comment.startswith("**mine.py:Mine** against main: **not weaker**\n")
    assert (clone.parent / "summary").read_text() == comment
    assert not list(clone.parent.glob("arena-*"))

    (clone.parent / "gh").write_text('#!/bin/sh\ntest "$6" = --edit-last && exit 1\necho "$@" >../told\n')
    (clone.parent / "gh").chmod(0o755)
    assert run("Comment", clone).returncode == 0
    assert (clone.parent / "told").read_text() == "pr comment 7 --body-file arena-comment.md\n"


@pytest.mark.process
def test_a_bot_that_plays_otherwise_is_tested_and_its_decisions_are_shown(clone: Path) -> None:
    (clone / "mine.py").write_text(LOSES, encoding="utf-8")
    done = run("Compare", clone, HANDS="2000")
    assert done.returncode == 0, done.stderr
    assert (clone.parent / "output").read_text() == "exit-code=4\n"
    comment = (clone / "arena-comment.md").read_text()
    assert comment.startswith("**mine.py:Mine** against main: **weaker**\n")
    assert "decisions differ" in comment


@pytest.mark.process
def test_a_new_bot_is_compared_with_nothing(clone: Path) -> None:
    done = run("Compare", clone, BOT="other.py:Mine")
    assert done.returncode == 0, done.stderr
    assert "new: there is nothing to compare it with" in (clone / "arena-comment.md").read_text()


@pytest.mark.parametrize(("code", "fails"), [("0", False), ("5", False), ("4", True), ("2", True)])
def test_the_job_fails_for_a_weaker_bot_and_for_one_that_could_not_be_tested(code: str, *, fails: bool, clone: Path) -> None:
    assert bool(run("Fail if it is weaker", clone, CODE=code).returncode) is fails
