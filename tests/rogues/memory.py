"""Rogues that use more memory than they may. Each tries to use four times its limit and no more."""

import mmap
import os
import socket
import struct
import threading
from ctypes import CDLL, c_long, c_void_p, memset
from pathlib import Path

from rogues.rogue import Scene, call, rogue

PRIVATE, SHARED, ANONYMOUS, GROWSDOWN = 2, 1, 0x20, 0x100
READ, WRITE = 1, 2


def _map(size: int, flags: int, protection: int = READ | WRITE) -> int:
    """Map memory without Python's mmap, and return the address."""
    library = CDLL(None, use_errno=True)
    library.mmap.restype = c_void_p
    address = library.mmap(c_void_p(), c_long(size), protection, flags, -1, c_long(0))
    if address in {None, 2**64 - 1}:
        raise MemoryError(size)
    return int(address)


def _goal(scene: Scene) -> int:
    return 4 * scene.memory_mb << 20


@rogue()
def fills_the_heap(scene: Scene) -> bool:
    return len([bytearray(1 << 20) for _ in range(4 * scene.memory_mb)]) > 0


@rogue()
def makes_one_huge_object(scene: Scene) -> bool:
    return len(bytearray(_goal(scene))) > 0


@rogue()
def maps_private_memory(scene: Scene) -> bool:
    return len(mmap.mmap(-1, _goal(scene), flags=PRIVATE | ANONYMOUS)) > 0


@rogue()
def maps_shared_memory(scene: Scene) -> bool:
    return len(mmap.mmap(-1, _goal(scene), flags=SHARED | ANONYMOUS)) > 0


@rogue()
def makes_read_only_memory_writable(scene: Scene) -> bool:
    address = _map(_goal(scene), PRIVATE | ANONYMOUS, READ)
    return call("mprotect", address, _goal(scene), READ | WRITE) == 0


@rogue()
def maps_memory_that_grows_down(scene: Scene) -> bool:
    """Such memory counts as stack, which RLIMIT_DATA does not bound."""
    return all(_map(4 << 20, PRIVATE | ANONYMOUS | GROWSDOWN) for _ in range(scene.memory_mb))


@rogue()
def maps_an_endless_file(scene: Scene) -> bool:
    zero = os.open("/dev/zero", os.O_RDWR)
    return len(mmap.mmap(zero, _goal(scene), flags=SHARED)) > 0


@rogue()
def makes_a_file_in_memory(scene: Scene) -> bool:
    file = os.memfd_create("memory")
    return sum(os.write(file, bytes(1 << 20)) for _ in range(2 * scene.memory_mb)) > 0


@rogue()
def makes_a_secret_file_in_memory(_: Scene) -> bool:
    return call("memfd_secret", 0) >= 0


@rogue()
def makes_shared_memory_of_system_v(scene: Scene) -> bool:
    return call("shmget", 0, _goal(scene), 0o1600) >= 0


@rogue()
def makes_shared_memory_by_name(_: Scene) -> bool:
    with Path("/dev/shm/big").open("wb") as file:  # noqa: S108 - the attack
        return file.write(bytes(8 << 20)) > 0


@rogue()
def moves_the_break(scene: Scene) -> bool:
    start = call("brk", 0)
    return call("brk", start + _goal(scene)) >= start + _goal(scene)


@rogue()
def grows_a_mapping(scene: Scene) -> bool:
    address = _map(1 << 20, PRIVATE | ANONYMOUS)
    return call("mremap", address, 1 << 20, _goal(scene), 1) > 0


@rogue()
def locks_memory(_: Scene) -> bool:
    return call("mlock", _map(1 << 20, PRIVATE | ANONYMOUS), 1 << 20) == 0


@rogue()
def uses_up_page_tables(_: Scene) -> bool:
    """A page that is only read costs no memory, but its page table does: 4 KB for each 2 MB. Bounded: 100 MB of them."""
    library = CDLL(None)
    for _block in range(10):
        address = _map(5 << 30, PRIVATE | ANONYMOUS | 0x4000, READ)
        library.memcmp.argtypes = (c_void_p, c_void_p, c_long)
        for page in range(address, address + (5 << 30), 2 << 20):
            library.memcmp(page, page, 1)
    return all(_map(5 << 30, PRIVATE | ANONYMOUS | 0x4000, READ) for _block in range(10))


@rogue()
def makes_its_pipes_bigger(_: Scene) -> bool:
    pipes = [os.pipe() for _ in range(8)]
    return all(_resize(write) for _, write in pipes)


def _resize(pipe: int) -> bool:
    return call("fcntl", pipe, 1031, 1 << 20) >= 1 << 20


@rogue()
def makes_its_socket_buffers_bigger(_: Scene) -> bool:
    one, _other = socket.socketpair()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    return True


@rogue()
def starts_threads_for_their_stacks(_: Scene) -> bool:
    threading.stack_size(64 << 20)
    waits = threading.Event()
    for _number in range(8):
        threading.Thread(target=waits.wait, daemon=True).start()
    return True


@rogue()
def raises_its_own_limit(scene: Scene) -> bool:
    call("prlimit64", 0, 2, struct.pack("QQ", _goal(scene), _goal(scene)), 0)
    return memset(_map(_goal(scene) // 2, PRIVATE | ANONYMOUS), 1, 1) is not None


@rogue()
def opens_a_thousand_files(_: Scene) -> bool:
    return len([os.open("/dev/null", os.O_RDONLY) for _ in range(1000)]) == 1000
