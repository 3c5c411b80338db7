"""Tables and drawings of a league's pages: the ladder, matches by round, the matrix of pairings, two versions, and authors.

Intervals and lines are drawn on the server, so the page needs no script to be read. All of the ladder share one axis, around the
median rating: what lies beyond an end is an arrow there, so that one very weak bot does not compress the scale of the others.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import median

from msgspec import Struct

from arena.league.rules.league_table import TableRow
from arena.league.rules.likeness import Likeness
from arena.league.rules.rounds import round_of
from arena.league.rules.table_changes import anchors_in, trends
from arena.league.show import trend_words
from arena.reports.answer_card import Axis, Strip, axis
from arena.reports.numbers import rating_number, share
from arena.web.club.watch import LeagueSnapshot

STRIP = 160.0  # width of the drawn axis
SPARK, SPARK_HEIGHT = 100.0, 20.0  # width and height of a drawn line
SPARK_POINTS = 12


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
        return place(self.axis, 0.0) if self.axis else ""

    @property
    def ends(self) -> str:
        """Return the ends of the axis in words."""
        return f"{self.axis.low:+,.0f} to {self.axis.high:+,.0f}".replace("-", "\N{MINUS SIGN}") if self.axis else ""

    @property
    def leader(self) -> DrawnStrip | None:
        """Return the interval of the first, which is shaded behind all others."""
        return self.rows[0].strip if self.rows else None


@lru_cache(1)
def ladder(snapshot: LeagueSnapshot) -> Ladder:
    """Return the ladder of a snapshot, computed once for all browsers."""
    rows = snapshot.table.rows
    anchors = set(anchors_in(snapshot.table, snapshot.spec.anchors))
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
    return DrawnStrip(place(scale, strip.low), place(scale, strip.high), "" if beyond else place(scale, strip.value), beyond)


def place(scale: Axis, value: float) -> str:
    """Return a value as a horizontal coordinate of a drawn strip."""
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
