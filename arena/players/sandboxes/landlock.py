"""Which files a process may touch, by the Landlock security module. Source: landlock(7), Documentation/userspace-api/landlock.rst.

Landlock does not see stat, chmod, chown, utime, xattr, flock or inotify; the system-call filter does.
"""

import ctypes
import os
import stat
from collections.abc import Iterable, Iterator

from arena.players.sandboxes.kernel import (
    LANDLOCK_ADD_RULE,
    LANDLOCK_CREATE_RULESET,
    LANDLOCK_RESTRICT_SELF,
    system_call,
)
from arena.players.sandboxes.policy import Reads

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV  # the rights that make sense for what is no folder
ALL = 0xFFFF
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many an ABI knows: 2 brought REFER, 3 TRUNCATE, 5 IOCTL_DEV
TCP = 3  # binding and connecting, ABI 4
ABSTRACT_SOCKETS_AND_SIGNALS = 3  # of processes outside, ABI 6
GET_VERSION = 1
PATH_BENEATH = 1


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Rule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """Return the version of Landlock that this kernel has. Raises: OSError, if it has none."""
    return system_call(LANDLOCK_CREATE_RULESET, None, 0, GET_VERSION)


def grants(reads: Reads, devices: Iterable[str], scratch: str | None) -> Iterator[tuple[str, int]]:
    """Yield the paths a bot needs, with its rights to each."""
    for path in reads.paths:
        yield path, READ_FILE | READ_DIR | (EXECUTE if reads.programs else 0)
    for path in reads.listed:
        yield path, READ_DIR
    for device in devices:
        yield device, READ_FILE | WRITE_FILE
    if scratch:
        yield scratch, ALL & ~EXECUTE


def restrict(granted: Iterable[tuple[str, int]]) -> None:
    """Forbid this process for good whatever ``granted``, paths and rights, does not allow. Needs no_new_privs."""
    rules = _handled(abi())
    ruleset = system_call(LANDLOCK_CREATE_RULESET, rules, ctypes.sizeof(rules), 0)
    for path, rights in granted:
        _allow(ruleset, path, rights & rules.fs)
    system_call(LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _handled(version: int) -> _Ruleset:
    """Return all that this version can forbid. A kernel takes a longer structure than it knows if the rest is zero."""
    return _Ruleset(
        fs=(1 << FILE_RIGHTS[min(version, 5)]) - 1,
        net=TCP if version >= 4 else 0,
        scoped=ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0,
    )


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except PermissionError:  # what this user cannot reach needs no grant
        return
    if not stat.S_ISDIR(os.fstat(file).st_mode):
        rights &= OF_A_FILE
    system_call(LANDLOCK_ADD_RULE, ruleset, PATH_BENEATH, _Rule(allowed=rights, parent=file), 0)
    os.close(file)
