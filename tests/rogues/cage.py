"""``python cage.py USER PROFILE [NAME ...]``: runs the rogues where they can hurt nothing, walls or no walls.

The cage is a set of namespaces of its own, user namespace included, so that even its root is nobody outside; its /tmp, /root and
/dev/shm are small and private, nothing else may be written, and all in it dies with it. Works from a copy of the package.
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
STAGE = "/tmp/stage"  # noqa: S108 - in the cage, where nobody else is
CHECKOUT = Path(__file__).parents[2]
LIMITS = {resource.RLIMIT_DATA: 2 << 30, resource.RLIMIT_CPU: 240, resource.RLIMIT_NPROC: 2000, resource.RLIMIT_CORE: 0}

_library = ctypes.CDLL(None, use_errno=True)


def main(user: str, profile: str, names: list[str]) -> int:
    """Enter the cage, run the rogues as its first process's child, and return their exit code."""
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
    environment = {"PYTHONPATH": f"{STAGE}/package", "SECRET": "the walls are down", "PATH": "/usr/bin:/bin"}
    os.chdir("/")
    os.execve(sys.executable, [sys.executable, "-s", "-P", "-m", "rogues.referee", profile, *names], environment)  # noqa: S606 - becoming it
    return 1


def _enter() -> None:
    """Make the namespaces; a helper outside, which may, writes the maps of all users."""
    everybody = "0 0 65536" if os.geteuid() == 0 else f"0 {os.geteuid()} 1"
    ready, done = os.pipe(), os.pipe()
    process = os.getpid()
    if os.fork() == 0:
        os.close(ready[1])
        if os.read(ready[0], 1):
            Path(f"/proc/{process}/uid_map").write_text(everybody, encoding="ascii")
            Path(f"/proc/{process}/gid_map").write_text(everybody, encoding="ascii")
            os.write(done[1], b"x")
        os._exit(0)
    _check(_library.unshare(NEW))
    os.close(done[1])
    os.write(ready[1], b"x")
    if not os.read(done[0], 1):
        raise PermissionError("the maps of users could not be written")
    os.wait()


def _furnish(owner: int) -> None:
    """Cover what may be written, show the interpreter where it was, and lay out the stage."""
    checkout = os.open(CHECKOUT, os.O_RDONLY | os.O_DIRECTORY)
    shown = [(path, os.open(path, os.O_PATH)) for path in {sys.prefix, sys.base_prefix}]
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    for folder in PRIVATE:
        _mount("tmpfs", folder, "tmpfs", MS_NOSUID, "size=64m,nr_inodes=20k,mode=1777" if folder != "/root" else "size=1m,mode=755")
    for path, descriptor in shown:
        os.makedirs(path, exist_ok=True)
        _mount(f"/proc/self/fd/{descriptor}", path, None, MS_BIND | MS_REC)
        os.close(descriptor)
    package = Path(STAGE, "package")
    for name in ("arena", "tests/rogues"):
        shutil.copytree(f"/proc/self/fd/{checkout}/{name}", package / Path(name).name, ignore=shutil.ignore_patterns("__pycache__"))
    os.close(checkout)
    compileall.compile_dir(package, quiet=2)
    _mount("proc", "/proc", "proc", 0)
    _lay_out(Path(STAGE), owner)
    _raise_loopback()


def _lay_out(stage: Path, owner: int) -> None:
    """Put secrets and bait where only walls keep a rogue away: every mode is open to all."""
    words = "the walls are down"
    for path in (
        "home/key",
        "results/spec.yaml",
        "results/seed",
        "results/arena.sqlite",
        "bots/other/bot.py",
        "bots/rogue/bait",
        "open/note",
    ):
        file = stage / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{words}\n", encoding="ascii")
    (stage / "bots/rogue/link-to-the-secret").symlink_to("../../home/key")
    program = stage / "bots/rogue/program"
    program.write_text("#!/bin/sh\necho through\n", encoding="ascii")
    for placed in (stage, *stage.rglob("*")):
        if not placed.is_symlink():
            placed.chmod(0o777 if placed.is_dir() or placed == program else 0o666)
            os.chown(placed, owner, owner)


def _raise_loopback() -> None:
    """Bring the cage's own loopback interface up."""
    with socket.socket() as any_socket:
        request = struct.pack("16sH14x", b"lo", 1)
        fcntl.ioctl(any_socket, 0x8914, request)


def _reap(referee: int) -> None:
    """Be the first process: take in orphans until the referee ends, and end the cage with it."""
    while True:
        ended, status = os.wait()
        if ended == referee:
            os._exit(os.waitstatus_to_exitcode(status))


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    words = (word if word is None else word.encode() for word in (source, target, kind))
    _check(_library.mount(*words, ctypes.c_ulong(flags), options.encode()))


def _check(found: int) -> None:
    if found:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
    except OSError as refused:
        sys.stdout.write(json.dumps({"no cage": str(refused)}))
        sys.exit(3)
