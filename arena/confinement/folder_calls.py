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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from msgspec import Struct

from arena.confinement.libc import system_call
from arena.confinement.listener import ADD, ADDITION, ANSWER, CALL, EMPTY, ENDED, RECEIVE, SEND, ioctl
from arena.confinement.process_files import AT_FDCWD, ProcFolder, closing_file
from arena.confinement.syscalls import NUMBERS_HERE

OPENAT2 = 437
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
        ioctl(self.listener, SEND, ANSWER.pack(self.identity, value, 0, 0))

    def refuse(self, error: int) -> None:
        """Have the call fail with an error number, without making it."""
        ioctl(self.listener, SEND, ANSWER.pack(self.identity, 0, -error, 0))

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
    if waiting := ioctl(listener, RECEIVE, EMPTY):
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


def _as_signed(number: int) -> int:
    """Return a number of 32 bits with its sign."""
    return number - (1 << 32) if number >> 31 else number
