"""A real Dask scheduler with real workers on loopback: workers come and go, and the records are those of one process."""

import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

import pytest
from support.matches.records import untimed
from support.repository.distributions import install

from arena.errors import ClusterError, InputError, WorkerLostError
from arena.extras.cluster.dask import Dask
from arena.league.intake.libraries import with_libraries
from arena.plugins import manager
from arena.records import MatchRecord, result
from arena.roster.entrant import Entrant
from arena.roster.finder import find
from arena.runs.runner import Runner
from arena.tournament import plan, spec
from arena.tournament.director import conduct
from arena.tournament.executors import Executor, Serial
from arena.tournament.order import goes_first, out_of_order
from arena.tournament.plan import Plan

pytest.importorskip("distributed", reason="the extra dask is not installed")
from support.servers.clusters import Cluster, cluster, kill

from arena.extras.cluster import cluster_link

pytestmark = [
    pytest.mark.process,
    pytest.mark.timeout(240),  # processes of Dask start in seconds, and a busy machine makes that many
    pytest.mark.skipif(sys.platform != "linux", reason="a worker's players are ended as Linux does it"),
]

KINDS = manager.kinds(manager.load(entry_points=False))
SPEC = """
bots: [greedy, {{bot: mine/player.py:Mine}}, awk-counter]
rules: {{target: 20, best_of: 1}}
format: {{pairs: {pairs}}}
sandbox: {sandbox}
"""
HELPER = """
from arena.sdk import each

def highest(view):
    return max(each(view.may_discard), key=lambda card: card % 13)
"""
PLAYER = """
from arena.sdk import BigGin, Bot, Discard, Knock
from helper import highest

class Mine(Bot):
    def discard(self, view):
        print("thinking")
        if "big_gin" in view.may:
            return BigGin()
        return Knock(highest(view)) if "knock" in view.may else Discard(highest(view))
"""
RULES = """
from arena.gin.rules import Rules
from arena.plugins.hookspecs import hookimpl

class Straight(Rules, frozen=True, kw_only=True, tag="no-knocking"):
    '''No knocks.'''

@hookimpl
def arena_rulesets():
    return [Straight]
"""
BLIND = """
from arena.errors import SandboxError
from arena.players.sandboxes import StandardSandbox

def refuse(self):
    raise SandboxError("no namespaces")

StandardSandbox.assurance = refuse
"""


@pytest.fixture(scope="module")
def one_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster"), workers=1) as one:
        yield one


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    folder = tmp_path / "bots"
    files = {"__init__.py": "", "helper.py": HELPER, "player.py": PLAYER}
    (folder / "mine").mkdir(parents=True)
    for name, text in files.items():
        (folder / "mine" / name).write_text(text, encoding="utf-8")
    return folder


def planned(bots: Path, pairs: int = 1, sandbox: str = "none") -> Plan:
    text = SPEC.format(pairs=pairs, sandbox=sandbox)
    return plan.make(spec.parse_spec(text, KINDS, "league.yaml"), "seed", lambda bot, name: find(bot, name, bots))


def played(
    made: Plan, executor: Executor, then: Callable[[int], None] = lambda _: None, warn: Callable[[str], None] = print
) -> dict[str, MatchRecord]:
    """Return the records of a plan; ``then`` receives how many there are after each."""
    stored: dict[str, MatchRecord] = {}
    pool = partial(executor.open, 4, lambda: None, warn)
    for record in chain.from_iterable(conduct(made, lambda: [result(one) for one in stored.values()], pool, 8)):
        assert record.fixture.id not in stored
        stored[record.fixture.id] = untimed(record)
        then(len(stored))
    return stored


