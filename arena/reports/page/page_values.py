"""The values of a report as its page and its scripts use them."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from arena.records import Result
from arena.reports.fixture_names import fixture_words
from arena.reports.numbers import LARGE_FIELD, matches, number
from arena.reports.played import PlayedHand, PlayedMatch
from arena.reports.replay_words import REPLAY
from arena.reports.report import Report
from arena.reports.verdict import answers
from arena.stats import strengths
from arena.stats.standings import Standing
from arena.stats.tally import Counts, total

LINES = 8  # of the history of a large field: there are as many colours
STRONGEST = 60  # per cent of the full colour that a cell has at most
STRONGEST_AT = 20.0  # points a hand at which a cell of the crosstable has that much
WON = ("gin", "big gin", "knock", "undercut")
LOST = ("lost to a knock", "lost to gin", "lost by undercut")
ENDINGS = (*WON, "nobody scores", "other ends", *LOST)


class Cell(Struct, frozen=True):
    """A cell of the crosstable."""

    opponent: str
    matches: str  # won, drawn (if any) and lost
    points_a_hand: str
    heat: int  # per cent of the full colour, at most ``STRONGEST``
    side: str  # "ahead", "behind" or "": its colour
    met: bool  # whether the two have played


class RankCell(Struct, frozen=True):
    """A cell of the table of ranks: the chance of a rank."""

    text: str  # in per cent
    heat: int  # per cent of the full colour, at most ``STRONGEST``


def crosstable(report: Report) -> list[tuple[str, list[Cell]]]:
    """Return a row for each entrant with its result against each opponent."""
    names = [row.entrant for row in report.standings]
    return [(name, [_cell(other, report.tally.between(name, other)) for other in names]) for name in names]


def _cell(opponent: str, counts: Counts) -> Cell:
    points = counts.points_a_hand or 0.0
    side = "ahead" if points > 0 else "behind" if points < 0 else ""
    heat = round(STRONGEST * min(abs(points) / STRONGEST_AT, 1.0))
    average = number(counts.points_a_hand, "+z,.1f")
    return Cell(opponent, matches(counts), average, heat, side, counts.hands > 0)


def chances(report: Report) -> list[tuple[str, list[RankCell]]]:
    """Return a row for each entrant with its chance of each rank; no rows without chances, in a comparison or in a large field."""
    if report.comparison or not report.has_cross_table:
        return []
    rated = [(row.entrant, row.rating.ranks) for row in report.standings if row.rating and row.rating.ranks]
    return [(entrant, [RankCell(_percent(chance), round(STRONGEST * chance)) for chance in ranks]) for entrant, ranks in rated]


def _percent(chance: float) -> str:
    if chance == 0.0:
        return ""
    return "<1" if chance < 0.01 else ">99" if 0.99 < chance < 1.0 else f"{100 * chance:.0f}"


def is_large(report: Report) -> bool:
    """Tell whether the field is so large that a page shows its matrices by colour alone, and a part of its rows and lines."""
    return len(report.standings) > LARGE_FIELD


def endings(report: Report, entrant: str) -> list[int]:
    """Return the number of an entrant's hands with each ending, in the order of ``ENDINGS``."""
    own = report.tally.of(entrant)
    others = total(report.tally.between(other, entrant) for other in report.tally.crosstable.get(entrant, {}))
    won = [own.gins, own.big_gins, own.knocks, own.undercuts]
    lost = [others.knocks, others.gins + others.big_gins, own.undercut]
    return [*won, own.dead, own.hands - sum(won) - own.dead - sum(lost), *lost]


def ending_rows(report: Report) -> list[tuple[str, list[int]]]:
    """Return a row for each entrant with its hands by ending."""
    return [(row.entrant, endings(report, row.entrant)) for row in report.standings]


def notes(report: Report) -> list[tuple[str, str]]:
    """Return the notes on ratings, each with the entrants that it concerns."""
    found = strengths.notes({row.entrant: row.rating for row in report.standings})
    size = len(report.standings)
    return [(note, "all bots" if len(names) == size else ", ".join(names)) for note, names in found]


def document(report: Report) -> dict[str, Any]:
    """Return the values that the scripts of a page use."""
    field, large = [row.entrant for row in report.standings], is_large(report)
    ranks = [row.rating.ranks if row.rating else () for row in report.standings] if chances(report) else []
    return {
        "title": report.title,
        "live": False,
        "batches": report.batches,
        "comparison": comparison(report),
        "matches": max(report.matches, len(report.results)),
        "hands": report.hands,
        "field": field,
        "words": REPLAY,
        "rows": [_row(report, row) for row in report.standings],
        "history": {name: report.history[name] for name in field[:LINES] if name in report.history} if large else report.history,
        "pairs": _pairs(report, field) if large else None,
        "ranks": [[round(1000 * chance) for chance in row] for row in ranks] if large else None,
        "results": result_rows(report.results, field),
        "played": columns(report.played),
    }


def _pairs(report: Report, field: Sequence[str]) -> list[tuple[int, ...]]:
    """Return every two bots that met, by place, with the net points, hands, matches won and lost of the first."""
    met = [(at, place, report.tally.between(field[at], field[place])) for at in range(len(field)) for place in range(at)]
    return [
        (at, place, one.points_for - one.points_against, one.hands, one.matches_won, one.matches_lost)
        for at, place, one in met
        if one.hands
    ]


def columns(matches: Sequence[PlayedMatch]) -> dict[str, Any]:
    """Return matches with the number of their hands, and all hands in columns, which compress to two thirds of the size of rows."""
    rows = [[getattr(hand, field) for field in PlayedHand.__struct_fields__] for one in matches for hand in one.hands]
    return {
        "matches": [{**to_builtins(replace(one, hands=[])), "hands": len(one.hands)} for one in matches],
        "hands": list(zip(*rows, strict=True)),
    }


def comparison(report: Report) -> dict[str, Any] | None:
    """Return the values of the charts of a comparison, or None."""
    shown = report.comparison
    if shown is None:
        return None
    above, below = answers(shown)
    return {
        "above": above,
        "below": below,
        "proof": shown.outcome.proof,
        "bounds": shown.outcome.bounds if not shown.outcome.pentanomial else (),  # those are in another unit
        "unit": shown.outcome.unit,
        "history": shown.history,
    }


def result_rows(results: list[Result], field: list[str]) -> list[tuple[object, ...]]:
    """Return a row for each result: the fixture, the places of its seats in ``field``, the result, and the fixture in words."""
    index = {name: at for at, name in enumerate(field)}
    return [
        (one.fixture.id, *(index[name] for name in one.fixture.seats), *_score(one), fixture_words(one.fixture.id))
        for one in results
    ]


def _score(one: Result) -> tuple[object, ...]:
    return one.winner, one.games, one.points, one.hands


def _row(report: Report, row: Standing) -> dict[str, Any]:
    estimate = None if row.rating is None or row.rating.one_sided else (row.rating.value, row.rating.low, row.rating.high)
    return {"entrant": row.entrant, "rating": estimate, "endings": endings(report, row.entrant)}
