"""Puts a bot behind the walls of a profile: the policy for the launcher, and the launch that hands it over."""

import os
import platform
import shutil
import sys
from typing import Literal

from msgspec.json import encode
from msgspec.structs import replace

import arena
from arena.errors import SandboxError
from arena.players.sandboxes import grants, seccomp
from arena.players.sandboxes.base import Limited
from arena.players.sandboxes.capabilities import may_change_user
from arena.players.sandboxes.launcher import PYTHON
from arena.players.sandboxes.namespaces import SCRATCH
from arena.players.sandboxes.policy import Limits, Policy
from arena.players.sandboxes.syscalls import MACHINES
from arena.roster.entrant import Launch

StrictProfile = Literal["A", "B", "C"]
Profile = Literal["A", "B", "C", "limits"]
WALLS: dict[Profile, str] = {
    "A": "namespaces, Landlock and seccomp",
    "B": "namespaces and seccomp",
    "C": "Landlock and seccomp",
    "limits": "whatever works, of Landlock and seccomp, and limits",
}
PATH = "/usr/local/bin:/usr/bin:/bin"
STARTING = ("PYTHONHASHSEED", "PYTHONUTF8", "LANG", "LC_ALL")  # settings that an interpreter reads before the walls stand


def behind(launch: Launch, profile: Profile, options: Limited) -> Launch:
    """Return the launch of a bot behind a profile's walls. Raises: SandboxError, if it asks for what they cannot give."""
    asked = encode(policy(launch, profile, options)).decode()
    given = dict(launch.environment)
    return replace(
        launch,
        command=(*PYTHON, "arena.players.sandboxes.launcher", asked),
        environment=(*((name, given[name]) for name in STARTING if name in given), *_import_path()),
        memory_mb=options.memory_mb,
        cpu_seconds=options.cpu_seconds,
        reports=True,
    )


def policy(launch: Launch, profile: Profile, options: Limited) -> Policy:
    """Return what the launcher has to apply. Raises: SandboxError."""
    namespaces = profile in ("A", "B")
    _check_open(launch)
    _check_granted(launch, options)
    if launch.scratch_mb and not namespaces:
        raise SandboxError(f"a scratch folder needs namespaces, and profile {profile} has none; leave out the bot's `scratch_mb`")
    program = None if launch.command[: len(PYTHON)] == PYTHON else _program(launch)
    return Policy(
        command=launch.command if program is None else (program, *launch.command[1:]),
        folder=launch.folder,
        limits=Limits(options.memory_mb, options.cpu_seconds, max(options.log_kb, launch.scratch_mb << 10), launch.threads),
        environment=_environment(launch),
        reads=grants.reads(launch, program, expanded=not namespaces),
        scratch_mb=launch.scratch_mb,
        namespaces=namespaces,
        landlock=profile != "B",
        filter=calls(launch, profile, program=program is not None),
        lenient=profile == "limits",
    )


def _check_open(launch: Launch) -> None:
    """Make sure that the bot's own files are there for any user: as root, a bot runs as another one. Raises: SandboxError."""
    if sys.platform != "linux" or not may_change_user():
        return
    for path in (launch.folder, *launch.files):
        needed = 0o005 if os.path.isdir(path) else 0o004
        if os.stat(path).st_mode & needed != needed:
            raise SandboxError(f"{path}: closed to other users, and started by root a bot runs as one of them; try chmod -R o+rX")


def _check_granted(launch: Launch, options: Limited) -> None:
    """Make sure that a spec gives a bot what its manifest asks for. Raises: SandboxError."""
    if launch.threads > options.threads:
        raise SandboxError(
            f"{launch.folder}: asks for {launch.threads} threads; the spec's sandbox gives `threads: {options.threads}`"
        )
    if launch.scratch_mb > options.scratch_mb:
        asked, given = launch.scratch_mb, options.scratch_mb
        raise SandboxError(f"{launch.folder}: asks for {asked} MB of scratch; the spec's sandbox gives `scratch_mb: {given}`")


def calls(launch: Launch, profile: Profile, *, program: bool) -> bytes:
    """Return the system-call filter for a bot; empty where there can be none and none is needed. Raises: SandboxError."""
    if sys.platform == "linux" and platform.machine() in MACHINES:
        return seccomp.program(programs=program, threads=launch.threads > 1, scratch=launch.scratch_mb > 0)
    if profile == "limits":
        return b""
    raise SandboxError(f"no system-call filter for {platform.machine()}; there is one for {', '.join(MACHINES)}")


def _import_path() -> tuple[tuple[str, str], ...]:
    """Return the setting by which the launcher finds this package where it is not installed but lies in a checkout."""
    root = os.path.dirname(next(iter(arena.__path__)))
    return () if root in grants.package_folders() else (("PYTHONPATH", root),)


def _program(launch: Launch) -> str:
    """Return where a command's program is: a path in the bot's folder, or a name looked up among the system's programs."""
    name = launch.command[0]
    found = os.path.join(launch.folder, name) if "/" in name else shutil.which(name, path=PATH)
    if found is None:
        raise SandboxError(f"{name!r} is no program of {PATH}; give the command's whole path")
    return os.path.normpath(found)


def _environment(launch: Launch) -> tuple[tuple[str, str], ...]:
    """Return what the bot sees: numeric libraries are told how many threads they may have, for they count the machine's cores."""
    counts = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(launch.threads))
    scratch = {"TMPDIR": SCRATCH} if launch.scratch_mb else {}
    return tuple({**counts, **scratch, **dict(launch.environment)}.items())
