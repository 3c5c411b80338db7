"""Whether a bot ended because it ran out of memory.

The kernel does not say: beyond RLIMIT_DATA an allocation fails, and each program reacts in its own way. Three signs are checked:
the exit code, which an uncaught MemoryError in Python sets; the lines on stderr with which other languages end; and the peak
memory of a bot that a signal killed, which had no chance to write one. They are checked only for a bot that ended on its own,
which is a fault in any case; a bot that fakes a sign only exchanges one fault for another.
"""

import re

from arena.confinement.launcher import NO_MEMORY

SIGNS = re.compile(  # lines of stderr, each in the form of its language
    r"""(?mx)^(?:
    MemoryError(?::.*)?  # Python
    |(?:terminate\ called\ after\ throwing\ an\ instance\ of\ 'std::bad_alloc'|\s*what\(\):\s+std::bad_alloc)  # C++
    |.*FATAL\ ERROR:.*out\ of\ memory.*  # JavaScript
    |(?:fatal\ error:\ )?runtime:\ out\ of\ memory.*  # Go
    |(?:Exception.*\ |Caused\ by:\ )?java\.lang\.OutOfMemoryError(?::.*)?  # Java
    |.*There\ is\ insufficient\ memory\ for\ the\ Java\ Runtime.*|.*VM\ warning:.*errno=12.*  # its native half
    |[^\n]+:\ (?:.*\ )?Cannot\ allocate\ memory.*  # the C library's text for ENOMEM
    |(?:thread.*)?memory\ allocation\ of\ \d+\ bytes\ failed.*  # Rust
    |\S*awk:\ .*(?:memory\ exhausted|out\ of\ memory).*  # awk
    )$"""
)
NEARLY = 0.9  # of the limit
LAST_CHARACTERS = 2000  # of stderr: an error that the bot survived may be named further above


def died_of_memory(exit_code: int, stderr: str, peak_kb: int, memory_mb: int | None) -> bool:
    """Tell whether a bot that ended on its own ran out of memory.

    ``exit_code``: as in subprocess, negative for a signal. ``stderr``: the end of its log. ``peak_kb``: ``ru_maxrss`` of wait4(2).
    ``memory_mb``: of the launch; None: no limit.
    """
    if exit_code == 0:
        return False
    end = stderr[-LAST_CHARACTERS:]
    if exit_code == NO_MEMORY or SIGNS.search(end) is not None:
        return True
    return memory_mb is not None and exit_code < 0 and peak_kb >= NEARLY * memory_mb * 1024
