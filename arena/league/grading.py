"""Grades of a course: the points of each author by the table of a league, and by a scheme that the teacher writes."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, hypot
from pathlib import Path
from statistics import NormalDist
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.errors import InputError
from arena.league import leagues
from arena.league.course import stored_outcomes
from arena.league.membership import find_version
from arena.league.rules.events import SeasonClosed
from arena.league.rules.field import LeagueField
from arena.league.rules.history import History
from arena.league.rules.league_table import LeagueTable, TableRow
from arena.league.rules.table_making import make_table
from arena.moments import Moment
from arena.tournament.spec import read_struct

Z = NormalDist().inv_cdf(0.975)  # half of a 95 % interval, in standard errors
Points = Annotated[float, Meta(ge=-1_000_000, le=1_000_000)]
NOTHING = "nothing was handed in"


class BaselineTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points for being better than a bot of the league."""

    bot: str  # its name or version
    points: Points
    confidence: Annotated[float, Meta(gt=0.5, lt=1)] = 0.95


class RankBand(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points for a place among the best."""

    best: Annotated[float, Meta(gt=0, le=1)]  # share of the authors
    points: Points


class FaultTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points that are lost by faults."""

    points: Annotated[float, Meta(ge=0, le=1_000_000)]  # for each match with a fault
    most: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None  # in all; None: there is no limit


class GradingScheme(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The points for each achievement."""

    joined: Points = 0.0  # for a bot that passed its audition
    baseline: BaselineTerms | None = None
    ranks: tuple[RankBand, ...] = ()  # an author has the points of the best band
    faults: FaultTerms | None = None


class Grade(Struct, frozen=True, kw_only=True):
    """The points of an author, and what they are for."""

    author: str
    bot: str = ""  # the version that is graded; empty: none has joined
    points: float = 0.0
    joined: float = 0.0  # points
    baseline: float = 0.0  # points
    confidence: float | None = None  # that it is better than the baseline; None: no baseline, or one has no rating
    ranked: float = 0.0  # points
    rank: int | None = None  # among the graded authors; None: the bot is not active, or has not played
    faults: int = 0  # matches
    lost: float = 0.0  # points
    note: str = ""  # why no bot has joined, or why it has no rank


class Grades(Struct, frozen=True, kw_only=True):
    """The grades of all authors, by their names."""

    grades: tuple[Grade, ...]


def grades(path: Path, scheme: Path, authors: Sequence[str] = (), at: Moment | None = None, season: int | None = None) -> Grades:
    """Return the grades of the ``authors`` by a scheme's file; none given: of all with a submission but the baseline's author.

    ``at``: by the table as it was then; ``season``: as it was when that season was closed; None: as it is now.

    Raises: InputError, for a baseline that is not in the league, and a season that is not over; StoreError, SpecError.
    """
    terms = read_struct(scheme, GradingScheme)
    with leagues.open_league(path) as league:
        history = leagues.history(league.folder, league.store)
        if at is not None:
            history = history.until(at)
        if season is not None:
            history = _until_closed(history, season)
        refused = {one.author: one.reason for one in stored_outcomes(path).values() if one.state == "refused"}
        league_table, field = make_table(history, league.spec.rating_terms), history.field()
        try:
            return award(league_table, field, refused, terms, authors)
        except InputError as error:
            raise InputError(f"{scheme}: {error}") from None


def _until_closed(history: History, season: int) -> History:
    """Return the history up to the end of a season. Raises: InputError, if it is not over."""
    ends = {event.season: place for place, event in enumerate(history.events, 1) if isinstance(event, SeasonClosed)}
    if season not in ends:
        over = f"a season that is over, of which the last is {max(ends)}" if ends else "none, because no season is over yet"
        raise InputError(f"--season: found {season}; expected {over}")
    return replace(history, events=history.events[: ends[season]]).closed_rounds()


def award(
    league_table: LeagueTable, field: LeagueField, refused: Mapping[str, str], scheme: GradingScheme, authors: Sequence[str] = ()
) -> Grades:
    """Return the grades by a table, as :func:`grades`; ``refused``: the reasons of refusals, by author. Raises: InputError."""
    try:
        base = find_version(field, scheme.baseline.bot) if scheme.baseline else None
    except InputError as error:
        raise InputError(f"baseline.bot: {error}") from None
    submitters = {one.author for one in field.versions} | {refusal.version.author for refusal in field.refusals}
    named = authors or sorted((submitters | set(refused)) - ({base.author} if base else set()))
    # the first row of each author: active versions come first in the table
    of_authors = {row.author: row for row in reversed(league_table.rows)}
    best = {author: of_authors[author] for author in named if author in of_authors}
    counted = (row for row in league_table.rows if row.rank is not None and best.get(row.author) is row)
    ranks = {row.author: rank for rank, row in enumerate(counted, 1)}
    known = league_table.row(base.id) if base else None
    why = {**refused, **{refusal.version.author: str(refusal.reason) for refusal in field.refusals}}
    return Grades(
        grades=tuple(
            _grade(best[author], scheme, ranks, known, _why_unranked(best[author], field))
            if author in best
            else Grade(author=author, note=why.get(author, NOTHING))
            for author in named
        )
    )


def _why_unranked(row: TableRow, field: LeagueField) -> str:
    """Return why the best bot of an author has no rank; empty: it has one."""
    if row.rank is not None:
        return ""
    if row.state == "active":
        return f"{row.id} has not played yet"
    if row.state == "waiting":
        return f"{row.id} waits for the next season"
    version = field.version(row.id)
    return f"{row.id} is {row.state} since {version.since}" + (f": {version.reason}" if str(version.reason) else "")


def _grade(row: TableRow, scheme: GradingScheme, ranks: Mapping[str, int], base: TableRow | None, note: str = "") -> Grade:
    confidence = _confidence(row, base)
    terms, rank = scheme.baseline, ranks.get(row.author)
    beaten = terms.points if terms and confidence is not None and confidence >= terms.confidence else 0.0
    bands = sorted(scheme.ranks, key=lambda band: band.best)
    ranked = next((band.points for band in bands if rank and rank <= _places(band, len(ranks))), 0.0)
    lost = row.faults * scheme.faults.points if scheme.faults else 0.0
    if scheme.faults and scheme.faults.most is not None:
        lost = min(lost, scheme.faults.most)
    return Grade(
        author=row.author,
        bot=row.id,
        points=scheme.joined + beaten + ranked - lost,
        joined=scheme.joined,
        baseline=beaten,
        confidence=confidence,
        ranked=ranked,
        rank=rank,
        faults=row.faults,
        lost=lost,
        note=note,
    )


def _places(band: RankBand, authors: int) -> int:
    """Return the number of places in a band, rounded up. As a float, 0.28 * 25 is above 7; the share as it is written is meant."""
    return ceil(Fraction(str(band.best)) * authors)


def _confidence(row: TableRow, base: TableRow | None) -> float | None:
    """Return the chance that a version is better than another, by ratings whose errors are taken as independent."""
    one, other = row.strip, base.strip if base else None
    if one is None or other is None:
        return None
    error = hypot(one.high - one.low, other.high - other.low) / (2 * Z)
    return NormalDist().cdf((one.value - other.value) / error) if error else None
