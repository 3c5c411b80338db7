"""Whether a bot ended because it ran out of memory.

The kernel does not tell: beyond RLIMIT_DATA an allocation fails, and each program reacts in its own way. Three signs are checked:
the exit code, the messages on stderr, and the peak memory of a bot that a signal killed. They are checked only for a bot that ended
on its own, which is a fault in any case; a bot that fakes a sign only exchanges one fault for another.
"""

from arena.players.confinement.launcher import NO_MEMORY

SIGNS = (
    "MemoryError",  # Python
    "std::bad_alloc",  # C++, and what is written in it
    "out of memory",  # JavaScript, Go, Java's native half
    "OutOfMemoryError",  # Java
    "Cannot allocate memory",  # the C library's text for ENOMEM
    "memory allocation of",  # Rust
    "memory exhausted",  # awk, and other GNU programs
)
NEARLY = 0.9  # of the limit


def died_of_memory(exit_code: int, stderr: str, peak_kb: int, memory_mb: int | None) -> bool:
    """Return whether a bot that ended on its own ran out of memory.

    ``exit_code``: as in subprocess, negative for a signal. ``stderr``: the end of its log. ``peak_kb``: ``ru_maxrss`` of wait4(2).
    ``memory_mb``: of the launch; None: no limit. An uncaught MemoryError in Python ends with NO_MEMORY, other languages write a
    message, and a bot that a signal killed while nearly all of its memory was in use had no chance to write one.
    """
    if exit_code == 0:
        return False
    end = stderr[-2000:]
    if exit_code == NO_MEMORY or any(sign in end for sign in SIGNS):
        return True
    return memory_mb is not None and exit_code < 0 and peak_kb >= NEARLY * memory_mb * 1024
