"""``python tests/studies/many_matches.py MATCHES FOLDER``: a finished run of MATCHES short matches, for measurements.

A round robin of five bots, stored as ``arena run`` stores it. The bots are functions in the workers instead of processes, to save
time, but what is recorded is the same: every hand is dealt from the run's seed and played by the rules.
"""

import sys
import time
from pathlib import Path

from arena.gin.view import View
from arena.players.base import InlinePlayer, Reply
from arena.plugins import manager
from arena.records import MatchRecord
from arena.referee import job
from arena.referee.job import Job
from arena.runs import planning
from arena.runs.play import Observer, play_run
from arena.runs.runner import Runner
from arena.runs.starts import RunStart
from arena.store.folder import Folder
from arena_bots.greedy import Greedy

BOTS = 5
PAIRINGS = BOTS * (BOTS - 1) // 2
SPEC = """
title: Many matches
bots: [{bots}]
rules: {{target: 100, best_of: 1}}
format: {{pairs: {pairs}}}
sandbox: none
reports: [console, json, markdown, csv, html]
"""


class TimedPlayer(InlinePlayer):
    """Measures its answers, so that records hold times as those of processes do."""

    def ask(self, view: View) -> Reply:
        """Return the function's action, and the time that it took."""
        start = time.perf_counter()
        action = super().ask(view).action
        return Reply(action, cpu=time.perf_counter() - start)


def play_here(fixture: Job) -> MatchRecord:
    """Play a fixture in this process."""
    zero, one = (TimedPlayer(Greedy(job.bot_seed(fixture.seed, fixture.fixture.deals, seat)).answer) for seat in (0, 1))
    return job.play(fixture, (zero, one))


def make(matches: int, folder: Path) -> None:
    """Play a run of at least ``matches`` matches in a new folder."""
    folder.mkdir()
    spec = folder.with_suffix(".yaml")
    bots = ", ".join(f"{{bot: greedy, name: bot-{number}}}" for number in range(BOTS))
    spec.write_text(SPEC.format(bots=bots, pairs=-(-matches // (2 * PAIRINGS))), encoding="utf-8")
    plugins = manager.load(entry_points=False)
    plan = planning.from_file(spec, manager.kinds(plugins), "the seed of a run for measurements")
    play_run(
        RunStart(plan=plan, folder=Folder(folder)), Runner(plugins, work=play_here), Observer(), lambda _: None, log_level=None
    )


if __name__ == "__main__":
    make(int(sys.argv[1]), Path(sys.argv[2]))
