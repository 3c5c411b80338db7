"""``arena plugins``: what there is, and a plugin to begin with."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from support.commands.calls import arena, document
from support.sizes import mostly_nightly

from arena.cli.new import Kind
from arena.plugins import door
from arena.plugins.manager import installed_kinds

KINDS = get_args(Kind)


def test_the_parts_that_a_spec_may_name_and_what_else_plugins_add_are_listed() -> None:
    found = document("plugins", "list", "--json")
    assert "round-robin" in found["parts"]["formats"]
    assert (found["parts"]["commands"], found["parts"]["runs"]) == (
        sorted(door.commands(door.load())),
        sorted(installed_kinds().stored),
    )
    assert found["not_loaded"] == []
    assert arena("plugins", "list").stdout.startswith("rules      ")


@pytest.mark.process
@pytest.mark.parametrize("kind", mostly_nightly(KINDS, "extra", "format"))
def test_a_plugin_of_each_kind_is_a_distribution_whose_test_passes(kind: str, tmp_path: Path) -> None:
    done = arena("plugins", "new", "sly-part", "--kind", kind, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    there = tmp_path / "sly-part"
    extra = [f"sly_part/{name}" for name in ("__init__.py", "command.py", "plugin.py", "run.py", "sly_part.md")]
    assert sorted(str(path.relative_to(there)) for path in there.rglob("*.*")) == [
        "pyproject.toml",
        *(extra if kind == "extra" else ["sly_part.py"]),
        "tests/test_sly_part.py",
    ]
    assert 'sly-part = "sly_part' in (there / "pyproject.toml").read_text(encoding="utf-8")
    assert not [path for path in there.rglob("*.*") if re.search("my.?part", path.read_text(encoding="utf-8"), re.IGNORECASE)]

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    ran = subprocess.run(command, cwd=there, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", mostly_nightly(KINDS, "extra", "format"))
def test_a_plugin_of_each_kind_can_be_installed_and_is_found(kind: str, tmp_path: Path) -> None:
    arena("plugins", "new", "sly-part", "--kind", kind, folder=tmp_path)
    target = tmp_path / "site"
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--target",
        str(target),
        str(tmp_path / "sly-part"),
    ]
    installed = subprocess.run(command, capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"nothing can be installed here: {installed.stderr.strip().splitlines()[-1]}")
    shown = arena("--help" if kind == "command" else "plugins", *([] if kind == "command" else ["list"]), PYTHONPATH=str(target))
    assert "sly-part" in shown.stdout, shown.stderr


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("My-Part", "'My-Part' is not a valid name of a part; expected at most 50 small letters"),
        ("json", "'json' would hide the Python module 'json'; expected another name, as my-json"),
    ],
)
def test_a_bad_name_is_one_line(name: str, problem: str, tmp_path: Path) -> None:
    done = arena("plugins", "new", name, "--kind", "report", folder=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert problem in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("under-ten", "ruleset"),
        ("duel", "format"),
        ("points", "rating"),
        ("head-to-head", "tiebreak"),
        ("markdown", "report"),
        ("serial", "executor"),
        ("strict", "sandbox"),
        ("match", "command"),
        ("duel", "extra"),
        ("specs", "extra"),
        ("league", "extra"),
    ],
)
def test_a_name_of_arena_itself_is_one_line(name: str, kind: str, tmp_path: Path) -> None:
    done = arena("plugins", "new", name, "--kind", kind, folder=tmp_path)
    assert done.returncode == 2
    what = "command, page or kind of runs" if kind == "extra" else kind
    assert done.stderr == f"arena: arena has its own {what} {name!r}; expected another name, as my-{name}\n"
    assert not list(tmp_path.iterdir())


def test_a_part_may_have_the_name_of_a_part_of_another_kind(tmp_path: Path) -> None:
    assert arena("plugins", "new", "duel", "--kind", "report", folder=tmp_path).returncode == 0
