"""Whether a bot died because its memory was at an end.

The kernel does not say: beyond RLIMIT_DATA an allocation fails, and what becomes of it is the program's affair. Three signs are
looked at. None can be mistaken for an ordinary end, since only a bot that died of itself is asked about; a bot that fakes one
trades its fault for another.
"""

from arena.players.sandboxes.launcher import NO_MEMORY

SIGNS = (
    "MemoryError",  # Python
    "std::bad_alloc",  # C++, and what is written in it
    "out of memory",  # JavaScript, Go, Java's native half
    "OutOfMemoryError",  # Java
    "Cannot allocate memory",  # ENOMEM in the C library's words
    "memory allocation of",  # Rust
    "memory exhausted",  # awk, and other GNU programs
)
NEARLY = 0.9  # of the limit


def died_of_memory(exit_code: int, stderr: str, peak_kb: int, memory_mb: int | None) -> bool:
    """Tell whether a bot that ended of itself did so for want of memory.

    ``exit_code``: as subprocess has it, negative for a signal. ``stderr``: the end of its log. ``peak_kb``: ``ru_maxrss`` of
    wait4(2). ``memory_mb``: of the launch; None: no limit. A bot in Python that nothing caught ends with NO_MEMORY; any other in
    the words of its language; and one killed by a signal with nearly all of its memory in use did not come to words.
    """
    if exit_code == 0:
        return False
    last_words = stderr[-2000:]
    if exit_code == NO_MEMORY or any(sign in last_words for sign in SIGNS):
        return True
    return memory_mb is not None and exit_code < 0 and peak_kb >= NEARLY * memory_mb * 1024
