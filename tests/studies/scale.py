"""``python tests/studies/scale.py PART``: the tables of arena/PERFORMANCE.md, each part by itself.

Fixtures that are not played stand in for played ones: their answer is the record of one match between two bots of this package,
under the name of the fixture that was asked for. So everything but the bots is real: the format, the schedule, the executor, the
scheduler, the worker's player process, and the database.
"""

import argparse
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice, pairwise
from pathlib import Path

import typer
from msgspec import DecodeError, Struct, json
from msgspec.structs import replace
from stand_ins import no_match, played, sleep

from arena import interpreter
from arena.extras.cluster.dask import MOST, Dask
from arena.gin.rules import Rules
from arena.players.base import InlinePlayer
from arena.players.sandboxes import NoSandbox
from arena.plugins import manager
from arena.records import Fixture, MatchRecord
from arena.referee import job as jobs
from arena.referee.job import Job
from arena.roster.finder import find
from arena.runs import starts
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import spec as specs
from arena.tournament.executors import Executor, Serial
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.in_play import TOGETHER, InPlay
from arena.tournament.plan import Plan, make
from arena_bots.greedy import Greedy

COLUMNS = ("workers", "fixtures", "a second", "director, ms", "scheduler, ms", "database, ms")
FIELD = 150  # bots, where their number does not matter
WORKERS = (1, 2, 4, 8, 16, 32)
TICK = os.sysconf("SC_CLK_TCK")
SPEC = """
title: A field of {bots}
bots: [{names}]
rules: {{target: 100, best_of: 1}}
sandbox: none
reports: [console, json, markdown, csv, html]
"""


class HandOut(Struct, kw_only=True):
    """What handing out fixtures took."""

    fixtures: int
    seconds: float
    director: float  # processor seconds of this process
    stored: float  # seconds of this process's time in the database
    transactions: int
    scheduler: float  # processor seconds of the scheduler


# --- a director


def planned(bots: int) -> Plan:
    """Return the plan of a round robin of this number of bots, all with the files of one."""
    known = manager.kinds(manager.load(entry_points=False))
    names = ", ".join(f"{{bot: greedy, name: bot-{number}}}" for number in range(bots))
    greedy = find("greedy")
    spec = specs.parse_spec(SPEC.format(bots=bots, names=names), known, "scale.yaml")
    return replace(make(spec, "seed", lambda _, name: replace(greedy, name=name or "greedy")), seed="5" * 64)


def handed_out(
    plan: Plan, fixtures: int, executor: Executor, store: Store | None, work: Callable[[Job], MatchRecord], then: Callable[[], None]
) -> HandOut:
    """Have the first fixtures of a plan played, and each record stored; ``then`` is called after each."""
    found = HandOut(fixtures=0, seconds=0.0, director=0.0, stored=0.0, transactions=0, scheduler=0.0)
    wanted = islice(plan.spec.format.fixtures(plan.names, ()), fixtures)
    with InPlay(
        partial(executor.open, MOST, lambda: None), 2 * MOST, lambda pool, one: pool.submit(work, plan.job(one))
    ) as in_play:
        start, busy = time.monotonic(), time.process_time()
        for records in in_play.groups(iter(wanted)):
            before = time.monotonic()
            if store:
                store.add(*records)
            found.stored += time.monotonic() - before
            found.fixtures += len(records)
            found.transactions += 1
            for _ in records:
                then()
            found.seconds, found.director = time.monotonic() - start, time.process_time() - busy
    return found


@contextmanager
def new_store(plan: Plan) -> Iterator[Store]:
    """Give the database of a new run in a temporary folder."""
    with tempfile.TemporaryDirectory() as scratch, starts.open_run(Folder(Path(scratch, "run"))) as store:
        starts.begin(starts.RunStart(plan=plan, folder=Folder(Path(scratch, "run"))), store, NoSandbox().assurance())
        yield store


# --- a cluster on loopback


