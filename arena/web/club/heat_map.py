"""The pairings of the first bots as a matrix."""

from collections.abc import Mapping

from msgspec import Struct

from arena.league.rules.league_table import TableRow
from arena.web.club.watch import LeagueSnapshot

HEAT = 30  # bots in the matrix of pairings


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
        other, f"{mean:+z,.1f}", round(STRONGEST * min(abs(mean) / FULL_COLOUR, 1.0)), side, f"{one} against {other}, {hands} hands"
    )
