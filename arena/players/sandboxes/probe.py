"""Proves on this machine, from inside, what each profile of walls holds; what `arena doctor` shows.

Beside players/process.py the only module that starts processes: each profile is tried in a fresh one, which becomes the bot
``inside.py`` and attacks its walls. Probing is by system call alone, never by a file that says what a kernel could do.
"""

import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from signal import SIGKILL
from subprocess import PIPE, Popen, TimeoutExpired
from typing import Literal

from msgspec import DecodeError, Struct
from msgspec.json import decode, encode

from arena.errors import SandboxError
from arena.players.sandboxes import inside
from arena.players.sandboxes.base import Limited
from arena.players.sandboxes.birth import Birth, Stillborn
from arena.players.sandboxes.landlock import abi
from arena.players.sandboxes.launcher import PYTHON
from arena.players.sandboxes.seccomp import digest
from arena.players.sandboxes.walls import WALLS, Profile, StrictProfile, behind, calls
from arena.records import Assurance
from arena.roster.entrant import Launch

State = Literal["PROVED", "HOLES", "REFUSED"]
STRICT: tuple[StrictProfile, ...] = ("A", "B", "C")
PATIENCE = 20.0  # seconds for a launcher, and for the attacks, on a busy machine
UNKNOWN = "not on this machine"
ADVICE = {
    "namespaces": "let ordinary users have user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu,"
    " user.max_user_namespaces above 0), and in a container use a seccomp profile that allows them; Landlock alone will do too",
    "private root": "as for namespaces; an AppArmor profile or a root on initramfs may forbid mounts",
    "files": "keep interpreter, arena and bots where every user may read them, or do not run as root",
    "landlock": "use Linux 5.13 or later with `landlock` in its list of security modules (lsm=landlock,...)",
    "seccomp": "use a kernel with CONFIG_SECCOMP_FILTER",
}


class Trial(Struct, frozen=True, kw_only=True):
    """What came of trying a profile."""

    profile: Profile
    state: State
    walls: str
    reason: str = ""  # what got through, or which wall could not be raised and why
    advice: str = ""  # what to do about it
    landlock: int = 0
    filter: str = ""
    missing: tuple[str, ...] = ()

    def assurance(self) -> Assurance:
        """Return what stands in a record."""
        return Assurance(
            isolated=self.profile in STRICT and self.state == "PROVED",
            profile=self.profile,
            landlock=self.landlock,
            filter=self.filter,
            missing=self.missing,
        )


class Diagnosis(Struct, frozen=True, kw_only=True):
    """What this machine can give; `arena doctor`."""

    trials: tuple[Trial, ...]
    system: str
    landlock: str  # its ABI, or why there is none
    user_namespaces: str
    apparmor: str
    cgroup: str

    @property
    def exit_code(self) -> int:
        """Return 0 if `strict` can be had, 1 if `standard` can, 2 if neither."""
        if any(trial.state == "PROVED" for trial in self.trials if trial.profile in STRICT):
            return 0
        return 2 if self.trials[-1].state == "REFUSED" else 1


class _Options(Limited, frozen=True, kw_only=True, tag="probe"):
    """What the probe runs with."""


def diagnose() -> Diagnosis:
    """Try every profile, and look at the settings that explain what came of it."""
    return Diagnosis(
        trials=tuple(tried(profile) for profile in WALLS),
        system=f"{platform.system()} {platform.release()} {platform.machine()}, user {_user()}, Python {platform.python_version()}",
        landlock=_landlock(),
        user_namespaces=_user_namespaces(),
        apparmor=_setting(
            "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", {"0": "unrestricted", "1": "restricts user namespaces"}
        ),
        cgroup=_cgroup(),
    )


def until_proved() -> Iterator[StrictProfile]:
    """Yield the strict profiles in the order of their worth, the last one being the first that is proved."""
    for profile in STRICT:
        yield profile
        if tried(profile).state == "PROVED":
            return


def best() -> Trial:
    """Return the first strict profile that is proved, or what else can be had."""
    last = [tried(profile) for profile in until_proved()][-1]
    return last if last.state == "PROVED" else tried("limits")


