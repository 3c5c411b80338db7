"""Which versions are suspended because of their faults."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from arena.league.events import Moment, Suspended
from arena.league.field import Version
from arena.league.rounds import round_of
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
    found = (_suspension(version, played, faults, rule, at) for version in active)
    return [event for event in found if event]


def _suspension(
    version: Version, played: Sequence[Pair], faults: Sequence[Faulty], rule: SuspensionRule, at: Moment
) -> Suspended | None:
    mine = [one for one in faults if one.version == version.id and round_of(one.fixture) >= version.joined]
    matches = sum(
        pair.legs for pair in played if version.id in (pair.entrant, pair.opponent) and round_of(pair.deals) >= version.joined
    )
    if not mine or matches < rule.least or len(mine) <= rule.share * matches:
        return None
    last = mine[-1]
    reason = f"at fault in {len(mine)} of {matches} matches; {last.fault.kind}: {last.fault.detail}"
    return Suspended(at=at, version=version.id, reason=reason[:10_000], fixture=last.fixture, turn=last.fault.turn[: 1 << 18])
