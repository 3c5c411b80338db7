"""``python cage.py SUITE USER SETTING [NAME ...]``: runs rogues where they can do no harm, with or without a sandbox.

``SUITE``: ``referee``, for the attacks of one bot, ``sealing``, for those on its seal, ``disturbing``, for those on a match, or
``conversations``, for the channels between two. ``USER``: ``root``,
``ordinary`` or ``current``, the user who runs it. ``SETTING``: A, B or C, the profile under which templates start the rogues;
A-launcher and so on, where launchers start them; A-learning and so on, where they have a state folder; or ``bare``, which means no
sandbox.

The cage is a set of new namespaces. It includes a user namespace, so that even its root is an unprivileged user outside. Its /tmp,
/root and /dev/shm are small and private, nothing else can be written, and when its first process ends everything in it ends. The
rogues run from a copy of the package.
"""

import compileall
import ctypes
import fcntl
import json
import os
import resource
import shutil
import signal
import socket
import struct
import sys
from pathlib import Path

NEW = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
MS_RDONLY, MS_NOSUID, MS_REC, MS_BIND, MS_PRIVATE = 1, 2, 16384, 4096, 1 << 18
ORDINARY = 12345
PRIVATE = ("/tmp", "/root", "/dev/shm")  # noqa: S108 - what is replaced
STAGE = "/tmp/stage"  # noqa: S108 - private to the cage
CHECKOUT = Path(__file__).parents[2]
LIMITS = {resource.RLIMIT_DATA: 2 << 30, resource.RLIMIT_CPU: 240, resource.RLIMIT_NPROC: 2000, resource.RLIMIT_CORE: 0}

_library = ctypes.CDLL(None, use_errno=True)


def main(suite: str, user: str, setting: str, names: list[str]) -> int:
    """Enter the cage, run the rogues as a child of its first process, and return their exit code."""
    _library.prctl(1, signal.SIGKILL, 0, 0, 0)
    _enter()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    _library.prctl(1, signal.SIGKILL, 0, 0, 0)
    _furnish(ORDINARY if user == "ordinary" else 0)
    referee = os.fork()
    if referee:
        _reap(referee)
    for kind, value in LIMITS.items():
        resource.setrlimit(kind, (value, value))
    if user == "ordinary":
        os.setgroups([])
        os.setresgid(ORDINARY, ORDINARY, ORDINARY)
        os.setresuid(ORDINARY, ORDINARY, ORDINARY)
    environment = {"PYTHONPATH": f"{STAGE}/package", "SECRET": "the sandbox leaks", "PATH": "/usr/bin:/bin"}
    os.chdir("/")
    os.execve(sys.executable, [sys.executable, "-s", "-P", "-m", f"rogues.{suite}", setting, *names], environment)  # noqa: S606 - becoming it
    return 1


def _enter() -> None:
    """Make the namespaces; a helper process outside writes the maps of all users, which a process inside may not."""
    all_users = "0 0 65536" if os.geteuid() == 0 else f"0 {os.geteuid()} 1"
    ready, done = os.pipe(), os.pipe()
    process = os.getpid()
    if os.fork() == 0:
        os.close(ready[1])
        if os.read(ready[0], 1):
            Path(f"/proc/{process}/uid_map").write_text(all_users, encoding="ascii")
            Path(f"/proc/{process}/gid_map").write_text(all_users, encoding="ascii")
            os.write(done[1], b"x")
        os._exit(0)
    _check(_library.unshare(NEW))
    os.close(done[1])
    os.write(ready[1], b"x")
    if not os.read(done[0], 1):
        raise PermissionError("the maps of users could not be written")
    os.wait()


def _furnish(owner: int) -> None:
    """Mount private folders over what could be written, the interpreter at its old path, and the files of the attacks."""
    checkout = os.open(CHECKOUT, os.O_RDONLY | os.O_DIRECTORY)
    interpreter = [(path, os.open(path, os.O_PATH)) for path in {sys.prefix, sys.base_prefix}]
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    for folder in PRIVATE:
        _mount("tmpfs", folder, "tmpfs", MS_NOSUID, "size=64m,nr_inodes=20k,mode=1777" if folder != "/root" else "size=1m,mode=755")
    for path, descriptor in interpreter:
        os.makedirs(path, exist_ok=True)
        _mount(f"/proc/self/fd/{descriptor}", path, None, MS_BIND | MS_REC)
        os.close(descriptor)
    package = Path(STAGE, "package")
    for name in ("arena", "tests/rogues"):
        shutil.copytree(f"/proc/self/fd/{checkout}/{name}", package / Path(name).name, ignore=shutil.ignore_patterns("__pycache__"))
    os.close(checkout)
    sys.pycache_prefix = None  # beside the sources, where the rogues' interpreter looks
    compileall.compile_dir(package, quiet=2)
    _mount("proc", "/proc", "proc", 0)
    _lay_out(Path(STAGE), owner)
    _raise_loopback()


def _lay_out(stage: Path, owner: int) -> None:
    """Make secrets and bait; every file is open to all users, so that only a sandbox protects it."""
    for path in (
        "home/key",
        "results/spec.yaml",
        "results/seed",
        "results/arena.sqlite",
        "results/states/other",
        "bots/other/bot.py",
        "bots/rogue/bait",
        *(f"bots/rogue/{name}" for number in range(64) for name in (f"leaf-{number}", f"branch-{number}/leaf")),
        "open/note",
        "state/kept",
    ):
        file = stage / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("the sandbox leaks\n", encoding="ascii")
    (stage / "bots/rogue/link-to-the-secret").symlink_to("../../home/key")
    program = stage / "bots/rogue/program"
    program.write_text("#!/bin/sh\necho succeeded\n", encoding="ascii")
    for placed in (stage, *stage.rglob("*")):
        if not placed.is_symlink():
            placed.chmod(0o777 if placed.is_dir() or placed == program else 0o666)
            os.chown(placed, owner, owner)


def _raise_loopback() -> None:
    """Bring up the cage's loopback interface."""
    with socket.socket() as any_socket:
        request = struct.pack("16sH14x", b"lo", 1)
        fcntl.ioctl(any_socket, 0x8914, request)


def _reap(referee: int) -> None:
    """Act as the first process: reap orphans until the referee ends, then end the cage."""
    while True:
        ended, status = os.wait()
        if ended == referee:
            os._exit(os.waitstatus_to_exitcode(status))


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    names = (name if name is None else name.encode() for name in (source, target, kind))
    _check(_library.mount(*names, ctypes.c_ulong(flags), options.encode()))


def _check(result: int) -> None:
    if result:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
    except OSError as refused:
        sys.stdout.write(json.dumps({"no cage": str(refused)}))
        sys.exit(3)
