"""Bots' processes as players: begun, asked for one decision, and closed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from support.hands.builders import FIRST, dealt

from arena.gin.match import Hand
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.view import View
from arena.limits import LineLimits, TimeLimits
from arena.players.base import PlayerFaultError, Reply
from arena.players.process_player import ProcessPlayer
from arena.roster.entrant import Launch

UPCARD = see(Hand.start(dealt("Ac2c3c 4d5d6d 7h8h9h Ks", "Ad2d3d 4h5h6h 7s8s9s Kd", "Qd"), Rules()), FIRST)
PATIENT = TimeLimits(per_turn=20.0, per_match=60.0, stall=20.0)


@contextmanager
def player(launch: Launch, limits: TimeLimits = PATIENT, **options: Any) -> Iterator[ProcessPlayer]:
    """Yield a player that is not started, and close it afterwards; the options are those of its class."""
    remote = ProcessPlayer(launch, Rules(), limits, LineLimits(), "seed", **options)
    try:
        yield remote
    finally:
        remote.close()


@contextmanager
def begun(launch: Launch, limits: TimeLimits = PATIENT, **options: Any) -> Iterator[ProcessPlayer]:
    """Yield a player that has begun its match and, where bots are sealed, is sealed."""
    with player(launch, limits, **options) as remote:
        remote.begin(0, None)
        yield remote


def asked(launch: Launch, limits: TimeLimits = PATIENT, view: View = UPCARD) -> Reply:
    """Return a bot's first answer."""
    with begun(launch, limits) as remote:
        return remote.ask(view)


def fault(launch: Launch, limits: TimeLimits = PATIENT, view: View = UPCARD) -> PlayerFaultError:
    """Return the fault of a bot that does not begin or gives no valid first answer."""
    with pytest.raises(PlayerFaultError) as caught:
        asked(launch, limits, view)
    return caught.value
