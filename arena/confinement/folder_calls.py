"""Makes system calls for a sealed bot: those whose paths lie in its private folders.

The kernel never follows a path in the bot's memory: the harness copies the text once, and looks it up below the private folder,
which it has open, without links, mounts and ``..`` (openat2(2)). It opens the file and gives the bot a copy of the descriptor
(seccomp_unotify(2)). So it does not matter if other threads of the bot change the text meanwhile. Calls on an open file name no
path, so the bot makes them itself; only fstat(3), which many C libraries implement with an empty path, is made here too.
"""

import ctypes
import errno
import fcntl
import os
import platform
import re
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

from msgspec import Struct

from arena.confinement.kernel import OPENAT2, system_call
from arena.confinement.syscalls import NUMBERS_HERE

# Receives and answers the calls that a filter suspends, at the listener of its program. Source: seccomp_unotify(2).

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
    if waiting := _ioctl(listener, RECEIVE, EMPTY):
        thread, number = waiting[8:12], waiting[16:20]
        is_refused = number == CLONE and _threads_beside(int.from_bytes(thread, sys.byteorder)) >= threads
        _ioctl(listener, SEND, waiting[:8] + (NO_THREAD if is_refused else CONTINUE))


def _threads_beside(thread: int) -> int:
    """Return the number of threads of a thread's process, itself included; 0: it has ended."""
    try:
        return len(os.listdir(f"/proc/{thread}/task"))
    except OSError:
        return 0


def _ioctl(listener: int, operation: int, message: bytes) -> bytes | None:
    """Return the kernel's answer; None: the call that waited has ended. Raises: OSError."""
    try:
        return fcntl.ioctl(listener, operation, message)
    except OSError as error:
        if error.errno not in ENDED:
            raise
        return None


# The memory and the files of a bot's process, in /proc. Source: proc(5).
#
# The kernel shows them to a process of the same user. A harness that is root becomes that user meanwhile, because root in a
# container may not read those of other users' processes (CAP_SYS_PTRACE).

AT_FDCWD = -100
LONGEST_PATH = 4096  # bytes, the null byte included: PATH_MAX
PAGE = 4096
END_OF_ADDRESSES = 1 << 62  # of a process, on every machine; beyond are the kernel's
READ_BYTES = 1 << 16
LONGEST_TABLE = 4 << 20  # bytes of /proc/PID/maps; of Java 0.1 MB, of a bot that maps a long path 65,530 times 270 MB
MAPPED = re.compile(rb"^\S+ \S+ \S+ (\S+) (\d+) +(/.*)$", re.MULTILINE)  # a line of /proc/PID/maps

MappedFile = tuple[bytes, bytes, bytes]  # device, inode and path
_library = ctypes.CDLL(None)


