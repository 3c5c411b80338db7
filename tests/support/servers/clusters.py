"""Dask schedulers and workers on loopback, each a process of its own that ends with the context."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.repository.installing import as_user, give


class Cluster:
    """A scheduler and its workers."""

    def __init__(self, folder: Path, python: Path, *, ordinary: bool) -> None:
        """Start a scheduler; logs, and the copies of bots on the workers' machine, are in ``folder``.

        ``python`` is the interpreter of all processes; ``ordinary``: they are an ordinary user's, who owns ``folder``.
        """
        self._folder = folder
        self._python = python
        self._ordinary = ordinary
        self._tmp = folder / "tmp"
        self._tmp.mkdir()
        if ordinary:
            give(folder)
        self._count = 0
        self._workers: list[subprocess.Popen[bytes]] = []
        self.address = "tcp://127.0.0.1:0"
        self.start_scheduler()

    @property
    def executor(self) -> str:
        """Return the executor of this cluster, as options take it."""
        return f"{{name: dask, scheduler: {self.address}}}"

    @property
    def copies(self) -> Path:
        """Return the folder of the copies of bots."""
        return self._tmp / f"arena-bots-{os.getuid()}"

    def start_scheduler(self) -> None:
        """Start a scheduler, again at the address of the one before."""
        options = ("--host", self.address, "--no-dashboard", "--no-show")
        self.scheduler, line = self._start("dask_scheduler", *options, ready="Scheduler at:")
        self.address = line.split()[-1]

    def start_worker(self, *, threads: int = 1, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a worker, and wait until it has joined."""
        here = ("--host", "127.0.0.1", "--local-directory", str(self._tmp))
        options = ("--nthreads", str(threads), "--no-nanny", "--no-dashboard")
        worker, _ = self._start("dask_worker", self.address, *here, *options, ready="Registered to:", environment=environment)
        self._workers.append(worker)
        return worker

    def close(self) -> None:
        """End all processes."""
        for process in (*self._workers, self.scheduler):
            kill(process)

    def _start(
        self, module: str, *options: str, ready: str, environment: dict[str, str] | None = None
    ) -> tuple[subprocess.Popen[bytes], str]:
        self._count += 1
        log = self._folder / f"{self._count}-{module}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [self._python, "-P", "-m", f"distributed.cli.{module}", *options],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
                env={**os.environ, "HOME": str(self._tmp), "TMPDIR": str(self._tmp), **(environment or {})},
                **as_user(ordinary=self._ordinary),
            )
        return process, _line_with(ready, log, process)


@contextmanager
def cluster(folder: Path, workers: int, python: Path = Path(sys.executable), *, ordinary: bool = False) -> Iterator[Cluster]:
    """Give a cluster with this number of workers, as ``Cluster`` says."""
    folder.mkdir(exist_ok=True)
    one = Cluster(folder, python, ordinary=ordinary)
    try:
        for _ in range(workers):
            one.start_worker()
        yield one
    finally:
        one.close()


def skip_without_dask() -> None:
    """Skip a test where nothing plays on a cluster."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    pytest.importorskip("arena.extras.cluster", reason="arena/extras/cluster is not here")


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process."""
    process.send_signal(signal.SIGKILL)
    process.wait()


def _line_with(text: str, log: Path, process: subprocess.Popen[bytes]) -> str:
    """Wait until a process writes a line with a text, and return the line."""
    follow = ["tail", "--follow", "--lines=+1", f"--pid={process.pid}", str(log)]
    with subprocess.Popen(follow, stdout=subprocess.PIPE, text=True) as tail:
        assert tail.stdout
        for line in tail.stdout:
            if text in line:
                tail.kill()
                return line
    raise AssertionError(f"{log.name}: {log.read_text(encoding='utf-8')[-2000:]}")
