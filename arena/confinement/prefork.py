"""Starts bots by templates: the harness's side of ``template.py``, which says why this does not weaken the sandbox.

A template is a child of the thread that asks for it, as each bot is: the kernel ends both when that thread ends, even by SIGKILL.
So each thread has templates of its own, and a worker process that was forked has none of its director's. There are some for each
environment that an interpreter reads at its start, for each set of cores, and with or without namespaces: a template has one bot at
a time, so that two bots that play each other share no page of its memory.
"""

import os
import socket
import subprocess
import threading
import weakref
from collections.abc import Sequence

from msgspec import Struct
from msgspec.json import decode
from msgspec.structs import replace

from arena.confinement.launch_policy import Policy
from arena.confinement.template import NAMESPACES, NONE
from arena.interpreter import SANDBOXED
from arena.roster.entrant import Launch

COMMAND = (*SANDBOXED, "arena.confinement.template")


class TemplateKind(Struct, frozen=True):
    """What all bots of a template have in common."""

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
        self.forget = weakref.finalize(self, _close, self._control, process, os.getpid())
        _every.add(self)

    def start(self, descriptors: Sequence[int]) -> None:
        """Start a bot with these as its standard streams and its status socket. Raises: OSError, if the template has ended."""
        socket.send_fds(self._control, [b"."], list(descriptors))

    def release(self) -> None:
        """Let it start another bot: its bot has ended."""
        if threading.get_ident() != self._thread:
            self.forget()  # it ends with its thread
        elif self.forget.alive:
            _own.idle.setdefault(self._kind, []).append(self)


class _IdleTemplates(threading.local):
    """The templates of each thread."""

    def __init__(self) -> None:
        self.idle: dict[TemplateKind, list[TemplateProcess]] = {}


def prefork(launch: Launch) -> Launch:
    """Return a confined launch that a template starts, if its bot runs in this interpreter; else the launch."""
    policy = decode(launch.command[-1], type=Policy)
    return replace(launch, prefork=policy.command[: len(SANDBOXED)] == SANDBOXED)


def start(launch: Launch, descriptors: Sequence[int]) -> TemplateProcess:
    """Have a template start a launch, with these as its standard streams and its status socket. Raises: OSError.

    The template is the bot's alone until its ``release``; one that failed to start it is ended by its ``forget``.
    """
    kind = _kind(launch)
    while idle := _own.idle.get(kind):
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
    """Tell whether a child of this process is a template, which must live on when its bots have ended."""
    return pid in _pids


def _kind(launch: Launch) -> TemplateKind:
    return TemplateKind(launch.environment, launch.in_namespace, frozenset(os.sched_getaffinity(0)))


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
    """Close what a forked process has inherited: with a copy of their sockets it could keep templates of its parent alive."""
    for template in list(_every):
        template.forget()
    _own.idle.clear()
    _pids.clear()


_pids: set[int] = set()  # of this process's templates
_every: weakref.WeakSet[TemplateProcess] = weakref.WeakSet()
_own = _IdleTemplates()
os.register_at_fork(after_in_child=_forget_all)
