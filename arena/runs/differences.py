"""Compares the decisions of two versions of a bot, before any match: ``arena diff``.

The old bot plays itself. The new bot is then asked for every decision that the old one made, in a separate process for each seat,
with the messages that the seat was sent. Then both bots are asked again in fresh processes with the same seeds; if the answers of a
bot change, it makes some choices by chance, so differences may be chance too.

The hands are played in batches. Deals and seeds are those of ``arena debug`` for the seed of the batch, so it shows each again.
"""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from arena.confinement.profiles import Sandbox
from arena.gin.actions import Action, BigGin, Knock, word
from arena.gin.facts import Seat
from arena.gin.match import Phase
from arena.gin.rules import Rules
from arena.gin.view import View
from arena.limits import TimeLimits
from arena.referee.asking import AskedDecision
from arena.referee.job import Job
from arena.runs import debugging, planning
from arena.runs.asked_batches import AskedBatch, DiffBatch, ask_batch
from arena.runs.chosen import ResolvedBot
from arena.runs.debugging import Lines
from arena.runs.runner import Runner
from arena.tournament.plan import Plan
from arena.tournament.preflight import check_starts
from arena.tournament.tasks import in_order

BATCH = 25  # hands of one process: few starts, and far below the time limit of a match

DecisionKind = Literal["draw", "discard", "knock", "lay_off"]
KINDS: tuple[DecisionKind, ...] = get_args(DecisionKind)
KIND_NAMES: dict[DecisionKind, str] = {"draw": "draw or take", "discard": "discard", "knock": "knock", "lay_off": "lay-off"}


class DiffRequest(Struct, frozen=True, kw_only=True):
    """Which hands the old bot plays, and how."""

    hands: int
    rules: Rules
    sandbox: Sandbox
    time: TimeLimits = TimeLimits()
    seed: str = "diff"


class DifferentAnswers(Struct, frozen=True, kw_only=True):
    """A decision on which two bots differ, and its place."""

    kind: DecisionKind
    seed: str  # of the batch, for ``arena debug``
    hand: int  # of the batch, counted from 0
    turn: int  # number of the action in the hand, counted from 1
    seat: Seat
    old: str  # the old bot's answer
    new: str  # the new bot's answer, or its fault
    replay: str  # the command that shows the hand


class DifferentPosition(DifferentAnswers, frozen=True, kw_only=True):
    """A decision on which two bots differ, with what the seat saw."""

    view: str  # the turn as text


class Difference(Struct, frozen=True, kw_only=True):
    """The different answers of two bots."""

    decisions: int  # for which the new bot was asked
    differ: int
    kinds: dict[DecisionKind, int]  # of those that differ
    positions: tuple[DifferentPosition, ...]


class HandCommand(Struct, frozen=True, kw_only=True):
    """The command that shows a hand of the old bot against itself."""

    words: tuple[str, ...]  # without the hand, the seat and the seed
    bot: str  # the bot's name in its output

    def of(self, hand: int, seat: Seat, seed: str) -> str:
        """Return the command that shows a hand of the batch with a seed."""
        return shlex.join((*self.words, "--hand", str(hand), "--seat", str(seat), "--seed", seed))


class FoundDifference(Struct, frozen=True, kw_only=True):
    """A difference, with warnings about it and what it was found from."""

    difference: Difference
    warnings: tuple[str, ...]
    batches: tuple["AskedBatch", ...]
    rules: Rules
    command: HandCommand


def compare(
    old: ResolvedBot, new: ResolvedBot, request: DiffRequest, runner: Runner, command: HandCommand | None = None
) -> FoundDifference:
    """Return the differences between the bots' answers. ``command`` shows a hand; None: ``arena debug``.

    Raises: InputError, SandboxError; RosterError, for a bot that does not start; WorkerLostError, for a batch lost three times.
    """
    plan = _plan((old, new), request)
    warned = check_starts(plan)
    batches = [
        DiffBatch(job=_job(plan, number, min(BATCH, request.hands - first)), new=new.entrant.launch)
        for number, first in enumerate(range(0, request.hands, BATCH))
    ]
    with runner.open_pool() as pool:
        played = list(in_order(pool, ask_batch, batches))
    command = command or debug_command(old.asked, request.rules, request.time, old.name)
    return FoundDifference(
        difference=_difference(played, command),
        warnings=(*warned, *_warnings(played, old.name, new.name)),
        batches=tuple(played),
        rules=plan.spec.rules,
        command=command,
    )


