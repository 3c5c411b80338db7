"""Confines a bot under a profile: computes the policy for the launcher, and the launch that passes it on.

A profile is a set of layers (``PROFILES``). ``confine`` replaces a bot's command by the launcher's; the launcher applies the policy
to itself and then becomes the bot.

The policy is an argument of the launcher, not sent through a pipe: it holds no secret, and so wrapping stays a pure function of a
launch. Of the bot's environment the launcher has only a few settings that an interpreter reads at its start: code of a bot that its
PYTHONPATH or LD_PRELOAD names would run before the sandbox is complete. The bot gets its environment afterwards.
"""

import os
import platform
import resource
import shutil
import site
import sys
from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, Self

from msgspec import Meta, Struct
from msgspec.json import decode, encode
from msgspec.structs import replace

import arena
from arena.confinement import seccomp
from arena.confinement.launch_policy import SCRATCH, STATE, Policy, PrivateFolder, ResourceLimits
from arena.confinement.privileges import may_change_user
from arena.confinement.read_access import required_access
from arena.confinement.state_files import BLOCK
from arena.confinement.syscalls import MACHINES
from arena.errors import SandboxError
from arena.interpreter import SANDBOXED, home_packages
from arena.records import Assurance
from arena.roster.entrant import Launch


class Sandbox(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Rewrites the command that starts a bot. Its fields are its options in a spec, its docstring is its manual."""

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch that starts the same bot inside this sandbox. Raises: SandboxError."""
        raise NotImplementedError

    def assurance(self) -> Assurance:
        """Return the guarantees of this sandbox on this machine; may start processes once, to find out. Raises: SandboxError."""
        raise NotImplementedError

    def granting(self, launches: Iterable[Launch]) -> Self:  # noqa: ARG002 - for sandboxes that limit these
        """Return this sandbox with the threads and the scratch folder that the bots' manifests ask for.

        A sandbox that does not limit them returns itself.
        """
        return self

    def with_limits_of(self, other: "Sandbox") -> Self:  # noqa: ARG002 - likewise
        """Return this sandbox with the limits of another one, as far as both have them."""
        return self


class LimitedSandbox(Sandbox, frozen=True, kw_only=True):
    """A sandbox that limits what a process may use."""

    memory_mb: Annotated[int, Meta(ge=16, le=1_000_000)] = 256  # RLIMIT_DATA: heap, stack and private mappings
    cpu_seconds: Annotated[int, Meta(ge=1, le=1_000_000_000)] = 3600  # of a process; the referee's own limit is far lower
    threads: Annotated[int, Meta(ge=1, le=64)] = 1  # most threads that a bot's manifest may ask for
    scratch_mb: Annotated[int, Meta(ge=0, le=1024)] = 0  # largest temporary folder that a bot's manifest may ask for
    sealed: Literal["preferred", "required"] = "preferred"  # required: refuse a machine, and a bot, that cannot be sealed
    log_kb: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 1024  # RLIMIT_FSIZE: what a bot may write to a file that it inherited

    def granting(self, launches: Iterable[Launch]) -> Self:
        """Return this sandbox with the most threads and scratch that any of the bots' manifests asks for."""
        bots = list(launches)
        return replace(
            self,
            threads=max((bot.threads for bot in bots), default=self.threads),
            scratch_mb=max((bot.scratch_mb for bot in bots), default=self.scratch_mb),
        )

    def with_limits_of(self, other: Sandbox) -> Self:
        """Return this sandbox with the other's options: its limits, and whether bots must be sealed."""
        if not isinstance(other, LimitedSandbox):
            return self
        return replace(self, **{limit: getattr(other, limit) for limit in LimitedSandbox.__struct_fields__})


StrictProfile = Literal["A", "B", "C"]
Profile = Literal["A", "B", "C", "limits"]
PROFILES: dict[Profile, str] = {  # the layers of each, besides resource limits
    "A": "namespaces, Landlock and seccomp",
    "B": "namespaces and seccomp",
    "C": "Landlock and seccomp",
    "limits": "resource limits, and Landlock and seccomp where they work",
}
NAMESPACED = ("A", "B")
SCRATCH_FILES = 1024
PATH = "/usr/local/bin:/usr/bin:/bin"
STARTUP_SETTINGS = ("PYTHONHASHSEED", "PYTHONUTF8", "LANG", "LC_ALL")  # an interpreter reads them once, when it starts


def confine(launch: Launch, profile: Profile, options: LimitedSandbox, *, seals: bool, templates: bool = False) -> Launch:
    """Return the launch of a bot under a profile.

    ``seals``: whether the harness can seal the bot; if so, it does, unless the bot reads while it plays. ``templates``: whether
    templates may start bots; if so, one starts a bot that is a Python module. Raises: SandboxError, if the bot asks for what the
    profile cannot give or ``options`` do not grant, or if its user could not read its files.
    """
    confined = policy(launch, profile, options, seals=seals)
    encoded = encode(confined).decode()
    environment = dict(launch.environment)
    return replace(
        launch,
        command=(*SANDBOXED, "arena.confinement.launcher", encoded),
        environment=(*((name, environment[name]) for name in STARTUP_SETTINGS if name in environment), *_import_path()),
        memory_mb=options.memory_mb,
        cpu_seconds=options.cpu_seconds,
        reports=True,
        in_namespace=profile in NAMESPACED,
        seals=bool(confined.seal),
        prefork=templates and confined.is_module,
    )


def filter_digest(launch: Launch) -> str:
    """Return the digest of the system-call filters of a confined launch, for a record."""
    confined = decode(launch.command[-1], type=Policy)
    return seccomp.digest(confined.filter, confined.seal)


def check_state(profile: str) -> None:
    """Check that bots under a profile can have a state folder. Raises: SandboxError."""
    if profile not in NAMESPACED:
        raise SandboxError(
            f"learning: a bot's folder needs namespaces, and profile {profile} has none;"
            " see `arena doctor`, or use the sandbox `none` for bots that you trust"
        )


def policy(launch: Launch, profile: Profile, options: LimitedSandbox, *, seals: bool) -> Policy:
    """Return the policy for the launcher; ``seals`` and errors as of ``confine``."""
    namespaces = profile in NAMESPACED
    _check_readable_by_all(launch)
    _check_granted(launch, options)
    if launch.scratch_mb and not namespaces:
        raise SandboxError(f"a scratch folder needs namespaces, and profile {profile} has none; remove `scratch_mb` from bot.yaml")
    if launch.state:
        check_state(profile)
    private = tuple(_private_folders(launch))
    program = None if launch.command[: len(SANDBOXED)] == SANDBOXED else _program(launch)
    syscalls = _syscall_filter(launch, profile, program=program is not None)
    return Policy(
        command=launch.command if program is None else (program, *launch.command[1:]),
        folder=launch.folder,
        limits=_limits(launch, options, private),
        environment=_variables(launch),
        reads=required_access(launch, program, expanded=not namespaces),
        private=private,
        namespaces=namespaces,
        landlock=profile != "B",
        filter=syscalls,
        seal=seccomp.sealing_program(namespaces=namespaces) if syscalls and seals and not launch.reads_while_playing else b"",
        lenient=profile == "limits",
    )


def _limits(launch: Launch, options: LimitedSandbox, private: tuple[PrivateFolder, ...]) -> ResourceLimits:
    """Return the resource limits. A file may be larger than its folder, so that a bot meets ENOSPC and not SIGXFSZ, which kills."""
    file_kb = max([options.log_kb, *(folder.size_kb + (BLOCK >> 10) for folder in private)])
    return ResourceLimits(options.memory_mb, options.cpu_seconds, file_kb, launch.threads)


def _private_folders(launch: Launch) -> Iterator[PrivateFolder]:
    """Yield the folders that a bot may write to. The folder of a state has room for any state within the limits."""
    if launch.scratch_mb:
        yield PrivateFolder(SCRATCH, launch.scratch_mb << 10, SCRATCH_FILES)
    if state := launch.state:
        extra_kb = (resource.getpagesize() - BLOCK) >> 10  # for each file: a file system in memory counts in pages
        yield PrivateFolder(STATE, (state.size_mb << 10) + state.files * extra_kb, state.files + 1)


def _check_readable_by_all(launch: Launch) -> None:
    """Check that any user may read the bot's files: a harness run by root runs its bots as another user. Raises: SandboxError."""
    if sys.platform != "linux" or not may_change_user():
        return
    for path in (launch.folder, *launch.files):
        needed = 0o005 if os.path.isdir(path) else 0o004
        if os.stat(path).st_mode & needed != needed:
            raise SandboxError(f"{path}: not readable by other users, and root's bots run as another user; try chmod -R o+rX")


def _check_granted(launch: Launch, options: LimitedSandbox) -> None:
    """Check that the spec grants what the bot's manifest asks for. Raises: SandboxError."""
    if launch.threads > options.threads:
        raise SandboxError(
            f"{launch.folder}: asks for {launch.threads} threads; the spec's sandbox grants `threads: {options.threads}`"
        )
    if launch.scratch_mb > options.scratch_mb:
        raise SandboxError(
            f"{launch.folder}: asks for {launch.scratch_mb} MB of scratch;"
            f" the spec's sandbox grants `scratch_mb: {options.scratch_mb}`"
        )


def _syscall_filter(launch: Launch, profile: Profile, *, program: bool) -> bytes:
    """Return the system-call filter for a bot; empty where none exists and the profile is ``limits``. Raises: SandboxError."""
    if sys.platform == "linux" and platform.machine() in MACHINES:
        return seccomp.program(programs=program, threads=launch.threads > 1, writes=bool(launch.scratch_mb or launch.state))
    if profile == "limits":
        return b""
    raise SandboxError(f"no system-call filter for {platform.machine()}; expected one of {', '.join(MACHINES)}")


def _import_path() -> tuple[tuple[str, str], ...]:
    """Return the setting for what an interpreter has to search besides its own folders: a checkout of arena, and home packages."""
    always = {os.path.realpath(path) for path in site.getsitepackages()}
    needed = (os.path.dirname(next(iter(arena.__path__))), *home_packages())
    folders = os.pathsep.join(dict.fromkeys(path for path in needed if os.path.realpath(path) not in always))
    return (("PYTHONPATH", folders),) if folders else ()


def _program(launch: Launch) -> str:
    """Return the path of a command's program: one in the bot's folder, or one found on PATH. Raises: SandboxError."""
    name = launch.command[0]
    found = os.path.join(launch.folder, name) if "/" in name else shutil.which(name, path=PATH)
    if found is None:
        raise SandboxError(f"{name!r} not found on PATH ({PATH}); give the program's whole path")
    return os.path.normpath(found)


def _variables(launch: Launch) -> tuple[tuple[str, str], ...]:
    """Return the bot's environment. Numeric libraries would start a thread for each core, so their number of threads is set."""
    counts = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(launch.threads))
    scratch = {"TMPDIR": SCRATCH} if launch.scratch_mb else {}
    return tuple({**counts, **scratch, **dict(launch.environment)}.items())
