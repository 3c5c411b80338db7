"""``python tests/studies/killed.py SECONDS PAIRS``: a run on a cluster of which a worker is killed every few seconds.

The same spec is then played by one process. Says how many workers were killed, and what differs: records, standings or report.
"""

import re
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

import typer
from msgspec.structs import replace
from scale import LoopbackCluster

from arena import interpreter
from arena.records import MatchRecord, Usage
from arena.store.store import Store

WORKERS = 4
SEED = "a worker is killed every few seconds"
SPEC = """
bots: [greedy, cautious, gin-hunter, random-legal]
rules: {{target: 100, best_of: 3}}
format: {{pairs: {pairs}}}
reports: [json, markdown, csv]
"""
# what names a time, or the chain's order, which is the order of filing
TIMES = {
    "report.md": re.compile(r"(?<=\| )[0-9.]+ \|$|^- (started|link): .*", re.MULTILINE),
    "results.json": re.compile(r'"cpu": [^,\n]+|"(started|link)": "[^"]+"'),
    "standings.csv": re.compile(r"(?<=,)[0-9.e-]+(?=,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*$)", re.MULTILINE),
}


def main(seconds: float, pairs: int) -> None:
    """Play a spec on a cluster and in one process, and print what differs."""
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        spec = Path(scratch, "killed.yaml")
        spec.write_text(SPEC.format(pairs=pairs), encoding="utf-8")
        cluster = LoopbackCluster(stack)
        cluster.grow(WORKERS)
        there, here = Path(scratch, "there"), Path(scratch, "here")
        killed = _killing(cluster, _command(spec, there, "--executor", "dask", "--scheduler", cluster.address), seconds)
        subprocess.run(_command(spec, here, "--executor", "serial"), check=True)
        typer.echo(
            f"{len(_records(there))} matches; {killed} workers killed; differs: {', '.join(_differences(there, here)) or 'nothing'}"
        )


def _command(spec: Path, results: Path, *options: str) -> tuple[str, ...]:
    return interpreter.arena("run", str(spec), "--results", str(results), "--seed", SEED, "--quiet", *options)


def _killing(cluster: LoopbackCluster, command: tuple[str, ...], seconds: float) -> int:
    """Run a command, kill a worker whenever some seconds are over, and start another; return how many were killed."""
    killed = 0
    with subprocess.Popen(command) as director:
        while True:
            try:
                director.wait(seconds)
            except subprocess.TimeoutExpired:
                cluster.replace_worker()
                killed += 1
            else:
                break
    if director.returncode:
        raise typer.Exit(director.returncode)
    return killed


def _differences(one: Path, other: Path) -> list[str]:
    """Return what differs between two runs, times aside."""
    files = [name for name, times in TIMES.items() if len({times.sub("", (run / name).read_text()) for run in (one, other)}) > 1]
    return [*files, *([] if _records(one) == _records(other) else ["records"])]


def _records(folder: Path) -> dict[str, MatchRecord]:
    """Return the records of a run by fixture, without times."""
    with Store(folder / "arena.sqlite") as store:
        return {record.fixture.id: _untimed(record) for record in store.records()}


def _untimed(record: MatchRecord) -> MatchRecord:
    usage = tuple(Usage(decisions=one.decisions) for one in record.usage)
    return replace(record, hands=tuple(replace(hand, spent=()) for hand in record.hands), usage=usage)


if __name__ == "__main__":
    typer.run(main)
