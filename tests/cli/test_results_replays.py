"""``arena verify --replay``: bots play again what is on record; who does not play the same twice is told, and no difference."""

import shutil
from pathlib import Path

import pytest
from support.commands.calls import arena
from support.commands.runs import BOT, finished_run, league

from arena.store.store import Store

ROUNDS = "format: {pairs: 2}"
OTHER = """
from arena.sdk import Bot, Draw

class Mine(Bot):
    def draw(self, view):
        return Draw()
"""
FICKLE = """
import os
from arena.sdk import Bot, Discard

class Mine(Bot):
    def discard(self, view):
        going = [card for card in range(52) if view.may_discard >> card & 1]
        return Discard(going[os.urandom(1)[0] % len(going)])
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished_run(tmp_path_factory.mktemp("replayed"), ROUNDS)


@pytest.mark.process
def test_bots_that_play_the_same_each_time_bear_out_a_record(run: Path) -> None:
    done = arena("verify", run, "--replay")
    assert (done.returncode, done.stderr) == (0, "")
    link, witness, judged, alike, sandbox = done.stdout.splitlines()
    assert link.startswith("link ")
    assert witness.startswith("witness: witness.jsonl has seen link 4 at ")
    assert judged.endswith(" hands, 0 differences")
    assert alike == "4 matches played again, action for action"
    assert sandbox.startswith('played again in sandbox {"name":"')
    assert "the run names" not in sandbox


@pytest.mark.process
def test_a_record_that_these_bots_have_not_played_is_a_difference(run: Path, tmp_path: Path) -> None:
    spec = league(tmp_path, ROUNDS, text=OTHER)
    assert arena("run", spec, "--results", tmp_path / "other", "--seed", "s").returncode == 0
    (tmp_path / "claimed").mkdir()
    with (
        Store(run / "arena.sqlite") as honest,
        Store(tmp_path / "other" / "arena.sqlite") as other,
        Store(tmp_path / "claimed" / "arena.sqlite", write=True) as claimed,
    ):
        claimed.begin({key: value for key, value in honest.facts().items() if key != "finished"}, honest.field())
        for record in other.records():
            claimed.add(record)
        claimed.finish()
    assert arena("verify", tmp_path / "claimed").returncode == 0
    done = arena("verify", tmp_path / "claimed", "--replay", "--workers", 1)
    assert done.returncode == 1
    assert done.stdout.startswith("difference: one:two/0/")
    assert done.stdout == arena("verify", tmp_path / "claimed", "--replay", "--workers", 4).stdout
    assert "; played again: " in done.stdout


@pytest.mark.process
def test_a_bot_that_does_not_play_the_same_twice_is_shown(tmp_path: Path) -> None:
    spec = league(tmp_path, "rules: {target: 5, best_of: 1, max_hands: 3}")
    (tmp_path / "two.py").write_text(FICKLE)
    assert arena("run", spec, "--results", tmp_path / "run", "--seed", "s").returncode == 0
    done = arena("verify", tmp_path / "run", "--replay")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-2] == "0 matches played again, action for action; not deterministic, and not compared: two"


@pytest.mark.process
def test_a_bot_that_has_changed_since_is_shown(run: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(run.parent, tmp_path / "copy")
    assert arena("run", league(folder, ROUNDS), "--results", folder / "again", "--seed", "s").returncode == 0
    (folder / "two.py").write_text(f"{BOT}# changed\n")
    done = arena("verify", folder / "again", "--replay")
    assert done.returncode == 2
    assert "bot 'two' has changed since this run" in done.stderr


@pytest.mark.process
def test_bots_are_played_again_in_the_sandbox_of_this_machine_and_not_in_the_one_that_a_run_names(tmp_path: Path) -> None:
    open_ = league(tmp_path, "rules: {target: 5, best_of: 1}", "sandbox: none", "format: single")
    assert arena("run", open_, "--results", tmp_path / "run", "--seed", "s").returncode == 0
    done = arena("verify", tmp_path / "run", "--replay")
    assert done.returncode == 0, done.stderr
    sandbox = done.stdout.splitlines()[-1]
    assert sandbox.startswith('played again in sandbox {"name":"strict"')
    assert sandbox.endswith('; the run names {"name":"none"}')


@pytest.mark.process
def test_another_sandbox_is_taken_from_the_command_line_with_a_warning(run: Path) -> None:
    done = arena("verify", run, "--replay", "--sandbox", "none")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith('played again in sandbox {"name":"none"}, profile none; the run names ')
    assert done.stderr == "arena: no sandbox: the bots can do whatever you can, and nobody is ranked\n"


@pytest.mark.process
def test_a_sandbox_that_does_not_exist_is_shown(run: Path) -> None:
    done = arena("verify", run, "--replay", "--sandbox", "sand")
    assert done.returncode == 2
    assert "--sandbox" in done.stderr