@pytest.mark.process
def test_a_cluster_plays_the_records_of_one_process(one_worker: Cluster, bots: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = planned(bots, sandbox="standard")
    caplog.set_level("INFO")
    there = played(made, Dask(scheduler=one_worker.address))
    written = {record.message for record in caplog.records if getattr(record, "bot", "") == "Mine"}
    assert "thinking" in " ".join(written)  # what a bot writes far away is in the log here
    assert len([folder for folder in one_worker.copies.iterdir() if len(folder.name) == 64]) >= 3  # each bot was sent
    assert there == played(made, Serial())
    assert list(out_of_order((record.fixture for record in there.values()), partial(goes_first, seed="seed"))) == []


@pytest.mark.slow
def test_a_bot_plays_with_its_own_libraries_from_their_copy(one_worker: Cluster, bots: Path, tmp_path: Path) -> None:
    libraries = tmp_path / "environments" / "some"
    (libraries / "highest_card").mkdir(parents=True)
    (bots / "mine" / "helper.py").rename(libraries / "highest_card" / "__init__.py")
    (bots / "mine" / "player.py").write_text(PLAYER.replace("from helper", "from highest_card"), encoding="utf-8")

    def found(bot: str, name: str | None) -> Entrant:
        entrant = find(bot, name, bots)
        return with_libraries(entrant, libraries) if "mine" in bot else entrant

    made = plan.make(spec.parse_spec(SPEC.format(pairs=1, sandbox="standard"), KINDS, "league.yaml"), "seed", found)
    there = played(made, Dask(scheduler=one_worker.address))
    assert there == played(made, Serial())
    assert not [fault for record in there.values() for fault in record.faults if fault.kind == "crash"]
    assert [copy for copy in one_worker.copies.iterdir() if (copy / "highest_card").is_dir()]


@pytest.mark.slow
def test_a_worker_that_dies_loses_nothing_and_one_that_joins_late_plays(one_worker: Cluster, bots: Path) -> None:
    made = planned(bots, pairs=2)
    first = one_worker.start_worker()

    def replace_worker(count: int) -> None:
        if count == 1:
            kill(first)
            one_worker.start_worker()

    there = played(made, Dask(scheduler=one_worker.address), replace_worker)
    assert there == played(made, Serial())


@pytest.mark.process
def test_a_worker_without_the_sandbox_is_refused_and_others_play(one_worker: Cluster, bots: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(BLIND, encoding="utf-8")
    blind = one_worker.start_worker(environment={"PYTHONPATH": str(tmp_path)})
    warnings: list[str] = []
    there = played(planned(bots, sandbox="standard"), Dask(scheduler=one_worker.address), warn=warnings.append)
    kill(blind)
    assert len(there) == 6
    [warning] = warnings
    assert warning.endswith("is refused: it has no sandbox: no namespaces")


@pytest.mark.process
def test_a_worker_without_the_plugin_of_the_rules_is_refused_in_one_line(
    one_worker: Cluster, bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "arena-okla", {"okla.py": RULES}, "[arena]\nokla = okla\n")
    monkeypatch.syspath_prepend(tmp_path)
    text = SPEC.format(pairs=1, sandbox="none").replace("{target: 20, best_of: 1}", "no-knocking")
    made = plan.make(
        spec.parse_spec(text, manager.installed_kinds(), "league.yaml"), "seed", lambda bot, name: find(bot, name, bots)
    )
    warned: list[str] = []
    with pytest.raises(ClusterError, match=r"no worker has been able to play for \d+ s: the worker .* is refused") as caught:
        played(made, Dask(scheduler=one_worker.address, patience=1), warn=warned.append)
    workers = {line.removesuffix(" is refused: it has no arena-okla 1.2, whose plugin 'okla' this run needs") for line in warned}
    assert len(workers) == len(warned) > 0, "one line for each worker"
    assert all(re.fullmatch(r"the worker \S+", worker) for worker in workers)
    assert "\n" not in str(caught.value)


@pytest.mark.process
def test_a_cluster_of_nobody_ends_a_run_with_one_line(bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        cluster(tmp_path / "empty", workers=0) as empty,
        pytest.raises(
            ClusterError,
            match=r"no worker has been able to play for \d+ s: no worker has joined; when one can, .* again",
        ),
    ):
        played(planned(bots), Dask(scheduler=empty.address, patience=0))
    monkeypatch.setattr(cluster_link, "ANSWER", 0.5)
    with pytest.raises(ClusterError, match=f"{empty.address}: no scheduler answers"):
        played(planned(bots), Dask(scheduler=empty.address))


def test_a_scheduler_with_tls_needs_certificates() -> None:
    with pytest.raises(ClusterError, match=r"tls://127\.0\.0\.1:1: Dask's configuration names no certificates"):
        Dask(scheduler="tls://127.0.0.1:1").open(1, lambda: None)


@pytest.mark.parametrize(
    ("scheduler", "message"), [("''", "found no scheduler; expected one"), ("host", "found scheduler 'host'; expect")]
)
def test_an_address_is_needed(scheduler: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Runner(manager.load(entry_points=False), f"{{name: dask, scheduler: {scheduler}}}")


@pytest.mark.process
def test_a_player_that_ends_costs_its_call_and_no_other(one_worker: Cluster) -> None:
    with Dask(scheduler=one_worker.address).open(1, lambda: None) as pool:
        lost, kept = pool.submit(os._exit, 3), pool.submit(abs, -5)
        with pytest.raises(WorkerLostError, match="the player ended: exit code 3"):
            lost.result()
        assert kept.result() == 5


def test_what_a_call_raises_arrives(one_worker: Cluster) -> None:
    with Dask(scheduler=one_worker.address).open(1, lambda: None) as pool, pytest.raises(ValueError, match="math domain error"):
        pool.submit(math.sqrt, -1.0).result()


def test_a_call_that_nobody_waits_for_any_more_is_aborted(one_worker: Cluster) -> None:
    pool = Dask(scheduler=one_worker.address).open(1, lambda: None)
    endless = pool.submit(time.sleep, 10_000)
    pool.submit(abs, 1)
    while not endless.running():
        time.sleep(0.01)
    pool.shutdown(cancel_futures=True)
    with pytest.raises(WorkerLostError):
        endless.result()
    with Dask(scheduler=one_worker.address).open(1, lambda: None) as other:
        assert other.submit(abs, -7).result() == 7  # its only thread is free again