class LoopbackCluster:
    """A scheduler and workers of one thread each, as processes."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._folder = stack.enter_context(tempfile.TemporaryDirectory())
        file = Path(self._folder, "scheduler.json")
        self.scheduler = self._start("dask_scheduler", "--host", "tcp://127.0.0.1:0", "--scheduler-file", str(file))
        self.workers: list[subprocess.Popen[bytes]] = []
        self._file = file

    @property
    def address(self) -> str:
        """Return the scheduler's address, when it has one."""
        while True:
            try:
                return str(json.decode(self._file.read_bytes())["address"])
            except (OSError, DecodeError):
                time.sleep(0.1)

    def grow(self, workers: int) -> None:
        """Start workers until there are this many, and wait for all."""
        from distributed import Client  # noqa: PLC0415 - an extra

        address = self.address
        while len(self.workers) < workers:
            options = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--local-directory", self._folder)
            self.workers.append(self._start("dask_worker", address, *options))
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(workers)

    def replace_worker(self) -> None:
        """Kill the oldest worker, and start another."""
        self.workers.pop(0).kill()
        self.grow(len(self.workers) + 1)

    def _start(self, module: str, *options: str) -> subprocess.Popen[bytes]:
        command = interpreter.python("-m", f"distributed.cli.{module}", *options, "--no-dashboard")
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process so far. Source: proc(5), stat."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


# --- the parts


def hand_out(largest: int, fixtures: int) -> None:
    """Print how many fixtures are handed out in a second, by the number of workers."""
    plan = planned(FIELD)
    _heading(*COLUMNS)
    with ExitStack() as stack:
        cluster = LoopbackCluster(stack)
        dask = Dask(scheduler=cluster.address)
        for workers in filter(largest.__ge__, WORKERS):
            cluster.grow(workers)
            handed_out(plan, 4 * workers, dask, None, no_match, lambda: None)  # start the players, and send the bot
            with new_store(plan) as store:
                play = partial(handed_out, plan, fixtures, dask, store, no_match, lambda: None)
                _row(workers, measured(cluster, play))


def measured(cluster: LoopbackCluster, play: Callable[[], HandOut]) -> HandOut:
    """Return what handing out took, with the scheduler's processor time."""
    before = processor_seconds(cluster.scheduler.pid)
    found = play()
    found.scheduler = processor_seconds(cluster.scheduler.pid) - before
    return found


def _row(workers: int, found: HandOut) -> None:
    each = (1000 * seconds / found.fixtures for seconds in (found.director, found.scheduler, found.stored))
    _line(workers, found.fixtures, f"{found.fixtures / found.seconds:.0f}", *(f"{milliseconds:.1f}" for milliseconds in each))


def _heading(*columns: str) -> None:
    _line(*columns)
    _line(*("---" for _ in columns))


def _line(*cells: object) -> None:
    typer.echo(f"| {' | '.join(map(str, cells))} |")


