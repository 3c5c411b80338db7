"""Proves, from inside, what each profile achieves on this machine.

`arena doctor` shows the result.

For each profile it starts a process, confined like a bot, that runs ``confinement/self_test.py`` and attacks its own confinement;
a profile is proved when every attack fails. Then a template (``confinement/prefork.py``) starts the same process: if that fails or
an attack succeeds, bots are started without templates. What the kernel says that it supports, in a file or a version, is never
trusted: it is read only to explain an outcome.
"""

import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.json import decode, encode
from msgspec.structs import replace

from arena.confinement import self_test
from arena.confinement.landlock import abi
from arena.confinement.profiles import NAMESPACED, PROFILES, LimitedSandbox, Profile, StrictProfile, confine, filter_digest
from arena.confinement.status import LaunchFailedError
from arena.errors import MALFORMED, SandboxError
from arena.interpreter import SANDBOXED
from arena.players.base import PlayerFaultError
from arena.players.process import Allowance, BotProcess
from arena.players.traffic_log import TrafficLog
from arena.protocol.codec import LINE_BYTES
from arena.records import Assurance
from arena.roster.entrant import Launch

State = Literal["PROVED", "HOLES", "REFUSED"]
STRICT: tuple[StrictProfile, ...] = ("A", "B", "C")  # the best first
PATIENCE = Allowance(cpu=20.0, stall=20.0, wall=60.0)  # for the attacks, on a busy machine
UNKNOWN = "not on this machine"
REPORT_IT = "report it with the output of `arena doctor --json`"
ADVICE = {  # by the launcher's step that failed
    "namespaces": "let ordinary users have user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu,"
    " user.max_user_namespaces above 0), and in a container use a seccomp profile that allows them; Landlock alone is enough too",
    "private root": "as for namespaces; an AppArmor profile or a root on initramfs may forbid mounts",
    "files": "keep interpreter, arena and bots where every user may read them, or do not run as root",
    "landlock": "use Linux 5.13 or later with `landlock` in its list of security modules (lsm=landlock,...)",
    "seccomp": "use a kernel with CONFIG_SECCOMP_FILTER",
}


