"""What a worker says of itself before it plays, and why it may be refused.

A record must not depend on the machine that it was played on. So a worker needs the director's code, its version of Python and the
profile of its sandbox. It may be slower: its *pace* says how often the director's processor would do the worker's work in the same
time, and the limits of a bot's time are longer there by this factor.
"""

import hashlib
import platform
import sysconfig
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from arena.distribution import PACKAGES, REPOSITORY_ONLY
from arena.errors import SandboxError
from arena.players.sandboxes.base import Sandbox
from arena.records import Assurance

NOISE = 1.25  # two measurements of one machine differ by less
SLOWEST = 100.0  # a slower worker would wait for minutes for a bot that hangs
LOOPS = 60_000  # of the measured work, 5 ms


class Introduction(Struct, frozen=True, kw_only=True):
    """A worker, or the director as it would be a worker."""

    code: str  # digest of arena's modules
    python: str
    machine: str
    abi: str  # what compiled libraries are made for, as cpython-311-x86_64-linux-gnu
    libc: tuple[str, str]  # the C library and its version
    speed: float  # processor seconds of a fixed piece of work
    assurance: Assurance | None  # None: the sandbox cannot be set up
    refusal: str = ""  # why it cannot


def introduce(sandbox: Sandbox) -> Introduction:
    """Return what this process is."""
    try:
        assurance, refusal = sandbox.assurance(), ""
    except SandboxError as error:
        assurance, refusal = None, str(error)
    return Introduction(
        code=code(),
        python=".".join(platform.python_version_tuple()[:2]),
        machine=f"{platform.system()} {platform.machine()}",
        abi=str(sysconfig.get_config_var("SOABI")),
        libc=platform.libc_ver(),
        speed=speed(),
        assurance=assurance,
        refusal=refusal,
    )


def why_refused(director: Introduction, worker: Introduction) -> str:
    """Return why a worker may not play for a director; empty: it may."""
    for what, ours, theirs in (
        ("Python", director.python, worker.python),
        ("arena's code", director.code[:12], worker.code[:12]),
        ("machine", director.machine, worker.machine),
    ):
        if ours != theirs:
            return f"its {what} is {theirs}; expected {ours}"
    if worker.assurance is None:
        return f"it has no sandbox: {worker.refusal}"
    return _why_unlike(director.assurance, worker.assurance) if director.assurance else ""


def why_unfit_for_compiled(director: Introduction, worker: Introduction | None) -> str:
    """Return why libraries that were chosen for a director may not run on a worker; empty: they do.

    A library may need the newest functions of the C library that it was chosen for, and never those of a later one.
    """
    if worker is None or (director.abi, director.libc[0]) != (worker.abi, worker.libc[0]):
        theirs = worker.abi if worker else "not known"
        return f"its kind of Python is {theirs}; expected {director.abi}, for the compiled libraries of a bot"
    if _version(worker.libc[1]) < _version(director.libc[1]):
        ours = " ".join(director.libc)
        return f"its C library is {' '.join(worker.libc)}; expected {ours} or newer, for the compiled libraries of a bot"
    return ""


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdecimal())


def pace(director: Introduction, worker: Introduction) -> float:
    """Return how much slower a worker is than the director; 1: it is not."""
    found = worker.speed / max(director.speed, 1e-6)
    return min(found, SLOWEST) if found > NOISE else 1.0


@cache
def code() -> str:
    """Return a digest of all modules that a wheel has: a call may be about anything that they do."""
    found = hashlib.sha256()
    for package in PACKAGES:  # what plays, asks and reviews; arena_bots has the bot that confirms reviews
        spec = find_spec(package)
        for root in map(Path, (spec and spec.submodule_search_locations) or ()):
            here = [path for path in root.rglob("*.py") if f"{package}.{path.relative_to(root).parts[0]}" not in REPOSITORY_ONLY]
            for path in sorted(here):
                found.update(f"{path.relative_to(root).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()


def speed() -> float:
    """Return the processor seconds of a fixed piece of Python's work, the least of five tries."""
    return min(_seconds() for _ in range(5))


def _seconds() -> float:
    start = time.thread_time()
    total = 1
    for number in range(LOOPS):
        total = (total * 31 + number) % 65_521
    return time.thread_time() - start


def _why_unlike(ours: Assurance, theirs: Assurance) -> str:
    if (ours.isolated, ours.profile) != (theirs.isolated, theirs.profile):
        return f"its sandbox has profile {theirs.profile}; this run has profile {ours.profile}"
    if ours.sealed and not theirs.sealed:
        return "it cannot seal bots, as this run does"
    if more := sorted({*theirs.missing} - {*ours.missing}):
        return f"its sandbox lacks what this run's has: {', '.join(more)}"
    return ""
