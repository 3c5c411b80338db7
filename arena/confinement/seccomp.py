"""The system-call filter of a bot. Source: seccomp(2), syscalls(2).

It is an allow-list. A call by another architecture kills the process; calls known to be dangerous fail with EPERM; every other call
fails with ENOSYS, as on an older kernel, so that programs do what they did there. The filter of a launch has a placeholder, into
which the launcher writes the process's own number. So it is the same for every process, and its hash identifies it in a record.
"""

import errno
import platform
from functools import cache
from hashlib import sha256

from arena.confinement.assembler import (
    ALL_BITS,
    ALLOW,
    ARCHITECTURE,
    ARGUMENTS,
    ERRNO,
    KILL,
    NOTIFY,
    NUMBER,
    SELF,
    Block,
    Test,
    assemble,
    if_any,
    if_equal,
    load,
    return_block,
    unless_equal,
)
from arena.confinement.syscalls import ABSENT, ALLOWED, DENIED, MACHINES, NUMBERED, NUMBERS, SEALED, THREADED, WRITING

CLONE_VM, CLONE_SIGHAND, CLONE_THREAD = 0x100, 0x800, 0x10000
OF_A_THREAD = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD
NOT_OF_A_THREAD = 0xFE020000 | 0x80 | 0x1000 | 0x2000 | 0x4000  # new namespaces (0x80: of time), CLONE_IO, PIDFD, PTRACE, VFORK
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_HUGETLB = 0x1, 0x20, 0x100, 0x40000
O_ACCMODE, O_TRUNC, O_ASYNC = 0x3, 0x200, 0x2000
AF_UNIX, SOCK_STREAM, SOCK_KIND = 1, 1, 0xF
SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN = 3, 4, 7, 8, 30, 38, 39
DUPFD, GETFD, SETFD, GETFL, SETFL, DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 1030
TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX = 0x5401, 0x5413, 0x541B, 0x5421, 0x5451, 0x5450
GET_DUMPABLE, SET_NAME, GET_NAME, GET_SECCOMP, CAPBSET_READ, GET_NO_NEW_PRIVS, SET_VMA = 3, 15, 16, 21, 23, 39, 0x53564D41
FUTEX_PRIVATE, FUTEX_CLOCK_REALTIME = 128, 256
FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET = 0, 1, 3, 4, 5, 9, 10
FUTEX_OPERATION = ALL_BITS & ~FUTEX_CLOCK_REALTIME
STANDARD_CLOCKS, CLOCK_OF_PROCESS, CLOCK_OF_THREAD = 0xF, 0xFFFFFFFA, 0xFFFFFFFE  # last two: of process 0 and thread 0, the caller
STANDARD_SIGNALS = 0x1F
STOPS_AND_CONTINUES = (18, 19, 20, 21, 22)  # SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU
NORMAL, RANDOM, SEQUENTIAL, DONTNEED, FREE = 0, 1, 2, 4, 8
DONTFORK, DOFORK, HUGEPAGE, NOHUGEPAGE, DONTDUMP, DODUMP, WIPEONFORK, KEEPONFORK = 10, 11, 14, 15, 16, 17, 18, 19
QUERY, PRIVATE_EXPEDITED, REGISTER_PRIVATE_EXPEDITED, SYNC_CORE, REGISTER_SYNC_CORE = 0, 8, 16, 32, 64
PRIO_PROCESS = 0


def _files(*, writes: bool) -> dict[str, Block]:
    """Return the rules for files.

    A lock, a lease, a notification or a signal owner that is set by fcntl or ioctl affects other processes: the owner of a pipe is
    sent a signal of the bot's choice without kill(2). Opening a file for reading with O_TRUNC empties it before Landlock's ABI 3,
    so that is refused. Opening for writing is not: the other layers decide that, and a shell needs its /dev/null.
    """
    return {
        "open": return_block(ALLOW) if writes else _not_truncated(flags=1),
        "openat": return_block(ALLOW) if writes else _not_truncated(flags=2),
        "fcntl": (
            *load(ARGUMENTS + 8),
            *if_equal(SETFL, _unless(Test(2, O_ASYNC, O_ASYNC))),
            *_one_of(1, DUPFD, GETFD, SETFD, GETFL, DUPFD_CLOEXEC),
        ),
        "ioctl": _one_of(1, TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX),
    }


