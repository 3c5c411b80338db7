"""Receives and answers the calls that a filter suspends: the listener of ``bpf.install_with_listener``. Source: seccomp_unotify(2).

A suspended call may have ended when it is answered, because a signal has interrupted it or its process was killed. Then there is
no process to answer, which is no error here.
"""

import errno
import fcntl
import struct

from msgspec import Struct

RECEIVE, SEND, ADD = 0xC0502100, 0xC0182101, 0x40182103  # SECCOMP_IOCTL_NOTIF_*
EMPTY = bytes(80)  # struct seccomp_notif
CALL = struct.Struct("=8s8xi12x6Q")  # its identity, the call's number and arguments
ANSWER = struct.Struct("=8sqiI")  # struct seccomp_notif_resp: identity, value, error and flags
ADDITION = struct.Struct("=8sIIII")  # struct seccomp_notif_addfd: identity, flags, descriptors here and there, flags of the new one
CONTINUE = struct.pack("=qiI", 0, 0, 1)  # the rest of an answer: SECCOMP_USER_NOTIF_FLAG_CONTINUE
ENDED = (errno.ENOENT, errno.EINPROGRESS)


class Call(Struct, frozen=True):
    """A system call that waits for an answer."""

    identity: bytes
    number: int
    arguments: tuple[int, ...]  # of 64 bits each


def let_through(listener: int) -> None:
    """Let the kernel make the call that waits at a listener. It is short because an import of a library makes a thousand calls."""
    try:
        fcntl.ioctl(listener, SEND, fcntl.ioctl(listener, RECEIVE, EMPTY)[:8] + CONTINUE)
    except OSError as error:
        if error.errno not in ENDED:
            raise


def next_call(listener: int) -> Call | None:
    """Return the call that waits at a listener; None: it has ended."""
    try:
        waiting = fcntl.ioctl(listener, RECEIVE, EMPTY)
    except OSError as error:
        if error.errno not in ENDED:
            raise
        return None
    identity, number, *arguments = CALL.unpack(waiting)
    return Call(identity, number, tuple(arguments))


def answer(listener: int, call: Call, value: int = 0) -> None:
    """Have a call return a value, without making it."""
    _send(listener, ANSWER.pack(call.identity, value, 0, 0))


def refuse(listener: int, call: Call, error: int) -> None:
    """Have a call fail with an error number, without making it."""
    _send(listener, ANSWER.pack(call.identity, 0, -error, 0))


def hand_in(listener: int, call: Call, file: int, flags: int) -> None:
    """Give the caller a copy of an open file, and have the call return its number. ``flags``: O_CLOEXEC or 0. Raises: OSError."""
    try:
        number = fcntl.ioctl(
            listener, ADD, bytearray(ADDITION.pack(call.identity, 0, file, 0, flags))
        )  # of mutable bytes: its result
    except OSError as error:
        if error.errno in ENDED:
            return
        raise
    answer(listener, call, number)


def _send(listener: int, reply: bytes) -> None:
    try:
        fcntl.ioctl(listener, SEND, reply)
    except OSError as error:
        if error.errno not in ENDED:
            raise
