"""Bots that join a league without an audition, which starts each of them a dozen times."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.league import submit
from arena.league.rules.events import Auditioned
from arena.moments import now


@contextmanager
def admitting() -> Iterator[None]:
    """Have every bot pass."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(submit, "_audition", _passed)
        yield


def _passed(_: object, __: object, version: str, ___: object) -> Auditioned:
    return Auditioned(at=now(), version=version, passed=True)
