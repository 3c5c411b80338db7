"""Waits for what other processes do. Nothing here takes a number of seconds: a test's own limit ends what never comes."""

import time
from collections.abc import Callable


def until(happened: Callable[[], object]) -> None:
    """Wait until something has happened."""
    while not happened():
        time.sleep(0.01)
