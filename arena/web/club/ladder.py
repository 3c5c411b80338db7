"""Tables and drawings of a league's pages: the ladder, matches by round, the matrix of pairings, two versions, and authors.

Intervals and lines are drawn on the server, so the page needs no script to be read. All of the ladder share one axis, around the
median rating: what lies beyond an end is an arrow there, so that one very weak bot does not compress the scale of the others.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import inf, sqrt
from statistics import median
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from arena.league.rules.field import Version
from arena.league.rules.likeness import Likeness
from arena.league.rules.rounds import round_of
from arena.league.rules.table import TableRow, trends
from arena.league.show import trend_words
from arena.reports.answer import Axis, Strip, axis
from arena.reports.numbers import rating_number, share
from arena.stats.margin import half_of_one
from arena.web.club.watch import LeagueSnapshot, net_points, pairs_by_opponent

STRIP = 160.0  # width of the drawn axis
SPARK, SPARK_HEIGHT = 100.0, 20.0  # width and height of a drawn line
SPARK_POINTS = 12
BARS = 24  # rounds whose matches are shown
HEAT = 30  # bots in the matrix of pairings


class DrawnStrip(Struct, frozen=True):
    """An interval and its dot, as SVG coordinates."""

    low: str
    high: str
    dot: str  # empty: it lies beyond an end
    beyond: str  # "below" or "above" the axis; empty: on it


class LadderRow(Struct, frozen=True, kw_only=True):
    """A version in the ladder."""

    row: TableRow
    rating: str
    strip: DrawnStrip | None  # None: it is not rated
    spark: str  # points of its line over the rounds; empty: there are fewer than two
    trend: str
    rising: bool | None  # None: the trend is at most a quarter of the width of the rating's 95 % interval
    like: Likeness | None  # the bot that it plays like

    @property
    def like_words(self) -> str:
        """Return which bot it plays like, for a badge."""
        return f"plays like {self.like.one}, {share(self.like.same / self.like.asked)}" if self.like else ""


class Ladder(Struct, frozen=True):
    """All versions, best first, and the axis of their intervals."""

    rows: tuple[LadderRow, ...]
    axis: Axis | None  # None: nothing is rated

    @property
    def zero(self) -> str:
        """Return the place of 0 on the axis."""
        return _place(self.axis, 0.0) if self.axis else ""

    @property
    def ends(self) -> str:
        """Return the ends of the axis in words."""
        return f"{self.axis.low:+.0f} to {self.axis.high:+.0f}".replace("-", "\N{MINUS SIGN}") if self.axis else ""

    @property
    def leader(self) -> DrawnStrip | None:
        """Return the interval of the first, which is shaded behind all others."""
        return self.rows[0].strip if self.rows else None


@lru_cache(1)
def ladder(snapshot: LeagueSnapshot) -> Ladder:
    """Return the ladder of a snapshot, computed once for all browsers."""
    rows = snapshot.table.rows
    anchors = set(snapshot.table.anchors(snapshot.spec.anchors))
    moved, scale = trends(snapshot.then, snapshot.table, anchors), ladder_axis(rows)
    return Ladder(tuple(_row(snapshot, row, scale, moved, anchors) for row in rows), scale)


def ladder_axis(rows: Sequence[TableRow]) -> Axis | None:
    """Return an axis from the median up to the highest interval and as far down, at most to the lowest; None: nothing is rated."""
    rated = [one.strip for one in rows if one.rank is not None and one.strip]
    if not rated:
        return None
    top, middle = max(one.high for one in rated), median(one.value for one in rated)
    low = max(min(one.low for one in rated), 2 * middle - top)
    return axis([Strip("", middle, min(low, middle), top, "")])


def _row(snapshot: LeagueSnapshot, row: TableRow, scale: Axis | None, moved: Mapping[str, float], anchors: set[str]) -> LadderRow:
    strip, trend = row.strip, moved.get(row.id)
    half = (strip.high - strip.low) / 2 if strip else 0.0
    return LadderRow(
        row=row,
        rating=rating_number(row.rating),
        strip=drawn_strip(scale, strip) if scale and strip else None,
        spark=_spark(snapshot, row, scale),
        trend="anchor" if row.id in anchors else trend_words(row, moved),
        rising=trend > 0 if trend is not None and abs(trend) > half / 2 else None,
        like=snapshot.alike.get(row.id),
    )


def drawn_strip(scale: Axis, strip: Strip) -> DrawnStrip:
    """Return an interval on an axis."""
    beyond = "below" if strip.value < scale.low else "above" if strip.value > scale.high else ""
    return DrawnStrip(_place(scale, strip.low), _place(scale, strip.high), "" if beyond else _place(scale, strip.value), beyond)


def _place(scale: Axis, value: float) -> str:
    return f"{STRIP * scale.place(value):.0f}"


def last_rounds(snapshot: LeagueSnapshot) -> Mapping[str, int]:
    """Return the last round of each version that has played but is not active; its line is flat from there."""
    gone = {version.id for version in snapshot.field.versions if version.state != "active"}
    found: dict[str, int] = {}
    for pair in snapshot.history.played if gone else ():
        for one in gone & {pair.entrant, pair.opponent}:
            found[one] = max(found.get(one, 0), round_of(pair.deals))
    return found


def _spark(snapshot: LeagueSnapshot, row: TableRow, scale: Axis | None) -> str:
    """Return the points of an active version's rating over the rounds, with the axis as height; empty: fewer than two."""
    known = [(point.round, point.ratings[row.id].value) for point in snapshot.curve if row.id in point.ratings]
    if scale is None or row.rank is None or len(known) < 2:
        return ""
    step = max(1, -(-len(known) // SPARK_POINTS))
    chosen = known[::-1][::step][::-1]  # with the last one
    first, last = snapshot.curve[0].round, snapshot.curve[-1].round
    return " ".join(
        f"{SPARK * (number - first) / (last - first):.0f},{SPARK_HEIGHT * (1 - scale.place(value)):.1f}" for number, value in chosen
    )


# How much was played.


class Bar(Struct, frozen=True):
    """The matches of a round."""

    round: int
    matches: int
    height: float  # per cent of the highest


def activity(snapshot: LeagueSnapshot) -> list[Bar]:
    """Return the matches of the last rounds."""
    counted: Counter[int] = Counter()
    for pair in snapshot.history.played:
        counted[round_of(pair.deals)] += pair.legs
    rounds = sorted(counted)[-BARS:]
    most = max((counted[one] for one in rounds), default=1)
    return [Bar(one, counted[one], round(100 * counted[one] / most, 1)) for one in rounds]


# The pairings of the first bots as a matrix.


class HeatCell(Struct, frozen=True):
    """What a version wins against another."""

    opponent: str
    points: str  # a hand; empty: they have not met
    heat: int  # per cent of its colour in the cell, at most STRONGEST
    side: str  # "ahead", "behind" or "": its colour
    title: str


FULL_COLOUR = 10.0  # points a hand at which a cell has its strongest colour
STRONGEST = 60  # per cent, so that the number in the cell can be read


def heat_map(snapshot: LeagueSnapshot, first: int) -> list[tuple[TableRow, list[HeatCell]]]:
    """Return a row for each of ``HEAT`` versions from this rank on, with its points a hand against each other of them."""
    rows = [row for row in snapshot.table.rows if row.rank is not None and first <= row.rank < first + HEAT]
    chosen, totals = {row.id for row in rows}, dict[tuple[str, str], tuple[int, int]]()
    for pair in snapshot.history.played:
        if pair.entrant in chosen and pair.opponent in chosen:
            points, hands = totals.get((pair.entrant, pair.opponent), (0, 0))
            totals[pair.entrant, pair.opponent] = (points + pair.points[0] - pair.points[1], hands + pair.hands)
    return [(row, [_heat_cell(row.id, other.id, totals) for other in rows]) for row in rows]


def _heat_cell(one: str, other: str, totals: Mapping[tuple[str, str], tuple[int, int]]) -> HeatCell:
    sign = 1 if (one, other) in totals else -1
    points, hands = totals.get((one, other)) or totals.get((other, one)) or (0, 0)
    if not hands:
        return HeatCell(other, "", 0, "", f"{one} and {other} have not met")
    mean = sign * points / hands
    side = "ahead" if mean > 0 else "behind" if mean < 0 else ""
    return HeatCell(
        other, f"{mean:+z.1f}", round(STRONGEST * min(abs(mean) / FULL_COLOUR, 1.0)), side, f"{one} against {other}, {hands} hands"
    )


# Two versions side by side.


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
    return _place(axis(strips), 0.0) if strips else ""


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
    strip = Strip("", gain, gain - half, gain + half, f"{gain:+z.2f} ± {half:.2f}")
    return OpponentBoth(opponent=opponent, old=before, new=after, strip=strip)


# Authors.


class AuthorsBot(Struct, frozen=True, kw_only=True):
    """A bot of an author: its last version, and how many there were."""

    version: Version
    ladder_row: LadderRow | None  # None: it is not in the table
    versions: int


def authors_bots(snapshot: LeagueSnapshot, shown: Ladder, author: str) -> list[AuthorsBot]:
    """Return the bots of an author, the best first."""
    rows = {one.row.id: one for one in shown.rows}
    last = {version.name: version for version in snapshot.field.versions if version.author == author}
    numbers = Counter(version.name for version in snapshot.field.versions)
    bots = [AuthorsBot(version=one, ladder_row=rows.get(one.id), versions=numbers[name]) for name, one in last.items()]
    ranks = {one.row.id: one.row.rank for one in shown.rows if one.row.rank is not None}
    return sorted(bots, key=lambda one: ranks.get(one.version.id, inf))
