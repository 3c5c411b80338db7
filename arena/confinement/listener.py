"""Receives and answers the calls that a filter suspends, at the listener of its program.

Source: seccomp_unotify(2).
"""

import errno
import fcntl
import os
import struct
import sys

from arena.confinement.syscalls import NUMBERS_HERE

RECEIVE, SEND, ADD = 0xC0502100, 0xC0182101, 0x40182103  # SECCOMP_IOCTL_NOTIF_*
EMPTY = bytes(80)  # struct seccomp_notif
CALL = struct.Struct("=8s8xi12x6Q")  # its identity, the call's number and arguments
ANSWER = struct.Struct("=8sqiI")  # struct seccomp_notif_resp: identity, value, error and flags
# struct seccomp_notif_addfd: identity, flags, descriptor here, descriptor in the bot (0: any), flags of the latter
ADDITION = struct.Struct("=8sIIII")
CONTINUE = struct.pack("=qiI", 0, 0, 1)  # the rest of an answer: SECCOMP_USER_NOTIF_FLAG_CONTINUE
NO_THREAD = struct.pack("=qiI", 0, -errno.EAGAIN, 0)  # likewise: the error of a process that has as many threads as it may
CLONE = struct.pack("=i", NUMBERS_HERE.get("clone", -1))
ENDED = (errno.ENOENT, errno.EINPROGRESS)  # a signal has interrupted the call, or its process was killed: not an error here


def let_through(listener: int, threads: int) -> None:
    """Let the kernel make the call that waits at a listener, unless it starts a thread in a process that has ``threads``.

    This must be quick: an import of a library makes a thousand calls.
    """
    if waiting := ioctl(listener, RECEIVE, EMPTY):
        thread, number = waiting[8:12], waiting[16:20]
        is_refused = number == CLONE and _threads_beside(int.from_bytes(thread, sys.byteorder)) >= threads
        ioctl(listener, SEND, waiting[:8] + (NO_THREAD if is_refused else CONTINUE))


def _threads_beside(thread: int) -> int:
    """Return the number of threads of a thread's process, itself included; 0: it has ended."""
    try:
        return len(os.listdir(f"/proc/{thread}/task"))
    except OSError:
        return 0


def ioctl(listener: int, operation: int, message: bytes) -> bytes | None:
    """Return the kernel's answer; None: the call that waited has ended. Raises: OSError."""
    try:
        return fcntl.ioctl(listener, operation, message)
    except OSError as error:
        if error.errno not in ENDED:
            raise
        return None