def debug_command(bot: str, rules: Rules, time: TimeLimits, name: str) -> HandCommand:
    """Return the command ``arena debug``; ``bot`` is the text that names the bot there, ``name`` its name in the output."""
    limits = () if time == TimeLimits() else ("--time", time.text)
    return HandCommand(words=("arena", "debug", bot, "--against", bot, "--rules", rules.text, *limits), bot=name)


def _plan(field: Sequence[ResolvedBot], request: DiffRequest) -> Plan:
    values = {
        "title": f"Difference of {field[0].name} and {field[1].name}",
        "rules": request.rules,
        "format": {"name": "batches"},
        "sandbox": request.sandbox,
        "time": request.time,
    }
    return planning.from_values(values, field, request.seed)


def _job(plan: Plan, number: int, hands: int) -> Job:
    """Return the job of a batch, in which the first bot of a plan plays itself."""
    old = plan.names[0]
    return replace(plan, seed=f"{plan.seed}-{number}").job(replace(debugging.fixture(plan.spec.rules, hands), seats=(old, old)))


def _difference(played: Sequence[AskedBatch], command: HandCommand) -> Difference:
    positions = tuple(_position(one, before, batch.seed, command) for batch in played for before, one in _different(batch.asked))
    kinds = Counter(position.kind for position in positions)
    return Difference(
        decisions=sum(len(batch.asked) for batch in played),
        differ=len(positions),
        kinds={kind: kinds[kind] for kind in KINDS},
        positions=positions,
    )


def _different(asked: Sequence[AskedDecision]) -> Iterator[tuple[View | None, AskedDecision]]:
    """Yield each decision that differs, with the seat's turn before it in the hand."""
    for before, one in zip((None, *asked), asked, strict=False):
        if not one.same:
            follows = before and (before.seat, before.hand) == (one.seat, one.hand)
            yield (before.view if before and follows else None), one


def _position(asked: AskedDecision, before: View | None, seed: str, command: HandCommand) -> DifferentPosition:
    return DifferentPosition(
        kind=kind_of(asked),
        seed=seed,
        hand=asked.hand,
        turn=asked.turn + 1,
        seat=asked.seat,
        view="\n".join(Lines(command.bot, command.bot).turn(asked.turn + 1, asked.view, before)),
        old=word(asked.recorded),
        new=asked.fault if asked.answer is None else word(asked.answer),
        replay=command.of(asked.hand, asked.seat, seed),
    )


def kind_of(asked: AskedDecision) -> DecisionKind:
    """Return the kind of a decision; a discard in which either bot knocks is a ``knock``."""
    match asked.view.phase:
        case Phase.LAY_OFF:
            return "lay_off"
        case Phase.DISCARD | Phase.LAST_KNOCK:
            return "knock" if _knocks(asked.recorded) or _knocks(asked.answer) else "discard"
        case _:
            return "draw"


def _knocks(action: Action | None) -> bool:
    return isinstance(action, Knock | BigGin)


def _warnings(played: Sequence[AskedBatch], old: str, new: str) -> Iterator[str]:
    """Yield warnings: a bot committed faults, or its answers depend on chance."""
    yield from _fault_line(old, [f"{fault.kind}: {fault.detail}" for batch in played for fault in batch.record.faults])
    yield from _fault_line(new, [one.fault for batch in played for one in batch.asked if one.answer is None])
    yield from _chance_line(old, [one.same for batch in played for one in batch.old_again])
    yield from _chance_line(new, [first.answer == second.answer for batch in played for first, second in _pairs(batch)])


def _pairs(batch: AskedBatch) -> Iterator[tuple[AskedDecision, AskedDecision]]:
    """Yield both answers of the new bot to each decision for which it was asked twice."""
    again = {(one.seat, one.hand, one.turn): one for one in batch.new_again}
    return ((one, again[place]) for one in batch.asked if (place := (one.seat, one.hand, one.turn)) in again)


def _fault_line(bot: str, faults: Sequence[str]) -> Iterator[str]:
    if faults:
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        yield f"{bot}: {faults[0]}{more}; nothing more was asked in such a hand; `arena bots check` looks for the cause"


def _chance_line(bot: str, same: Sequence[bool]) -> Iterator[str]:
    if changed := same.count(False):
        yield f"{bot} gave another answer to {changed} of {len(same)} decisions when asked twice: differences may be chance"
