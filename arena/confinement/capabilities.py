"""Permanently drops privileges. Source: capabilities(7), credentials(7), prctl(2).

A bot never runs as the machine's root: if the harness does, the bot becomes a user that owns no files.
"""

import ctypes
import os
import signal

from arena.confinement.kernel import call

FIRST_USER, USERS = 60706, 478  # user numbers that no distribution assigns
ALL_USERS = 65536  # users in a full identity map; with fewer, the number of a bot's user may not exist
NO_NEW_PRIVS = 38
DUMPABLE = 4
PDEATHSIG = 1
DROP_BOUND = 24
VERSION = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    """Effective, permitted and inheritable, 32 capabilities each, twice."""

    _fields_ = (("sets", ctypes.c_uint32 * 6),)


def may_change_user() -> bool:
    """Tell whether this process is a root that can become any user, and so needs no user namespace."""
    if os.geteuid() != 0:
        return False
    with open("/proc/self/uid_map", encoding="ascii") as table:
        return sum(int(line.split()[2]) for line in table) >= ALL_USERS and _has_any()


def bots_user() -> int:
    """Return the user number for a bot of a harness run by root; mostly unique, so that limits by user count one bot only.

    The number of this process is read from the harness's /proc: in a process namespace of its own each bot has the number 1.
    """
    return FIRST_USER + int(os.readlink("/proc/self")) % USERS


def drop(user: int | None) -> None:
    """Drop every capability, also for programs executed later, and become ``user`` (None: keep the user). Raises: OSError."""
    if not _has_any():
        return
    _drop_bounds()
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        # The change of user has closed this process's /proc to that user, as whom the harness looks into it.
        call("prctl", DUMPABLE, 1, 0, 0, 0)
    call("capset", _Header(VERSION, 0), _Sets())


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends. A later change of user clears this setting."""
    call("prctl", PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def refuse_new_privileges() -> None:
    """Make set-user-ID programs give no privileges; Landlock and seccomp require this."""
    call("prctl", NO_NEW_PRIVS, 1, 0, 0, 0)


def _has_any() -> bool:
    capabilities = _Sets()
    call("capget", _Header(VERSION, 0), capabilities)
    return any(capabilities.sets)


def _drop_bounds() -> None:
    """Drop each capability from the bounding set; a kernel knows fewer than 64."""
    for capability in range(64):
        try:
            call("prctl", DROP_BOUND, capability, 0, 0, 0)
        except OSError as error:
            if error.errno != 22:  # EINVAL: the kernel knows no further capability
                raise
            return