class ProcFolder:
    """The folder of a process in /proc. Each method raises OSError if the process has ended, or may not be examined."""

    def __init__(self, pid: int) -> None:
        self._path = f"/proc/{pid}"

    @contextmanager
    def as_its_user(self) -> Iterator[None]:
        """Make this thread access files as the process's user. Source: setfsuid(2)."""
        of_process = os.stat(self._path)
        if of_process.st_uid == os.geteuid():
            yield
            return
        _library.setfsgid(of_process.st_gid)
        _library.setfsuid(of_process.st_uid)
        try:
            yield
        finally:
            _library.setfsuid(os.geteuid())
            _library.setfsgid(os.getegid())

    def read_path(self, address: int) -> str:
        """Return the text at an address, up to its null byte; what is not UTF-8 has surrogates, as everywhere in ``os``."""
        text = b""
        with self._memory(address, os.O_RDONLY) as memory:
            while len(text) < LONGEST_PATH:
                at = address + len(text)
                found, end, _ = os.pread(memory, PAGE - at % PAGE, at).partition(b"\0")  # the next page may not exist
                text += found
                if end:
                    return os.fsdecode(text)
                if not found:  # the process has ended
                    break
        raise OSError(errno.ENAMETOOLONG, "a path without an end")

    def write(self, address: int, content: bytes) -> None:
        """Write to an address."""
        with self._memory(address, os.O_WRONLY) as memory:
            os.pwrite(memory, content, address)

    def path_of(self, folder: int) -> str:
        """Return the path of one of its open folders, as the process sees it; AT_FDCWD: its working folder."""
        return os.readlink(self._link(folder))

    def open_file(self, number: int) -> int:
        """Open one of its open files again, without access to the content (O_PATH); return the descriptor."""
        return os.open(self._link(number), os.O_PATH | os.O_CLOEXEC)

    def _link(self, number: int) -> str:
        return f"{self._path}/cwd" if number == AT_FDCWD else f"{self._path}/fd/{number}"

    def open_files(self) -> Iterator[str]:
        """Yield a path in /proc for each open file of each thread; threads need not have the same."""
        for thread in os.listdir(f"{self._path}/task"):
            with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
                yield from (f"{self._path}/task/{thread}/fd/{number}" for number in os.listdir(f"{self._path}/task/{thread}/fd"))

    def mapped_files(self) -> set[MappedFile]:
        """Return the files that it has mapped. Its main thread must be alive, and the table of its memory not too long."""
        text = bytearray()
        with closing_file(os.open(f"{self._path}/maps", os.O_RDONLY | os.O_CLOEXEC)) as table:
            while chunk := os.read(table, READ_BYTES):
                text += chunk
                if len(text) > LONGEST_TABLE:
                    raise OSError(errno.E2BIG, f"the table of its mapped memory has more than {LONGEST_TABLE >> 20} MB (map less)")
        found = {*MAPPED.findall(text)}
        if not found:
            raise ProcessLookupError(errno.ESRCH, "the main thread has ended")
        return found

    def paths(self, file: MappedFile) -> Iterator[str]:
        r"""Yield the paths in /proc that a mapped file may have: in the table, ``\012`` is a newline or these four characters."""
        *_, path = file
        for text in {path, path.replace(rb"\012", b"\n")}:
            yield f"{self._path}/root{os.fsdecode(text)}"

    @contextmanager
    def _memory(self, address: int, flags: int) -> Iterator[int]:
        if address >= END_OF_ADDRESSES:
            raise OSError(errno.EFAULT, "not an address")
        with closing_file(os.open(f"{self._path}/mem", flags | os.O_CLOEXEC)) as memory:
            yield memory


NO_XDEV, NO_MAGICLINKS, NO_SYMLINKS, BENEATH = 1, 2, 4, 8  # RESOLVE_* of openat2(2)
AT_REMOVEDIR, AT_EMPTY_PATH, O_TMPFILE = 0x200, 0x1000, 0x400000
STAT_BYTES, STATX_BYTES = {"x86_64": 144, "aarch64": 128}, 256
PATHS = {  # the numbers of the arguments that are an open folder (None: the working folder) and a path in it
    **dict.fromkeys(("open", "stat", "lstat", "access", "readlink", "chdir", "execve", "mkdir", "rmdir", "unlink"), ((None, 0),)),
    **dict.fromkeys(("openat", "newfstatat", "statx", "faccessat", "faccessat2", "readlinkat", "mkdirat", "unlinkat"), ((0, 1),)),
    "rename": ((None, 0), (None, 1)),
    **dict.fromkeys(("renameat", "renameat2"), ((0, 1), (2, 3))),
}
_NAMES = {number: name for name, number in NUMBERS_HERE.items()}


class OutsideError(Exception):
    """A call for which there is no handler, or with a path outside the private folders, or one that cannot be read."""

    def __init__(self, path: str = "") -> None:
        super().__init__(path)
        self.path = path  # empty: it has none, or it could not be read


