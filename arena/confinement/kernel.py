"""The calls by which a process confines itself on Linux: limits, privileges, Landlock and namespaces."""

import ctypes
import errno
import os
import platform
import resource
import signal
import stat
from collections.abc import Iterable, Iterator, Sequence

from arena.confinement.launch_policy import PrivateFolder, ReadAccess, ResourceLimits
from arena.confinement.syscalls import NUMBERS_HERE

# System calls from number 424 on have the same number on x86-64 and aarch64.
MOUNT_SETATTR = 442
OPENAT2 = 437
LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446

_library = ctypes.CDLL(None, use_errno=True)
_holding_gil = ctypes.PyDLL(None, use_errno=True)

Argument = int | bytes | None | ctypes.Structure | ctypes.Array[ctypes.c_char]


def call(function: str, *arguments: Argument) -> int:
    """Call a function of the C library that returns -1 when it fails. Raises: OSError."""
    result = int(getattr(_library, function)(*(_c_argument(argument) for argument in arguments)))
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def system_call(number: int, *arguments: Argument) -> int:
    """Make a system call for which the C library has no function. Raises: OSError."""
    return call("syscall", number, *arguments)


def _c_argument(argument: Argument) -> object:
    """Return an argument in the C library's form: a number as wide as a register, a structure by its address."""
    if isinstance(argument, int):
        return ctypes.c_long(argument)
    if isinstance(argument, ctypes.Structure):
        return ctypes.byref(argument)
    return argument


# Resource limits, which the launcher sets on itself. Source: setrlimit(2).
#
# RLIMIT_DATA limits memory, not RLIMIT_AS: the former counts every writable private mapping, the latter also reserved addresses,
# and a JavaScript interpreter or a numeric library reserves gigabytes that it never touches. RLIMIT_DATA does not count shared
# anonymous memory, growing stacks, memfd and /dev/zero; the other layers forbid those.

# Bytes of RLIMIT_AS beyond the memory limit. RLIMIT_AS bounds the page tables, which no other limit counts: those of pages that are
# only read take 1/500 of the pages' size.
ADDRESSES = 64 << 30
STACK_BYTES = 8 << 20  # bytes; also what a new thread reserves
MOST_FILES = 64
# Pending signals of all processes of the user. The filter forbids signals that queue, so a thread has at most 31 pending. The limit
# is so high that several bots with 64 threads each stay below it: a bot that met it would notice the others.
MOST_SIGNALS = 8192
# Threads that the user and other bots may start before those of a bot are refused where RLIMIT_NPROC counts them all. There the
# harness counts the bot's own, until it is sealed and may start none (``folder_calls.let_through``).
SPARE = 1024


def set_limits(limits: ResourceLimits, *, alone: bool) -> None:
    """Set every limit permanently. ``alone``: whether RLIMIT_NPROC counts only the bot's threads. Raises: OSError."""
    _set_limit(resource.RLIMIT_DATA, limits.memory_mb << 20)
    _set_limit(resource.RLIMIT_AS, ADDRESSES + (limits.memory_mb << 20))
    _set_limit(resource.RLIMIT_STACK, STACK_BYTES)
    _set_limit(resource.RLIMIT_FSIZE, limits.file_kb << 10)
    _set_limit(resource.RLIMIT_NOFILE, MOST_FILES)
    # 1, not 0: at 0 the kernel still starts a handler that cores are piped to. Source: core(5).
    _set_limit(resource.RLIMIT_CORE, 1)
    # The hard limit sends SIGKILL: the first process of a namespace ignores the soft limit's SIGXCPU.
    _set_limit(resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1)
    _set_limit(resource.RLIMIT_MEMLOCK, 0)
    if hasattr(resource, "RLIMIT_SIGPENDING"):
        _set_limit(resource.RLIMIT_SIGPENDING, MOST_SIGNALS)
        _set_limit(resource.RLIMIT_MSGQUEUE, 0)
    if limits.threads > 1:
        _set_limit(resource.RLIMIT_NPROC, limits.threads if alone else tasks_of_user() + limits.threads + SPARE)


def _set_limit(kind: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, never above the current hard limit. ``hard``: None: the same as ``soft``."""
    _, ceiling = resource.getrlimit(kind)
    hard = soft if hard is None else hard
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(kind, (soft, hard))


def tasks_of_user() -> int:
    """Return the number of this user's threads: without a user namespace, RLIMIT_NPROC counts all of them on the machine."""
    return sum(_tasks(process) for process in os.listdir("/proc") if process.isdigit())


def _tasks(process: str) -> int:
    try:
        is_own = os.stat(f"/proc/{process}").st_uid == os.getuid()
        return len(os.listdir(f"/proc/{process}/task")) if is_own else 0
    except OSError:  # the process has ended
        return 0


# Permanently drops privileges. Source: capabilities(7), credentials(7), prctl(2).
#
# A bot never runs as the machine's root: if the harness does, the bot becomes a user that owns no files.

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


# Limits the files that a process may access, by the Landlock security module.
#
# Landlock does not cover stat, chmod, chown, utime, xattr, flock and inotify; the system-call filter covers all of them but stat.
#
# Source: landlock(7), Linux's Documentation/userspace-api/landlock.rst.

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


# Namespaces of the bot: processes, network, IPC, host name, cgroups, and a root file system that contains only what it may read.
#
# The launcher clones itself into the namespaces. The clone builds a new root on a tmpfs at the bot's folder, bind-mounts what the
# bot may read into it, and makes every mount read-only. No privileges are needed where ordinary users may make user namespaces.
#
# Source: namespaces(7), user_namespaces(7), pivot_root(2), mount_setattr(2).

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
