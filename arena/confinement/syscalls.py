"""The system calls that the filter knows, with their numbers, in groups by the conditions under which a bot may make them.

Source: Linux's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h. Calls by which two bots could
communicate are not allowed: README.md lists them.
"""

import platform

Calls = dict[str, tuple[int | None, int | None]]  # numbers on x86-64 and on aarch64; None: the architecture does not have the call


def _calls(table: str) -> Calls:
    """Return the calls of a table, which has for each its name and its two numbers, where ``-`` stands for None."""
    rows = (row.split() for row in table.replace("\n", ",").split(",") if row.strip())
    return {name: (_number(first), _number(second)) for name, first, second in rows}


def _number(word: str) -> int | None:
    return None if word == "-" else int(word)


# AUDIT_ARCH of linux/audit.h, and the index of a call's number
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

ALLOWED = _calls("""
    read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, preadv 295 69, pwrite64 18 68
    close 3 57, close_range 436 436, lseek 8 62, dup 32 23, dup2 33 -, dup3 292 24
    stat 4 -, fstat 5 80, lstat 6 -, newfstatat 262 79, statx 332 291
    access 21 -, faccessat 269 48, faccessat2 439 439, readlink 89 -, readlinkat 267 78
    getdents 78 -, getdents64 217 61, getcwd 79 17, chdir 80 49, fchdir 81 50, umask 95 166
    poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72
    epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441
    eventfd 284 -, eventfd2 290 19
    munmap 11 215, mprotect 10 226, mremap 25 216, brk 12 214, pkey_alloc 330 289, pkey_free 331 290, pkey_mprotect 329 288
    rseq 334 293, set_tid_address 218 96, arch_prctl 158 -
    restart_syscall 219 128, exit 60 93, exit_group 231 94
    rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136
    rt_sigtimedwait 128 137, rt_sigsuspend 130 133, sigaltstack 131 132, pause 34 -
    nanosleep 35 101, gettimeofday 96 169, time 201 -, times 100 153, alarm 37 -, getitimer 36 102, setitimer 38 103
    timerfd_create 283 85, timerfd_settime 286 86, timerfd_gettime 287 87
    getpid 39 172, gettid 186 178, getppid 110 173, getpgrp 111 -
    getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177
    getresuid 118 148, getresgid 120 150, getgroups 115 158
    uname 63 160, getrusage 98 165, getrlimit 97 163, getrandom 318 278, getcpu 309 168
    wait4 61 260, waitid 247 95, sched_yield 24 124, sched_get_priority_max 146 125, sched_get_priority_min 147 126
    recvfrom 45 207, shutdown 48 210, getsockname 51 204, getpeername 52 205
""")

# Allowed with some arguments only, or if they are granted: ``seccomp.program``.
LIMITED = _calls("""
    open 2 -, openat 257 56, fcntl 72 25, ioctl 16 29
    mmap 9 222, madvise 28 233, membarrier 324 283
    clone 56 220, execve 59 221
    kill 62 129, tgkill 234 131
    prlimit64 302 261, getpgid 121 155, getsid 124 156, getpriority 140 141
    sched_getaffinity 204 123, sched_getparam 143 121, sched_getscheduler 145 120
    clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115
    socketpair 53 199, sendto 44 206, getsockopt 55 209
    futex 202 98, prctl 157 167
""")

# For bots that have a folder of their own to write to.
WRITING = _calls("""
    mkdir 83 -, mkdirat 258 34, unlink 87 -, unlinkat 263 35, rmdir 84 -, rename 82 -, renameat 264 38, renameat2 316 276
    ftruncate 77 46, fallocate 285 47, fsync 74 82, fdatasync 75 83, pwritev 296 70, copy_file_range 326 285
""")

# For bots with threads: asyncio and libuv need pipes. The number of a new pipe (st_ino of fstat) comes from a counter of the whole
# machine, which another bot can advance and which outlives both. So threads must be asked for in a manifest and granted in a spec.
THREADED = _calls("""
    pipe 22 -, pipe2 293 59
""")

# These fail with ENOSYS, as on a kernel built without them, so that callers work without them. fadvise64 and readahead control for
# the whole machine which pages of a file are cached, and a read shows by its time whether a page was cached. With a robust list
# (set_robust_list), the end of a thread wakes other processes that wait on a page of the same file.
ABSENT = _calls("""
    fadvise64 221 223, readahead 187 213, set_robust_list 273 99
""")

