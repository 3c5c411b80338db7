"""A run whose time is limited ends within a leg."""

import time
from pathlib import Path

import pytest

from arena.compare import dueling
from arena.compare.dueling import ComparisonObserver
from arena.plugins import manager
from arena.runs import chosen
from arena.runs.runner import Runner
from arena.runs.starts import RunStart
from arena.stats.duels import Verdict
from arena.store.folder import Folder
from arena.store.store import Store

SLOW = """
import time

from arena.sdk import Action, Bot, View


class {name}(Bot):
    def answer(self, view: View) -> Action:
        time.sleep(0.05)
        return super().answer(view)
"""


@pytest.mark.process
@pytest.mark.parametrize("executor", ["serial", "local"])
def test_a_leg_that_would_take_hours_ends_when_the_time_is_used_up(tmp_path: Path, executor: str) -> None:
    for name in ("One", "Two"):
        (tmp_path / f"{name}.py").write_text(SLOW.format(name=name))
    field = chosen.resolve([f"{tmp_path}/{name}.py:{name}" for name in ("One", "Two")], ("", ""))
    plan = dueling.duel(field, dueling.DuelTerms(leg=10_000, sandbox="none"), "a seed for limited runs")
    runner = Runner(manager.load(), executor, 1, until=time.monotonic() + 1)
    found = dueling.play_comparison(
        RunStart(plan=plan, folder=Folder(tmp_path / "run")), runner, ComparisonObserver(), log_level=None
    )
    assert (found.outcome.verdict, found.outcome.pairs) == (Verdict.CONTINUE, 0)
    with Store(tmp_path / "run" / "arena.sqlite") as store:
        assert "finished" not in store.facts()
