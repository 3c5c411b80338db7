"""The values of a league's pages, computed from a snapshot. Nothing here reads the disk."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.league.rules.event_words import describe, describe_to_all
from arena.league.rules.events import Reinstated, Retired, SeasonStopped, Suspended
from arena.league.rules.field import Version
from arena.league.rules.history import Faulty
from arena.league.rules.league_table import TableRow
from arena.league.rules.likeness import groups
from arena.league.rules.rounds import round_of
from arena.league.tokens import Token
from arena.records import Fault, MatchRecord
from arena.reports.answer import STRIPS
from arena.reports.answer_card import AnswerCard
from arena.reports.faults import location_words
from arena.reports.numbers import MISSING, count, duration, rating_unit
from arena.reports.second_legs import second_legs_line
from arena.stats.margin import half_of_one
from arena.stats.pairs import Pair
from arena.stats.statements import PLACES
from arena.stats.tally import Counts
from arena.web.club.ladder import last_rounds
from arena.web.club.watch import CurvePoint, LeagueSnapshot, net_points, pairs_by_opponent

WIDTH, HEIGHT = 640, 220  # of a rating curve, in units of its SVG
LABEL = 26  # height of a label of a curve, in the same units, on a phone
MOST_LINES = 60  # of what has changed
MOST_OPPONENTS = 40
MOST_VERSIONS = 3  # of a bot that are shown in detail
MOST_FAULTS = 30  # of a version that its author sees
SOON = 5.0  # seconds; a shorter wait is shown as "in a moment"
COSTLY = 5  # opponents that an author's page shows: those against which a bot lost most points


class CurveLine(Struct, frozen=True, kw_only=True):
    """The rating of a version over the rounds, as SVG coordinates."""

    id: str
    points: str  # of the line
    band: str  # of the 95 % interval
    flat: str = ""  # of the line from its last round on, since when it has not played; empty: it plays
    end: float = 0.0  # the height at the right end
    label: float = 0.0  # the height of its label there, apart from those of the others

    @property
    def version(self) -> str:
        """Return the label: its number, as ``@2``."""
        return f"@{self.id.rpartition('@')[2]}"


class Curve(Struct, frozen=True, kw_only=True):
    """A chart of ratings."""

    lines: tuple[CurveLine, ...]
    low: str  # the value at the bottom
    high: str  # the value at the top
    first: int  # round at the left
    last: int  # round at the right


class OpponentTotal(Struct, frozen=True, kw_only=True):
    """The results of a version against another."""

    opponent: str
    won: int  # pairs
    drawn: int
    lost: int
    points: int  # net
    hands: int

    @property
    def points_a_hand(self) -> str:
        """Return net points a hand as text."""
        return f"{self.points / self.hands:+z,.2f}" if self.hands else MISSING


def unit(snapshot: LeagueSnapshot) -> str:
    """Return the unit of the ratings."""
    return rating_unit(str(snapshot.spec.rating.__struct_config__.tag))


def news(snapshot: LeagueSnapshot) -> list[str]:
    """Return the news since ``since``, the moment of the older table to compare with, the last first."""
    lines = [line for event in snapshot.events if event.at > snapshot.since and (line := describe_to_all(event))]
    return lines[: -MOST_LINES - 1 : -1]


def audit(snapshot: LeagueSnapshot) -> list[tuple[str, str]]:
    """Return the moment and the line of each decision of an organiser or author, the last first."""
    kinds = Suspended | Retired | Reinstated | SeasonStopped
    acts = [(event.at, describe(event)) for event in snapshot.events if isinstance(event, kinds) and event.by]
    return acts[::-1]


def alike(snapshot: LeagueSnapshot) -> list[str]:
    """Return the groups of active bots that play alike, one line each; only organisers see them."""
    rule = snapshot.spec.likeness
    return [str(one) for one in groups(snapshot.field.active, snapshot.events, rule)] if rule else []


def meetings(snapshot: LeagueSnapshot, version: str) -> list[OpponentTotal]:
    """Return the results of a version against each opponent, the costliest first."""
    found = pairs_by_opponent(snapshot, version)
    return sorted((_meeting(version, other, pairs) for other, pairs in found.items()), key=lambda one: one.points)


def _meeting(version: str, other: str, pairs: Sequence[Pair]) -> OpponentTotal:
    outcomes = [pair.outcome if pair.entrant == version else -pair.outcome for pair in pairs]
    return OpponentTotal(
        opponent=other,
        won=outcomes.count(1),
        drawn=outcomes.count(0),
        lost=outcomes.count(-1),
        points=sum(net_points(pair, version) for pair in pairs),
        hands=sum(pair.hands for pair in pairs),
    )


def pairs_between(snapshot: LeagueSnapshot, one: str, other: str) -> list[Pair]:
    """Return the pairs of two versions, the last one first."""
    return pairs_by_opponent(snapshot, one).get(other, [])[::-1]


def half_between(snapshot: LeagueSnapshot, one: str, other: str) -> float | None:
    """Return half the 95 % interval of the points a hand between two versions; None: their pairs are too few to say."""
    pairs = [(net_points(pair, one) / pair.hands, float(pair.hands)) for pair in pairs_between(snapshot, one, other) if pair.hands]
    a_hand = half_of_one([pairs])
    return None if a_hand is None else a_hand / sqrt(sum(hands for _, hands in pairs))


def is_open(snapshot: LeagueSnapshot, fixture: str) -> bool:
    """Tell whether a fixture belongs to a round that is not closed; its hands are not shown. Raises: DamagedError."""
    return round_of(fixture) > len(snapshot.calendar.closed)


def fault_counts(counts: Counts) -> Mapping[str, int]:
    """Return the number of faults of each kind."""
    kinds = {kind: getattr(counts.faults, kind) for kind in counts.faults.__struct_fields__}
    return {kind: number for kind, number in kinds.items() if number}


def _last_faults(snapshot: LeagueSnapshot, version: str) -> list[Faulty]:
    """Return the last faults of a version, the last one first."""
    return [one for one in snapshot.history.faults if one.version == version][: -MOST_FAULTS - 1 : -1]


def bot_values(snapshot: LeagueSnapshot, name: str, *, own: bool) -> dict[str, Any]:
    """Return the values of the template of a bot's page; ``own``: the reader may see details of its faults."""
    versions, second = snapshot.field.of(name)[::-1], snapshot.table.second_legs.get(name)
    shown, tally = versions[:MOST_VERSIONS], snapshot.tally
    return {
        "name": name,
        "versions": versions,
        "rows": {version.id: snapshot.table.row(version.id) for version in versions},
        "unit": unit(snapshot),
        "curve": curve(snapshot, versions),
        "answer": bot_answer(snapshot, versions),
        "like": snapshot.nearest.get(versions[0].id),
        "second_legs": second_legs_line(second) if second else "",
        "meetings": {version.id: meetings(snapshot, version.id)[:MOST_OPPONENTS] for version in shown},
        "counts": {version.id: tally.of(version.id) if version.id in tally.crosstable else Counts() for version in shown},
        "endings": {version.id: snapshot.endings.get(version.id, []) for version in shown},
        "fault_counts": fault_counts,
        "location": location_words,
        "faults": [one for version in versions for one in _last_faults(snapshot, version.id)] if own else (),
        "own": own,
        "refusals": [one for one in reversed(snapshot.field.refusals) if one.version.name == name],
    }