# These fail with EPERM, which reads as a refusal ("not permitted"); what is in no group fails with ENOSYS.
DENIED = _calls("""
    ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440, kcmp 312 272
    pidfd_open 434 434, pidfd_getfd 438 438, pidfd_send_signal 424 424
    tkill 200 130, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240
    fork 57 -, vfork 58 -, execveat 322 281, unshare 272 97, setns 308 268
    mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51
    open_tree 428 428, move_mount 429 429, fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442
    bpf 321 280, perf_event_open 298 241, io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427
    userfaultfd 323 282, memfd_create 319 279, memfd_secret 447 447
    add_key 248 217, request_key 249 218, keyctl 250 219
    shmget 29 194, shmat 30 196, shmctl 31 195, shmdt 67 197
    semget 64 190, semop 65 193, semctl 66 191, semtimedop 220 192
    msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187
    mq_open 240 180, mq_unlink 241 181, mq_timedsend 242 182, mq_timedreceive 243 183, mq_notify 244 184, mq_getsetattr 245 185
    inotify_init 253 -, inotify_init1 294 26, inotify_add_watch 254 27, fanotify_init 300 262, fanotify_mark 301 263
    socket 41 198, connect 42 203, bind 49 200, listen 50 201, accept 43 202, accept4 288 242
    sendmsg 46 211, sendmmsg 307 269, recvmsg 47 212, recvmmsg 299 243, setsockopt 54 208
    setpriority 141 140, ioprio_set 251 30
    sched_setaffinity 203 122, sched_setscheduler 144 119, sched_setparam 142 118, sched_setattr 314 274
    flock 73 32
    chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54
    utime 132 -, utimes 235 -, utimensat 280 88, futimesat 261 -
    setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16
    getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11, llistxattr 195 12, flistxattr 196 13
    link 86 -, linkat 265 37, symlink 88 -, symlinkat 266 36, mknod 133 -, mknodat 259 33, truncate 76 45, creat 85 -
    name_to_handle_at 303 264, open_by_handle_at 304 265
    setuid 105 146, setgid 106 144, setreuid 113 145, setregid 114 143, setresuid 117 147, setresgid 119 149, setgroups 116 159
    setfsuid 122 151, setfsgid 123 152, capset 126 91, setsid 112 157, setpgid 109 154
    seccomp 317 277
    sync 162 81, syncfs 306 267, syslog 103 116, reboot 169 142
    kexec_load 246 104, init_module 175 105, finit_module 313 273, delete_module 176 106
    swapon 167 224, swapoff 168 225, acct 163 89, quotactl 179 60
    sethostname 170 161, setdomainname 171 162
    settimeofday 164 170, clock_settime 227 112, clock_adjtime 305 266, adjtimex 159 171
    iopl 172 -, ioperm 173 -, vhangup 153 58, personality 135 92
    splice 275 76, tee 276 77, vmsplice 278 75
    mbind 237 235, set_mempolicy 238 237, migrate_pages 256 238, move_pages 279 239
    landlock_create_ruleset 444 444, landlock_add_rule 445 445, landlock_restrict_self 446 446
    mlock 149 228, mlock2 325 284, mlockall 151 230
    setrlimit 160 164, capget 125 90
    statfs 137 43, fstatfs 138 44, sysinfo 99 179
""")

NUMBERS: Calls = {**ALLOWED, **LIMITED, **WRITING, **THREADED, **ABSENT, **DENIED}
_column = MACHINES[platform.machine()][1] if platform.machine() in MACHINES else None
NUMBERS_HERE = {name: number for name, both in NUMBERS.items() if _column is not None and (number := both[_column]) is not None}

# Refused once a bot may know a card, so that it leaves no trace that lasts longer than its process. A look-up of a path leaves an
# entry in the kernel's cache, even if there is no such file, and the next look-up is faster. The number of a new pipe or socket
# comes from a counter that outlives it. Every call that takes a path and may be allowed belongs here.
SEALED = [
    *("open", "openat", "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2"),
    *("readlink", "readlinkat", "chdir", "execve"),
    *("mkdir", "mkdirat", "unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2"),
    *("pipe", "pipe2", "socketpair"),
]

# Likewise where bots share the machine's sequence of thread numbers, because they have no process namespace of their own.
NUMBERED = ["clone"]
