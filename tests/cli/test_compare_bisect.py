"""``arena regress --bisect``, and the recipes of the page about comparing bots for a repository of a bot, each run in one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.bots.inline import BAD as WEAK
from support.bots.inline import GOOD
from support.commands.calls import arena
from support.repository.pages import blocks

from arena import signals
from arena.cli.app import bisect_codes

BROKEN = "class Mine(\n"
RECIPES = {block.text.splitlines()[0].split()[3]: block.text for block in blocks("sh") if "git worktree add" in block.text}
SETTINGS = {
    "GIT_AUTHOR_NAME": "author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_COMMITTER_NAME": "author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


class Repository:
    """A repository with one bot."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(mode=0o755)
        self.run("git init -q -b main")

    def run(self, script: str) -> "subprocess.CompletedProcess[str]":
        """Run a script as a build server does, which stops at the first command that fails."""
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, **SETTINGS, "PATH": programs}
        return subprocess.run(
            [shutil.which("bash") or "bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    def commit(self, text: str, message: str) -> None:
        (self.path / "mine.py").write_text(text)
        assert self.run(f"git add mine.py && git commit -q -m '{message}'").returncode == 0


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository with a release, v1.0."""
    made = Repository(tmp_path / "bot")
    made.commit(GOOD, "release")
    made.run("git tag v1.0")
    return made


def test_the_readme_has_the_three_recipes() -> None:
    assert sorted(RECIPES) == ["../base", "../good", "../release"]


@pytest.mark.slow
def test_a_search_skips_a_commit_whose_bot_cannot_be_started(repository: Repository) -> None:
    for text, message in ((BROKEN, "broken"), (WEAK, "weaker")):
        repository.commit(text, message)
    found = repository.run(RECIPES["../good"].replace("--bisect", "--bisect --seed searching --within 4"))
    assert found.returncode == 2, found.stderr  # of git, where skipped commits are left
    assert "The first bad commit could be any of:" in found.stdout


@pytest.mark.process
def test_a_search_names_the_commit_that_made_the_bot_weaker(repository: Repository) -> None:
    for text, message in ((GOOD + "# a remark\n", "remark"), (WEAK, "weaker"), (WEAK + "# a remark\n", "later")):
        repository.commit(text, message)
    found = repository.run(RECIPES["../good"].replace("--bisect", "--bisect --seed searching --within 4"))
    assert found.returncode == 0, found.stderr
    first = repository.run("git rev-parse main~1").stdout.strip()
    assert f"{first} is the first bad commit" in found.stdout


@pytest.mark.process
def test_a_build_server_tests_a_commit_against_the_last_release(repository: Repository) -> None:
    script = RECIPES["../release"].replace("--junit", "--within 4 --seed building --junit")
    passed = repository.run(script)
    assert passed.returncode == 0, passed.stderr
    assert (repository.path / "outcome.xml").exists()
    repository.commit(WEAK, "weaker")
    failed = repository.run(script.partition("\n")[2])
    assert failed.returncode == 4, failed.stderr


@pytest.mark.process
def test_a_pull_request_is_shown_and_fails_if_the_bot_becomes_weaker(repository: Repository) -> None:
    repository.run("git update-ref refs/remotes/origin/main main")
    repository.commit(WEAK, "weaker")
    script = (
        RECIPES["../base"]
        .replace("arena regress", "arena regress --within 4 --seed pulling")
        .replace("arena diff", "arena diff --hands 5")
    )
    failed = repository.run(script)
    assert failed.returncode == 4, failed.stderr
    assert " decisions differ: " in failed.stdout
    repository.commit(GOOD, "restored")
    passed = repository.run(script.partition("\n")[2])
    assert passed.returncode == 0, passed.stderr
    assert "0 of " in passed.stdout


@pytest.mark.process
@pytest.mark.parametrize(
    "arguments",
    [
        ("mine.py:Mine", "--against", "missing.py:Mine"),
        ("broken.py:Mine", "--against", "mine.py:Mine"),
        ("mine.py:Mine", "--against", "weak.py:Mine", "--hands", "2"),
        ("mine.py:Mine", "--against", "weak.py:Mine", "--hnads", "2"),
        ("mine.py:Mine",),
    ],
)
def test_anything_but_a_verdict_skips_the_commit(arguments: tuple[str, ...], tmp_path: Path) -> None:
    for name, text in (("mine", GOOD), ("weak", WEAK), ("broken", "from arena.sdk import Bot\nclass Mine(Bot): 1 / 0\n")):
        (tmp_path / f"{name}.py").write_text(text)
    assert arena("regress", *arguments, "--bisect", folder=tmp_path).returncode == 125


VERDICTS = [(0, 0), (None, None), (4, 4), (5, 125), (2, 125), (3, 125), (1, 125), ("text", 125)]


@pytest.mark.parametrize(("options", "before", "after"), [*((["--bisect"], *codes) for codes in VERDICTS), ([], 5, 5)])
def test_only_a_verdict_of_a_search_is_good_or_bad(options: list[str], before: int | str | None, after: int | None) -> None:
    with pytest.raises(SystemExit) as ended, bisect_codes(["regress", *options]):
        raise SystemExit(before)
    assert ended.value.code == after


def test_a_bug_skips_the_commit_and_shows_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, bisect_codes(["regress", "--bisect"]):
        raise RuntimeError("a bug")
    assert ended.value.code == 125
    assert "RuntimeError: a bug" in capsys.readouterr().err


def test_a_signal_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "stop_requested", lambda: True)
    with pytest.raises(SystemExit) as ended, bisect_codes(["regress", "--bisect"]):
        raise SystemExit(3)
    assert ended.value.code == 130
