"""Environments of their own, into which what the repository builds is installed, and ordinary users who work with them."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from support.repository.distributions import DUO, DUO_POINTS, install_wheel
from support.repository.files import copied

ORDINARY = 60_123  # the number of a user without any right; only root can become it
ODD = "Ünï çode dir"  # a name of a folder that is not plain
EVERYTHING = "dask,libraries,web"


def as_user(*, ordinary: bool) -> dict[str, Any]:
    """Return the options of a process of an ordinary user; who is none already stays."""
    return {"user": ORDINARY, "group": ORDINARY, "extra_groups": []} if ordinary and os.geteuid() == 0 else {}


def ran(
    *command: object,
    folder: Path,
    codes: Container[int] = (0,),
    seconds: float = 300,
    variables: Mapping[str, str] | None = None,
    ordinary: bool = False,
) -> str:
    """Run a command in a folder, without Python's own environment variables, and return its output."""
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env=environment_of(folder, variables, ordinary=ordinary),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        **as_user(ordinary=ordinary),
    )
    assert done.returncode in codes, done.stdout + done.stderr
    return done.stdout


def environment_of(home: Path, variables: Mapping[str, str] | None = None, *, ordinary: bool = False) -> dict[str, str]:
    """Return the variables of this process without Python's own, and with others; an ordinary user has another home."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "ARENA_"))}
    return inherited | ({"HOME": str(home)} if ordinary else {}) | dict(variables or {})


def environment(folder: Path, *needed: object, python: str = sys.executable) -> Path:
    """Return the folder of programs of a new environment with these packages."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    ran(folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "--use-pep517", *needed, folder=folder, seconds=900)
    return folder / "bin"


def environment_or_skip(folder: Path, *tools: object) -> Path:
    """Return an environment with published tools, or skip the test where no packages can be installed."""
    try:
        return environment(folder, *tools)
    except AssertionError as error:
        pytest.skip(f"no packages can be installed here: {str(error).splitlines()[0]}")


@cache
def public_python() -> str:
    """Return an interpreter that an ordinary user can start, or skip the test."""
    probe = "import ensurepip, sys, venv; assert sys.version_info >= (3, 11)"
    candidates = (sys.executable, *(f"/usr/bin/python3.{minor}" for minor in range(11, 15)), "/usr/bin/python3")
    for python in candidates:
        with suppress(OSError):  # it is not there, or closed to others
            done = subprocess.run([python, "-c", probe], cwd="/", capture_output=True, check=False, **as_user(ordinary=True))
            if done.returncode == 0:
                return python
    pytest.skip(f"no interpreter here is open to other users: {', '.join(candidates)}")


class Built(Struct, frozen=True):
    """What is distributed, and the source that it was built from."""

    wheel: Path
    sdist: Path
    source: Path


class Place(Struct, frozen=True):
    """The folder of an ordinary user, and the environment that the user works with."""

    scripts: Path  # the environment's folder of programs
    folder: Path

    def run(
        self, program: str, *arguments: object, codes: Container[int] = (0,), variables: Mapping[str, str] | None = None
    ) -> str:
        """Run a program of the environment, or one with a whole path, in the folder, and return its output."""
        command = (self.scripts / program, *arguments)
        return ran(*command, folder=self.folder, codes=codes, seconds=900, variables=variables, ordinary=True)


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that the first of all workers of a test run makes; nothing may be changed in it."""
    base = factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, done = base / name, base / f"{name}.done"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o755)
            make(folder)
            done.touch()
    return folder


def built(factory: pytest.TempPathFactory) -> Built:
    """Return an sdist of the repository, and the wheel that was built from it; all workers of a test run share them."""

    def build(folder: Path) -> None:
        builder = environment_or_skip(folder / "builder", "build")
        ran(builder / "python", "-m", "build", "--outdir", folder / "dist", copied(folder / "source"), folder=folder, seconds=900)

    folder = shared(factory, "built", build)
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    return Built(wheel, sdist, folder / "source")


def installed(factory: pytest.TempPathFactory, kind: str, extras: str = EVERYTHING) -> Path:
    """Return the folder of programs of an environment for every user, with a ``wheel`` or an ``editable`` install, and the bot duo.

    All workers of a test run share it, so nothing may be installed into it.
    """

    def install(folder: Path) -> None:
        needed: tuple[object, ...] = (f"{built(factory).wheel}[{extras}]",)
        if kind == "editable":
            needed = ("-e", f"{copied(folder / ODD / 'source')}[{extras}]")
        scripts = environment(folder / ODD / "venv", *needed, "pytest", python=public_python())
        (site,) = scripts.parent.glob("lib/python*/site-packages")
        install_wheel(site, "duo", DUO, DUO_POINTS)

    return shared(factory, f"{kind}-{extras}", install) / ODD / "venv" / "bin"


def own_folder(folder: Path, name: str = ODD) -> Path:
    """Return a new folder of an ordinary user."""
    made = folder / name
    made.mkdir()
    return give(made)


def give(folder: Path) -> Path:
    """Make a folder, and what is in it, an ordinary user's."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, ORDINARY, ORDINARY, follow_symlinks=False)
    return folder
