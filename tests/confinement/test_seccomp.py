import struct
from collections.abc import Iterable
from itertools import product

import pytest

from arena.confinement.assembler import ALLOW, AND, ERRNO, JUMP_IF_EQUAL, KILL, LOAD, RETURN, SELF
from arena.confinement.seccomp import digest, program
from arena.confinement.syscalls import ALLOWED, DENIED, MACHINES, NUMBERS

EPERM, EAGAIN, EINVAL, ENOSYS = ERRNO | 1, ERRNO | 11, ERRNO | 22, ERRNO | 38
PLAIN = {"programs": False, "threads": False, "writes": False}
THREAD = 0x3D0F00  # what pthread_create passes to clone(2)


def judged(code: bytes, machine: str, name: str | int, *arguments: int) -> int:
    """Run a filter as the kernel does, and return its verdict on a call."""
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


@pytest.mark.parametrize(("names", "verdict"), [(ALLOWED, ALLOW), (DENIED, EPERM)], ids=["ordinary programs", "no bot needs them"])
def test_calls_of_ordinary_programs_are_allowed_and_those_that_no_bot_needs_refused(
    machine: str, names: Iterable[str], verdict: int
) -> None:
    code = program(**PLAIN, machine=machine)

    assert {judged(code, machine, name) for name in names if NUMBERS[name][MACHINES[machine][1]] is not None} == {verdict}


@pytest.mark.parametrize("number", [9999, 435], ids=["unknown", "clone3, so that clone is called"])
def test_a_call_fails_as_if_it_did_not_exist(machine: str, number: int) -> None:
    assert judged(program(**PLAIN, machine=machine), machine, number) == ENOSYS


def test_a_call_by_another_architecture_kills_the_process() -> None:
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
        ("socketpair", (1, 0x80801), EPERM),
        ("sendto", (1, 0, 0, 0, 0, 0), ALLOW),
        ("sendto", (1, 0, 0, 0, 99, 16), EPERM),
        ("openat", (-100 & 2**64 - 1, 0, 0), ALLOW),
        ("openat", (-100 & 2**64 - 1, 0, 0x200), EPERM),
        ("clone", (THREAD,), EPERM),
        ("execve", (0,), EPERM),
        ("mkdirat", (0,), EPERM),
        ("pipe2", (0,), EPERM),
    ],
)
def test_some_calls_are_judged_by_their_arguments(machine: str, name: str, arguments: tuple[int, ...], verdict: int) -> None:
    assert judged(program(**PLAIN, machine=machine), machine, name, *arguments) == verdict


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "arguments", "verdict"),
    [
        ("kill", (SELF, 31), ALLOW),
        ("kill", (SELF, 34), EPERM),  # a real-time signal is counted against a limit of the user
        ("tgkill", (SELF, 7, 34), EPERM),
        ("kill", (SELF, 17), ALLOW),  # SIGCHLD
        ("kill", (SELF, 23), ALLOW),  # SIGURG
        ("getpgid", (0,), ALLOW),
        ("getpgid", (SELF,), ALLOW),
        ("getpgid", (1234,), EPERM),
        ("getsid", (1234,), EPERM),
        ("getpriority", (0, 0), ALLOW),
        ("getpriority", (0, 1234), EPERM),
        ("getpriority", (2, 0), EPERM),  # PRIO_USER: the lowest value among all the user's processes
        ("sched_getaffinity", (0, 128), ALLOW),
        ("sched_getaffinity", (SELF, 128), ALLOW),
        ("sched_getaffinity", (1234, 128), ENOSYS),
        ("sched_getscheduler", (1234,), ENOSYS),
        ("sched_getparam", (1234,), ENOSYS),
        ("clock_gettime", (1,), ALLOW),
        ("clock_gettime", (-6 & 2**32 - 1,), ALLOW),  # processor time of this process
        ("clock_gettime", (-2 & 2**32 - 1,), ALLOW),  # processor time of this thread
        ("clock_gettime", ((~1234 << 3 | 2) & 2**32 - 1,), EINVAL),
        ("clock_gettime", ((~1234 << 3 | 6) & 2**32 - 1,), EINVAL),
        ("clock_nanosleep", ((~1234 << 3 | 2) & 2**32 - 1,), EINVAL),
        ("clock_getres", ((~1234 << 3 | 2) & 2**32 - 1,), EINVAL),
        ("madvise", (0, 4096, 4), ALLOW),
        ("madvise", (0, 4096, 3), EINVAL),  # MADV_WILLNEED
        ("madvise", (0, 4096, 12), EINVAL),  # MADV_MERGEABLE
        ("madvise", (0, 4096, 21), EINVAL),  # MADV_PAGEOUT
        ("membarrier", (8,), ALLOW),
        ("membarrier", (1,), EPERM),
        ("membarrier", (2,), EPERM),
        ("getsockopt", (0, 1, 3), ALLOW),
        ("getsockopt", (0, 1, 57), EPERM),  # SO_COOKIE
        ("statfs", (0,), EPERM),
        ("fstatfs", (0,), EPERM),
        ("sysinfo", (0,), EPERM),
        ("capget", (0,), EPERM),
        ("fadvise64", (3, 0, 0, 4), ENOSYS),
        ("readahead", (3, 0, 4096), ENOSYS),
        ("set_robust_list", (0, 24), ENOSYS),
        (27, (0, 4096, 0), ENOSYS),  # mincore, x86-64
        (274, (0,), ENOSYS),  # get_robust_list
        (327, (3, 0, 1, 0, 0, 8), ENOSYS),  # preadv2, x86-64
        (449, (0,), ENOSYS),  # futex_waitv
        (451, (3,), ENOSYS),  # cachestat
        (454, (0,), ENOSYS),  # futex_wake
        (455, (0,), ENOSYS),  # futex_wait
    ],
)
def test_calls_that_another_bot_could_notice_are_refused(name: str | int, arguments: tuple[int, ...], verdict: int) -> None:
    assert judged(program(**PLAIN, machine="x86_64"), "x86_64", name, *arguments) == verdict


