"""A world of the bot's own: processes, network, messages, names, and a root that holds what it may read.

Source: namespaces(7), user_namespaces(7), pivot_root(2), mount_setattr(2). Works unprivileged where the machine lets ordinary
users have user namespaces.
"""

import ctypes
import os
import platform
import signal

from arena.players.sandboxes.kernel import MOUNT_SETATTR, call, system_call
from arena.players.sandboxes.policy import Reads

DEVICES = ("/dev/null", "/dev/urandom")
SCRATCH = "/scratch"
OLD = "/.old"

CLONE = {"x86_64": 56, "aarch64": 220}
CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
CLONE_PARENT, CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID = 0x8000, 0x200000, 0x1000000
NEW = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
MNT_DETACH = 2
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
PR_GET_TID_ADDRESS = 40
ENOSYS = 38


class _MountAttributes(ctypes.Structure):
    _fields_ = (("set", ctypes.c_uint64), ("clear", ctypes.c_uint64), ("propagation", ctypes.c_uint64), ("userns", ctypes.c_uint64))


def enter(*, user_namespace: bool) -> int:
    """Split in two: return 0 in new namespaces, and to the launcher the process number of the one that is there.

    CLONE_PARENT makes it a child of whoever started the launcher, so that no process has to stay between the two.
    """
    user, group = os.geteuid(), os.getegid()
    flags = NEW | CLONE_PARENT | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | signal.SIGCHLD
    born = _clone(flags | (CLONE_NEWUSER if user_namespace else 0))
    if born == 0 and user_namespace:
        _map(user, group)
    return born


def build_root(reads: Reads, folder: str, scratch_mb: int, owner: int) -> None:
    """Replace the root by one that holds what may be read, two devices and, if asked for, a private /scratch; then seal it."""
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    _mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755")
    os.mkdir(folder + OLD)
    call("pivot_root", folder.encode(), (folder + OLD).encode())
    os.chdir("/")
    for path in sorted({*reads.paths, *reads.covered}):
        _cover(path) if path in reads.covered else _show(path, ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV)
    for device in DEVICES:
        _show(device, ATTR_RDONLY | ATTR_NOSUID)
    for link in sorted(reads.links, key=lambda link: link.path):
        _link(link.path, link.target)
    if scratch_mb:
        os.mkdir(SCRATCH)
    os.makedirs(folder, exist_ok=True)
    call("umount2", OLD.encode(), MNT_DETACH)
    os.rmdir(OLD)
    for sealed in ("/", *reads.covered):
        _seal(sealed, ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV, 0)
    if scratch_mb:
        size = f"size={scratch_mb}m,nr_inodes=1024,mode=700,uid={owner},gid={owner}"
        _mount("tmpfs", SCRATCH, "tmpfs", MS_NOSUID | MS_NODEV, size)
    os.chdir(folder)


def _clone(flags: int) -> int:
    """Make clone(2) as a fork: no new stack, and the C library's note of its thread's number brought up to date."""
    note = ctypes.c_void_p()
    call("prctl", PR_GET_TID_ADDRESS, ctypes.addressof(note), 0, 0, 0)
    address = note.value or 0
    number = CLONE[platform.machine()]
    if number == CLONE["x86_64"]:
        return system_call(number, flags, 0, 0, address, 0)
    return system_call(number, flags, 0, 0, 0, address)


def _map(user: int, group: int) -> None:
    """Stay the same user and group inside; all others become nobody."""
    for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as table:
            table.write(line)


def _show(path: str, attributes: int) -> None:
    source = OLD + path
    if os.path.isdir(source):
        os.makedirs(path, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(path):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o444))
    _mount(source, path, None, MS_BIND | MS_REC)
    _seal(path, attributes, AT_RECURSIVE)


def _cover(path: str) -> None:
    """Hide a folder behind an empty one."""
    _mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "size=64k,mode=755")


def _link(path: str, target: str) -> None:
    if not os.path.lexists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(target, path)


def _seal(path: str, attributes: int, recursive: int) -> None:
    """Make a mount read-only, and with AT_RECURSIVE all mounts below it."""
    wanted = _MountAttributes(set=attributes)
    try:
        system_call(MOUNT_SETATTR, AT_FDCWD, path.encode(), recursive, wanted, ctypes.sizeof(wanted))
    except OSError as error:
        if error.errno != ENOSYS:  # Linux 5.11 and gVisor have no such call
            raise
        for mounted in _mounts_from(path) if recursive else (path,):
            _remount(mounted, attributes)


def _remount(path: str, attributes: int) -> None:
    """Make one mount read-only in the old way, which asks for all the flags that it has already."""
    kept = os.statvfs(path).f_flag & (MS_RDONLY | MS_NOSUID | MS_NODEV | os.ST_NOEXEC)
    _mount(None, path, None, MS_REMOUNT | MS_BIND | attributes | kept)  # ATTR_* and MS_* agree on these flags


def _mounts_from(path: str) -> list[str]:
    """Return the mount points at and below a path. Source: proc_pid_mountinfo(5)."""
    with open(OLD + "/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
        points = [_unescaped(line.split()[4]) for line in table]
    return [point for point in points if point == path or point.startswith(path.rstrip("/") + "/")]


def _unescaped(point: str) -> str:
    """Return a mount point as it is named; no codec can be imported while the root is rebuilt."""
    for escaped, plain in ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")):
        point = point.replace(escaped, plain)
    return point


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    source_path, kind_name = source and source.encode(), kind and kind.encode()
    call("mount", source_path or None, target.encode(), kind_name or None, flags, options.encode())
