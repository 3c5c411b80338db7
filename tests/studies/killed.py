"""``python tests/studies/killed.py SECONDS PAIRS``: a run on a cluster of which a worker is killed every few seconds.

The same spec is then played by one process. Says how many workers were killed, and what differs: records, standings or report.
"""

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import typer

sys.path.insert(0, str(Path(__file__).parents[1]))
from scale import LoopbackCluster
from support.commands.runs import stored
from support.records.endings import untimed

from arena import interpreter

WORKERS = 4
SEED = "a worker is killed every few seconds"
SPEC = """
bots: [greedy, cautious, gin-hunter, random-legal]
rules: {{target: 100, best_of: 3}}
format: {{pairs: {pairs}}}
reports: [json, markdown, csv]
"""


def main(seconds: float, pairs: int) -> None:
    """Play a spec on a cluster and in one process, and print what differs."""
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        spec = Path(scratch, "killed.yaml")
        spec.write_text(SPEC.format(pairs=pairs), encoding="utf-8")
        cluster = LoopbackCluster(stack)
        cluster.grow(WORKERS)
        there, here = Path(scratch, "there"), Path(scratch, "here")
        killed = _killing(cluster, _command(spec, there, "--executor", f"{{name: dask, scheduler: {cluster.address}}}"), seconds)
        subprocess.run(_command(spec, here, "--executor", "serial"), check=True)
        typer.echo(
            f"{len(stored(there))} matches; {killed} workers killed; differs: {', '.join(_differences(there, here)) or 'nothing'}"
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
    files = [name for name in ("report.md", "results.json", "standings.csv") if untimed(one / name) != untimed(other / name)]
    return [*files, *([] if stored(one) == stored(other) else ["records"])]


if __name__ == "__main__":
    typer.run(main)