@cache
def tried(profile: Profile) -> Trial:
    """Try a profile, once in the life of this process."""
    if profile in STRICT and sys.platform != "linux":
        return _refused(profile, f"{platform.system()} has none of these walls", "use Linux")
    with tempfile.TemporaryDirectory(prefix="arena-probe-") as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - the walls have to keep a stranger out, not the folder's mode
        secret = Path(folder, "secret")
        secret.write_text(inside.SECRET, encoding="ascii")
        own = Path(folder, "own")
        own.mkdir()
        Path(own, inside.BAIT).touch()
        try:
            return _attacked(profile, own, secret)
        except Stillborn as error:
            return _refused(profile, f"{error.wall}: {error.reason}", _advice(error.wall))
        except SandboxError as error:
            return _refused(profile, str(error), "use a machine of another kind")


def _attacked(profile: Profile, own: Path, secret: Path) -> Trial:
    scene = inside.Scene(referee=os.getpid(), secret=str(secret), namespaces=profile in ("A", "B"))
    command = (*PYTHON, "arena.players.sandboxes.inside", encode(scene).decode())
    launch = Launch(command=command, folder=str(own))
    through, missing = _heard(behind(launch, profile, _Options(memory_mb=inside.MEMORY_MB)))
    lacking = " ".join(missing)
    return Trial(
        profile=profile,
        state="HOLES" if through else "PROVED",
        walls=WALLS[profile],
        reason=", ".join(through),
        advice="do not let it play for a ranking" if through else "",
        landlock=abi() if profile != "B" and "landlock" not in lacking else 0,
        filter=digest(calls(launch, profile, program=False)) if "seccomp" not in lacking else "",
        missing=missing,
    )


def _heard(launch: Launch) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Start the bot that attacks, and return what got through and which walls are missing. Raises: Stillborn."""
    birth = Birth()
    with Popen(  # noqa: S603 - our own launcher
        launch.command,
        cwd=launch.folder,
        env=birth.environment(launch),
        pass_fds=birth.descriptors,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
    ) as process:
        pid = birth.bot(process, launch, within=PATIENCE)
        try:
            output, log = process.communicate(timeout=PATIENCE)
        except TimeoutExpired:
            output, log = b"", b"no end"
            os.kill(pid, SIGKILL)
        finally:
            if pid != process.pid:
                os.waitpid(pid, 0)
    try:
        return decode(output, type=tuple[str, ...]), birth.missing
    except DecodeError:
        last = log.decode(errors="backslashreplace").strip().splitlines()[-1:]
        raise Stillborn("probe", "".join(last) or "it ended without a word") from None


def _refused(profile: Profile, reason: str, advice: str) -> Trial:
    return Trial(profile=profile, state="REFUSED", walls=WALLS[profile], reason=reason, advice=advice)


def _advice(wall: str) -> str:
    return ADVICE.get(wall, "report it with the output of `arena doctor --json`")


def _user() -> str:
    return str(os.geteuid()) if hasattr(os, "geteuid") else "?"


def _landlock() -> str:
    try:
        return f"ABI {abi()}"
    except (OSError, AttributeError) as error:
        return f"none: {error}"


def _user_namespaces() -> str:
    """Return how many there may be, and whether ordinary users may have one."""
    most = _setting("/proc/sys/user/max_user_namespaces", {"0": "0"})
    debian = _setting("/proc/sys/kernel/unprivileged_userns_clone", {"0": "for root alone", "1": "for everybody"})
    return f"at most {most}" + ("" if debian == UNKNOWN else f", {debian}")


def _cgroup() -> str:
    """Return which cgroups there are; none are needed, for limits bound a bot."""
    if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        return "version 2"
    return "version 1" if os.path.isdir("/sys/fs/cgroup/memory") else UNKNOWN


def _setting(file: str, words: dict[str, str]) -> str:
    """Return what a kernel setting says; it explains an outcome and never decides one."""
    try:
        value = Path(file).read_text(encoding="ascii").strip()
    except OSError:
        return UNKNOWN
    return words.get(value, value)
