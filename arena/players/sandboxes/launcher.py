"""``python -m arena.players.sandboxes.launcher POLICY``: raises the walls around itself, then becomes the bot.

A launcher limits itself because the harness must not run code between fork and exec, where a lock that another thread holds
would never be released. Each step needs rights that later ones remove, so their order is the module's subject. A wall that
cannot be raised ends the launcher before any code of the bot runs.

What happened is told on a status pipe, whose number stands in ARENA_STATUS: ``pid N``, if the bot is another process than the
launcher; ``missing WALL: REASON``, where the policy is lenient; then ``ready``, or ``failed WALL: REASON``. When the pipe
ends after ``ready``, code of the bot runs.
"""

import os
import runpy
import signal
import sys
from types import TracebackType

from msgspec.json import decode

from arena.players.sandboxes import limits
from arena.players.sandboxes.policy import Policy

FAILED, NO_MEMORY, NOT_FOUND = 97, 99, 127  # exit codes
PYTHON = (sys.executable, "-s", "-P", "-m")  # how a command starts that needs no program executed


class Report:
    """The launcher's end of the status pipe."""

    def __init__(self, pipe: int, *, lenient: bool) -> None:
        self.pipe = pipe
        self.lenient = lenient

    def tell(self, line: str) -> None:
        """Write a line. When nobody reads it the harness is gone, and there is nothing to be born for."""
        try:
            os.write(self.pipe, f"{line}\n".encode())
        except OSError:
            os._exit(FAILED)

    def wall(self, name: str) -> "Wall":
        """Return the context in which a wall is raised."""
        return Wall(name, self)


class Wall:
    """Tells when a wall could not be raised, and ends the launcher unless the policy is lenient."""

    def __init__(self, name: str, report: Report) -> None:
        self.name = name
        self.report = report

    def __enter__(self) -> None:
        """Nothing to do: a wall that stands is not told of."""

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> bool:
        if error is None:
            return False
        self.report.tell(f"{'missing' if self.report.lenient else 'failed'} {self.name}: {_in_one_line(error)}")
        if not self.report.lenient:
            os._exit(FAILED)
        return True


def main(policy: Policy, status: int) -> None:
    """Raise the walls of a policy and become its bot."""
    report = Report(status, lenient=policy.lenient)
    with report.wall("descriptors"):
        os.closerange(3, status)
        os.closerange(status + 1, 1 << 20)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if sys.platform == "linux":
        raise_walls(policy, report)
    else:
        with report.wall("limits"):
            limits.apply(policy.limits, alone=False)
    report.tell("ready")
    os.close(status)
    become(policy)


def raise_walls(policy: Policy, report: Report) -> None:
    """Raise every wall that Linux has and the policy asks for."""
    from arena.players.sandboxes import bpf, capabilities, landlock, namespaces  # noqa: PLC0415 - no other system has them

    with report.wall("user"):
        user = capabilities.bots_user() if capabilities.may_change_user() and not policy.lenient else None
        _volunteer_for_the_oom_killer()
    if policy.namespaces:
        with report.wall("namespaces"):
            _enter_namespaces(report, user_namespace=user is None)
        with report.wall("private root"):
            namespaces.build_root(policy.reads, policy.folder, policy.scratch_mb, os.geteuid() if user is None else user)
    with report.wall("limits"):
        limits.apply(policy.limits, alone=policy.namespaces or user is not None)
    with report.wall("capabilities"):
        capabilities.drop(user)
    with report.wall("parent"):
        capabilities.die_with_parent()
    with report.wall("files"):
        _read_what_is_needed(policy.folder)
    with report.wall("privileges"):
        capabilities.refuse_new_privileges()
    if policy.landlock:
        with report.wall("landlock"):
            scratch = namespaces.SCRATCH if policy.scratch_mb else None
            landlock.restrict(landlock.grants(policy.reads, namespaces.DEVICES, scratch))
    if policy.filter:
        with report.wall("seccomp"):
            bpf.install(policy.filter, os.getpid())


def become(policy: Policy) -> None:
    """Become the bot: in this very interpreter if it is a Python module, so that it needs no right to execute anything."""
    os.environ.clear()
    os.environ.update(policy.environment)
    if policy.command[: len(PYTHON)] == PYTHON:
        _run_module(*policy.command[len(PYTHON) :])
        return
    try:
        os.execv(policy.command[0], policy.command)  # noqa: S606 - becoming the bot is the point
    except OSError as error:
        os.write(2, f"cannot start {policy.command[0]}: {error.strerror}\n".encode())
        os._exit(NOT_FOUND)


def _run_module(module: str, *arguments: str) -> None:
    """Run a module as ``python -m`` would. An end for want of memory has an exit code of its own."""
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = [module, *arguments]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except MemoryError:
        sys.excepthook(*sys.exc_info())
        os._exit(NO_MEMORY)


def _enter_namespaces(report: Report, *, user_namespace: bool) -> None:
    """Go on as the first process of new namespaces, and leave no process between it and the harness."""
    from arena.players.sandboxes import namespaces  # noqa: PLC0415 - no other system has them

    born = namespaces.enter(user_namespace=user_namespace)
    if born:
        report.tell(f"pid {born}")
        os._exit(0)


def _volunteer_for_the_oom_killer() -> None:
    """Be the first to go when the machine is out of memory."""
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")


def _read_what_is_needed(folder: str) -> None:
    """Enter the bot's folder, and see that its user may read the interpreter and this package. Raises: PermissionError."""
    os.chdir(folder)
    for needed in (os.__file__, __file__):
        if not os.access(needed, os.R_OK):
            raise PermissionError(f"user {os.geteuid()} may not read {needed}; a folder above it is closed to others")


def _in_one_line(error: BaseException) -> str:
    return str(error).replace("\n", " ") or type(error).__name__


if __name__ == "__main__":
    main(decode(sys.argv[1], type=Policy), int(os.environ["ARENA_STATUS"]))
