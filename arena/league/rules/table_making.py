"""Makes the table of a league from its history, best first."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, isfinite

from msgspec.structs import replace

from arena.league.rules.aims import rivals
from arena.league.rules.events import (
    AnyEvent,
    SideClosed,
    bot_name,
)
from arena.league.rules.field import Version, VersionState
from arena.league.rules.history import History, second_legs
from arena.league.rules.league_table import LeagueTable, PersonRow, TableRow
from arena.league.rules.ratings import LeagueRatings, RatingTerms, rate
from arena.league.rules.request_summary import summary
from arena.league.rules.side_matches import SideMatch, side_matches
from arena.reports.answer import answer_of_league
from arena.reports.second_legs import second_leg_flags
from arena.stats.estimate import Estimate
from arena.stats.margin import of_blocks
from arena.stats.ratings import PointsRating
from arena.stats.strengths import rank_interval

ORDER: Mapping[VersionState, int] = {"active": 0, "waiting": 1, "suspended": 2, "retired": 3, "withdrawn": 4, "submitted": 5}
LEAST_NOTED = 0.05  # of the interval: a smaller correction is not worth a note


def make_table(history: History, terms: RatingTerms) -> LeagueTable:
    """Return the table: versions by state (active, waiting, suspended, retired, withdrawn), then by standing, unrated ones last."""
    field = history.field()
    rated = rate(history.played, field.versions, terms, history.answers())
    ratings = rated.estimates
    matches, faults = history.matches(), Counter(faulty.version for faulty in history.faults)
    versions = sorted(field.versions, key=lambda version: (ORDER[version.state], -rated.standing.get(version.id, -inf)))
    rows, second = list[TableRow](), second_legs(history)
    for version in versions:
        estimate = ratings.get(version.id)
        row = TableRow(
            rank=len(rows) + 1 if version.state == "active" and estimate else None,
            name=version.name,
            author=version.author,
            version=version.number,
            digest=version.digest,
            rating=estimate.value if estimate else None,
            low=estimate.low if estimate and isfinite(estimate.low) else None,
            high=estimate.high if estimate and isfinite(estimate.high) else None,
            places=rank_interval(estimate.ranks) if estimate else None,
            matches=matches.get(version.id, 0),
            faults=faults[version.id],
            state=version.state,
            second_legs=second.get(version.name),
            reads_while_playing=version.reads_while_playing,
        )
        rows.append(row)
    ranking = [row.id for row in rows if row.rank is not None]
    known = rivals(field.versions, ranking, history.closed_rounds().played, elo=terms.elo)
    contending = {name: replace(ratings[name], contends=one.contends, out_after=one.out_after) for name, one in known.items()}
    requests = filter(None, [summary(history.events, history.played)])
    return LeagueTable(
        tuple(rows),
        (*second_leg_flags(second), *_notes(versions, ratings), *_luck(ranking, rated), *rated.notes, *map(str, requests)),
        answer_of_league(ranking, contending, matches, str(terms.rating.__struct_config__.tag)),
        _people(history, rated, terms),
    )


def _people(history: History, rated: LeagueRatings, terms: RatingTerms) -> tuple[PersonRow, ...]:
    """Return the people, rated by the closed rounds."""
    if not any(isinstance(event, SideClosed) and event.kind == "people" for event in history.events):
        return ()
    if not isinstance(terms.rating, PointsRating):
        return people_rows(history.events, {})
    closed = history.closed_rounds()
    if len(closed.played) < len(history.played):
        rated = rate(closed.played, closed.field().versions, terms, closed.answers())
    return people_rows(history.events, {name: estimate.value for name, estimate in rated.estimates.items()})


def people_rows(events: Iterable[AnyEvent], ratings: Mapping[str, float]) -> tuple[PersonRow, ...]:
    """Return the people who have played, best first.

    ``ratings`` are those of the versions in points a hand; empty: the league has another scale.
    """
    mine: dict[str, list[SideMatch]] = {}
    for one in side_matches(events, "people").values():
        if one.counts:
            mine.setdefault(one.opened.person, []).append(one)
    rows = [_row(person, several, ratings) for person, several in mine.items()]
    return tuple(sorted(rows, key=lambda row: (-(row.points_a_hand if row.rating is None else row.rating), row.person)))


def _row(person: str, matches: Sequence[SideMatch], ratings: Mapping[str, float]) -> PersonRow:
    closed = [(one.opened.version, one.closed.adjusted) for one in matches if one.closed]
    hands, rated = sum(len(adjusted) for _, adjusted in closed), all(version in ratings for version, _ in closed)
    points = sum(sum(adjusted) for _, adjusted in closed) / hands
    met = sum(ratings.get(version, 0.0) * len(adjusted) for version, adjusted in closed) / hands  # mean rating of the opponents
    found = of_blocks([[ratings.get(version, 0.0) + one for one in adjusted] for version, adjusted in closed]) if rated else None
    return PersonRow(
        person=person,
        rating=met + points if rated else None,
        low=found.low if found and found.has_interval else None,
        high=found.high if found and found.has_interval else None,
        points_a_hand=points,
        matches=len(matches),
        hands=hands,
    )


def _luck(ranking: Sequence[str], rated: LeagueRatings) -> Iterator[str]:
    """Yield a note on the correction of the first version's rating for the luck of the best, unless it is small."""
    if not ranking:
        return
    first = ranking[0]
    estimate = rated.estimates[first]
    if (more := rated.measured[first] - estimate.value) > LEAST_NOTED * (estimate.high - estimate.low):
        yield f"the best of several bots is also the luckiest: {first} is rated {more:.2f} lower than its results alone say"


def _notes(versions: Sequence[Version], ratings: Mapping[str, Estimate]) -> Iterator[str]:
    """Yield each note of the estimates once, with its versions unless it concerns all; and the bots that are not sealed."""
    concerned: dict[str, list[str]] = {}
    for version in versions:
        note = ratings[version.id].note if version.id in ratings else ""
        for one in filter(None, note.split("; ")):
            concerned.setdefault(one, []).append(version.id)
    for note, ids in concerned.items():
        yield note if len(ids) == len(ratings) else f"{note} ({', '.join(ids)})"
    if reading := [version.id for version in versions if version.reads_while_playing]:
        yield f"not sealed, because they open files while they play ({', '.join(reading)})"


def best_of_table(history: History, terms: RatingTerms) -> list[str]:
    """Return the versions that may take part, best first: those with a rank by the closed rounds, of each bot its best version."""
    best: dict[str, str] = {}
    for version in make_table(history.closed_rounds(), terms).ranking:
        best.setdefault(bot_name(version), version)
    return list(best.values())
