"""Namespaces of the bot: processes, network, IPC, host name, cgroups, and a root file system that contains only what it may read.

The launcher clones itself into the namespaces. The clone builds a new root on a tmpfs at the bot's folder, bind-mounts what the
bot may read into it, and makes every mount read-only. No privileges are needed where ordinary users may make user namespaces.

Source: namespaces(7), user_namespaces(7), pivot_root(2), mount_setattr(2).
"""

import ctypes
import errno
import os
import platform
import signal
from collections.abc import Sequence

from arena.confinement.launch_policy import PrivateFolder, ReadAccess
from arena.confinement.libc import call, system_call
from arena.confinement.privileges import may_change_user
from arena.confinement.syscalls import NUMBERS_HERE

MOUNT_SETATTR = 442  # on every machine, as are all system calls from number 424 on
_holding_gil = ctypes.PyDLL(None, use_errno=True)

DEVICES = ("/dev/null", "/dev/urandom")
OLD = "/.old"

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
CLONE_PARENT, CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID = 0x8000, 0x200000, 0x1000000
NEW = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
MNT_DETACH = 2
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
PR_GET_TID_ADDRESS = 40

# The interpreter's functions around a fork; one gives the module random a new seed. Source: Python's C API, PyOS_BeforeFork.
_hook = ctypes.PYFUNCTYPE(None)
_before_fork, _after_fork_in_child, _after_fork_in_parent = (
    _hook((f"PyOS_{name}", ctypes.pythonapi)) for name in ("BeforeFork", "AfterFork_Child", "AfterFork_Parent")
)


class _MountAttributes(ctypes.Structure):
    _fields_ = (("set", ctypes.c_uint64), ("clear", ctypes.c_uint64), ("propagation", ctypes.c_uint64), ("userns", ctypes.c_uint64))


def clone(*, namespaces: bool) -> bool:
    """Clone this process, like fork(2); return whether this is the clone. ``namespaces``: into new ones, as the same user.

    The clone is a child of the harness (CLONE_PARENT). Its number is never returned, so that no later clone finds it in its memory.
    Raises: OSError.
    """
    own, user, group = os.getpid(), os.geteuid(), os.getegid()
    user_namespace = namespaces and not may_change_user()  # only a root can make the other namespaces without one
    flags = CLONE_PARENT | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | signal.SIGCHLD
    flags |= (NEW if namespaces else 0) | (CLONE_NEWUSER if user_namespace else 0)
    _before_fork()
    try:
        _clone(flags)
    finally:
        is_clone = os.getpid() != own
        (_after_fork_in_child if is_clone else _after_fork_in_parent)()
    if is_clone and user_namespace:
        _keep_user(user, group)
    return is_clone


def _keep_user(user: int, group: int) -> None:
    """Keep the same user and group number in a new user namespace; it has no other users. Raises: OSError."""
    for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as table:
            table.write(line)


def build_root(access: ReadAccess, folder: str, private: Sequence[PrivateFolder], owner: int) -> None:
    """Replace the root by one that contains what may be read and two devices, and make it read-only.

    ``private``: folders that can be written; ``owner``, a user number, owns them. Raises: OSError.
    """
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    _mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755")
    os.mkdir(folder + OLD)
    call("pivot_root", folder.encode(), (folder + OLD).encode())
    os.chdir("/")
    # Sorted, so that a folder is mounted before what lies inside it: an empty tmpfs hides all of it, later mounts show paths in it.
    for path in sorted({*access.paths, *access.hidden}):
        if path in access.hidden:
            _mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "size=64k,mode=755")
        else:
            _bind(path, ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV)
    for device in DEVICES:
        _bind(device, ATTR_RDONLY | ATTR_NOSUID)
    for path, target in sorted(access.links):
        if not os.path.lexists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(target, path)
    for own in private:
        os.mkdir(own.path)
    os.makedirs(folder, exist_ok=True)
    call("umount2", OLD.encode(), MNT_DETACH)
    os.rmdir(OLD)
    for path in ("/", *access.hidden):
        _make_read_only(path, ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV, 0)
    for own in private:
        options = f"size={own.size_kb}k,nr_inodes={own.files},mode=700,uid={owner},gid={owner}"
        _mount("tmpfs", own.path, "tmpfs", MS_NOSUID | MS_NODEV, options)
    os.chdir(folder)


def _clone(flags: int) -> None:
    """Call clone(2) as fork(2) does: without a new stack, and with the C library's record of the thread number updated.

    It holds the interpreter's lock, as os.fork does. The result, a process number in one of the two processes, never becomes an
    object of Python. Raises: OSError.
    """
    record = ctypes.c_void_p()
    call("prctl", PR_GET_TID_ADDRESS, ctypes.addressof(record), 0, 0, 0)
    address = record.value or 0
    # The last two arguments are in the other order on aarch64.
    arguments = (0, 0, address, 0) if platform.machine() == "x86_64" else (0, 0, 0, address)
    syscall = _holding_gil["syscall"]
    syscall.restype = None
    ctypes.set_errno(0)
    syscall(*map(ctypes.c_long, (NUMBERS_HERE["clone"], flags, *arguments)))
    if error := ctypes.get_errno():
        raise OSError(error, os.strerror(error))


def _bind(path: str, attributes: int) -> None:
    """Mount a file or folder of the old root at the same path, read-only."""
    source = OLD + path
    if os.path.isdir(source):
        os.makedirs(path, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(path):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o444))
    _mount(source, path, None, MS_BIND | MS_REC)
    _make_read_only(path, attributes, AT_RECURSIVE)


def _make_read_only(path: str, attributes: int, recursive: int) -> None:
    """Set the attributes, ATTR_RDONLY among them, on a mount and, with AT_RECURSIVE, on all mounts below it."""
    wanted = _MountAttributes(set=attributes)
    try:
        system_call(MOUNT_SETATTR, AT_FDCWD, path.encode(), recursive, wanted, ctypes.sizeof(wanted))
    except OSError as error:
        if error.errno != errno.ENOSYS:  # Linux before 5.12 and gVisor do not have this call
            raise
        for mounted in _mounts_from(path) if recursive else (path,):
            _remount(mounted, attributes)


def _remount(path: str, attributes: int) -> None:
    """Set attributes of one mount by mount(2), which must repeat the flags that the mount has already."""
    present = os.statvfs(path).f_flag & (MS_RDONLY | MS_NOSUID | MS_NODEV | os.ST_NOEXEC)
    _mount(None, path, None, MS_REMOUNT | MS_BIND | attributes | present)  # these flags have the same values in ATTR_* and MS_*


def _mounts_from(path: str) -> list[str]:
    """Return the mount points at and below a path. Source: proc_pid_mountinfo(5)."""
    with open(OLD + "/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
        points = [_unescape(line.split()[4]) for line in table]
    return [point for point in points if point == path or point.startswith(path.rstrip("/") + "/")]


def _unescape(point: str) -> str:
    """Return a mount point's path without escapes; no codec can be imported while the root is replaced."""
    for escaped, plain in ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")):
        point = point.replace(escaped, plain)
    return point


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    source_path, kind_name = (text.encode() if text else None for text in (source, kind))
    call("mount", source_path, target.encode(), kind_name, flags, options.encode())
