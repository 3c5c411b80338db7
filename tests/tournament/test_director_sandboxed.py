"""A league of honest bots under every sandbox profile that this machine can prove."""

from itertools import chain
from pathlib import Path

import pytest

from arena.errors import SandboxError
from arena.players.sandboxes import StrictSandbox
from arena.plugins import manager
from arena.records import MatchRecord, result
from arena.roster.finder import find
from arena.tournament import plan, spec
from arena.tournament.director import conduct
from arena.tournament.executors import Serial

NUMPY_BOT = """
import numpy
from arena.sdk import Bot

class Counts(Bot):
    def draw(self, view):
        assert numpy.linalg.norm(numpy.ones((3, 3))) == 3
        return super().draw(view)
"""
SPEC = """
bots: [counts.py:Counts, greedy, awk-counter]
rules: {name: standard, target: 30}
sandbox: {name: strict, profile: PROFILE}
"""


@pytest.mark.parametrize("profile", ["A", *(pytest.param(one, marks=pytest.mark.process) for one in "BC")])
def test_honest_bots_play_without_a_fault_under_every_profile(profile: str, tmp_path: Path) -> None:
    (tmp_path / "counts.py").write_text(NUMPY_BOT, encoding="utf-8")
    kinds = manager.kinds(manager.load(entry_points=False))
    read = spec.parse_spec(SPEC.replace("PROFILE", profile), kinds, str(tmp_path / "spec.yaml"))
    planned = plan.make(read, "a seed", lambda bot, name: find(bot, name, tmp_path))
    assert isinstance(read.sandbox, StrictSandbox)
    try:
        assurance = plan.check_sandbox(planned)
    except SandboxError as error:
        pytest.skip(f"profile {profile} cannot be proved here: {error}")

    records: list[MatchRecord] = []
    for record in chain.from_iterable(
        conduct(planned, lambda: [result(played) for played in records], lambda: Serial().open(1, lambda: None), 1)
    ):
        records.append(record)  # noqa: PERF402 - the format reads the list during the loop

    assert (assurance.profile, assurance.isolated) == (profile, True)
    assert [record.faults for record in records] == [()] * 6
