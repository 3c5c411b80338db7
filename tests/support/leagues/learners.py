"""Leagues of two bots that learn, as processes without a sandbox."""

from pathlib import Path

from support.leagues.admitting import admitting
from support.records.verifying import runner

from arena.league import submit as submitting
from arena.league.leagues import new
from arena.league.observing import LeagueObserver
from arena.league.play import StopRule, play_rounds
from arena.runs.logs import log_nowhere
from arena.tournament.audition import Finding

SPEC = """
rules: {target: 10, best_of: 1}
sandbox: none
audition: {hands: 8}
likeness: null
learning: {size_mb: 1, files: 3}
"""
# discards another card with each round that it has learned from
LEARNER = """
import os
from arena.sdk import Bot, each

class Mine(Bot):
    '''{0}'''
    def __init__(self, seed=""):
        super().__init__(seed)
        self.place = os.path.join(self.state, "rounds")
        self.rounds = len(open(self.place).read()) if os.path.exists(self.place) else 0

    def throws(self, view):
        cards = list(each(view.may_discard))
        return cards[self.rounds % len(cards)]

    def match_over(self, won, games):
        with open(self.place, "a") as file:
            file.write("x")
"""


def enter(league: Path, name: str, mark: str = "") -> list[Finding]:
    """Submit a bot, and return the steps of its audition."""
    findings: list[Finding] = []
    log_nowhere()
    path = league.parent / f"{name}.py"
    path.write_text(LEARNER.replace("{0}", name + mark))
    assert submitting.submit_bot(league, str(path), f"{name}s", name, findings.append).joined
    return findings


def play(league: Path, matches: int) -> None:
    play_rounds(league, runner(), StopRule(matches=matches), LeagueObserver(), None)


def of_two(folder: Path, spec: str = SPEC) -> Path:
    """Make a league of two bots."""
    (folder / "league.yaml").write_text(spec)
    new(folder / "league", folder / "league.yaml")
    with admitting():
        for name in ("a", "b"):
            enter(folder / "league", name)
    return folder / "league"