def _memory() -> dict[str, Block]:
    """Return the rules for memory.

    Advice may concern the process's own memory. It may not concern the pages of a file that other processes read (PAGEOUT, COLD,
    WILLNEED), nor merge equal pages of several processes (MERGEABLE); such advice fails with EINVAL, as on an older kernel. A
    global membarrier waits for the threads of other processes, so only the private commands are allowed.
    """
    advice = (NORMAL, RANDOM, SEQUENTIAL, DONTNEED, FREE, DONTFORK, DOFORK)
    more_advice = (HUGEPAGE, NOHUGEPAGE, DONTDUMP, DODUMP, WIPEONFORK, KEEPONFORK)
    return {
        "mmap": _unless(
            Test(3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS),
            Test(3, MAP_GROWSDOWN, MAP_GROWSDOWN),
            Test(3, MAP_HUGETLB, MAP_HUGETLB),
        ),
        "madvise": _one_of(2, *advice, *more_advice, otherwise=errno.EINVAL),
        "membarrier": _one_of(0, QUERY, PRIVATE_EXPEDITED, REGISTER_PRIVATE_EXPEDITED, SYNC_CORE, REGISTER_SYNC_CORE),
    }


def _processes(*, programs: bool, threads: bool) -> dict[str, Block]:
    """Return the rules for processes and threads: a bot queries only itself, and signals only itself.

    Real-time signals are counted against a limit of the user (RLIMIT_SIGPENDING), which another bot can notice; standard signals
    are not. Those that stop or continue a process are refused: SIGCONT would cancel a stop by the harness before it is complete
    (``Child.stopped``). Limits may be read but not changed. The first process of a namespace cannot kill itself by a signal, and by
    this rule not by a lower limit of processor time either: so a SIGKILL before that limit came from outside. Scheduler queries
    about another thread fail with ENOSYS: pthread_getattr_np(3) then works without them.
    """
    itself = (Test(0, ALL_BITS, SELF), Test(0, ALL_BITS, 0))
    return {
        "clone": _only(Test(0, OF_A_THREAD | NOT_OF_A_THREAD, OF_A_THREAD)) if threads else refuse(),
        "execve": return_block(ALLOW) if programs else refuse(),
        "kill": _to_itself(signal=1),
        "tgkill": _to_itself(signal=2),
        "prlimit64": (*_refuse_unless_null(pointer=2), *_only(*itself)),
        "getpgid": _only(*itself),
        "getsid": _only(*itself),
        "getpriority": (*load(ARGUMENTS), *unless_equal(PRIO_PROCESS, refuse()), *_one_of(1, SELF, 0)),
        **dict.fromkeys(("sched_getaffinity", "sched_getparam", "sched_getscheduler"), _only(*itself, otherwise=errno.ENOSYS)),
    }


def _clocks() -> dict[str, Block]:
    """Return the rules for clocks. A clock's number can denote the processor time of any process: clock_getcpuclockid(3)."""
    known = (
        Test(0, ALL_BITS & ~STANDARD_CLOCKS, 0),
        Test(0, ALL_BITS, CLOCK_OF_PROCESS),
        Test(0, ALL_BITS, CLOCK_OF_THREAD),
    )
    return dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep"), _only(*known, otherwise=errno.EINVAL))


def _sockets(*, threads: bool) -> dict[str, Block]:
    """Return the rules for sockets.

    The inode number of a new socket or pipe, and SO_COOKIE, come from counters that all bots share: so none may read SO_COOKIE, and
    only bots with threads, which need one for asyncio or libuv, may make a socketpair.
    """
    pair = (*load(ARGUMENTS), *if_equal(AF_UNIX, _only(Test(1, SOCK_KIND, SOCK_STREAM))), *refuse())
    return {
        "socketpair": pair if threads else refuse(),
        "sendto": _only(Test(5, ALL_BITS, 0)),  # the length of the address; a socketpair is connected and needs none
        "getsockopt": _one_of(2, SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN),
    }


def _futex(*, joins: bool) -> Block:
    """Return the rule for futex(2): only operations with FUTEX_PRIVATE_FLAG, which cannot reach another process.

    Without that flag, all processes that map a page of a file share a futex in it, even if they map it privately. With or without
    it, priority inheritance looks up the owner by number among all processes. Both fail with ENOSYS, as on a kernel without them,
    except that waiting on a shared futex fails with EAGAIN, "the value has changed": callers then look at the value again.

    ``joins``: allow FUTEX_WAIT_BITSET on a shared futex, by which pthread_join(3) of glibc 2.34 and later waits for the kernel to
    wake it when a thread ends. Without it, a program in which one thread waits for another all its life, as the launcher of Java
    does, would use up a processor. FUTEX_WAIT on a shared futex stays refused: its callers, as the initialization of static
    variables in C++, wait for another thread to wake them; as FUTEX_WAKE is refused too, they would wait without end.
    """
    private = (FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET)
    allowed = tuple(Test(1, FUTEX_OPERATION, FUTEX_PRIVATE | operation) for operation in private)
    if joins:
        allowed += (Test(1, FUTEX_OPERATION, FUTEX_WAIT_BITSET),)
    waits = tuple(Test(1, FUTEX_OPERATION, operation) for operation in (FUTEX_WAIT, FUTEX_WAIT_BITSET))
    return (*if_any(allowed, ALLOW), *if_any(waits, ERRNO | errno.EAGAIN), *return_block(ERRNO | errno.ENOSYS))


