"""Rogues that talk to the bot in the other seat: one speaks, and when it has, the other one listens.

A speaker stays until the referee ends it. Alone, either is stopped by failing.
"""

import fcntl
import mmap
import os
import socket
import time
from collections.abc import Callable
from ctypes import CDLL, create_string_buffer
from pathlib import Path
from typing import IO

from tests.rogues.rogue import Scene, call, rogue

KEY = 0x4152454E  # of an object of System V
STAY = 1.5  # seconds
NO_WAIT = 0o4000
USER_KEYRING = -4


def _stay() -> bool:
    """Tell the referee that it was said, and keep it alive; that it could be said does not count."""
    os.write(1, b"spoken\n")
    time.sleep(STAY)
    return False


@rogue(pair=True)
def talk_by_an_abstract_socket(scene: Scene) -> bool:
    name = "\0arena-between-bots"
    if scene.role == "speaks":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(name)
            listener.listen()
            return _stay()
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(name)
    return True


@rogue(pair=True)
def talk_by_tcp(scene: Scene) -> bool:
    address = ("127.0.0.1", scene.port + 1)
    if scene.role == "speaks":
        with socket.create_server(address):
            return _stay()
    socket.create_connection(address, timeout=1).close()
    return True


@rogue(pair=True)
def talk_by_a_file(scene: Scene) -> bool:
    note = Path(scene.stage, "open/between")
    if scene.role == "speaks":
        note.write_text("x", encoding="ascii")
        return _stay()
    return note.read_text(encoding="ascii") == "x"


@rogue(pair=True)
def talk_by_a_lock(scene: Scene) -> bool:
    return _by_lock(scene, lambda file: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB))


@rogue(pair=True)
def talk_by_a_lock_on_their_interpreter(scene: Scene) -> bool:
    with open(os.__file__, "rb") as file:
        return _locked(scene, lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB))


@rogue(pair=True)
def talk_by_a_record_lock(scene: Scene) -> bool:
    with open(os.__file__, "rb") as file:
        if scene.role == "speaks":
            fcntl.lockf(file, fcntl.LOCK_SH)
            return _stay()
        asked = fcntl.fcntl(file, fcntl.F_GETLK, bytes([fcntl.F_WRLCK]) + bytes(31))
        return asked[0] != fcntl.F_UNLCK


@rogue(pair=True)
def talk_by_a_lease(scene: Scene) -> bool:
    with open(f"{scene.folder}/bait", "rb") as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        return _stay() if scene.role == "speaks" else True


def _by_lock(scene: Scene, lock: Callable[[IO[bytes]], None]) -> bool:
    with Path(scene.stage, "open/note").open("rb") as file:
        return _locked(scene, lambda: lock(file))


def _locked(scene: Scene, lock: Callable[[], None]) -> bool:
    if scene.role == "speaks":
        lock()
        return _stay()
    try:
        lock()
    except BlockingIOError:
        return True
    return False


@rogue(pair=True)
def talk_by_shared_memory(scene: Scene) -> bool:
    segment = call("shmget", KEY, 4096, 0o1666 if scene.role == "speaks" else 0o666)
    return _stay() if scene.role == "speaks" else segment >= 0


@rogue(pair=True)
def talk_by_a_semaphore(scene: Scene) -> bool:
    semaphore = call("semget", KEY, 1, 0o1666 if scene.role == "speaks" else 0o666)
    return _stay() if scene.role == "speaks" else semaphore >= 0


@rogue(pair=True)
def talk_by_a_message_queue(scene: Scene) -> bool:
    queue = call("msgget", KEY, 0o1666)
    if scene.role == "speaks":
        call("msgsnd", queue, (1).to_bytes(8, "little") + b"hi", 2, 0)
        return _stay()
    heard = create_string_buffer(16)
    return bool(CDLL(None).msgrcv(queue, heard, 2, 0, NO_WAIT) == 2)


@rogue(pair=True)
def talk_by_a_posix_queue(scene: Scene) -> bool:
    flags = os.O_RDWR | (os.O_CREAT if scene.role == "speaks" else 0)
    queue = call("mq_open", b"between", flags, 0o666, 0)
    return _stay() if scene.role == "speaks" else queue >= 0


@rogue(pair=True)
def talk_by_a_keyring(scene: Scene) -> bool:
    if scene.role == "speaks":
        call("add_key", b"user", b"between", b"x", 1, USER_KEYRING)
        return _stay()
    return call("keyctl", 10, USER_KEYRING, b"user", b"between", 0) > 0


@rogue(pair=True)
def talk_by_mapping_a_file(scene: Scene) -> bool:
    with Path(scene.stage, "open/note").open("r+b") as file, mmap.mmap(file.fileno(), 1) as page:
        if scene.role == "speaks":
            page[0] = ord("!")
            return _stay()
        return page[0] == ord("!")


@rogue(pair=True)
def talk_by_watching_a_file(scene: Scene) -> bool:
    """The speaker opens a file that both may read, again and again; the listener is told."""
    path = os.__file__
    if scene.role == "speaks":
        os.write(1, b"spoken\n")
        for _number in range(30):
            Path(path).read_bytes()
            time.sleep(0.05)
        return False
    watcher = call("inotify_init1", 0)
    call("inotify_add_watch", watcher, path.encode(), 0x20)
    return len(os.read(watcher, 100)) > 0


@rogue(pair=True)
def talk_by_the_time_of_a_file(scene: Scene) -> bool:
    bait = f"{scene.folder}/bait"
    if scene.role == "speaks":
        os.utime(bait, (4242, 4242))
        return _stay()
    return os.stat(bait).st_mtime == 4242


@rogue(pair=True)
def talk_by_the_attributes_of_a_file(scene: Scene) -> bool:
    bait = f"{scene.folder}/bait"
    if scene.role == "speaks":
        os.setxattr(bait, "user.between", b"x")
        return _stay()
    return os.getxattr(bait, "user.between") == b"x"


@rogue(pair=True)
def talk_by_process_names(scene: Scene) -> bool:
    if scene.role == "speaks":
        Path("/proc/self/comm").write_text("between", encoding="ascii")
        return _stay()
    return any(_named(process) for process in os.listdir("/proc") if process.isdigit())


def _named(process: str) -> bool:
    return Path(f"/proc/{process}/comm").read_text(encoding="ascii").strip() == "between"


@rogue(pair=True, root_only=True)
def talk_by_the_hosts_name(scene: Scene) -> bool:
    if scene.role == "speaks":
        call("sethostname", b"between", 7)
        return _stay()
    return os.uname().nodename == "between"
