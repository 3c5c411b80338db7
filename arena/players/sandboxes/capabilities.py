"""Privileges, given up for good. Source: capabilities(7), credentials(7), prctl(2).

A bot is never the machine's root: where the harness is, the bot becomes a user that owns nothing.
"""

import ctypes
import os
import signal

from arena.players.sandboxes.kernel import call

FIRST_USER, USERS = 60706, 478  # the numbers that no distribution gives to anybody
EVERYBODY = 65536  # users in an identity map: fewer, and a bot's number may not exist
NO_NEW_PRIVS = 38
PDEATHSIG = 1
DROP_BOUND = 24
VERSION = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    """Effective, permitted and inheritable, 32 capabilities each, twice."""

    _fields_ = (("sets", ctypes.c_uint32 * 6),)


def may_change_user() -> bool:
    """Tell whether this is a root that can become any user, and needs no user namespace."""
    if os.geteuid() != 0:
        return False
    with open("/proc/self/uid_map", encoding="ascii") as table:
        return sum(int(line.split()[2]) for line in table) >= EVERYBODY and _holds_any()


def bots_user() -> int:
    """Return the user for a bot that a root starts: its own, as far as they reach, so that limits count it alone."""
    return FIRST_USER + os.getpid() % USERS


def drop(user: int | None) -> None:
    """Give up every capability, now and for whatever is executed, and become ``user`` (None: stay who one is)."""
    if not _holds_any():
        return
    _drop_bounds()
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    call("capset", _Header(VERSION, 0), _Sets())


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends; a change of user forgets it, so it comes after."""
    call("prctl", PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def refuse_new_privileges() -> None:
    """Make set-user-ID programs ordinary ones; Landlock and seccomp ask for it."""
    call("prctl", NO_NEW_PRIVS, 1, 0, 0, 0)


def _holds_any() -> bool:
    held = _Sets()
    call("capget", _Header(VERSION, 0), held)
    return any(held.sets)


def _drop_bounds() -> None:
    """Drop each capability of the bounding set, of which this kernel knows some number below 64."""
    for capability in range(64):
        try:
            call("prctl", DROP_BOUND, capability, 0, 0, 0)
        except OSError as error:
            if error.errno != 22:  # EINVAL: the first that the kernel does not know
                raise
            return
