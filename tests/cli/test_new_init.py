"""``arena init``, from an empty folder to a report."""

from pathlib import Path

import pytest
from support.commands.calls import arena

from arena.plugins import manager
from arena.tournament import spec

KINDS = manager.kinds(manager.load(entry_points=False))


@pytest.mark.process
def test_a_first_league_is_written_played_and_reported(tmp_path: Path) -> None:
    written = arena("init", folder=tmp_path)
    assert written.returncode == 0, written.stderr
    assert written.stdout.splitlines()[:2] == ["wrote league.yaml", "wrote my_bot.py"]
    assert "    arena run league.yaml" in written.stdout.splitlines()
    _shorten(tmp_path / "league.yaml")
    ran = arena("run", "league.yaml", "--results", "run", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    shown = arena("report", "run", folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "my-bot" in shown.stdout


@pytest.mark.process
def test_the_steps_that_are_shown_begin_with_the_new_folder(tmp_path: Path) -> None:
    written = arena("init", "my league", folder=tmp_path)
    assert written.returncode == 0, written.stderr
    assert sorted(path.name for path in (tmp_path / "my league").iterdir()) == ["league.yaml", "my_bot.py"]
    _, steps = written.stdout.split("next:\n")
    first, second, *rest = (line.strip() for line in steps.splitlines())
    assert (first, second) == ("cd 'my league'", "arena run league.yaml")
    for step in rest:
        done = arena(*step.split()[1:], folder=tmp_path / "my league")
        assert done.returncode == 0, done.stdout + done.stderr


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    assert arena("init", folder=tmp_path).returncode == 0
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_a_link_to_a_missing_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "league.yaml").symlink_to("elsewhere.yaml")
    ended = arena("init", folder=tmp_path)
    assert ended.returncode == 2
    assert "league.yaml: exists already and is not overwritten" in ended.stderr
    assert (tmp_path / "league.yaml").is_symlink()


KILLED = """
import os, pathlib
def killed(path, *_, **__):
    if path.name == "my_bot.py":
        os.kill(os.getpid(), 9)
    return write(path, *_, **__)
write, pathlib.Path.write_bytes = pathlib.Path.write_bytes, killed
"""


def test_a_folder_in_which_the_command_was_killed_is_no_obstacle(tmp_path: Path) -> None:
    assert arena("init", folder=tmp_path, first=KILLED).returncode == -9
    assert arena("init", folder=tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["league.yaml", "my_bot.py"]


def test_an_existing_file_is_not_overwritten_and_nothing_else_is_written(tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text("mine", encoding="utf-8")
    refused = arena("init", folder=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr == "arena: my_bot.py: exists already and is not overwritten; expected a folder without it\n"
    assert [path.name for path in tmp_path.iterdir()] == ["my_bot.py"]
    assert (tmp_path / "my_bot.py").read_text(encoding="utf-8") == "mine"


def test_a_file_in_place_of_the_folder_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    refused = arena("init", "taken", folder=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith("arena: taken: cannot be written: ")


def test_every_option_in_the_comments_is_the_default(tmp_path: Path) -> None:
    assert arena("init", folder=tmp_path).returncode == 0
    text = (tmp_path / "league.yaml").read_text(encoding="utf-8")
    assert text.count("\n#: ") >= 4
    as_written, in_full = (
        spec.parse_spec(text, KINDS, "league.yaml"),
        spec.parse_spec(text.replace("\n#: ", "\n"), KINDS, "league.yaml"),
    )
    for field in spec.Spec.__struct_fields__:
        assert field == "text" or getattr(as_written, field) == getattr(in_full, field), field


def _shorten(path: Path) -> None:
    """Have the league end within seconds."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("rules: tournament", "rules: {name: standard, target: 30}"), encoding="utf-8")