class _How(ctypes.Structure):
    """struct open_how."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class PathInFolder(Struct, frozen=True):
    """A path in a private folder."""

    folder: int  # its descriptor
    path: str  # relative to it

    def open(self, flags: int, mode: int = 0) -> int:
        """Open it, and return the descriptor. Raises: OSError."""
        return _open_beneath(self.folder, self.path, flags, mode)

    @property
    def name(self) -> str:
        """Return the last name of the path."""
        return os.path.basename(self.path)

    @contextmanager
    def parent(self) -> Iterator[int]:
        """Yield a descriptor of the folder that it is in. Raises: OSError."""
        above = _open_beneath(self.folder, os.path.dirname(self.path) or ".", os.O_PATH | os.O_DIRECTORY)
        with closing_file(above):
            yield above


def _open_beneath(folder: int, path: str, flags: int, mode: int = 0) -> int:
    how = _How(flags=flags | os.O_CLOEXEC, mode=mode, resolve=NO_XDEV | NO_MAGICLINKS | NO_SYMLINKS | BENEATH)
    return system_call(OPENAT2, folder, os.fsencode(path), how, ctypes.sizeof(how))


class Request(Struct, frozen=True):
    """A suspended call of a bot, which waits for an answer."""

    listener: int
    bot: ProcFolder
    identity: bytes
    name: str
    arguments: tuple[int, ...]  # of 64 bits each

    def argument(self, number: int) -> int:
        """Return an argument as the kernel reads flags, modes and descriptors: 32 bits."""
        return self.arguments[number] & 0xFFFFFFFF

    def path(self, folder_argument: int | None, path_argument: int) -> str:
        """Return the path in an argument as an absolute path; empty: the argument is. Raises: OSError.

        ``..`` is removed from the text, without looking up links: private folders have none.
        """
        text = self.bot.read_path(self.arguments[path_argument])
        if not text:
            return ""
        folder = AT_FDCWD if folder_argument is None else _as_signed(self.argument(folder_argument))
        base = "" if text.startswith("/") else self.bot.path_of(folder)
        return "/" + os.path.normpath(f"{base}/{text}").lstrip("/")  # normpath keeps two slashes at the start

    def answer(self, value: int = 0) -> None:
        """Have the call return a value, without making it."""
        _ioctl(self.listener, SEND, ANSWER.pack(self.identity, value, 0, 0))

    def refuse(self, error: int) -> None:
        """Have the call fail with an error number, without making it."""
        _ioctl(self.listener, SEND, ANSWER.pack(self.identity, 0, -error, 0))

    def give_copy(self, file: int, flags: int) -> None:
        """Give the bot a copy of an open file, and have the call return its number. ``flags``: O_CLOEXEC or 0. Raises: OSError."""
        try:
            # with a mutable argument, ``ioctl`` returns the kernel's result: the bot's new descriptor
            number = fcntl.ioctl(self.listener, ADD, bytearray(ADDITION.pack(self.identity, 0, file, 0, flags)))
        except OSError as error:
            if error.errno not in ENDED:
                raise
        else:
            self.answer(number)


def next_request(listener: int, bot: ProcFolder) -> Request | None:
    """Return the call of a bot that waits at a listener; None: it has ended."""
    if waiting := _ioctl(listener, RECEIVE, EMPTY):
        identity, number, *arguments = CALL.unpack(waiting)
        return Request(listener, bot, identity, _NAMES[number], tuple(arguments))
    return None


def answer_call(request: Request, folders: Mapping[str, int]) -> None:
    """Make a call if all its paths are in ``folders``, descriptors of private folders by path, or if it is fstat(3).

    Raises: OutsideError.
    """
    try:
        paths = [request.path(*numbers) for numbers in PATHS.get(request.name, ())]
    except OSError:
        raise OutsideError from None
    try:
        if paths == [""] and request.name in ("newfstatat", "statx"):
            _stat_open_file(request)
            return
        places = [_place(path, folders) for path in paths]
        if request.name not in HANDLERS:
            raise OutsideError(*paths[:1])
        HANDLERS[request.name](request, *places)
    except OSError as error:
        request.refuse(error.errno or errno.EIO)


def _place(path: str, folders: Mapping[str, int]) -> PathInFolder:
    for folder, descriptor in folders.items():
        if path == folder or path.startswith(f"{folder}/"):
            return PathInFolder(descriptor, path[len(folder) + 1 :] or ".")
    raise OutsideError(path)


def _stat_open_file(request: Request) -> None:
    """Answer fstat(3) on any open file of the bot: a call with an empty path (AT_EMPTY_PATH)."""
    with closing_file(request.bot.open_file(_as_signed(request.argument(0)))) as file:
        _answer_stat(request, file)


def _open(request: Request, place: PathInFolder) -> None:
    position = 1 if request.name == "open" else 2
    flags = request.argument(position)
    creates = flags & (os.O_CREAT | O_TMPFILE)
    with closing_file(place.open(flags, request.argument(position + 1) & 0o7777 if creates else 0)) as file:
        request.give_copy(file, flags & os.O_CLOEXEC)


def _stat(request: Request, place: PathInFolder) -> None:
    with closing_file(place.open(os.O_PATH | os.O_NOFOLLOW)) as file:
        _answer_stat(request, file)


def _answer_stat(request: Request, file: int) -> None:
    """Write the kernel's status of an open file to the bot's memory, unchanged."""
    if request.name == "statx":
        found = ctypes.create_string_buffer(STATX_BYTES)
        system_call(NUMBERS_HERE["statx"], file, b"", AT_EMPTY_PATH | request.argument(2), request.argument(3), found)
        address = request.arguments[4]
    else:
        found = ctypes.create_string_buffer(STAT_BYTES[platform.machine()])
        system_call(NUMBERS_HERE["fstat"], file, found)
        address = request.arguments[2 if request.name == "newfstatat" else 1]
    request.bot.write(address, found.raw)
    request.answer()


def _access(request: Request, place: PathInFolder) -> None:
    mode = request.argument(1 if request.name == "access" else 2) & (os.R_OK | os.W_OK | os.X_OK)
    with place.parent() as parent:
        if not os.access(place.name, mode, dir_fd=parent, effective_ids=True, follow_symlinks=False):
            os.stat(place.name, dir_fd=parent)  # raises FileNotFoundError if the file is missing
            raise PermissionError(errno.EACCES, "access")
    request.answer()


def _read_link(_: Request, place: PathInFolder) -> None:
    """Refuse: there are no links in private folders. Opening raises the error of a path that does not exist."""
    os.close(place.open(os.O_PATH))
    raise OSError(errno.EINVAL, "not a link")


def _make_folder(request: Request, place: PathInFolder) -> None:
    with place.parent() as parent:
        os.mkdir(place.name, request.argument(1 if request.name == "mkdir" else 2) & 0o777, dir_fd=parent)
    request.answer()


def _remove(request: Request, place: PathInFolder) -> None:
    is_folder = request.name == "rmdir" or (request.name == "unlinkat" and request.argument(2) & AT_REMOVEDIR)
    remove = os.rmdir if is_folder else os.unlink
    with place.parent() as parent:
        remove(place.name, dir_fd=parent)
    request.answer()


def _rename(request: Request, place: PathInFolder, new: PathInFolder) -> None:
    flags = request.argument(4) if request.name == "renameat2" else 0
    with place.parent() as parent, new.parent() as other:
        system_call(NUMBERS_HERE["renameat2"], parent, os.fsencode(place.name), other, os.fsencode(new.name), flags)
    request.answer()


HANDLERS: dict[str, Callable[..., None]] = {
    **dict.fromkeys(("open", "openat"), _open),
    **dict.fromkeys(("stat", "lstat", "newfstatat", "statx"), _stat),
    **dict.fromkeys(("access", "faccessat", "faccessat2"), _access),
    **dict.fromkeys(("readlink", "readlinkat"), _read_link),
    **dict.fromkeys(("mkdir", "mkdirat"), _make_folder),
    **dict.fromkeys(("unlink", "unlinkat", "rmdir"), _remove),
    **dict.fromkeys(("rename", "renameat", "renameat2"), _rename),
}


@contextmanager
def closing_file(file: int) -> Iterator[int]:
    """Close an open file at the end."""
    try:
        yield file
    finally:
        os.close(file)


def _as_signed(number: int) -> int:
    """Return a number of 32 bits with its sign."""
    return number - (1 << 32) if number >> 31 else number
