"""Faults as text, grouped by cause: what went wrong, where in the bot's source, and the turn of the first fault of each group.

The cause of a crash in Python is read from the last traceback on stderr: the innermost frame outside the standard library and the
SDK is the line to fix, and the line below the frames is the error. For all other faults the cause is the detail without cards and
numbers, so that ``discard 7h: it was just taken`` and ``discard Ks: it was just taken`` count as one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Literal

from msgspec import Struct
from msgspec.json import Decoder
from msgspec.structs import replace

from arena.errors import MALFORMED
from arena.gin.actions import Kind
from arena.gin.cards import NAMES
from arena.records import Fault
from arena.reports.numbers import hand_words

GROUPS_SHOWN = 20  # in a table or a list
BOTS_NAMED = 3  # at the beginning of a report
GROUPS_KEPT = 200  # in a report; faults with any further cause are left out
MESSAGE_LENGTH = 200  # characters

TRACEBACK = "Traceback (most recent call last)"
_FRAME = re.compile(r'^ *File "([^"\n]+)", line (\d+)', re.MULTILINE)
_GROUP = re.compile(r"^ *\| ", re.MULTILINE)  # at the margin of an exception group
_LIBRARY = re.compile(r"(^|/)lib(64)?/python3[\d.]*t?/(?!(site|dist)-packages/)|(^|/)arena/(sdk|gin)/|^<frozen ")
_VARYING = re.compile(rf"\b(?:{'|'.join(NAMES)})\b|\d+(?:\.\d+)?")


class _Question(Struct):
    """What of a message to a bot says when it was sent."""

    type: Literal["hello", "turn"]
    may: tuple[Kind, ...] = ()


_question = Decoder(_Question)


class FaultGroup(Struct, frozen=True, kw_only=True):
    """The faults of one entrant with one cause."""

    entrant: str
    count: int
    summary: str  # of the first fault, in one line
    fixture: str  # of the first fault
    location: str  # of the first fault: game, hand and what the bot was asked, as commands name them
    hand: str = ""  # of the first fault, as 0.3; empty: not known, of a report that was stored without it
    moment: str = ""  # of the first fault: what the bot was asked; empty likewise


class Grouping:
    """Groups faults one by one; groups are in the order of their first faults."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], FaultGroup] = {}

    def add(self, entrant: str, fixture: str, fault: Fault) -> None:
        """Count one more fault."""
        key = entrant, _cause(fault)
        if known := self._groups.get(key):
            self._groups[key] = replace(known, count=known.count + 1)
        elif len(self._groups) < GROUPS_KEPT:
            self._groups[key] = FaultGroup(
                entrant=entrant,
                count=1,
                summary=summary(fault),
                fixture=fixture,
                location=location(fault),
                hand=_hand(fault),
                moment=_moment(fault),
            )

    def groups(self) -> list[FaultGroup]:
        """Return the groups so far."""
        return list(self._groups.values())


def group_faults(faults: Iterable[tuple[str, str, Fault]]) -> list[FaultGroup]:
    """Return the groups of ``faults``, each given as its entrant, its fixture and the fault."""
    grouping = Grouping()
    for entrant, fixture, fault in faults:
        grouping.add(entrant, fixture, fault)
    return grouping.groups()


def fault_lines(faults: Sequence[tuple[str, str, Fault]]) -> Iterator[str]:
    """Yield a line for each of the first ``GROUPS_SHOWN`` groups of ``faults``, then how many faults are not among them."""
    groups = group_faults(faults)
    for group in groups[:GROUPS_SHOWN]:
        yield f"{group.entrant}: {count_line(group)}; {'first ' if group.count > 1 else ''}in {place(group)}"
    if more := left_out(groups, len(faults)):
        yield more


def place(group: FaultGroup) -> str:
    """Return where a group begins, as commands name it."""
    return f"{group.fixture}, {group.location}"


