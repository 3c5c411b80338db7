"""The introduction of a worker: its versions and speed, and the reasons to refuse it.

A record must not depend on the machine that it was played on. So a worker needs the director's code, its version of Python, its
kind of machine and the profile of its sandbox. It may be slower: its *pace* says how many times slower than the director it is,
and the limits of a bot's time are longer there by this factor.
"""

import hashlib
import platform
import sysconfig
import time
from collections.abc import Iterable
from functools import cache

from msgspec import Struct

from arena.confinement.profiles import Sandbox
from arena.distribution import PACKAGES, REPOSITORY_ONLY, folders
from arena.errors import SandboxError
from arena.records import Assurance
from arena.roster.distributions import EntryPoint, find_distribution, points, version_of

PLUGINS = "arena"  # the group of their entry points


NOISE = 1.25  # two measurements of one machine differ by less
SLOWEST = 100.0  # the largest pace: with a larger one a worker would wait for minutes for a bot that hangs
LOOPS = 60_000  # of the measured work, 5 ms


class Introduction(Struct, frozen=True, kw_only=True):
    """The versions, sandbox and speed of a worker, or of the director, with which they are compared."""

    code: str  # digest of arena's modules
    python: str
    machine: str
    abi: str  # what compiled libraries are made for, as cpython-311-x86_64-linux-gnu
    libc: tuple[str, str]  # the C library and its version
    speed: float  # processor seconds of a fixed piece of work: less is faster
    assurance: Assurance | None  # None: the sandbox cannot be set up
    refusal: str = ""  # the reason, if ``assurance`` is None


def introduce(sandbox: Sandbox) -> Introduction:
    """Return this process's introduction."""
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
    """Return the reason to refuse a worker of a director; empty: it may play."""
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


def installed_version(name: str) -> str:
    """Return the version of a distribution that this process can import from; empty: it is not installed."""
    found = find_distribution(name)
    return version_of(found) if found else ""


def why_without_plugin(point: EntryPoint, found: str) -> str:
    """Return the reason to refuse a worker that has ``found``, a version, of a plugin that the run needs; empty: it is the same."""
    if found == point.version:
        return ""
    expected = f"{point.owner} {point.version}, whose plugin {point.name!r} this run needs"
    return f"it has {point.owner} {found}; expected {expected}" if found else f"it has no {expected}"


def plugins_of(parts: Iterable[Struct]) -> tuple[EntryPoint, ...]:
    """Return the plugins that parts come from."""
    packages = {type(part).__module__.partition(".")[0] for part in parts} - {"arena"}
    if not packages:
        return ()
    return tuple(point for point in points(PLUGINS) if point.target and point.target.module.partition(".")[0] in packages)


def why_unfit_for_compiled(director: Introduction, worker: Introduction) -> str:
    """Return a reason why libraries that were chosen for a director may not run on a worker; empty: they do.

    A library runs with the version of the C library that it was chosen for, or a newer one, not with an older one.
    """
    if (director.abi, director.libc[0]) != (worker.abi, worker.libc[0]):
        return f"its kind of Python is {worker.abi}; expected {director.abi}, for the compiled libraries of a bot"
    if _version(worker.libc[1]) < _version(director.libc[1]):
        ours = " ".join(director.libc)
        return f"its C library is {' '.join(worker.libc)}; expected {ours} or newer, for the compiled libraries of a bot"
    return ""


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdecimal())


def pace(director: Introduction, worker: Introduction) -> float:
    """Return a worker's time relative to the director's, at most SLOWEST; 1, unless it is slower by more than NOISE."""
    found = worker.speed / max(director.speed, 1e-6)
    return min(found, SLOWEST) if found > NOISE else 1.0


@cache
def code() -> str:
    """Return a digest of all modules that a wheel has: a call may run any of them."""
    every = hashlib.sha256()
    for package in PACKAGES:  # arena_bots too: reviews are confirmed with networks of it
        for root in folders(package):
            paths = [path for path in root.rglob("*.py") if f"{package}.{path.relative_to(root).parts[0]}" not in REPOSITORY_ONLY]
            for path in sorted(paths):
                every.update(f"{path.relative_to(root).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return every.hexdigest()


def speed() -> float:
    """Return the processor seconds of a fixed loop in Python, the least of five tries."""
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
