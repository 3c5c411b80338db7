"""Starts bots by templates: the harness's side of ``template.py``, which explains why this does not weaken the sandbox.

A template is a child of the thread that asks for it, as each bot is: the kernel ends both when that thread ends, even by SIGKILL.
So each thread has templates of its own, and a forked worker process has none of its director's. Templates differ by the environment
that an interpreter reads at its start, by the set of cores, and by the use of namespaces. A template has one bot at a time.
"""

import os
import socket
import subprocess
import threading
import weakref
from collections.abc import Sequence

from msgspec import Struct

from arena.confinement.template import NAMESPACES, NONE
from arena.interpreter import SANDBOXED
from arena.roster.entrant import Launch

COMMAND = (*SANDBOXED, "arena.confinement.template")


class TemplateKind(Struct, frozen=True):
    """The properties that all bots of a template share."""

    environment: tuple[tuple[str, str], ...]
    in_namespace: bool
    cores: frozenset[int]  # which a clone inherits


class TemplateProcess:
    """A template's process, owned by the thread that made it."""

    def __init__(self, kind: TemplateKind) -> None:
        """Start it, without waiting until it is ready. Raises: OSError."""
        self._kind = kind
        self._thread = threading.get_ident()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - our own module
                [*COMMAND, NAMESPACES if kind.in_namespace else NONE],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=theirs.fileno(),
                cwd="/",
                env=dict(kind.environment),
                start_new_session=True,
            )
        _pids.add(process.pid)
        # ends the template; in a forked process, only closes the copy of its socket
        self.forget = weakref.finalize(self, _close, self._control, process, os.getpid())
        _all_templates.add(self)

    def start(self, descriptors: Sequence[int]) -> None:
        """Start a bot; the descriptors are its standard streams and status socket. Raises: OSError, if the template has ended."""
        socket.send_fds(self._control, [b"."], list(descriptors))

    def release(self) -> None:
        """Make it available for another bot of its thread, when its bot has ended; in another thread, end it."""
        if threading.get_ident() != self._thread:
            self.forget()  # no bot of this thread may use it
        elif self.forget.alive:
            _of_thread.idle.setdefault(self._kind, []).append(self)


class _IdleTemplates(threading.local):
    """The templates of each thread that have no bot."""

    def __init__(self) -> None:
        self.idle: dict[TemplateKind, list[TemplateProcess]] = {}


def start(launch: Launch, descriptors: Sequence[int]) -> TemplateProcess:
    """Have a template start a launch; the descriptors are the bot's standard streams and status socket. Raises: OSError.

    The template belongs to the bot until the caller calls ``release``, or ``forget``, which ends it, if the start fails.
    """
    kind = TemplateKind(launch.environment, launch.in_namespace, frozenset(os.sched_getaffinity(0)))
    while idle := _of_thread.idle.get(kind):
        template = idle.pop()
        try:
            template.start(descriptors)
        except OSError:  # it has ended, perhaps for a temporary reason
            template.forget()
        else:
            return template
    template = TemplateProcess(kind)
    template.start(descriptors)
    return template


def is_template(pid: int) -> bool:
    """Tell whether a child of this process is a template, which outlives its bots."""
    return pid in _pids


def _close(control: socket.socket, process: subprocess.Popen[bytes], owner: int) -> None:
    """Close a template's socket; in the process that started it, end it too."""
    control.close()
    if os.getpid() == owner:
        process.kill()
        process.wait()
        _pids.discard(process.pid)
    else:
        process.returncode = 0  # it is no child of this process, which cannot wait for it


def _forget_all() -> None:
    """Close the inherited sockets in a forked process: a copy of a socket could keep a template of the parent alive."""
    for template in list(_all_templates):
        template.forget()
    _of_thread.idle.clear()
    _pids.clear()


_pids: set[int] = set()  # of this process's templates
_all_templates: weakref.WeakSet[TemplateProcess] = weakref.WeakSet()
_of_thread = _IdleTemplates()
os.register_at_fork(after_in_child=_forget_all)