def _to_itself(*, signal: int) -> Block:
    """Allow the call to send the calling process a standard signal, argument number ``signal``, except to stop or continue it."""
    refused = if_any((Test(signal, ALL_BITS, number) for number in STOPS_AND_CONTINUES), ERRNO | errno.EPERM)
    return (*load(ARGUMENTS), *unless_equal(SELF, refuse()), *refused, *_only(Test(signal, ALL_BITS & ~STANDARD_SIGNALS, 0)))


def _not_truncated(*, flags: int) -> Block:
    """Refuse O_TRUNC in argument ``flags`` for a file that is opened for reading (0), or for neither reading nor writing (3)."""
    return _unless(Test(flags, O_TRUNC | O_ACCMODE, O_TRUNC), Test(flags, O_TRUNC | O_ACCMODE, O_TRUNC | O_ACCMODE))


def _refuse_unless_null(*, pointer: int) -> Block:
    """Refuse the call unless argument ``pointer`` is a null pointer, in all its 64 bits; else continue."""
    halves = (ARGUMENTS + 8 * pointer, ARGUMENTS + 8 * pointer + 4)
    return tuple(instruction for half in halves for instruction in (*load(half), *unless_equal(0, refuse())))


def refuse() -> Block:
    """Make the call fail with EPERM."""
    return return_block(ERRNO | errno.EPERM)


def _only(*tests: Test, otherwise: int = errno.EPERM) -> Block:
    """Allow the call if one of the tests is true."""
    return (*if_any(tests, ALLOW), *return_block(ERRNO | otherwise))


def _unless(*tests: Test) -> Block:
    """Refuse the call if one of the tests is true."""
    return (*if_any(tests, ERRNO | errno.EPERM), *return_block(ALLOW))


def _one_of(argument: int, *values: int, otherwise: int = errno.EPERM) -> Block:
    """Allow the call if an argument is one of the values."""
    return _only(*(Test(argument, ALL_BITS, value) for value in values), otherwise=otherwise)


@cache
def program(*, programs: bool, threads: bool, writes: bool, machine: str = "") -> bytes:
    """Return the filter of a bot.

    ``programs``: whether the bot executes a program instead of staying in the harness's interpreter. ``threads``: whether it may
    start threads. ``writes``: whether it has a folder of its own to write to. ``machine``: as platform.machine() has it; empty:
    this one. Raises: KeyError, for an unknown machine.
    """
    architecture, column = MACHINES[machine or platform.machine()]
    granted = (*(WRITING if writes else ()), *(THREADED if threads else ()))
    answers = {
        **_files(writes=writes),
        **_memory(),
        **_processes(programs=programs, threads=threads),
        **_clocks(),
        **_sockets(threads=threads),
        "futex": _futex(joins=programs and threads),
        "prctl": _one_of(0, GET_DUMPABLE, SET_NAME, GET_NAME, GET_SECCOMP, CAPBSET_READ, GET_NO_NEW_PRIVS, SET_VMA),
    }
    answers |= {name: return_block(ALLOW) for name in (*ALLOWED, *granted)}
    answers |= {name: return_block(ERRNO | errno.ENOSYS) for name in ABSENT}
    answers |= {name: refuse() for name in (*DENIED, *WRITING, *THREADED) if name not in granted}
    native = (*load(ARCHITECTURE), *unless_equal(architecture, return_block(KILL)))
    return assemble((*native, *load(NUMBER), *_by_number(answers, column), *return_block(ERRNO | errno.ENOSYS)))


@cache
def sealing_program(*, namespaces: bool, machine: str = "") -> bytes:
    """Return the bot's *seal*: a filter that suspends calls until the harness has answered, which may refuse them.

    It is installed beside ``program``, whose refusals take precedence.
    ``namespaces``: whether the bot has a process namespace of its own.
    """
    _, column = MACHINES[machine or platform.machine()]
    answers = {name: return_block(NOTIFY) for name in (*SEALED, *(() if namespaces else NUMBERED))}
    return assemble((*load(NUMBER), *_by_number(answers, column), *return_block(ALLOW)))


def digest(*programs: bytes) -> str:
    """Return the SHA-256 of the code of a bot's filters in hexadecimal, by which a record identifies them."""
    return sha256(b"".join(programs)).hexdigest()


def _by_number(answers: dict[str, Block], column: int) -> Block:
    """Return the instructions that find a call by its number and run the rule for its name."""
    calls = ((NUMBERS[name][column], rule) for name, rule in answers.items())
    return tuple(instruction for number, rule in calls if number is not None for instruction in if_equal(number, rule))