@pytest.mark.parametrize("number", range(18, 23), ids=["SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU"])
def test_no_bot_may_stop_or_continue_itself_which_could_cancel_a_stop_by_the_harness(machine: str, number: int) -> None:
    every_grant = [dict(zip(PLAIN, granted, strict=True)) for granted in product((False, True), repeat=len(PLAIN))]
    codes = [program(**granted, machine=machine) for granted in every_grant]

    assert {judged(code, machine, "kill", SELF, number) for code in codes} == {EPERM}
    assert {judged(code, machine, "tgkill", SELF, 7, number) for code in codes} == {EPERM}


@pytest.mark.process
@pytest.mark.parametrize("operation", range(16))
@pytest.mark.parametrize("clock", [0, 256])
def test_only_private_futexes_without_an_owner_are_allowed(machine: str, operation: int, clock: int) -> None:
    code = program(**PLAIN, machine=machine)

    private, shared = (judged(code, machine, "futex", 0, flag | clock | operation) for flag in (128, 0))

    assert private == (ALLOW if operation in {0, 1, 3, 4, 5, 9, 10} else ENOSYS)
    assert shared == (EAGAIN if operation in {0, 9} else ENOSYS)


def test_a_program_with_threads_may_wait_for_their_end_but_not_for_a_thread_to_wake_it() -> None:
    """C++ waits by FUTEX_WAIT for another thread to initialize a static variable, and by FUTEX_WAIT_BITSET for its end."""
    code = program(programs=True, threads=True, writes=False, machine="x86_64")

    verdicts = {operation: judged(code, "x86_64", "futex", 0, operation) for operation in (0, 9, 256 | 9, 1, 6)}

    assert verdicts == {0: EAGAIN, 9: ALLOW, 256 | 9: ALLOW, 1: ENOSYS, 6: ENOSYS}


@pytest.mark.parametrize(
    ("granted", "name", "arguments", "verdict"),
    [
        ("threads", "clone", (THREAD,), ALLOW),
        ("threads", "clone", (17,), EPERM),  # SIGCHLD: a fork
        ("threads", "pipe2", (0,), ALLOW),
        ("threads", "socketpair", (1, 0x80801), ALLOW),
        ("threads", "socketpair", (1, 2), EPERM),
        ("threads", "socketpair", (2, 1), EPERM),
        ("threads", "futex", (0, 0), EAGAIN),
        ("programs", "futex", (0, 0), EAGAIN),
        ("threads", "clone", (THREAD | 0x10000000,), EPERM),  # CLONE_NEWUSER
        ("threads", "clone", (THREAD | 0x8000,), ALLOW),  # CLONE_PARENT means nothing to a thread
        ("programs", "execve", (0,), ALLOW),
        ("programs", "execveat", (0,), EPERM),
        ("writes", "mkdirat", (0,), ALLOW),
        ("writes", "openat", (0, 0, 0x200), ALLOW),
        ("writes", "symlinkat", (0,), EPERM),
    ],
)
def test_a_bot_gets_only_the_calls_that_were_granted(granted: str, name: str, arguments: tuple[int, ...], verdict: int) -> None:
    code = program(**{**PLAIN, granted: True}, machine="x86_64")

    assert judged(code, "x86_64", name, *arguments) == verdict


def test_the_same_options_give_the_same_digest_in_every_process() -> None:
    first, second = program(**PLAIN), program(**{**PLAIN, "threads": True})

    assert digest(first) == digest(bytes(first)) != digest(second)