def bot_answer(snapshot: LeagueSnapshot, versions: Sequence[Version]) -> AnswerCard:
    """Return the rank of a bot's last version, its next match, the range of its rank, and the ratings of the last versions."""
    rows = [row for version in versions if (row := snapshot.table.row(version.id))]
    row, ranked = snapshot.table.row(versions[0].id), len(snapshot.table.ranking)
    stands = f"{versions[0].id} has rank {row.rank} of {ranked}" if row and row.rank else f"{versions[0].id} has no rank"
    return AnswerCard(
        finished=False,
        who=stands,
        how=f"next match: {next_match(snapshot, versions[0])}",
        why=rank_range(row),
        unit=unit(snapshot),
        strips=tuple(filter(None, (row.strip for row in rows[:STRIPS]))),
    )


def rank_range(row: TableRow | None) -> str:
    """Return in words the ranks that a version may deserve."""
    if row is None or row.rank is None or row.places is None:
        return "it has no rank yet"
    first, last = row.places
    return f"{PLACES}: {first}" if first == last else f"{PLACES}: {first} to {last}"


def next_match(snapshot: LeagueSnapshot, version: Version) -> str:
    """Return when and against which version it plays next, or why it does not, in words."""
    if version.state != "active":
        return f"it does not play: {version.state} since {version.since}"
    mine = [one for one in snapshot.left if version.id in one.seats]
    if mine:
        other = next(seat for seat in mine[0].seats if seat != version.id)
        wait = _waiting(snapshot, snapshot.left.index(mine[0]))
        return f"in this round, {match_count(len(mine))}; the next is against {other}{wait}"
    if len(snapshot.field.active) < 2:
        return "when a second bot is active"
    number = snapshot.calendar.number
    left = len(snapshot.left)
    after = f", after {match_count(left)} of the open round" if left else ""
    return f"in round {number}{after}{_waiting(snapshot, left)}"


