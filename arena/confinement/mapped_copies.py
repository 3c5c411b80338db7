"""Gives a template its own copy of the pages of files that it has mapped: the code and the tables of its libraries.

A process that maps the same page of a file as another one sees which bytes of it the other uses, by the time that a load takes
after it has flushed them from the processor's cache. A bot may map every library that it may read. So a template copies them
once, and its clones use the copies. Source: madvise(2), MADV_POPULATE_WRITE.
"""

import re

from arena.confinement.libc import call

READ, WRITE, EXECUTE = 1, 2, 4
POPULATE_WRITE = 23  # since Linux 5.14
PRIVATE_FILE = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (r..)p \S+ \S+ \d+ +/", re.MULTILINE)


def copy_mapped_files() -> None:
    """Copy every page of a file that this process has mapped privately. Raises: OSError, on Linux before 5.14."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as table:
        mapped = PRIVATE_FILE.findall(table.read())
    for first, end, rights in mapped:
        start, size = int(first, 16), int(end, 16) - int(first, 16)
        protection = READ | (WRITE if "w" in rights else 0) | (EXECUTE if "x" in rights else 0)
        call("mprotect", start, size, protection | WRITE)
        try:
            call("madvise", start, size, POPULATE_WRITE)
        finally:
            call("mprotect", start, size, protection)
