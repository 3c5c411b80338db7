"""``python -m rogues.sealing SETTING [NAME ...]``: begins bots that resist their seal, in the cage; prints the outcomes as JSON.

A name may have a number of threads and of starts: ``storms to go on*16*40``.
"""

import os
import sys
import time
from collections import Counter

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import replace
from rogues.process import STAGE, Setting, setting
from rogues.resisting import HOLE_BYTES, HOLES, RESISTANCES

from arena.errors import WorkerLostError
from arena.gin.rules import Rules
from arena.limits import LineLimits, TimeLimits
from arena.players.base import PlayerFaultError
from arena.players.process_player import ProcessPlayer
from arena.roster.entrant import Launch

THREADS = 8


class SealOutcome(Struct, frozen=True):
    """What became of the starts of a bot."""

    outcomes: dict[str, int]  # starts by what became of them: "sealed", the kind and detail of a fault, or "lost: " and why
    seconds: float  # the longest start
    harness: float  # seconds of processor time of the harness, the most for a start


def main(how: Setting, names: list[str]) -> None:
    """Begin the bots, all or those named."""
    for name in HOLES:
        with (STAGE / "bots/rogue" / name).open("wb") as file:
            file.truncate(HOLE_BYTES)
    os.write(1, encode({name: _begun(how, *_parts(name)) for name in names or RESISTANCES}))


def _parts(name: str) -> tuple[str, int, int]:
    act, threads, starts = (*name.split("*"), "", "")[:3]
    return act, int(threads or THREADS), int(starts or 1)


def _begun(how: Setting, act: str, threads: int, starts: int) -> SealOutcome:
    found, longest, most = Counter[str](), 0.0, 0.0
    for _ in range(starts):
        before, used = time.monotonic(), time.process_time()
        found[_start(how, act, threads)] += 1
        longest, most = max(longest, time.monotonic() - before), max(most, time.process_time() - used)
    return SealOutcome(dict(found), round(longest, 3), round(most, 3))


def _start(how: Setting, act: str, threads: int) -> str:
    package = f"{STAGE}/package"
    is_program = RESISTANCES[act].is_program  # which no template starts
    python = (sys.executable, "-P", "-s") if is_program else (sys.executable, "-s", "-P")
    launch = Launch(
        command=(*python, "-m", "rogues.resisting", act, str(threads - 1)),
        folder=f"{STAGE}/bots/rogue",
        reads=(f"{package}/rogues",),
        environment=(("PYTHONPATH", package),),
        threads=threads,
    )
    confined = replace(how, templates=how.templates and not is_program).launch(launch, cpu_seconds=60)
    player = ProcessPlayer(confined, Rules(), TimeLimits(), LineLimits(), "seed")
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
