"""The rounds of a search: bots in this process, and a search that was killed."""

import json
from pathlib import Path

import pytest
from support.commands.calls import arena
from support.commands.every_command import TUNED

from arena.errors import BotUnavailableError
from arena.extras.tuner.outcome import PAGE, REPORT
from arena.extras.tuner.rounds import TuneLeg, play_leg
from arena.extras.tuner.rounds_file import ROUNDS_FILE
from arena.extras.tuner.setup import TuneSpec, set_up
from arena.records import Fixture

KILLED_AFTER_A_ROUND = """
import os
from arena.extras.tuner import rounds
keep = rounds.write_rounds
def killed(*arguments):
    keep(*arguments)
    os.kill(os.getpid(), 9)
rounds.write_rounds = killed
"""


def test_a_crash_of_a_bot_in_this_process_is_a_fault_on_record(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(TUNED.replace("left <= self.most", "1 // 0"), encoding="utf-8")
    tuned = set_up(str(tmp_path / "bad.py"), TuneSpec(sandbox="none", seed="s"), tmp_path, tmp_path / "out")
    start, opponent = tuned.plan.names
    played = play_leg(TuneLeg(tuned.plan.job(Fixture("a/0", (start, opponent), "a", 2)), seat=0, inline=True))
    assert len(played.result.singles) == 2
    assert max(played.result.points) >= 50
    assert played.faults == 2
    assert not (tmp_path / "out").exists()


def test_a_bot_in_this_process_that_cannot_play_ends_the_search(tmp_path: Path) -> None:
    cannot = (
        TUNED.replace("left <= self.most", "self.give_up()")
        + """
    def give_up(self):
        from arena.sdk import CannotPlayError
        raise CannotPlayError("no such model")
"""
    )
    (tmp_path / "bad.py").write_text(cannot, encoding="utf-8")
    tuned = set_up(str(tmp_path / "bad.py"), TuneSpec(sandbox="none", seed="s"), tmp_path, tmp_path / "out")
    start, opponent = tuned.plan.names
    with pytest.raises(BotUnavailableError, match="a bot cannot play: no such model"):
        play_leg(TuneLeg(tuned.plan.job(Fixture("a/0", (start, opponent), "a", 2)), seat=0, inline=True))


@pytest.mark.process
@pytest.mark.timeout(600)
def test_a_planted_mistake_is_found_and_a_search_that_was_killed_goes_on_as_if_it_had_not_been(bot: str, tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("parameters: {care: {high: 0.9}}\nhands: 1000\nverdict: 8\n")
    line = ("tune", bot, "--spec", "params.yaml", "--seed", "s", "--sandbox", "none", "--results", "out", "--quiet", "--json")
    found = json.loads(arena(*line, folder=tmp_path).stdout)
    (care,) = found["parameters"]
    assert care["best"] >= 0.4
    assert (care["gain"], care["curve"]) == (None, [])  # of too few hands
    assert found["best"] == bot  # eight hands do not show that it is stronger
    assert found["verdict"]["results"] == "out/verdict"
    assert json.loads((tmp_path / "out" / REPORT).read_text()) == found
    assert "Keep your values" in (tmp_path / "out" / PAGE).read_text()
    again = [*line[:-3], "again", *line[-2:]]
    file = tmp_path / "again" / ROUNDS_FILE
    assert arena(*again, folder=tmp_path, first=KILLED_AFTER_A_ROUND).returncode == -9
    assert file.read_bytes().count(b"\n") == 2
    outcome = json.loads(arena(*again, folder=tmp_path).stdout)
    assert [outcome[key] for key in ("best", "rounds", "hands")] == [found[key] for key in ("best", "rounds", "hands")]
    assert file.read_bytes() == (tmp_path / "out" / ROUNDS_FILE).read_bytes()
