"""``python -m arena.confinement.launcher POLICY``: confines itself by a policy, then becomes the bot.

The launcher limits itself because the harness must not run code between fork and exec: a lock that another thread of the harness
holds at the fork would never be released there. Each step needs rights that later steps remove, so the order of the steps matters
most in this module. Unless the policy is lenient, a step that fails ends the launcher before any code of the bot runs: that is the
machine's fault, not the bot's.

The launcher reports on a status socket, whose descriptor is in ARENA_STATUS: ``entered``, from the bot's process; ``missing STEP:
REASON``, where the policy is lenient; each private folder and the listener of the seal, with a descriptor; then ``ready``, or
``failed STEP: REASON``. When the socket closes after ``ready``, code of the bot runs. The kernel adds the process number to each
line.

With namespaces the bot is a child of the harness itself (CLONE_PARENT). No monitor process remains between the two, so the
harness measures, signals and waits for the bot directly. bubblewrap would leave such a monitor, so it is not used. Cgroups are not
used: they would have to be delegated to the harness, and RLIMIT_DATA, RLIMIT_AS, RLIMIT_NPROC and the filter are enough.

``template.py`` clones bots from a process that is already started; it uses ``confine`` and ``become`` of this module.
"""

import os
import runpy
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import msgpack
from msgspec.json import decode

from arena.confinement import assembler, landlock, namespaces, privileges, resource_limits
from arena.confinement.descriptors import receive, send
from arena.confinement.launch_policy import LISTENER, STATE, Policy
from arena.confinement.state_files import StateEntry, write
from arena.interpreter import SANDBOXED

FAILED, NO_MEMORY, NOT_FOUND = 97, 99, 127  # exit codes


class StatusSocket:
    """The launcher's end of the status socket."""

    def __init__(self, descriptor: int, *, lenient: bool = False) -> None:
        self.descriptor = descriptor
        self.lenient = lenient

    def write(self, line: str) -> None:
        """Write a line; end this process if the harness has ended, and so does not read."""
        try:
            os.write(self.descriptor, f"{line}\n".encode())
        except OSError:
            os._exit(FAILED)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Report the step ``name`` if it fails, and then end the launcher unless the policy is lenient."""
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - nothing of the bot may run after any error
            reason = str(error).replace("\n", " ") or type(error).__name__
            self.write(f"{'missing' if self.lenient else 'failed'} {name}: {reason}")
            if not self.lenient:
                os._exit(FAILED)


def main(policy: Policy, descriptor: int) -> None:
    """Apply a policy to this process and become its bot."""
    status = StatusSocket(descriptor, lenient=policy.lenient)
    with status.step("descriptors"):
        keep_only(descriptor)
    if policy.namespaces:
        with status.step("namespaces"):
            if not namespaces.clone(namespaces=True):
                os._exit(0)  # the clone continues, as the first process of new namespaces
            status.write("entered")
            os.setsid()
    state = None
    if policy.learns:
        with status.step("state"):
            state = receive(descriptor)
    confine(policy, status, state)
    become(policy)


def keep_only(*descriptors: int) -> None:
    """Close every descriptor but the standard streams and these."""
    first = 3
    for descriptor in (*sorted(descriptors), 1 << 20):  # the last is above every open one
        os.closerange(first, descriptor)
        first = descriptor + 1


def confine(policy: Policy, status: StatusSocket, state: int | None) -> None:
    """Apply every layer but the namespaces, in which this process already is, and report that the sandbox is complete.

    ``state``: a file with the content of the bot's state folder; None: it is empty, or there is none.
    """
    with status.step("signals"):
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if sys.platform == "linux":
        apply_layers(policy, status, state)
    else:
        with status.step("limits"):
            resource_limits.set_limits(policy.limits, alone=False)
    status.write("ready")
    os.close(status.descriptor)


def apply_layers(policy: Policy, status: StatusSocket, state: int | None) -> None:
    """Apply every layer that Linux has and the policy asks for."""
    with status.step("user"):
        user = privileges.bots_user() if privileges.may_change_user() and not policy.lenient else None
    with status.step("out of memory"), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")  # the kernel ends this process first when the machine is out of memory
    if policy.namespaces:
        with status.step("private root"):
            namespaces.build_root(policy.reads, policy.folder, policy.private, os.geteuid() if user is None else user)
    with status.step("capabilities"):
        privileges.drop_privileges(user)
    with status.step("parent"):
        # After the change of user, which would clear the setting.
        privileges.die_with_parent()
    with status.step("files"):
        _enter_folder(policy.folder)
    with status.step("privileges"):
        privileges.refuse_new_privileges()
    for own in policy.private:
        with status.step(f"folder {own.path}"):
            # After the change of user: the bot's user must own the files.
            folder = os.open(own.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            if own.path == STATE and state is not None:
                with os.fdopen(state, "rb") as content:
                    write(msgpack.decode(content.read(), type=tuple[StateEntry, ...]), folder)
            send(own.path, folder, status.descriptor)
    with status.step("limits"):
        # After the state was written, which may take more memory than the bot has: what it has learned must not end its launches.
        resource_limits.set_limits(policy.limits, alone=policy.namespaces or user is not None)
    if policy.landlock:
        with status.step("landlock"):
            landlock.restrict_files(landlock.file_rights(policy.reads, policy.private))
    if policy.seal:
        with status.step("seal"):
            # Before the filter, which forbids to send a descriptor. From here to the filter no file may be opened: the
            # listener would have to answer.
            send(LISTENER, assembler.install_with_listener(policy.seal), status.descriptor)
    if policy.filter:
        with status.step("seccomp"):
            # The filter is built in the harness, so that its hash is the same for every start; only the process number is set here.
            assembler.install(policy.filter, os.getpid())


def become(policy: Policy) -> None:
    """Become the bot: a Python module runs in this interpreter, so that it needs no right to execute a program."""
    os.environ.clear()
    os.environ.update(policy.environment)
    if policy.is_module:
        _run_module(*policy.command[len(SANDBOXED) :])
        return
    try:
        os.execv(policy.command[0], policy.command)  # noqa: S606 - becoming the bot is the purpose
    except OSError as error:
        os.write(2, f"cannot start {policy.command[0]}: {error.strerror}\n".encode())
        os._exit(NOT_FOUND)


def _run_module(module: str, *arguments: str) -> None:
    """Run a module as ``python -m`` would. Out of memory has an exit code of its own."""
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = [module, *arguments]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except MemoryError:
        sys.excepthook(*sys.exc_info())
        os._exit(NO_MEMORY)


def _enter_folder(folder: str) -> None:
    """Enter the bot's folder, and check that its user may read the standard library and this package. Raises: PermissionError."""
    os.chdir(folder)
    for needed in (os.__file__, __file__):
        if not os.access(needed, os.R_OK):
            raise PermissionError(f"user {os.geteuid()} may not read {needed}; a folder above it is closed to other users")


if __name__ == "__main__":
    main(decode(sys.argv[1], type=Policy), int(os.environ["ARENA_STATUS"]))
