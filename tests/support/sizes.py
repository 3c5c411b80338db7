"""The sizes of long tests and the examples of properties: what every change can afford, and several times as much at night.

``ARENA_NIGHTLY=1`` in the environment stands for a night.
"""

import os

_NIGHTLY = os.environ.get("ARENA_NIGHTLY") == "1"


def size(usual: int, nightly: int) -> int:
    """Return a number of kills, seeds, simulated runs, hands or examples."""
    return nightly if _NIGHTLY else usual
