"""``python -m rogues.sealing SETTING [NAME ...]``: begins bots that resist their seal, in the cage; prints the outcomes as JSON.

A name may have a number of threads and of starts: ``storms to go on*16*40``.
"""

import os
import sys
import time
from collections import Counter

from msgspec import Struct
from msgspec.json import encode
from rogues.process import STAGE, Setting, setting
from rogues.resisting import ACTS

from arena.errors import WorkerLostError
from arena.gin.rules import Rules
from arena.players.base import PlayerFaultError
from arena.players.remote import LineLimits, RemotePlayer, TimeLimits
from arena.roster.entrant import Launch

THREADS = 8


class SealOutcome(Struct, frozen=True):
    """What became of the starts of a bot."""

    outcomes: dict[str, int]  # "sealed", or the kind and detail of a fault, or "lost: " and why the worker was
    seconds: float  # the longest start


def main(how: Setting, names: list[str]) -> None:
    """Begin the bots, all or those named."""
    os.write(1, encode({name: _begun(how, *_parts(name)) for name in names or ACTS}))


def _parts(name: str) -> tuple[str, int, int]:
    act, threads, starts = (*name.split("*"), "", "")[:3]
    return act, int(threads or THREADS), int(starts or 1)


def _begun(how: Setting, act: str, threads: int, starts: int) -> SealOutcome:
    found, longest = Counter[str](), 0.0
    for _ in range(starts):
        before = time.monotonic()
        found[_start(how, act, threads)] += 1
        longest = max(longest, time.monotonic() - before)
    return SealOutcome(dict(found), round(longest, 3))


def _start(how: Setting, act: str, threads: int) -> str:
    package = f"{STAGE}/package"
    launch = Launch(
        command=(sys.executable, "-s", "-P", "-m", "rogues.resisting", act, str(threads - 1)),
        folder=f"{STAGE}/bots/rogue",
        reads=(f"{package}/rogues",),
        environment=(("PYTHONPATH", package),),
        threads=threads,
    )
    player = RemotePlayer(how.launch(launch, cpu_seconds=60), Rules(), TimeLimits(), LineLimits(), "seed")
    try:
        player.begin(0, None)
    except PlayerFaultError as fault:
        return f"{fault.kind}: {fault.detail}"
    except WorkerLostError as lost:
        return f"lost: {lost}"
    else:
        return "sealed"
    finally:
        player.close()


if __name__ == "__main__":
    main(setting(sys.argv[1]), sys.argv[2:])
