"""Duels of a bot whose processes have moods with itself: the verdict and the interval hold.

Each player picks at its start, by chance that no seed of the duel decides, whether it knocks as soon as it may or plays for gin;
one is better by several points a hand. Everything else is real: rounds, records, luck and verdict. The players are in this process,
because a duel starts hundreds of them.
"""

from pathlib import Path
from random import Random

import pytest
from support.matches.in_process import seated

from arena.compare import dueling
from arena.compare.dueling import ComparisonObserver, DuelTerms, Finished
from arena.plugins import manager
from arena.records import MatchRecord
from arena.referee import job
from arena.referee.job import Job
from arena.runs import chosen
from arena.runs.runner import Runner
from arena.runs.starts import RunStart
from arena.sdk import Bot, View
from arena.store.folder import Folder

CHANCE = Random("moods")  # the same moods every time: a red run can be run again
DUELS, HANDS = 8, 480
MOST = 3  # intervals without 0; more have a chance of 1 in 2,500 if each misses it one time in twenty


class Patient(Bot):
    """A bot that plays for gin."""

    def knocks(self, view: View, left: int) -> bool:
        """Knock with gin alone."""
        return left == 0


def moody(seed: str) -> Bot:
    """Return a bot in one of two moods."""
    return Bot(seed) if CHANCE.getrandbits(1) else Patient(seed)


def played(work: Job) -> MatchRecord:
    """Play a leg between two bots with moods."""
    return job.play(work, (seated(moody("0").answer), seated(moody("1").answer)))


def duel(folder: Path) -> Finished:
    """Play a duel of fixed length between two copies of a bot.

    The entrants are two programs in name alone, because of one program with itself nothing is played.
    """
    field = chosen.resolve(("greedy", "cautious"), ("", ""))
    plan = dueling.duel(field, DuelTerms(hands=HANDS, until="limit", sandbox="none"))
    runner = Runner(manager.load(), "serial", 1, played)
    return dueling.play_comparison(RunStart(plan=plan, folder=Folder(folder)), runner, ComparisonObserver(), log_level=None)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.nightly
def test_the_interval_of_a_moody_bot_against_itself_contains_zero(tmp_path: Path) -> None:
    found = [duel(tmp_path / str(number)).outcome for number in range(DUELS)]
    shown = [outcome.difference for outcome in found if outcome.difference]
    print([f"{one.value:+.2f} [{one.low:+.2f}, {one.high:+.2f}]" for one in shown])  # noqa: T201 - shown with -s
    assert len({one.value for one in shown}) > DUELS / 2, "the moods differ"
    assert sum(not one.low <= 0 <= one.high for one in shown) <= MOST
    assert sum(outcome.better >= 20 for outcome in found) <= MOST
