"""The sizes of long tests: what every change can afford, or, with ``ARENA_NIGHTLY=1`` in the environment, several times as much."""

import os

_NIGHTLY = os.environ.get("ARENA_NIGHTLY") == "1"


def size(usual: int, nightly: int) -> int:
    """Return a number of kills, seeds, simulated runs or hands."""
    return nightly if _NIGHTLY else usual
