"""Bots that play alike: they answer a fixed set of positions in the same way.

A mark, not a punishment: two authors may have had the same idea, and the organiser decides. Bots whose play depends on chance are
not found, nor are those that change a few answers on purpose.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from arena.league.rules.events import Answered, AnyEvent
from arena.league.rules.field import Version

FAULT = "!"  # in place of an answer
LEAST = 50  # positions that both have answered


class LikenessRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From which share of equal answers on two bots are said to play alike."""

    share: Annotated[float, Meta(gt=0.5, le=1)] = 0.99


class Likeness(Struct, frozen=True):
    """Two bots that play alike."""

    one: str  # of the two, the one that was submitted first
    other: str
    same: int  # answers
    asked: int  # positions that both have answered

    def __str__(self) -> str:
        """Return it as a line."""
        return f"{self.other} plays like {self.one}: the same answer in {self.same} of {self.asked} positions"


def nearest(versions: Sequence[Version], events: Iterable[AnyEvent]) -> dict[str, Likeness]:
    """Return for each version the version of another bot that plays most like it, where one can be compared."""
    answered = {event.version: event for event in events if isinstance(event, Answered)}
    groups: dict[str, list[Version]] = {}
    for version in versions:
        if version.id in answered:
            groups.setdefault(answered[version.id].positions, []).append(version)
    return {found.other: found for group in groups.values() for found in _nearest(group, answered)}


def compare(one: Version, other: Version, events: Iterable[AnyEvent]) -> Likeness | None:
    """Return the likeness of two versions, also of one bot; None: they have not answered the same positions."""
    texts = {event.version: event for event in events if isinstance(event, Answered) and event.version in (one.id, other.id)}
    if len(texts) < 2 or texts[one.id].positions != texts[other.id].positions:
        return None
    both = zip(*(texts[version.id].answers.split() for version in (one, other)), strict=False)
    asked = [(first, second) for first, second in both if FAULT not in (first, second)]
    return Likeness(one.id, other.id, sum(first == second for first, second in asked), len(asked)) if len(asked) >= LEAST else None


def _nearest(versions: Sequence[Version], answered: dict[str, Answered]) -> Iterator[Likeness]:
    """Yield the nearest of each version, of versions that have answered the same positions."""
    numbers: dict[str, int] = {FAULT: 0}
    rows = np.array([[numbers.setdefault(word, len(numbers)) for word in answered[one.id].answers.split()] for one in versions])
    valid, bots = rows > 0, np.array([version.name for version in versions])
    for version, row in zip(versions, rows, strict=True):
        asked = (valid & (row > 0)).sum(axis=1)
        same = ((rows == row) & valid).sum(axis=1)
        share = np.where((bots == version.name) | (asked < LEAST), -1.0, same / np.maximum(asked, 1))
        at = int(share.argmax())
        if share[at] >= 0:
            yield Likeness(versions[at].id, version.id, int(same[at]), int(asked[at]))


def likenesses(versions: Sequence[Version], events: Iterable[AnyEvent], rule: LikenessRule) -> list[Likeness]:
    """Return the versions of different bots that play alike, in the order of submission."""
    return list(_alike(versions, {event.version: event for event in events if isinstance(event, Answered)}, rule))


def _alike(versions: Sequence[Version], answered: dict[str, Answered], rule: LikenessRule) -> Iterator[Likeness]:
    numbers: dict[str, int] = {}
    rows = {
        version.id: np.array([numbers.setdefault(word, len(numbers)) for word in answered[version.id].answers.split()])
        for version in versions
        if version.id in answered
    }
    fault = numbers.get(FAULT, -1)
    for one, other in combinations([version for version in versions if version.id in rows], 2):
        if one.name != other.name and answered[one.id].positions == answered[other.id].positions:
            both = (rows[one.id] != fault) & (rows[other.id] != fault)
            same, asked = int(((rows[one.id] == rows[other.id]) & both).sum()), int(both.sum())
            if asked >= LEAST and same >= rule.share * asked:
                yield Likeness(one.id, other.id, same, asked)
