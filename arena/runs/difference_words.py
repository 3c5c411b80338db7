"""The differences of two bots as lines of text: the positions and a summary."""

import shlex
from collections.abc import Iterator, Mapping
from itertools import groupby

from arena.runs.debugging import fold_command
from arena.runs.differences import KIND_NAMES, DecisionKind, FoundDifference

SHOWN = 20  # positions as text


def lines(found: FoundDifference, old: str, new: str, width: int) -> Iterator[str]:
    """Yield a difference as lines of text: the positions of each hand, and the command that shows it, folded to ``width``.

    ``old`` and ``new`` are the bots' names.
    """
    difference = found.difference
    for command, positions in groupby(difference.positions[:SHOWN], lambda one: one.replay):
        for position in positions:
            yield f"{KIND_NAMES[position.kind]}: {old} {position.old}, {new} {position.new}"
            yield from position.view.splitlines()
        yield from fold_command(shlex.split(command), "    see this hand: ", width)
    if difference.differ > SHOWN:
        yield f"… and {difference.differ - SHOWN} more; --json lists all"
    yield summary(difference.decisions, difference.kinds)


def summary(decisions: int, kinds: Mapping[DecisionKind, int]) -> str:
    """Return how many decisions differ, in all and by kind, in one line."""
    differ = sum(kinds.values())
    by_kind = ", ".join(f"{KIND_NAMES[kind]} {count}" for kind, count in kinds.items())
    return f"{differ} of {decisions} decisions differ" + (f": {by_kind}" if differ else "")
