"""Two versions side by side."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from arena.reports.answer_card import Strip, axis
from arena.reports.numbers import signed
from arena.stats.margin import half_of_one
from arena.web.club.ladder import DrawnStrip, drawn_strip, place
from arena.web.club.watch import LeagueSnapshot, net_points, pairs_by_opponent


class OpponentBoth(Struct, frozen=True, kw_only=True):
    """What two versions win against the same opponent."""

    opponent: str
    old: float  # points a hand
    new: float  # points a hand
    strip: Strip | None  # the difference; None: its error is not known
    drawn: DrawnStrip | None = None

    @property
    def difference(self) -> float:
        """Return the gain of the new version."""
        return self.new - self.old

    @property
    def beyond_chance(self) -> bool:
        """Tell whether the interval does not contain 0."""
        return self.strip is not None and not self.strip.low <= 0 <= self.strip.high


def matchups(snapshot: LeagueSnapshot, old: str, new: str) -> list[OpponentBoth]:
    """Return the points a hand of two versions against the opponents that both have met, the greatest loss of the new one first.

    Few pairs of an opponent say little of their scatter, so the scatter of all is used. The standard deviation of a pair's net
    points grows with the root of its hands.
    """
    met = {one: _by_opponent(snapshot, one) for one in (old, new)}
    both = sorted(met[old].keys() & met[new].keys())
    samples = (met[one][other] for one in (old, new) for other in both)
    a_hand = half_of_one([(one.points / one.hands, float(one.hands)) for one in pairs] for pairs in samples)
    found = sorted((_matchup(one, met[old][one], met[new][one], a_hand) for one in both), key=lambda one: one.difference)
    strips = [one.strip for one in found if one.strip]
    scale = axis(strips) if strips else None
    return [replace(one, drawn=drawn_strip(scale, one.strip) if scale and one.strip else None) for one in found]


def matchup_zero(found: Sequence[OpponentBoth]) -> str:
    """Return the place of 0 on the axis of matchups; empty: they have none."""
    strips = [one.strip for one in found if one.strip]
    return place(axis(strips), 0.0) if strips else ""


class _Total(NamedTuple):
    points: int  # net
    hands: int


def _by_opponent(snapshot: LeagueSnapshot, version: str) -> dict[str, list[_Total]]:
    """Return the net points and hands of a version in each pair, by opponent."""
    found = {
        other: [_Total(net_points(pair, version), pair.hands) for pair in pairs if pair.hands]
        for other, pairs in pairs_by_opponent(snapshot, version).items()
    }
    return {other: totals for other, totals in found.items() if totals}


def _mean(pairs: Sequence[_Total]) -> float:
    return sum(one.points for one in pairs) / sum(one.hands for one in pairs)


def _matchup(opponent: str, old: Sequence[_Total], new: Sequence[_Total], a_hand: float | None) -> OpponentBoth:
    """Return both results; ``a_hand`` is half the interval of one hand."""
    before, after = _mean(old), _mean(new)
    if a_hand is None:
        return OpponentBoth(opponent=opponent, old=before, new=after, strip=None)
    gain, half = after - before, a_hand * sqrt(sum(1 / sum(one.hands for one in pairs) for pairs in (old, new)))
    strip = Strip("", gain, gain - half, gain + half, signed(gain, half))
    return OpponentBoth(opponent=opponent, old=before, new=after, strip=strip)
