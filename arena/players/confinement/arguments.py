"""The rules for system calls that a bot may make only with some arguments. Source: the manual page of each call.

Most rules restrict a call to the calling process; README.md says which channel between bots each of them closes.
"""

import errno

from arena.players.confinement.bpf import (
    ALL_BITS,
    ALLOW,
    ARGUMENTS,
    ERRNO,
    SELF,
    Block,
    Test,
    answer,
    if_any,
    if_equal,
    load,
    unless_equal,
)

CLONE_VM, CLONE_SIGHAND, CLONE_THREAD = 0x100, 0x800, 0x10000
OF_A_THREAD = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD
NOT_OF_A_THREAD = 0xFE020000 | 0x80 | 0x1000 | 0x2000 | 0x4000  # new namespaces, CLONE_IO, PIDFD, PTRACE, VFORK
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
STANDARD_CLOCKS, CLOCK_OF_PROCESS, CLOCK_OF_THREAD = 0xF, 0xFFFFFFFA, 0xFFFFFFFE  # the last two are for number 0: the caller
STANDARD_SIGNALS = 0x1F
NORMAL, RANDOM, SEQUENTIAL, DONTNEED, FREE, DONTFORK, DOFORK, HUGEPAGE, NOHUGEPAGE, DONTDUMP, DODUMP, WIPEONFORK, KEEPONFORK = (
    *(0, 1, 2, 4, 8),
    *(10, 11, 14, 15, 16, 17, 18, 19),
)
QUERY, PRIVATE_EXPEDITED, REGISTER_PRIVATE_EXPEDITED, SYNC_CORE, REGISTER_SYNC_CORE = 0, 8, 16, 32, 64
PRIO_PROCESS = 0


def rules(*, programs: bool, threads: bool, writes: bool) -> dict[str, Block]:
    """Return the rule for each such call, by its name; the arguments are those of ``seccomp.program``."""
    return {
        **_files(writes=writes),
        **_memory(),
        **_processes(programs=programs, threads=threads),
        **_clocks(),
        **_sockets(threads=threads),
        "futex": _futex(joins=programs and threads),
        "prctl": _one_of(0, GET_DUMPABLE, SET_NAME, GET_NAME, GET_SECCOMP, CAPBSET_READ, GET_NO_NEW_PRIVS, SET_VMA),
    }


