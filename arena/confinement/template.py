"""``python -m arena.confinement.template LAYER``: a process that clones itself into bots, for ``prefork.py``.

Starting an interpreter and importing the SDK takes ten times as long as the sandbox. A template does both once, and each bot begins
as its clone. A bot must not learn anything from what it inherits, so a template holds nothing that a launcher does not:

* A request is one byte and four descriptors: the bot's standard streams and its status socket. The policy, which has the bot's name
  and paths, is sent through the status socket, which only the clone reads. So no clone can find another bot's in its memory.
* The clone's number is left in no object (``namespaces.clone``): the harness learns it from the kernel, with the status lines.
* The clone gets the bot's streams in place of the control socket, then closes every descriptor but its status socket and the files
  that libraries keep open. These it opens again, since clones would share their positions.
* The clone is a child of the harness, like a bot that a launcher starts: the template can neither signal nor outlive it.
* The clone applies each layer of the sandbox to itself before it imports the bot's code. ``players/sandboxes.py`` attacks it as it
  attacks a bot that a launcher has started; where an attack succeeds, no templates are used.

The clones of a template share its address layout (and stack protector), and the pages that none has written to. README.md,
Templates, says why a bot gains nothing from them. Each clone seeds the module ``random`` anew, by the hook that it registers for
forks.
"""

import atexit
import gc
import importlib
import os
import socket
import sys
from stat import S_ISREG

from msgspec.json import decode

from arena.confinement import launcher, privileges
from arena.confinement.descriptors import receive
from arena.confinement.launch_policy import Policy
from arena.confinement.launcher import StatusSocket
from arena.confinement.mapped_copies import copy_mapped_files
from arena.confinement.namespaces import clone

NAMESPACES, NONE = "namespaces", "none"  # LAYER: what a clone enters when it starts
PRELOADED = ("faulthandler", "arena.sdk.loop", "traceback")
STREAMS = 3
MOST_FILES = 64  # the descriptors of a template are below this


def main(control: socket.socket, *, namespaces: bool) -> None:
    """Clone this process at each request, until the harness has ended. Returns in a clone when its bot has ended."""
    privileges.die_with_parent()
    for module in PRELOADED:
        importlib.import_module(module)
    # No collection visits these objects again: it would write to their pages, and so copy them in every clone.
    gc.freeze()
    failure: OSError | None = None
    try:
        copy_mapped_files()
    except OSError as error:
        failure = error
    files = own_files()
    while descriptors := _request(control):
        status = StatusSocket(descriptors[STREAMS])
        with status.step("own pages"):
            if failure:
                raise failure
        with status.step("namespaces"):
            is_clone = clone(namespaces=namespaces)
        if is_clone:
            control.detach()  # its number becomes the bot's standard input
            _become(files, descriptors)
            return
        for descriptor in descriptors:
            os.close(descriptor)


def own_files() -> list[int]:
    """Return the files that this process opened itself and keeps open: Python opens files close-on-exec, inherited ones are not.

    libffi, which ctypes loads, keeps its own library open from release 3.5 on, and needs it.
    """
    return [number for number in range(STREAMS, MOST_FILES) if _is_own_file(number)]


def _is_own_file(descriptor: int) -> bool:
    try:
        return S_ISREG(os.fstat(descriptor).st_mode) and not os.get_inheritable(descriptor)
    except OSError:
        return False


def reopen(file: int) -> None:
    """Open a file again at the same number: clones would share its position, and so could pass bits. Raises: OSError."""
    opened = os.open(f"/proc/self/fd/{file}", os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(opened, file, inheritable=False)
    os.close(opened)


def _request(control: socket.socket) -> list[int]:
    """Return the descriptors of the next request; empty: the harness has closed its end."""
    return socket.recv_fds(control, 1, STREAMS + 1)[1]


def _become(files: list[int], descriptors: list[int]) -> None:
    """Confine this clone and become the bot."""
    *streams, status_descriptor = descriptors
    status = StatusSocket(status_descriptor)
    status.write("entered")
    with status.step("descriptors"):
        os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        launcher.keep_only(status_descriptor, *files)
        for file in files:
            reopen(file)
    with status.step("policy"):
        state = receive(status_descriptor)
        with open(status_descriptor, "rb", closefd=False) as lines:
            policy = decode(lines.readline(), type=Policy)
    launcher.confine(policy, status, state)
    ending = QuickExit()
    # A frozen object is never collected, so a file that only a reference cycle holds is not flushed; a bot that learns needs that.
    atexit.register(gc.unfreeze if policy.learns else ending.leave)
    launcher.become(policy)
    ending.in_order = True


class QuickExit:
    """Ends a clone without the interpreter's finalization, which would write to each object and so copy every page.

    ``leave`` is registered before the bot's code runs, so it runs after every function that the bot registers, and after the bot's
    threads have ended. Finalization could only affect files that outlive the bot. Only a bot that learns has any, so it ends as
    usual: finalization writes what they still buffer.
    """

    def __init__(self) -> None:
        self.in_order = False  # whether the bot's module has ended without an error

    def leave(self) -> None:
        """End this process, unless an error or an exit code has to be reported first."""
        if self.in_order:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)


if __name__ == "__main__":
    main(socket.socket(fileno=0), namespaces=sys.argv[1] == NAMESPACES)
