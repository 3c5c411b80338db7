"""Rogues that use rarely used parts of the kernel, where sandboxes have had holes."""

import ctypes
import fcntl
import mmap
import os
import platform
import struct

from rogues.rogue import Scene, call, numbered_call, rogue

CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWIPC = 0x10000000, 0x20000, 0x40000000, 0x8000000
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
X86 = platform.machine() == "x86_64"


@rogue()
def makes_a_user_namespace(_: Scene) -> bool:
    return call("unshare", CLONE_NEWUSER) == 0


@rogue()
def makes_namespaces_of_all_kinds(_: Scene) -> bool:
    return call("unshare", CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC) == 0


@rogue()
def mounts_a_folder(scene: Scene) -> bool:
    call("unshare", CLONE_NEWUSER | CLONE_NEWNS)
    return call("mount", b"tmpfs", scene.folder.encode(), b"tmpfs", 0, b"") == 0


@rogue()
def opens_a_mount(_: Scene) -> bool:
    return call("open_tree", -100, b"/", 0) >= 0


@rogue()
def opens_a_file_system(_: Scene) -> bool:
    call("unshare", CLONE_NEWUSER | CLONE_NEWNS)
    return call("fsopen", b"tmpfs", 0) >= 0


@rogue(root_only=True)
def changes_its_root(scene: Scene) -> bool:
    return call("chroot", scene.stage.encode()) == 0


@rogue()
def joins_a_namespace(_: Scene) -> bool:
    call("unshare", CLONE_NEWUSER | CLONE_NEWNET)
    return call("setns", os.open("/proc/self/ns/net", os.O_RDONLY), 0) == 0


@rogue()
def loads_a_program_into_the_kernel(_: Scene) -> bool:
    return _checked_arguments("bpf", -1, -1, -1)


@rogue()
def opens_a_ring(_: Scene) -> bool:
    return call("io_uring_setup", 4, bytes(120)) >= 0


@rogue()
def counts_events(_: Scene) -> bool:
    return _checked_arguments("perf_event_open", -1, -1, -1, -1, -1)


@rogue()
def handles_its_own_page_faults(_: Scene) -> bool:
    return call("userfaultfd", 1) >= 0


@rogue()
def reads_the_keyrings(_: Scene) -> bool:
    return call("keyctl", 0, -3, 1) > 0


@rogue()
def installs_a_filter(_: Scene) -> bool:
    return _checked_arguments("seccomp", -1, -1, -1)


@rogue()
def disables_address_randomness(_: Scene) -> bool:
    return call("personality", 0x40000) >= 0


@rogue()
def watches_all_files(_: Scene) -> bool:
    return call("fanotify_init", 0x200, 0) >= 0  # FAN_REPORT_FID, which needs no privilege


@rogue()
def flushes_every_disk(_: Scene) -> bool:
    return call("sync") == 0


@rogue()
def moves_pipes_without_copying(_: Scene) -> bool:
    read, write = os.pipe()
    os.write(write, b"x")
    return call("tee", read, os.pipe()[1], 1, 0) == 1


@rogue()
def types_into_a_terminal(_: Scene) -> bool:
    """Only tests whether the kernel looks at the command: there is no terminal here."""
    return _reaches_a_device(TIOCSTI)


@rogue()
def pastes_into_a_terminal(_: Scene) -> bool:
    return _reaches_a_device(TIOCLINUX)


def _reaches_a_device(command: int) -> bool:
    try:
        fcntl.ioctl(1, command, b"\3")
    except OSError as error:
        return error.errno != 1
    return True


@rogue()
def creates_a_key(_: Scene) -> bool:
    return call("add_key", b"user", b"rogue", b"x", 1, -2) > 0


@rogue()
def opens_a_file_the_new_way(scene: Scene) -> bool:
    how = struct.pack("QQQ", os.O_RDONLY, 0, 0)
    return numbered_call(437, -100, f"{scene.folder}/bait".encode(), how, 24) >= 0


@rogue()
def restricts_itself_further(_: Scene) -> bool:
    return call("landlock_create_ruleset", 0, 0, 1) > 0


@rogue()
def calls_as_a_program_of_thirty_two_bits(_: Scene) -> bool:
    """``int 0x80`` enters the kernel by the table of another architecture: mov eax, 20 (getpid); int 0x80; ret."""
    if not X86:
        raise OSError("this machine has only one table of system calls")
    code = bytes.fromhex("b814000000cd80c3")
    page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    return int(function()) == os.getpid()


def _checked_arguments(name: str, *arguments: int) -> bool:
    """Return whether the kernel checked a call's arguments, which are invalid."""
    try:
        call(name, *arguments)
    except OSError as error:
        return error.errno not in {1, 38}
    return True