def _files(*, writes: bool) -> dict[str, Block]:
    """Return the rules for files.

    A lock, a lease, a notification or a signal owner that is set by fcntl or ioctl affects other processes: the owner of a pipe is
    sent a signal of the bot's choice without kill(2). Opening a file for reading with O_TRUNC empties it below Landlock's ABI 3, so
    that is refused. Opening for writing is not: the other layers decide that, and a shell needs its /dev/null.
    """
    return {
        "open": answer(ALLOW) if writes else _not_truncated(1),
        "openat": answer(ALLOW) if writes else _not_truncated(2),
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
    are not. Limits may be read but not lowered. So a bot that is the first process of its namespace cannot cause its own SIGKILL,
    and one that ends by SIGKILL was killed from outside. Scheduler queries about another thread fail with ENOSYS:
    pthread_getattr_np(3) then works without them.
    """
    itself = (Test(0, ALL_BITS, SELF), Test(0, ALL_BITS, 0))
    return {
        "clone": _only(Test(0, OF_A_THREAD | NOT_OF_A_THREAD, OF_A_THREAD)) if threads else refuse(),
        "execve": answer(ALLOW) if programs else refuse(),
        "kill": _to_itself(signal=1),
        "tgkill": _to_itself(signal=2),
        "prlimit64": (*_null(2), *_only(*itself)),
        "getpgid": _only(*itself),
        "getsid": _only(*itself),
        "getpriority": (*load(ARGUMENTS), *unless_equal(PRIO_PROCESS, refuse()), *_one_of(1, SELF, 0)),
        "sched_getaffinity": _only(*itself, otherwise=errno.ENOSYS),
        "sched_getparam": _only(*itself, otherwise=errno.ENOSYS),
        "sched_getscheduler": _only(*itself, otherwise=errno.ENOSYS),
    }


def _clocks() -> dict[str, Block]:
    """Return the rules for clocks. A clock's number can denote the processor time of any process: clock_getcpuclockid(3)."""
    known = (
        Test(0, ALL_BITS & ~STANDARD_CLOCKS, 0),
        Test(0, ALL_BITS, CLOCK_OF_PROCESS),
        Test(0, ALL_BITS, CLOCK_OF_THREAD),
    )
    rule = _only(*known, otherwise=errno.EINVAL)
    return {"clock_gettime": rule, "clock_getres": rule, "clock_nanosleep": rule}


def _sockets(*, threads: bool) -> dict[str, Block]:
    """Return the rules for sockets. The inode number of a new socket or pipe, and SO_COOKIE, come from counters of the machine."""
    pair = (*load(ARGUMENTS), *if_equal(AF_UNIX, _only(Test(1, SOCK_KIND, SOCK_STREAM))), *refuse())
    return {
        "socketpair": pair if threads else refuse(),
        "sendto": _only(Test(5, ALL_BITS, 0)),  # the length of the address; a socketpair is connected and needs none
        "getsockopt": _one_of(2, SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN),
    }


def _futex(*, joins: bool) -> Block:
    """Return the rule for futex(2): only operations with FUTEX_PRIVATE_FLAG, which cannot reach another process.

    Without that flag, all processes that map a page of a file share a futex in it, even if they map it privately. With or without
    it, priority inheritance looks up its owner by number among all processes. Both fail with ENOSYS, as on a kernel without them.
    Waiting on a shared futex fails with EAGAIN, "the value has changed", after which callers look at the value again:
    pthread_join(3) waits on a shared futex, because that is what the kernel wakes when a thread ends. ``joins``: allow this wait.
    Without it, a program in which one thread waits for another all its life, as the launcher of Java does, would use up a
    processor.
    """
    private = (FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET)
    allowed = tuple(Test(1, FUTEX_OPERATION, FUTEX_PRIVATE | operation) for operation in private)
    shared = tuple(Test(1, FUTEX_OPERATION, operation) for operation in (FUTEX_WAIT, FUTEX_WAIT_BITSET))
    return (*if_any(allowed, ALLOW), *if_any(shared, ALLOW if joins else ERRNO | errno.EAGAIN), *answer(ERRNO | errno.ENOSYS))


def _to_itself(*, signal: int) -> Block:
    """Allow the call to send a standard signal, argument number ``signal``, to the calling process."""
    return (*load(ARGUMENTS), *unless_equal(SELF, refuse()), *_only(Test(signal, ALL_BITS & ~STANDARD_SIGNALS, 0)))


def _not_truncated(flags: int) -> Block:
    """Refuse O_TRUNC for a file that is opened for reading (0), or for neither reading nor writing (3)."""
    return _unless(Test(flags, O_TRUNC | O_ACCMODE, O_TRUNC), Test(flags, O_TRUNC | O_ACCMODE, O_TRUNC | O_ACCMODE))


def _null(pointer: int) -> Block:
    """Refuse the call unless an argument is a null pointer, all 64 bits of it."""
    halves = (ARGUMENTS + 8 * pointer, ARGUMENTS + 8 * pointer + 4)
    return tuple(instruction for half in halves for instruction in (*load(half), *unless_equal(0, refuse())))


def refuse() -> Block:
    """Make the call fail with EPERM."""
    return answer(ERRNO | errno.EPERM)


def _only(*tests: Test, otherwise: int = errno.EPERM) -> Block:
    """Allow the call if one of the tests is true."""
    return (*if_any(tests, ALLOW), *answer(ERRNO | otherwise))


def _unless(*tests: Test) -> Block:
    """Refuse the call if one of the tests is true."""
    return (*if_any(tests, ERRNO | errno.EPERM), *answer(ALLOW))


def _one_of(argument: int, *values: int, otherwise: int = errno.EPERM) -> Block:
    """Allow the call if an argument is one of the values."""
    return _only(*(Test(argument, ALL_BITS, value) for value in values), otherwise=otherwise)
