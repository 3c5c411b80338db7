"""Permanently drops privileges.

Source: capabilities(7), credentials(7), prctl(2).

A bot never runs as the machine's root: if the harness does, the bot becomes a user that owns no files.
"""

import ctypes
import errno
import os
import signal
from collections.abc import Iterator

from arena.confinement.libc import call

ALL_USERS = 65536  # users in a full identity map; with fewer, the number of a bot's user may not exist
# User numbers that no distribution assigns, as the first and their count. Source: systemd's UIDS-GIDS.md.
MANY_USERS, FEW_USERS = (7 << 28, 1 << 27), (60706, 478)  # FEW_USERS: for a container that has no others
NO_NEW_PRIVS = 38
DUMPABLE = 4
PDEATHSIG = 1
DROP_BOUND = 24
CAPABILITIES_VERSION = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    """Effective, permitted and inheritable, 32 capabilities each, twice."""

    _fields_ = (("sets", ctypes.c_uint32 * 6),)


def may_change_user() -> bool:
    """Tell whether this process is root and can become any user, and so needs no user namespace."""
    if os.geteuid() != 0:
        return False
    return sum(users for _, users in _identities("uid_map")) >= ALL_USERS and _has_any_capability()


def bots_user() -> int:
    """Return a random user number for a bot of a harness run by root, so that limits by user count this bot only.

    Of FEW_USERS two bots draw the same number now and then, and then share those limits.
    A number made from that of the process would be a channel: every process and thread of the machine takes the next one, so a bot
    could start threads until a later bot has the user number that it wants.
    """
    first, count = MANY_USERS if all(map(_has_many_users, ("uid_map", "gid_map"))) else FEW_USERS
    return first + int.from_bytes(os.urandom(8)) % count


def _has_many_users(table: str) -> bool:
    first, count = MANY_USERS
    return any(start <= first and first + count <= start + users for start, users in _identities(table))


def _identities(table: str) -> Iterator[tuple[int, int]]:
    """Yield the first number and the length of each range of users, or groups, that exist here. Source: user_namespaces(7)."""
    with open(f"/proc/self/{table}", encoding="ascii") as lines:
        for line in lines:
            first, _, count = map(int, line.split())
            yield first, count


def drop_privileges(user: int | None) -> None:
    """Drop every capability, also for programs executed later, and become ``user`` (None: keep the user). Raises: OSError."""
    if not _has_any_capability():
        return
    _drop_bounds()
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        # The change of user made this process undumpable, so its own user could not read its files in /proc.
        call("prctl", DUMPABLE, 1, 0, 0, 0)
    call("capset", _Header(CAPABILITIES_VERSION, 0), _Sets())


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends. A later change of user clears this setting."""
    call("prctl", PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def refuse_new_privileges() -> None:
    """Make set-user-ID programs give no privileges; Landlock and seccomp require this."""
    call("prctl", NO_NEW_PRIVS, 1, 0, 0, 0)


def _has_any_capability() -> bool:
    capabilities = _Sets()
    call("capget", _Header(CAPABILITIES_VERSION, 0), capabilities)
    return any(capabilities.sets)


def _drop_bounds() -> None:
    """Drop each capability from the bounding set; a kernel knows fewer than 64."""
    for capability in range(64):
        try:
            call("prctl", DROP_BOUND, capability, 0, 0, 0)
        except OSError as error:
            if error.errno != errno.EINVAL:  # the kernel knows no further capability
                raise
            return
