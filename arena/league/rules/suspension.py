"""Which versions are suspended because of their faults."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Annotated

from msgspec import Meta, Struct

from arena.league.rules.events import Suspended
from arena.league.rules.field import Version
from arena.league.rules.reasons import Reason
from arena.league.rules.rounds import round_of
from arena.moments import Moment
from arena.records import Fault
from arena.stats.pairs import Pair


class SuspensionRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A version with faults in more than this share of its matches is suspended, once it has played enough of them."""

    share: Annotated[float, Meta(ge=0, le=1)] = 0.25  # of the matches since it last joined
    least: Annotated[int, Meta(ge=1, le=100_000)] = 8  # matches that it must have played since


class Faulty(Struct, frozen=True):
    """A fixture in which a version was at fault, with the first fault in it."""

    version: str
    fixture: str
    fault: Fault


def first_faults(faults: Iterable[tuple[str, str, Fault]]) -> list[Faulty]:
    """Return the first fault of each version in each fixture; the faults are given with entrant and fixture."""
    found: dict[tuple[str, str], Faulty] = {}
    for version, fixture, fault in faults:
        found.setdefault((version, fixture), Faulty(version, fixture, fault))
    return list(found.values())


def suspensions(
    active: Iterable[Version], played: Sequence[Pair], faults: Sequence[Faulty], rule: SuspensionRule, at: Moment
) -> list[Suspended]:
    """Return the suspensions that follow from the faults since each version last joined."""
    joined = {version.id: version.joined for version in active}
    mine: dict[str, list[Faulty]] = {name: [] for name in joined}
    for faulty in faults:
        if round_of(faulty.fixture) >= joined.get(faulty.version, inf):
            mine[faulty.version].append(faulty)
    for several in mine.values():  # in an order that does not depend on the order of play
        several.sort(key=lambda faulty: (round_of(faulty.fixture), faulty.fixture))
    matches = _matches({name: joined[name] for name in joined if mine[name]}, played)
    found = (_suspension(name, matches[name], mine[name], rule, at) for name in joined if mine[name])
    return [event for event in found if event]


def _matches(since: Mapping[str, int], played: Iterable[Pair]) -> Counter[str]:
    """Return the number of matches of some versions since a round of each."""
    found: Counter[str] = Counter()
    for pair in played if since else ():
        for name in (pair.entrant, pair.opponent):
            if name in since and round_of(pair.deals) >= since[name]:
                found[name] += pair.legs
    return found


def _suspension(version: str, matches: int, faults: Sequence[Faulty], rule: SuspensionRule, at: Moment) -> Suspended | None:
    if matches < rule.least or len(faults) <= rule.share * matches:
        return None
    last = faults[-1]
    detail = f"{last.fault.kind}: {last.fault.detail}"
    reason = Reason(f"at fault in {len(faults)} of {matches} matches", detail[:10_000])
    return Suspended(at=at, version=version, reason=reason, fixture=last.fixture, turn=last.fault.turn[: 1 << 18])
