"""Names that are not UTF-8, of whatever a command is given: the bytes are kept, or one line says what has to be UTF-8."""

import os
import shutil
from pathlib import Path

import pytest
from support.commands.calls import arena
from support.commands.every_command import SHORT, leaves, prepared, right_call
from support.sizes import mostly_nightly

ODD = os.fsdecode(b"odd\xff")
WITHOUT = {  # commands that are not called here: why
    **dict.fromkeys(("serve", "tables", "play", "seat", "join"), "wait for requests or a person"),
    **dict.fromkeys(("invite", "close"), "of a folder that `tables` has made"),
    "doctor": "names nothing",
    **dict.fromkeys(("rate", "exploit"), "take long, and are `race` and `tune` otherwise"),
    "league reinstate": "of a bot that was suspended",
}
REFUSED = {"models", "melds"}  # for another reason: no note says what a model cost; no cards are given
COMMANDS = sorted(leaves().keys() - WITHOUT.keys())
BOT = "from arena.sdk import Bot, Parameter\n\nclass Mine(Bot):\n    most = Parameter(0, low=0, high=9)\n"


def ends_in_order(code: int, message: str) -> bool:
    """Tell whether a command has done its work, or said in one line of the user's what has to be UTF-8 or is not there."""
    line = (message.splitlines() or [""])[-1]
    return "Traceback" not in message and "error of arena" not in message and (code != 2 or line.startswith("arena: "))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose name is not UTF-8, with what the right values name; not to be changed."""
    folder = prepared(tmp_path_factory, "names")
    assert arena("export", "run", "--to", "lines.jsonl", folder=folder).returncode == 0
    return Path(shutil.copytree(folder, folder / ODD / "plain", symlinks=True, ignore=shutil.ignore_patterns(ODD)))


@pytest.mark.slow
@pytest.mark.parametrize("command", mostly_nightly(COMMANDS, *COMMANDS[::4]))
def test_every_command_works_in_a_folder_whose_name_is_not_utf8_or_says_why_not(command: str, place: Path, tmp_path: Path) -> None:
    here = shutil.copytree(place, tmp_path / ODD, symlinks=True)
    done = arena(*right_call(command), *SHORT.get(command, "").split(), folder=here)
    assert ends_in_order(done.returncode, done.stderr), done
    assert done.returncode != 2 or "UTF-8" in done.stderr or command in REFUSED, done


USES = (
    "match BOT greedy --hands 8", "duel BOT greedy --hands 40", "race BOT greedy --hands 40", "tune BOT --hands 1000",
    "regress BOT --against greedy --hands 40", "diff BOT greedy --hands 8", "debug BOT", "bots check BOT --hands 8",
    "rate BOT", "exploit BOT", "play BOT", "league submit friday BOT --author ann", "debug greedy --against BOT",
    "seat BOT --mcp", "join http://127.0.0.1:9 BOT --token arena-x",
)  # fmt: skip


@pytest.mark.process
@pytest.mark.parametrize("line", USES)
@pytest.mark.parametrize("bot", [f"{ODD}.py", f"{ODD}/bot.yaml", "folder"])
def test_a_bot_whose_path_is_not_utf8_is_refused_by_every_command(line: str, bot: str, place: Path, tmp_path: Path) -> None:
    here = shutil.copytree(place.parents[1], tmp_path / "here", symlinks=True, ignore=shutil.ignore_patterns(ODD))
    for folder in (here / ODD, here / "folder"):
        folder.mkdir()
        (folder / "mine.py").write_text(BOT, encoding="utf-8")
        (folder / "bot.yaml").write_text("{name: mine, command: [python3, -m, arena.sdk, 'mine.py:Mine']}", encoding="utf-8")
    (here / "folder" / ODD).touch()
    (here / f"{ODD}.py").write_text(BOT, encoding="utf-8")
    done = arena(*(bot if word == "BOT" else word for word in line.split()), folder=here)
    assert done.returncode == 2, done
    assert done.stderr.count("\n") == 1
    assert "is not UTF-8" in done.stderr or "expected printable names" in done.stderr


@pytest.mark.process
def test_results_and_files_may_have_any_name(place: Path, tmp_path: Path) -> None:
    shutil.copyfile(place / "cup.yaml", tmp_path / f"{ODD}.yaml")
    for line in (
        f"run {ODD}.yaml --results {ODD}",
        f"report {ODD}",
        f"replay {ODD}",
        f"review {ODD} --hands 1",
        f"verify {ODD}",
        f"export {ODD} --to {ODD}.jsonl",
        f"import {ODD}.jsonl --results {ODD}2",
        f"verify {ODD} --expect {ODD}",
        f"init {ODD}3",
        f"regress greedy --against cautious --hands 40 --sandbox none --results {ODD}4 --junit {ODD}.xml",
    ):
        done = arena(*line.split(), folder=tmp_path)
        assert done.returncode in (0, 1, 4, 5), done
        assert "Traceback" not in done.stderr
    cited = arena("cite", ODD, folder=tmp_path)
    assert (cited.returncode, "which is not UTF-8" in cited.stderr) == (2, True)
    assert arena("cite", ".", folder=tmp_path / ODD).returncode == 0
