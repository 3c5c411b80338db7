"""How long a thread ran, and how long it had to wait for a core, by the kernel's count. Source: proc(5), schedstat."""


def thread_times(path: str) -> tuple[float, float]:
    """Return the seconds for which a thread ran, and was ready to run while others ran; ``path`` is its ``schedstat``.

    Raises: OSError; ValueError, if the kernel does not count.
    """
    with open(path, encoding="ascii") as counts:
        ran, waited, _ = counts.read().split()
    return int(ran) / 1e9, int(waited) / 1e9