def summaries(groups: list[FaultGroup], place: Callable[[FaultGroup], str] = place) -> Iterator[str]:
    """Yield a line for each of the first ``BOTS_NAMED`` entrants with faults: how many, the most frequent, and its place.

    With ``GROUPS_KEPT`` groups there may be more faults than are counted in them.
    """
    by_bot: dict[str, list[FaultGroup]] = {}
    for group in groups:
        by_bot.setdefault(group.entrant, []).append(group)
    for name, own in islice(by_bot.items(), BOTS_NAMED):
        most, total = max(own, key=lambda group: group.count), sum(group.count for group in own)
        often = count_line(most) if len(own) > 1 else most.summary
        first = "first in" if most.count > 1 else "in"
        counted = f"{total} faults" if total > 1 else "a fault"
        counted = f"at least {counted}" if len(groups) == GROUPS_KEPT else counted
        yield f"{name} has {counted}: {often}; {first} {place(most)}"
    if (more := len(by_bot) - BOTS_NAMED) > 0:
        yield f"{more} more bot{'s have' if more > 1 else ' has'} faults, which the table of faults names"


def left_out(groups: list[FaultGroup], total: int) -> str:
    """Return the number of ``total`` faults not in the first ``GROUPS_SHOWN`` groups; empty if all are."""
    more = total - sum(group.count for group in groups[:GROUPS_SHOWN])
    return f"and {more} more fault{'s' * (more > 1)}" if more > 0 else ""


def count_line(group: FaultGroup) -> str:
    """Return the summary of a group with its count: ``7 × IndexError at mine.py:6: list index out of range``."""
    return f"{group.count} × {group.summary}" if group.count > 1 else group.summary


def summary(fault: Fault) -> str:
    """Return a fault in one line: the error that ended the bot, or the fault's detail.

    The last line on stderr follows the detail, except for an illegal action.
    """
    error = error_line(fault.stderr)
    if _ended_by_error(fault):
        return error
    detail = f"{fault.kind}: {fault.detail}" + (f" ({fault.clause})" if fault.clause else "")
    return detail if fault.kind == "illegal" or not error else f"{detail}; {error}"


def location(fault: Fault) -> str:
    """Return when a fault happened: ``hand 0.3, asked to draw or take``."""
    return f"hand {_hand(fault)}, {_moment(fault)}"


def location_words(fault: Fault) -> str:
    """Return when a fault happened, counted from 1: ``game 1, hand 4, asked to draw or take``."""
    return f"{hand_words(_hand(fault), alone=False)}, {_moment(fault)}"


def _hand(fault: Fault) -> str:
    return f"{fault.game}.{fault.hand}"


def _moment(fault: Fault) -> str:
    if not fault.turn:  # none was open
        return "in its opponent's turn" if fault.kind == "timeout" else "before its first turn"
    try:
        question = _question.decode(fault.turn)
    except (ValueError, *MALFORMED):  # a lone surrogate is a ValueError
        return "at a message that cannot be read"
    if question.type == "hello":
        return "while it started"
    return f"asked to {' or '.join(kind.replace('_', ' ') for kind in question.may)}"


def _cause(fault: Fault) -> str:
    """Return a key that is equal for faults with the same cause."""
    if _ended_by_error(fault):
        return error_line(fault.stderr).partition(": ")[0]
    return f"{fault.kind} {fault.clause} {_VARYING.sub('', fault.detail.partition('; allowed: ')[0])}"


def _ended_by_error(fault: Fault) -> bool:
    _, traceback, last = fault.stderr.rpartition(TRACEBACK)
    return fault.kind == "crash" and bool(traceback and last.strip())


def error_line(stderr: str) -> str:
    """Return the last line of ``stderr``; if that is a traceback, the error and its source line, ``KeyError at mine.py:6: 31``."""
    _, traceback, last = _GROUP.sub("", stderr).rstrip().rpartition(TRACEBACK)
    frames = list(_FRAME.finditer(last)) if traceback else []
    if not frames:
        return last.rpartition("\n")[2].strip()[:MESSAGE_LENGTH]
    below = last[frames[-1].end() :].splitlines()[1:]
    line = next((line for line in below if line and not line.startswith(" ")), "")  # a message may have several lines
    name, colon, message = line[:MESSAGE_LENGTH].partition(": ")
    return f"{name} at {_source_line(frames)}{colon}{message}".lstrip()  # without a name, if stderr ends within the traceback


def _source_line(frames: list[re.Match[str]]) -> str:
    """Return the file and line of the innermost frame in the bot's own code, or else of the innermost frame."""
    own = [frame for frame in frames if not _LIBRARY.search(frame[1])] or frames
    return f"{PurePath(own[-1][1]).name}:{own[-1][2]}"
