"""The workflows, the issue forms, the hooks and the contributing guide: they can be read, and what they call exists."""

import importlib.util
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.commands.every_command import registered
from support.repository.files import ROOT

GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def jobs(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = read(path)["jobs"]
    return found


def exists(words: list[str], installed: set[str]) -> bool:
    """Return whether a command can be run: a file of the repository, a program, or a module that is or was ``installed``."""
    program, *rest = words
    if program == "python" and rest[:1] == ["-m"]:
        return rest[1] in installed or rest[1] == "pip" or importlib.util.find_spec(rest[1]) is not None
    if "/" in program:
        return os.access(ROOT / program, os.X_OK)
    return (Path(sys.executable).parent / program).exists() or shutil.which(program) is not None


def commands_of(steps: list[dict[str, Any]]) -> Iterator[tuple[list[str], set[str]]]:
    """Yield every command of a job's steps, with the packages that were installed before it."""
    installed = set[str]()
    for step in steps:
        for line in step.get("run", "").splitlines():
            words = shlex.split(line)
            yield words, set(installed)
            if words[:4] == ["python", "-m", "pip", "install"]:
                installed |= {word for word in words[4:] if not word.startswith("-")}


def test_there_are_workflows_for_checks_tests_and_wheels_and_for_the_night() -> None:
    assert [path.stem for path in WORKFLOWS] == ["checks", "nightly", "tests", "wheels"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_what_it_needs_and_no_right_to_write(path: Path) -> None:
    workflow = read(path)
    assert workflow["name"] == path.stem
    on = "schedule" if path.stem == "nightly" else "pull_request"
    assert on in workflow[True]  # YAML 1.1 reads the key `on` as a truth value
    assert workflow["permissions"] == {"contents": "read"}
    for job in jobs(path).values():
        assert {"runs-on", "timeout-minutes", "steps"} <= job.keys()
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])
        assert job["steps"][0]["uses"].startswith("actions/checkout@")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_command_and_path_of_a_workflow_exists(path: Path) -> None:
    for job in jobs(path).values():
        for words, installed in commands_of(job["steps"]):
            assert exists(words, installed), words
            assert [word for word in words if word.startswith("tests/") and not (ROOT / word).exists()] == []
            extras = [extra for word in words for extra in re.findall(r"^\.\[(\w+)\]$", word)]
            assert set(extras) <= PROJECT["optional-dependencies"].keys()


def test_the_python_versions_of_the_project_are_those_of_every_matrix() -> None:
    classified = [found[1] for line in PROJECT["classifiers"] if (found := re.fullmatch(r"Programming .* (3\.\d+)", line))]
    matrices = [job["strategy"]["matrix"]["python"] for path in WORKFLOWS for job in jobs(path).values() if "strategy" in job]
    assert len(matrices) >= 2
    assert all(versions == classified for versions in matrices)
    assert PROJECT["requires-python"] == f">={classified[0]}"


def test_a_commit_is_checked_as_a_change_is() -> None:
    (local,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    hooks = [hook["entry"] for hook in local["hooks"]]
    steps = [step["run"] for step in jobs(GITHUB / "workflows" / "checks.yml")["checks"]["steps"] if "run" in step]
    assert hooks == steps[1:]
    assert all(hook["language"] == "system" and hook["id"] and hook["name"] for hook in local["hooks"])


def test_there_are_forms_for_a_bug_a_failing_bot_and_a_rule_question() -> None:
    assert [path.stem for path in FORMS] == ["bug", "failing_bot", "rule_question"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_each_question_once(path: Path) -> None:
    form = read(path)
    assert form["name"]
    assert form["description"]
    asked = [item for item in form["body"] if item["type"] != "markdown"]
    ids = [item["id"] for item in asked]
    assert len(set(ids)) == len(ids) >= 3
    for item in asked:
        assert item["type"] in {"input", "textarea", "dropdown"}
        assert item["attributes"]["label"]
        assert item["type"] != "dropdown" or item["attributes"]["options"]
    assert any(item.get("validations", {}).get("required") for item in asked)


@pytest.mark.parametrize("path", [*FORMS, GITHUB / "CONTRIBUTING.md"], ids=lambda path: path.stem)
def test_every_arena_command_that_is_named_exists(path: Path) -> None:
    known = registered()
    for words in re.findall(r"`arena ([a-z ]+)", path.read_text(encoding="utf-8")):
        assert any(words.strip().startswith(command) for command in known), words


def test_the_contributing_guide_links_and_commands_exist() -> None:
    text = (GITHUB / "CONTRIBUTING.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert len(links) >= 5
    assert [link for link in links if not (GITHUB / link).exists()] == []
    (checks,) = (line for line in text.splitlines() if line.startswith("ruff check"))
    assert all(exists(shlex.split(command), set()) for command in checks.split("&&"))
