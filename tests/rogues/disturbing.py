"""``python -m rogues.disturbing SETTING SEED ...``: plays hands against bots that disturb them, in the cage.

A seed draws what a bot does and at which step of its life. Prints for each, as JSON, what its opponent has lost by it. Both bots
play the same simple game, so that a hand in which neither commits a fault is the same as without the disturbance.
"""

import os
import sys
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import replace
from rogues.disturber import ACTS, STEPS
from rogues.process import STAGE, Setting, setting

from arena.errors import WorkerLostError
from arena.gin.facts import Seat
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.limits import FaultCosts, LineLimits, TimeLimits
from arena.players.kept_states import KeptStates
from arena.players.sandboxes import StrictSandbox
from arena.records import Fixture, HandRecord, MatchRecord, net
from arena.referee import job
from arena.referee.job import Job, JobStates, SeatState
from arena.roster.entrant import Launch, StateLimits

HANDS = 4
LEARNING = StateLimits(size_mb=1, files=100)
TIME = TimeLimits(per_turn=0.5, per_match=5.0, stall=0.5, start=1.5)
COSTS = FaultCosts()
NOTHING = ("nothing", "never")


class Disturbance(Struct, frozen=True):
    """What a bot did, and what came of it."""

    acts: tuple[str, ...]
    faults: tuple[str, ...]  # of the bot
    harm: str  # what its opponent has lost; empty: nothing


def main(how: Setting, seeds: list[str]) -> None:
    """Play a match for each seed."""
    undisturbed = {seat: _played(how, seat, ()) for seat in (0, 1)}
    os.write(1, encode({seed: _disturbed(how, Random(seed), undisturbed) for seed in seeds}))


def _disturbed(how: Setting, chance: Random, undisturbed: dict[Seat, MatchRecord]) -> Disturbance:
    seat = chance.randrange(2)
    plan = tuple(f"{chance.choice(sorted(ACTS))}@{chance.choice(STEPS)}" for _ in range(chance.randint(1, 2)))
    try:
        record = _played(how, seat, plan)
    except WorkerLostError as lost:
        return Disturbance(plan, (), f"the match: {lost}")
    faults = tuple(f"{one.kind}: {one.detail}" for one in (*record.excused, *record.faults) if one.seat == seat)
    return Disturbance(plan, faults, "; ".join(_harm(record, undisturbed[seat], seat)))


def _harm(record: MatchRecord, undisturbed: MatchRecord, seat: Seat) -> list[str]:
    """Return what the opponent of the disturbing ``seat`` has lost."""
    found = [f"a fault: {one.kind}: {one.detail}" for one in (*record.excused, *record.faults) if one.seat != seat]
    for hand, before in zip(record.hands, undisturbed.hands, strict=True):
        if hand.ending is Ending.FAULT:
            found += [f"points of hand {hand.game}"] if net(hand, 1 - seat) != COSTS.points else []
        elif _moves(hand) != _moves(before):
            found.append(f"hand {hand.game}, which was played otherwise")
    has_played = record.usage[1 - seat].decisions > 0  # else there was nothing to learn
    if has_played and record.states[1 - seat] != undisturbed.states[1 - seat]:
        found.append("what it has learned")
    return found


def _moves(hand: HandRecord) -> tuple[object, ...]:
    return hand.actions, hand.result


def _played(how: Setting, seat: Seat, plan: tuple[str, ...]) -> MatchRecord:
    """Play with a disturbing bot in a seat."""
    learns = how.profile != "C"  # which has no private folders
    sandbox = StrictSandbox(profile=how.profile, memory_mb=64, cpu_seconds=60, threads=4, scratch_mb=1 if learns else 0)
    both = (_launch(plan, learns), _launch(("starts its threads@hello",), learns))
    with TemporaryDirectory() as folder:
        kept = SeatState(kept=True)
        task = Job(
            fixture=Fixture("disturbed", ("a", "b"), "deals", HANDS),
            launches=both if seat == 0 else both[::-1],
            rules=Rules(),
            sandbox=sandbox,
            time=TIME,
            lines=LineLimits(),
            faults=COSTS,
            seed="disturbed",
            states=JobStates(files=KeptStates(Path(folder), LEARNING), seats=(kept, kept)) if learns else None,
        )
        return job.play(task)


def _launch(plan: tuple[str, ...], learns: bool) -> Launch:  # noqa: FBT001 - only used above
    package = f"{STAGE}/package"
    return Launch(
        command=(sys.executable, "-s", "-P", "-m", "rogues.disturber", str(time.time()), *plan),
        folder=f"{STAGE}/bots/rogue",
        reads=(f"{package}/rogues",),
        environment=(("PYTHONPATH", package),),
        threads=4,
        scratch_mb=1 if learns else 0,
        state=LEARNING if learns else None,
    )


if __name__ == "__main__":
    main(replace(setting(sys.argv[1]), learning=False), sys.argv[2:])
