"""Limits the files that a process may access, by the Landlock security module.

Landlock does not cover stat, chmod, chown, utime, xattr, flock and inotify; the system-call filter covers all of them but stat.

Source: landlock(7), Linux's Documentation/userspace-api/landlock.rst.
"""

import ctypes
import os
import stat
from collections.abc import Iterable, Iterator

from arena.confinement.launch_policy import PrivateFolder, ReadAccess
from arena.confinement.libc import system_call
from arena.confinement.namespaces import DEVICES

LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446


EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG, REFER, TRUNCATE, IOCTL_DEV = (1 << bit for bit in (4, 5, 7, 8, 13, 14, 15))
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV  # the rights that apply to a file; the others need a folder
OF_A_PRIVATE_FOLDER = (  # files and folders, but no links, pipes, sockets and devices
    WRITE_FILE | READ_FILE | READ_DIR | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE
)
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # number of rights by ABI: 2 added REFER, 3 TRUNCATE, 5 IOCTL_DEV
TCP = 3  # bind and connect, since ABI 4
ABSTRACT_SOCKETS_AND_SIGNALS = 3  # to processes outside, since ABI 6
GET_VERSION = 1
PATH_BENEATH = 1


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Rule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"  # Python from 3.14 on wants it beside _pack_
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """Return the version of Landlock in this kernel. Raises: OSError, if it has none."""
    return system_call(LANDLOCK_CREATE_RULESET, None, 0, GET_VERSION)


def file_rights(access: ReadAccess, private: Iterable[PrivateFolder]) -> Iterator[tuple[str, int]]:
    """Yield each path that a bot needs, with its rights there."""
    for path in access.paths:
        yield path, READ_FILE | READ_DIR | (EXECUTE if access.programs else 0)
    for path in access.listed:
        yield path, READ_DIR
    for device in DEVICES:
        yield device, READ_FILE | WRITE_FILE
    for folder in private:
        yield folder.path, OF_A_PRIVATE_FOLDER


def restrict_files(allowed: Iterable[tuple[str, int]]) -> None:
    """Permanently forbid this process every access but ``allowed``, paths with rights. Needs no_new_privs. Raises: OSError."""
    rules = _handled_rights(abi())
    ruleset = system_call(LANDLOCK_CREATE_RULESET, rules, ctypes.sizeof(rules), 0)
    for path, bits in allowed:
        _allow(ruleset, path, bits & rules.fs)
    system_call(LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _handled_rights(version: int) -> _Ruleset:
    """Return everything that this version can forbid. A kernel accepts a structure longer than its own if the rest is zero."""
    return _Ruleset(
        fs=(1 << FILE_RIGHTS[min(version, 5)]) - 1,
        net=TCP if version >= 4 else 0,
        scoped=ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0,
    )


def _allow(ruleset: int, path: str, bits: int) -> None:
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except PermissionError:  # the user cannot open it, so no rule is needed
        return
    if not stat.S_ISDIR(os.fstat(file).st_mode):
        bits &= OF_A_FILE
    system_call(LANDLOCK_ADD_RULE, ruleset, PATH_BENEATH, _Rule(allowed=bits, parent=file), 0)
    os.close(file)
