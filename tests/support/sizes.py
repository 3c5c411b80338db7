"""What every change can afford, and several times as much at night: sizes of long tests, examples of properties, parameters.

``ARENA_NIGHTLY=1`` in the environment stands for a night.
"""

import os
from collections.abc import Iterable
from typing import Any

import pytest

_NIGHTLY = os.environ.get("ARENA_NIGHTLY") == "1"


def size(usual: int, nightly: int) -> int:
    """Return a number of kills, seeds, simulated runs, hands or examples."""
    return nightly if _NIGHTLY else usual


def mostly_nightly(values: Iterable[Any], *daily: object) -> list[Any]:
    """Return parameters of a test: all but ``daily`` are left to the night, because they show the same in other places."""
    return [value if value in daily else _nightly(*value) if type(value) is tuple else _nightly(value) for value in values]


def _nightly(*values: object) -> Any:
    return pytest.param(*values, marks=pytest.mark.nightly)
