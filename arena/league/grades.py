"""Grades of a course: the points of each author by the table of a league, and by a scheme that the teacher writes."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, hypot
from pathlib import Path
from statistics import NormalDist
from typing import Annotated

from msgspec import Meta, Struct, ValidationError

from arena.league import bulk
from arena.league import folder as leagues
from arena.league.rules.field import LeagueField
from arena.league.rules.table import LeagueTable, TableRow, table
from arena.league.submit import find_version
from arena.tournament import spec as specs
from arena.tournament.spec import MistakeError, Source

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
    """What is worth how many points."""

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
    confidence: float | None = None  # that it is better than the baseline; None: one of the two has not played
    ranked: float = 0.0  # points
    rank: int | None = None  # among the authors; None: it does not play, or has not played
    faults: int = 0  # matches
    lost: float = 0.0  # points
    note: str = ""  # why no bot has joined


class Grades(Struct, frozen=True, kw_only=True):
    """The grades of all authors, by their names."""

    grades: tuple[Grade, ...]


def load_scheme(path: Path) -> GradingScheme:
    """Return the scheme in a YAML file. Raises: SpecError."""

    def make(plain: dict[str, object], source: Source) -> GradingScheme:
        try:
            found: GradingScheme = specs.convert(plain, GradingScheme, source)
        except ValidationError as error:
            raise MistakeError(specs.find_problem(error, plain, GradingScheme)) from None
        return found

    return specs.read(specs.text_of(path), str(path), make)


def grades(path: Path, scheme: GradingScheme, authors: Sequence[str] = ()) -> Grades:
    """Return the grades of the ``authors``; none given: of all who have submitted, but that of the baseline.

    Raises: InputError, for a baseline that is not in the league; StoreError, SpecError.
    """
    with leagues.open_league(path) as league:
        history = leagues.history(league.folder, league.store)
        refused = {one.author: one.reason for one in bulk.stored_outcomes(path).values() if one.state == "refused"}
        return award(table(history, league.spec.rating_terms), history.field(), refused, scheme, authors)


def award(
    rows: LeagueTable, field: LeagueField, refused: Mapping[str, str], scheme: GradingScheme, authors: Sequence[str] = ()
) -> Grades:
    """Return the grades by a table, as :func:`grades`; ``refused``: why bots were, by author. Raises: InputError."""
    base = find_version(field, scheme.baseline.bot) if scheme.baseline else None
    named = authors or sorted((_submitters(field) | set(refused)) - ({base.author} if base else set()))
    best = {author: row for author in named if (row := _best(rows.rows, author))}
    ranks = {row.author: rank for rank, row in enumerate((row for row in rows.rows if _counts(row, best)), 1)}
    known = rows.row(base.id) if base else None
    why = {**refused, **{refusal.version.author: str(refusal.reason) for refusal in field.refusals}}
    return Grades(
        grades=tuple(
            _grade(best[author], scheme, ranks, known) if author in best else Grade(author=author, note=why.get(author, NOTHING))
            for author in named
        )
    )


def _submitters(field: LeagueField) -> set[str]:
    return {version.author for version in field.versions} | {refusal.version.author for refusal in field.refusals}


def _best(rows: Sequence[TableRow], author: str) -> TableRow | None:
    """Return the first row of an author in the order of the table, in which active versions come first."""
    return next((row for row in rows if row.author == author), None)


def _counts(row: TableRow, best: Mapping[str, TableRow]) -> bool:
    return row.rank is not None and best.get(row.author) is row


def _grade(row: TableRow, scheme: GradingScheme, ranks: Mapping[str, int], base: TableRow | None) -> Grade:
    confidence = _confidence(row, base)
    terms, rank = scheme.baseline, ranks.get(row.author)
    beaten = terms.points if terms and confidence is not None and confidence >= terms.confidence else 0.0
    ranked = next(_bands(scheme, rank, len(ranks)), 0.0) if rank else 0.0
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
    )


def _bands(scheme: GradingScheme, rank: int, authors: int) -> Iterator[float]:
    """Yield the points of the bands that hold a rank, the narrowest first; each holds one author at least."""
    for band in sorted(scheme.ranks, key=lambda band: band.best):
        if rank <= ceil(band.best * authors):
            yield band.points


def _confidence(row: TableRow, base: TableRow | None) -> float | None:
    """Return the chance that a version is better than another, by ratings whose errors are taken as independent."""
    one, other = row.strip, base.strip if base else None
    if one is None or other is None:
        return None
    error = hypot(one.high - one.low, other.high - other.low) / (2 * Z)
    return NormalDist().cdf((one.value - other.value) / error) if error else None
