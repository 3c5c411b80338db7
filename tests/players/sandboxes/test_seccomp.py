import struct

import pytest

from arena.players.sandboxes.bpf import ALLOW, AND, ERRNO, JUMP_IF_EQUAL, KILL, LOAD, RETURN, SELF
from arena.players.sandboxes.calls import FREE, NEVER
from arena.players.sandboxes.seccomp import digest, program
from arena.players.sandboxes.syscalls import MACHINES, NUMBERS

EPERM, ENOSYS = ERRNO | 1, ERRNO | 38
PLAIN = {"programs": False, "threads": False, "scratch": False}
THREAD = 0x3D0F00  # what pthread_create passes to clone(2)


def judged(code: bytes, machine: str, name: str | int, *arguments: int) -> int:
    """Run a filter as the kernel does."""
    architecture, column = MACHINES[machine]
    number = name if isinstance(name, int) else NUMBERS[name][column]
    assert number is not None
    call = struct.pack("=IIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    program = list(struct.iter_unpack("=HBBI", code))
    at = loaded = 0
    while True:
        what, if_true, if_false, constant = program[at]
        at += 1
        if what == LOAD:
            (loaded,) = struct.unpack_from("=I", call, constant)
        elif what == AND:
            loaded &= constant
        elif what == JUMP_IF_EQUAL:
            at += if_true if loaded == constant else if_false
        elif what == RETURN:
            return int(constant)


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_what_every_program_does_is_allowed(machine: str) -> None:
    code = program(**PLAIN, machine=machine)

    verdicts = {judged(code, machine, name) for name in FREE if NUMBERS[name][MACHINES[machine][1]] is not None}

    assert verdicts == {ALLOW}


def test_what_is_never_a_bots_business_is_refused(machine: str) -> None:
    code = program(**PLAIN, machine=machine)

    verdicts = {judged(code, machine, name) for name in NEVER if NUMBERS[name][MACHINES[machine][1]] is not None}

    assert verdicts == {EPERM}


def test_an_unknown_call_does_not_exist(machine: str) -> None:
    assert judged(program(**PLAIN, machine=machine), machine, 9999) == ENOSYS


def test_a_call_in_the_new_form_of_clone_does_not_exist_so_that_the_old_one_is_made(machine: str) -> None:
    assert judged(program(**PLAIN, machine=machine), machine, 435) == ENOSYS


def test_a_call_by_another_architecture_kills() -> None:
    assert judged(program(**PLAIN, machine="x86_64"), "aarch64", "read") == KILL


@pytest.mark.parametrize(
    ("name", "arguments", "verdict"),
    [
        ("kill", (SELF, 9), ALLOW),
        ("kill", (1234, 9), EPERM),
        ("kill", (2**32 - 1, 9), EPERM),
        ("tgkill", (SELF, 7, 9), ALLOW),
        ("prlimit64", (0, 7), ALLOW),
        ("prlimit64", (1234, 7), EPERM),
        ("prlimit64", (0, 0, 0x7FFF00001000), EPERM),
        ("prlimit64", (0, 0, 0x7FFF00000000), EPERM),
        ("mmap", (0, 4096, 3, 0x22), ALLOW),
        ("mmap", (0, 4096, 1, 0x01), ALLOW),
        ("mmap", (0, 4096, 3, 0x21), EPERM),
        ("mmap", (0, 4096, 3, 0x23), EPERM),
        ("mmap", (0, 4096, 3, 0x122), EPERM),
        ("fcntl", (1, 4, 0x800), ALLOW),
        ("fcntl", (1, 4, 0x2000), EPERM),
        ("fcntl", (1, 3, 0x2000), ALLOW),
        ("fcntl", (1, 8, 99), EPERM),
        ("fcntl", (1, 6, 0), EPERM),
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), EPERM),
        ("prctl", (15, 0), ALLOW),
        ("prctl", (1, 0), EPERM),
        ("socketpair", (1, 0x80801), ALLOW),
        ("socketpair", (1, 2), EPERM),
        ("socketpair", (2, 1), EPERM),
        ("sendto", (1, 0, 0, 0, 0, 0), ALLOW),
        ("sendto", (1, 0, 0, 0, 99, 16), EPERM),
        ("openat", (-100 & 2**64 - 1, 0, 0), ALLOW),
        ("openat", (-100 & 2**64 - 1, 0, 0x200), EPERM),
        ("clone", (THREAD,), EPERM),
        ("execve", (0,), EPERM),
        ("mkdirat", (0,), EPERM),
    ],
)
def test_some_calls_are_judged_by_their_arguments(machine: str, name: str, arguments: tuple[int, ...], verdict: int) -> None:
    assert judged(program(**PLAIN, machine=machine), machine, name, *arguments) == verdict


@pytest.mark.parametrize(
    ("asked", "name", "arguments", "verdict"),
    [
        ("threads", "clone", (THREAD,), ALLOW),
        ("threads", "clone", (17,), EPERM),  # SIGCHLD: a fork
        ("threads", "clone", (THREAD | 0x10000000,), EPERM),  # CLONE_NEWUSER
        ("threads", "clone", (THREAD | 0x8000,), ALLOW),  # CLONE_PARENT means nothing to a thread
        ("programs", "execve", (0,), ALLOW),
        ("programs", "execveat", (0,), EPERM),
        ("scratch", "mkdirat", (0,), ALLOW),
        ("scratch", "openat", (0, 0, 0x200), ALLOW),
        ("scratch", "symlinkat", (0,), EPERM),
    ],
)
def test_a_bot_gets_what_it_asked_for_and_no_more(asked: str, name: str, arguments: tuple[int, ...], verdict: int) -> None:
    code = program(**{**PLAIN, asked: True}, machine="x86_64")

    assert judged(code, "x86_64", name, *arguments) == verdict


def test_the_same_wishes_give_the_same_digest_in_every_process() -> None:
    first, second = program(**PLAIN), program(**{**PLAIN, "threads": True})

    assert digest(first) == digest(bytes(first)) != digest(second)