def match_count(number: int) -> str:
    """Return a number of matches in words."""
    return count(number, "match", "matches")


def _waiting(snapshot: LeagueSnapshot, matches: int) -> str:
    if not snapshot.running:
        return "; nothing is played at the moment"
    if snapshot.pace <= 0:
        return ""
    seconds = 60 * matches / snapshot.pace
    return f", in about {duration(seconds)}" if seconds >= SOON else ", in a moment"


def curve(snapshot: LeagueSnapshot, versions: Iterable[Version]) -> Curve | None:
    """Return the chart of the ratings of some versions; None: there are not two points yet.

    The line of a version that plays no more ends in its last round, and continues flat.
    """
    ids, over = [version.id for version in versions], last_rounds(snapshot)
    # the round of a version's last point: the first point from its last round on, as not every round has one
    ends = {
        one: next((point.round for point in snapshot.curve if point.round >= over[one]), over[one]) for one in ids if one in over
    }
    points = [
        CurvePoint(point.round, {one: found for one, found in point.ratings.items() if point.round <= ends.get(one, point.round)})
        for point in snapshot.curve
        if any(one in point.ratings for one in ids)
    ]
    estimates = [point.ratings[one] for point in points for one in ids if one in point.ratings]
    if len(points) < 2:
        return None
    low, high = min(one.low for one in estimates), max(one.high for one in estimates)
    first, last = points[0].round, points[-1].round

    def x(number: int) -> float:
        return WIDTH * (number - first) / (last - first)

    def y(value: float) -> float:
        return HEIGHT * (high - value) / ((high - low) or 1)

    def lines() -> Iterator[CurveLine]:
        for one in ids:
            mine = [(point.round, point.ratings[one]) for point in points if one in point.ratings]
            if not mine:
                continue
            up = [f"{x(number):.1f},{y(found.high):.1f}" for number, found in mine]
            down = [f"{x(number):.1f},{y(found.low):.1f}" for number, found in reversed(mine)]
            line = " ".join(f"{x(number):.1f},{y(found.value):.1f}" for number, found in mine)
            at, value = mine[-1][0], y(mine[-1][1].value)
            flat = f"{x(at):.1f},{value:.1f} {WIDTH},{value:.1f}" if at < last else ""
            yield CurveLine(id=one, points=line, band=" ".join(up + down), flat=flat, end=round(value, 1))

    return Curve(lines=labelled(tuple(lines())), low=f"{low:+z,.2f}", high=f"{high:+z,.2f}", first=first, last=last)


def labelled(lines: Sequence[CurveLine]) -> tuple[CurveLine, ...]:
    """Return lines with the heights of their labels: those of their ends, but ``LABEL`` apart, in the same order."""
    heights: list[float] = []
    for line in sorted(lines, key=lambda line: line.end):
        heights.append(max(line.end + LABEL / 3, heights[-1] + LABEL if heights else 0.0))
    beyond = max(0.0, heights[-1] - HEIGHT - LABEL / 3) if heights else 0.0
    by_end = dict(zip(sorted(range(len(lines)), key=lambda number: lines[number].end), heights, strict=True))
    return tuple(replace(line, label=round(by_end[number] - beyond, 1)) for number, line in enumerate(lines))


def with_details_of(record: MatchRecord, names: Collection[str]) -> MatchRecord:
    """Return a record without what only a bot's author may see of its faults, except those of the entrants ``names``."""
    faults, excused = (
        tuple(one if record.fixture.seats[one.seat] in names else _without_details(one) for one in several)
        for several in (record.faults, record.excused)
    )
    return replace(record, faults=faults, excused=excused)


def _without_details(fault: Fault) -> Fault:
    return replace(fault, detail="its author sees what happened", turn="", answer="", stderr="")


def for_reader(record: MatchRecord, authors: Mapping[str, str], token: Token | None) -> MatchRecord:
    """Return a record as the holder of a token may see it: only the bot's author and organisers see details of a fault."""
    own = [name for name in record.fixture.seats if token and (token.organiser or token.holder == authors.get(name))]
    return with_details_of(record, own)
