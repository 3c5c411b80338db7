"""Reviews and comparisons of decisions on a cluster, as a user asks for them: what is found is what one process finds."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.commands.calls import arena
from support.commands.runs import league

pytest.importorskip("distributed", reason="the extra dask is not installed")
from support.servers.clusters import Cluster, cluster

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(sys.platform != "linux", reason="a worker's players are ended as Linux does it"),
]

HERE = ("--executor", "serial")
BOT = """
from arena.sdk import Bot, Discard, each


class Mine(Bot):
    def discard(self, view):
        {planted}
        return super().discard(view)
"""
HIGHEST = "if view.stock in (25, 26): return Discard(max(each(view.may_discard)))"


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster"), workers=2) as two:
        yield two


def found(*line: object, folder: Path | None = None) -> Any:
    """Return what a command prints as JSON."""
    ended = arena(*line, "--json", folder=folder)
    assert ended.returncode in (0, 1), ended.stderr
    return json.loads(ended.stdout)


def test_a_review_prices_as_on_one_machine(tmp_path: Path, two_workers: Cluster) -> None:
    run = tmp_path / "run"
    assert arena("run", league(tmp_path), "--results", run, "--seed", "reviewed", *HERE).returncode == 0
    there = found("review", run, "--executor", two_workers.executor)
    kept = (run / "review.jsonl").rename(tmp_path / "there.jsonl").read_bytes()
    assert there == found("review", run, *HERE)
    assert kept == (run / "review.jsonl").read_bytes()
    assert there["decisions"]


@pytest.mark.nightly
def test_decisions_differ_and_are_explained_as_on_one_machine(tmp_path: Path, two_workers: Cluster) -> None:
    for name, planted in (("old", "pass"), ("new", HIGHEST)):
        (tmp_path / f"{name}.py").write_text(BOT.format(planted=planted), encoding="utf-8")
    asked = ("diff", "old.py:Mine", "new.py:Mine", "--hands", 60, "--explain")
    there = found(*asked, "--executor", two_workers.executor, folder=tmp_path)
    assert {path.name for path in two_workers.copies.glob("*/*.py")} == {"old.py", "new.py"}  # both were asked as copies
    assert there == found(*asked, *HERE, folder=tmp_path)
    assert there["differ"] > 0