class ProfileTest(Struct, frozen=True, kw_only=True):
    """The result of testing a profile."""

    profile: Profile
    state: State
    layers: str
    reason: str = ""  # the attacks that succeeded, or the step that failed and why
    advice: str = ""  # what to do about it
    landlock: int = 0  # version of its ABI; 0: not used
    filter: str = ""  # digest of the system-call filters; empty: not used
    missing: tuple[str, ...] = ()  # steps of the launcher that failed, with reasons
    templates: str = ""  # why templates do not start bots; empty: they do
    unsealed: str = ""  # why bots are not sealed; empty: they are, except those that ask to read while they play

    def wrap(self, launch: Launch, options: LimitedSandbox) -> Launch:
        """Return the launch of a bot under this profile, started by a template if that is proved. Raises: SandboxError."""
        self.check_sealed(options)
        if options.sealed == "required" and launch.reads_while_playing:
            raise SandboxError(
                f"{launch.folder}: asks to open files while it plays (`reads_while_playing`); the spec's sandbox has"
                " `sealed: required`"
            )
        return confine(launch, self.profile, options, seals=not self.unsealed, templates=not self.templates)

    def check_sealed(self, options: LimitedSandbox) -> None:
        """Check that bots are sealed if that is required. Raises: SandboxError."""
        if options.sealed == "required" and self.unsealed:
            raise SandboxError(
                f"this machine cannot seal bots under profile {self.profile} ({self.unsealed}); the spec's sandbox has"
                " `sealed: required`; see `arena doctor`"
            )

    def assurance(self, options: LimitedSandbox) -> Assurance:
        """Return the assurance that a record stores. Raises: SandboxError, as ``check_sealed``."""
        self.check_sealed(options)
        return Assurance(
            isolated=self.profile in STRICT and self.state == "PROVED",
            profile=self.profile,
            landlock=self.landlock,
            sealed=not self.unsealed,
            filter=self.filter,
            missing=self.missing,
        )


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The sandboxes that are possible on this machine, as `arena doctor` shows them."""

    profiles: tuple[ProfileTest, ...]
    system: str
    landlock: str  # its ABI, or why it is not available
    user_namespaces: str
    apparmor: str
    cgroup: str

    @property
    def exit_code(self) -> int:
        """Return 0 if `strict` is possible, 1 if only `standard` is, 2 if neither is."""
        if any(test.state == "PROVED" for test in self.profiles if test.profile in STRICT):
            return 0
        return 2 if self.profiles[-1].state == "REFUSED" else 1  # the last profile is ``limits``


def diagnose() -> Diagnosis:
    """Test every profile, and read the settings that explain the results."""
    machine = f"{platform.system()} {platform.release()} {platform.machine()}"
    return Diagnosis(
        profiles=tuple(prove(profile) for profile in PROFILES),
        system=f"{machine}, user {os.geteuid()}, Python {platform.python_version()}",
        landlock=_landlock(),
        user_namespaces=_user_namespaces(),
        apparmor=_setting(
            "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", {"0": "unrestricted", "1": "restricts user namespaces"}
        ),
        cgroup=_cgroup(),
    )


def prove_in_order() -> Iterator[ProfileTest]:
    """Yield the tests of the strict profiles, the best first, up to the first that is proved."""
    for profile in STRICT:
        test = prove(profile)
        yield test
        if test.state == "PROVED":
            return


def best() -> ProfileTest:
    """Return the test of the first strict profile that is proved, else that of the limits."""
    *_, last = prove_in_order()
    return last if last.state == "PROVED" else prove("limits")


@cache
def prove(profile: Profile) -> ProfileTest:
    """Return the test of a profile, which runs once in the life of this process."""
    if sys.platform != "linux":
        refused = _refusal(profile, f"{platform.system()} has none of these layers", "use Linux")
        return refused if profile in STRICT else replace(refused, state="HOLES")  # its resource limits work
    with tempfile.TemporaryDirectory(prefix="arena-probe-") as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - the sandbox has to protect the secret, not the folder's mode
        secret = Path(folder, "secret")
        secret.write_text(self_test.SECRET, encoding="ascii")
        own = Path(folder, "own")
        own.mkdir()
        Path(own, self_test.BAIT).touch()  # a file of the bot, which attacks try to change
        try:
            return _attack(profile, own, secret)
        except LaunchFailedError as error:
            return _refusal(profile, f"{error.step}: {error.reason}", ADVICE.get(error.step, REPORT_IT))
        except SandboxError as error:
            return _refusal(profile, str(error), "use a machine of another kind")
        except PlayerFaultError as error:  # no process could be started
            return _refusal(profile, str(error), "see what `ulimit -a` and the container limit")


class Attacks(Struct, frozen=True):
    """The attacks of a bot that succeeded, and the steps of its launcher that are missing."""

    successes: tuple[str, ...]
    when_sealed: tuple[str, ...]  # those that succeeded when it was sealed
    missing: tuple[str, ...]

    @property
    def seal_failure(self) -> str:
        """Return why bots are not sealed; empty: they are."""
        absent = [step.partition(": ")[2] for step in self.missing if step.startswith("seal: ")]
        return ", ".join((*absent, *self.when_sealed))


def _attack(profile: Profile, own: Path, secret: Path) -> ProfileTest:
    targets = self_test.Targets(referee=os.getpid(), secret=str(secret), namespaces=profile in NAMESPACED)
    command = (*SANDBOXED, "arena.confinement.self_test", encode(targets).decode())
    bare = Launch(command=command, folder=str(own))
    limits = LimitedSandbox(memory_mb=self_test.MEMORY_MB)
    launch = confine(bare, profile, limits, seals=True)
    try:
        attacks = _run(launch)
        unsealed = attacks.seal_failure if launch.seals else f"no system-call filter for {platform.machine()}"
    except LaunchFailedError as error:
        if error.step != "seal":
            raise
        launch = confine(bare, profile, limits, seals=False)
        attacks, unsealed = _run(launch), error.reason
    failed_steps = " ".join(attacks.missing)
    return ProfileTest(
        profile=profile,
        state="HOLES" if attacks.successes else "PROVED",
        layers=PROFILES[profile],
        reason=", ".join(attacks.successes),
        advice="do not use it for ranked games" if attacks.successes else "",
        landlock=abi() if profile != "B" and "landlock" not in failed_steps else 0,  # B has no Landlock
        filter=filter_digest(launch) if "seccomp" not in failed_steps else "",
        missing=attacks.missing,
        templates=_why_no_templates(profile, launch),
        unsealed=unsealed,
    )


def _why_no_templates(profile: Profile, launch: Launch) -> str:
    """Return why a template may not start bots; empty: every attack by a bot that it starts fails too."""
    if profile not in STRICT:
        return "only the strict profiles have them"
    try:
        attacks = _run(replace(launch, prefork=True))
    except LaunchFailedError as error:
        return f"{error.step}: {error.reason}"
    return ", ".join((*attacks.successes, *attacks.when_sealed))


def _run(launch: Launch) -> Attacks:
    """Run the self-test of a confined launch: attacks, the seal, more attacks. Raises: LaunchFailedError."""
    process = BotProcess(launch, LINE_BYTES, TrafficLog())
    try:
        successes = _ask(process)
        process.seal()
        return Attacks(successes, _ask(process) if launch.seals else (), process.missing)
    except OSError as error:  # Linux before 5.5 cannot let a suspended call continue
        raise LaunchFailedError("seal", f"calls cannot be answered: {error.strerror}") from None
    except (PlayerFaultError, *MALFORMED):
        last = process.log().strip().splitlines()[-1:]
        raise LaunchFailedError("probe", "".join(last) or "it ended without output") from None
    finally:
        process.close()


def _ask(process: BotProcess) -> tuple[str, ...]:
    """Have the self-test attack, and return the attacks that succeeded."""
    process.send(b"attack\n")
    process.wait_ready()
    return decode(process.receive(PATIENCE).text, type=tuple[str, ...])


def _refusal(profile: Profile, reason: str, advice: str) -> ProfileTest:
    return ProfileTest(
        profile=profile,
        state="REFUSED",
        layers=PROFILES[profile],
        reason=reason,
        advice=advice,
        templates=reason,
        unsealed=reason,
    )


def _landlock() -> str:
    try:
        return f"ABI {abi()}"
    except (OSError, AttributeError) as error:
        return f"none: {error}"


def _user_namespaces() -> str:
    """Return the limit of user namespaces, and whether ordinary users may make one."""
    most = _setting("/proc/sys/user/max_user_namespaces", {})
    debian = _setting("/proc/sys/kernel/unprivileged_userns_clone", {"0": "for root only", "1": "for all users"})
    return f"at most {most}" + ("" if debian == UNKNOWN else f", {debian}")


def _cgroup() -> str:
    """Return the version of cgroups, for information: bots are bounded by resource limits."""
    if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        return "version 2"
    return "version 1" if os.path.isdir("/sys/fs/cgroup/memory") else UNKNOWN


def _setting(file: str, meanings: dict[str, str]) -> str:
    """Return the meaning of a kernel setting's value; it explains a result and never decides one."""
    try:
        value = Path(file).read_text(encoding="ascii").strip()
    except OSError:
        return UNKNOWN
    return meanings.get(value, value)
