"""``arena run FOLDER``: the bots of a folder play a round robin, and what does not play is named with the reason."""

from pathlib import Path

import pytest
from support.commands.calls import arena
from support.commands.runs import BOT, stored

from arena.errors import RosterError
from arena.plugins.manager import installed_kinds
from arena.roster.finder import in_folder
from arena.runs import planning
from arena.tournament import spec

HELPED = "from helper import LIMIT\n" + BOT


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a folder with five bots, and five files and folders that are left out."""
    folder = tmp_path / "course"
    files = {
        "ann.py": BOT, "ben (1).py": BOT, "ben-1-.py": BOT,
        "pkg/__init__.py": "", "pkg/helper.py": "LIMIT = 7\n", "pkg/player.py": HELPED,
        "node/bot.yaml": "name: other\ncommand: [python3]\n",
        "bad.py": "x =\n", "none.py": "x = 1\n", "two.py": BOT + BOT.replace("Mine", "Yours"),
        "loose/a.py": BOT,
        "beside.py": "from none import x\n" + BOT, "README.md": "text", ".hidden.py": BOT, "empty/notes.txt": "",
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_the_bots_of_a_folder_are_called_as_their_files_and_the_rest_is_left_out_with_the_reason(course: Path) -> None:
    bots, left_out = in_folder(course)
    assert [(bot.name, bot.source.replace(f"{course.resolve()}/", "")) for bot in bots] == [
        ("ann", "ann.py:Mine"), ("ben-1-", "ben (1).py:Mine"), ("ben-1--2", "ben-1-.py:Mine"),
        ("node", "node/bot.yaml"), ("pkg", "pkg/player.py:Mine"),
    ]  # fmt: skip
    assert left_out == [
        "bad.py:1: not valid Python: invalid syntax",
        (
            "beside.py: imports none.py, which is not part of the bot: a bot in a single file is only that file;"
            " if the whole folder belongs to the bot, add an empty __init__.py"
        ),
        "loose: found Python files; expected bot.yaml or __init__.py with them in a bot's folder",
        "none.py: found no class that inherits from Bot; expected one",
        "two.py: found Mine, Yours; expected one",
    ]


def test_a_plan_of_a_folder_is_a_whole_spec_with_every_bot_by_its_class(course: Path) -> None:
    plan, known = planning.from_folder(course, None, print, print), installed_kinds()
    again = spec.parse_spec(plan.spec.text, known, "spec.yaml")
    assert (again.bots, again.format, again.rules) == (plan.spec.bots, plan.spec.format, plan.spec.rules)
    assert again.title == "course"


def test_a_folder_with_fewer_than_two_bots_is_refused_with_what_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text(BOT, encoding="utf-8")
    (tmp_path / "none.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(RosterError, match=r"found ann; expected .* left out: none.py: found no class"):
        planning.from_folder(tmp_path, None, print, print)


@pytest.mark.process
def test_a_folder_is_played_and_resumed_by_the_same_command_and_its_run_is_a_run_like_any_other(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    course = tmp_path / "course"
    course.mkdir()
    for name, text in (("ann.py", BOT), ("ben.py", BOT), ("none.py", "x = 1\n")):
        (course / name).write_text(text, encoding="utf-8")
    first = arena("run", "course", "--results", "run", folder=tmp_path)
    assert first.returncode == 0
    assert first.stderr.splitlines()[:3] == [
        "plays: ann: ann.py:Mine",
        "plays: ben: ben.py:Mine",
        "arena: left out: none.py: found no class that inherits from Bot; expected one",
    ]
    again = arena("run", "course", "--results", "run", "--quiet", folder=tmp_path)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert len(again.stderr.splitlines()) == 1, "what is left out is a warning"
    assert stored(tmp_path / "run")
    assert arena("verify", "run", folder=tmp_path).returncode == 0
    whole = arena("run", "run/spec.yaml", "--results", "run", folder=tmp_path)
    assert whole.returncode == 0, "the spec that is kept is the spec of the run"