def vanish(workers: int, fixtures: int) -> None:
    """Print what happens when half of the workers are killed at once, in fixtures that sleep for half a second."""
    plan, done = planned(FIELD), list[float]()
    with ExitStack() as stack:
        cluster = LoopbackCluster(stack)
        dask = Dask(scheduler=cluster.address)
        cluster.grow(workers)
        handed_out(plan, 4 * workers, dask, None, no_match, lambda: None)

        def kill_half() -> None:
            done.append(time.monotonic())
            if len(done) == fixtures // 2:
                for one in cluster.workers[: workers // 2]:
                    one.kill()

        found = handed_out(plan, fixtures, dask, None, sleep, kill_half)
        killed = done[fixtures // 2 - 1]
        before, after = done[fixtures // 4 : fixtures // 2], [moment for moment in done if moment > killed + 2]
        half = done[fixtures // 2 - 1 :]
        gap = max(two - one for one, two in pairwise(half))
        _heading("workers", "killed", "fixtures of 0.5 s", "a second before", "a second after", "longest gap, s")
        _line(workers, workers // 2, found.fixtures, f"{_rate(before):.1f}", f"{_rate(after):.1f}", f"{gap:.2f}")


def _rate(moments: list[float]) -> float:
    return (len(moments) - 1) / (moments[-1] - moments[0]) if len(moments) > 1 else 0.0


def season(bots: int, fixtures: int, workers: int) -> None:
    """Print what a round of many fixtures between many bots costs the director; without workers, its own part alone."""
    plan = planned(bots)
    with ExitStack() as stack, new_store(plan) as store:
        cluster = LoopbackCluster(stack) if workers else None
        executor: Executor = Serial()
        if cluster:
            cluster.grow(workers)
            executor = Dask(scheduler=cluster.address)
            handed_out(plan, 4 * workers, executor, None, no_match, lambda: None)
        play = partial(handed_out, plan, fixtures, executor, store, no_match, lambda: None)
        found = measured(cluster, play) if cluster else play()
        size = Path(store.path).stat().st_size
    _heading(*COLUMNS)
    _row(workers, found)
    typer.echo(f"{found.seconds:.0f} s; {size / 1e6:.0f} MB of database; {_peak(resource.RUSAGE_SELF):.0f} MB of memory")


def stored(matches: int) -> None:
    """Print bytes and seconds of the database for each fixture, hand and decision."""
    plan = replace(planned(2), spec=replace(planned(2).spec, rules=Rules()))
    records = [_played_here(plan, one) for one in islice(RoundRobin(pairs=matches).fixtures(plan.names, ()), matches)]
    with new_store(plan) as store:
        start = time.monotonic()
        for record in records:
            store.add(record)
        seconds = time.monotonic() - start
        size = sum(path.stat().st_size for path in Path(store.path).parent.glob("arena.sqlite*"))
    hands = sum(len(record.hands) for record in records)
    decisions = sum(usage.decisions for record in records for usage in record.usage)
    typer.echo("| of | number | bytes each | microseconds each |\n| --- | --- | --- | --- |")
    for name, number in (("matches", matches), ("hands", hands), ("decisions", decisions)):
        typer.echo(f"| {name} | {number:,} | {size / number:,.0f} | {1e6 * seconds / number:,.0f} |")


def _played_here(plan: Plan, fixture: Fixture) -> MatchRecord:
    seeds = [jobs.bot_seed("scale", fixture.deals, seat) for seat in (0, 1)]
    zero, one = (InlinePlayer(Greedy(seed).answer) for seed in seeds)
    return jobs.play_between((zero, one), fixture, plan.spec.rules, plan.spec.faults, "scale")


def reports(matches: int, bots: int) -> None:
    """Print the time and the memory of a report on a run of this size, and of checking it."""
    plan = planned(bots)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Folder(Path(scratch, "run"))
        with starts.open_run(folder) as store:
            starts.begin(starts.RunStart(plan=plan, folder=folder), store, NoSandbox().assurance())
            pairs = -(-matches // (bots * (bots - 1)))
            fixtures = islice(RoundRobin(pairs=pairs).fixtures(plan.names, ()), matches)
            while several := [_on_shared_deals(plan, fixture) for fixture in islice(fixtures, TOGETHER)]:
                store.add(*several)
            store.finish()
        size = folder.database.stat().st_size
        start = time.monotonic()
        shown = interpreter.arena("report", str(folder.path))
        subprocess.run(shown, stdout=subprocess.DEVNULL, check=True)
        seconds, used = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        peak = _peak(resource.RUSAGE_CHILDREN)
    typer.echo(f"| {matches:,} | {bots} | {size / 1e6:.1f} | {seconds:.1f} | {used.ru_utime + used.ru_stime:.1f} | {peak:.0f} |")


def _on_shared_deals(plan: Plan, fixture: Fixture) -> MatchRecord:
    """Return the record of a fixture on deals that all pairings share, so that few matches have to be played."""
    pair = fixture.deals.rpartition("/")[2]
    return replace(played(pair, plan.seed or ""), fixture=replace(fixture, deals=pair))


def _peak(who: int) -> float:
    """Return the most resident memory, in MB."""
    return resource.getrusage(who).ru_maxrss / 1024


def fields(bots: int) -> None:
    """Print what a field of this size costs before and between its fixtures, in seconds of the director."""
    start = time.process_time()
    plan = planned(bots)
    made = time.process_time()
    first = list(islice(plan.spec.format.fixtures(plan.names, ()), 1000))
    asked = time.process_time()
    for fixture in first:
        plan.job(fixture)
    jobs_made = time.process_time()
    typer.echo(f"| {bots:,} | {made - start:.2f} | {asked - made:.3f} | {1e6 * (jobs_made - asked) / len(first):.0f} |")


def main() -> None:
    """Print the part that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
        "hand-out": (hand_out, ("largest", "fixtures")),
        "vanish": (vanish, ("workers", "fixtures")),
        "season": (season, ("bots", "fixtures", "workers")),
        "stored": (stored, ("matches",)),
        "report": (reports, ("matches", "bots")),
        "field": (fields, ("bots",)),
    }
    several = parser.add_subparsers(required=True)
    for name, (run, arguments) in parts.items():
        one = several.add_parser(name, help=run.__doc__)
        for argument in arguments:
            one.add_argument(argument, type=int)
        one.set_defaults(run=run, names=arguments)
    chosen = parser.parse_args()
    chosen.run(*(getattr(chosen, name) for name in chosen.names))


if __name__ == "__main__":
    main()
