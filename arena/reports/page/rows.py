"""A report as the values that its page shows, in the order in which they are read."""

from typing import Any

from msgspec import Struct

from arena.records import Result
from arena.reports.report import Report
from arena.reports.tables import matches, number
from arena.stats import strengths
from arena.stats.standings import Standing
from arena.stats.tally import Counts

FULL = 20.0  # points a hand at which a cell of the crosstable is coloured in full
WON = ("gin", "big gin", "knock", "undercut")
LOST = ("lost to a knock", "lost to gin", "lost by undercut")
ENDINGS = (*WON, "nobody scores", "other ends", *LOST)


class Cell(Struct, frozen=True):
    """A cell of the crosstable."""

    opponent: str
    matches: str  # won, drawn if any, and lost
    points_a_hand: str
    heat: int  # per cent of the full colour
    side: str  # "ahead", "behind" or "": its colour
    met: bool


class Chance(Struct, frozen=True):
    """A cell of the table of ranks."""

    shown: str
    heat: int


def crosstable(report: Report) -> list[tuple[str, list[Cell]]]:
    """Return a row an entrant: what it did against everybody."""
    names = [row.entrant for row in report.standings]
    return [(name, [_cell(other, report.tally.between(name, other)) for other in names]) for name in names]


def _cell(opponent: str, counts: Counts) -> Cell:
    points = counts.points_a_hand or 0.0
    side = "ahead" if points > 0 else "behind" if points < 0 else ""
    heat = round(60 * min(abs(points) / FULL, 1.0))
    told = number(counts.points_a_hand, "+z.1f")
    return Cell(opponent, matches(counts), told, heat, side, counts.hands > 0)


def chances(report: Report) -> list[tuple[str, list[Chance]]]:
    """Return a row an entrant: how likely it is to hold each rank; no rows, if the rating does not say."""
    rated = [(row.entrant, row.rating.ranks) for row in report.standings if row.rating and row.rating.ranks]
    return [(entrant, [Chance(_percent(chance), round(60 * chance)) for chance in ranks]) for entrant, ranks in rated]


def _percent(chance: float) -> str:
    if chance == 0.0:
        return ""
    return "<1" if chance < 0.01 else ">99" if 0.99 < chance < 1.0 else f"{100 * chance:.0f}"


def endings(report: Report, entrant: str) -> list[int]:
    """Return how an entrant's hands ended, in the order of ``ENDINGS``."""
    won = report.tally.of(entrant)
    lost = sum((row.get(entrant, Counts()) for row in report.tally.crosstable.values()), Counts())
    gins, knocks = lost.gins + lost.big_gins, lost.knocks
    told = won.gins + won.big_gins + won.knocks + won.undercuts + won.dead + knocks + gins + won.undercut
    return [won.gins, won.big_gins, won.knocks, won.undercuts, won.dead, won.hands - told, knocks, gins, won.undercut]


def ends(report: Report) -> list[tuple[str, list[int]]]:
    """Return a row an entrant: how its hands ended."""
    return [(row.entrant, endings(report, row.entrant)) for row in report.standings]


def notes(report: Report) -> list[tuple[str, str]]:
    """Return what must be known of ratings: a note, and whom it is about."""
    found = strengths.notes({row.entrant: row.rating for row in report.standings})
    everybody = len(report.standings)
    return [(note, "all" if len(names) == everybody else ", ".join(names)) for note, names in found]


def document(report: Report) -> dict[str, Any]:
    """Return what the scripts of a page work with."""
    return {
        "title": report.title,
        "live": False,
        "matches": max(report.matches, len(report.results)),
        "hands": report.hands,
        "field": (field := [row.entrant for row in report.standings]),
        "rules": report.rules,
        "rows": [_row(report, row) for row in report.standings],
        "course": report.course,
        "results": packed(report.results, field),
        "played": {one.fixture: one for one in report.played},
    }


def packed(results: list[Result], field: list[str]) -> list[tuple[object, ...]]:
    """Return results as short rows: the fixture, the places of its seats in ``field``, and what came of it."""
    place = {name: at for at, name in enumerate(field)}
    return [
        (one.fixture.id, place[one.fixture.seats[0]], place[one.fixture.seats[1]], one.winner, one.games, one.points, one.hands)
        for one in results
    ]


def _row(report: Report, row: Standing) -> dict[str, Any]:
    estimate = None if row.rating is None else (row.rating.value, row.rating.low, row.rating.high)
    return {"entrant": row.entrant, "rating": estimate, "endings": endings(report, row.entrant)}
