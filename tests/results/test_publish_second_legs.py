"""A bot whose legs share what they have seen is noticed by the report of its run, and its opponents are not."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from support.records.verifying import first_difference

from arena.players.base import InlinePlayer
from arena.plugins import manager
from arena.records import MatchRecord
from arena.referee import job
from arena.referee.job import Job
from arena.results.publish import report_of
from arena.runs import planning
from arena.runs.play import Observer, play_run
from arena.runs.runner import Runner
from arena.runs.starts import RunStart
from arena.store.folder import Folder
from arena_bots.greedy import Greedy
from arena_bots.random_legal import RandomLegal

pytestmark = pytest.mark.process

SPEC = """
bots: [{bot: greedy, name: cheat}, {bot: greedy, name: honest}, {bot: greedy, name: moody}]
rules: {target: 40, best_of: 1}
format: {pairs: 16}
sandbox: none
reports: [json]
"""
SEEN = Counter[str]()  # what the processes of the cheat share: how many legs on each deals have begun


def play_here(one: Job) -> MatchRecord:
    """Play a fixture in this process; the cheat plays badly where it sees the deals for the first time, the moody bot by chance."""
    seed, fixture = one.seed, one.fixture
    SEEN[fixture.deals] += 1
    bad = {"cheat": SEEN[fixture.deals] == 1, "moody": Random(fixture.id).random() < 0.3}
    kinds = (RandomLegal if bad.get(name, False) else Greedy for name in fixture.seats)
    bots = (kind(job.bot_seed(seed, fixture.deals, seat)) for seat, kind in enumerate(kinds))
    zero, other = (InlinePlayer(bot.answer) for bot in bots)
    return job.play(one, (zero, other))


@pytest.fixture
def run(tmp_path: Path) -> Folder:
    SEEN.clear()
    (tmp_path / "cheat.yaml").write_text(SPEC, encoding="utf-8")
    plugins = manager.load(entry_points=False)
    plan = planning.from_file(tmp_path / "cheat.yaml", manager.kinds(plugins), "the seed of a run with a cheat")
    folder = Folder(tmp_path / "run")
    play_run(
        RunStart(plan=plan, folder=folder), Runner(plugins, "serial", work=play_here), Observer(), lambda _: None, log_level=None
    )
    return folder


def test_a_bot_that_plays_worse_in_the_legs_that_it_plays_first_is_flagged_and_no_other(run: Folder) -> None:
    report = report_of(run)
    assert {name for name, one in report.second_legs.items() if one.is_flagged} == {"cheat"}
    assert report.second_legs["cheat"].pairs == 32
    assert first_difference(run.path) == ""
