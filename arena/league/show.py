"""The reports of a league: its table, the changes, and one bot; comparisons of versions; and the export."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import hypot
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.league import leagues
from arena.league.leagues import OpenLeague
from arena.league.membership import find_version
from arena.league.rules import learning
from arena.league.rules.aims import Aim
from arena.league.rules.event_words import describe
from arena.league.rules.events import AnyEvent
from arena.league.rules.field import Refusal, Version
from arena.league.rules.history import Faulty, History
from arena.league.rules.league_table import LeagueTable, TableRow
from arena.league.rules.likeness import Likeness, groups, likenesses
from arena.league.rules.rounds import Calendar
from arena.league.rules.spec import LeagueSpec
from arena.league.rules.table_changes import anchors_in, changes, trends
from arena.league.rules.table_making import make_table
from arena.moments import Moment, now
from arena.players.kept_states import EMPTY_DIGEST
from arena.records import UNCONFINED
from arena.reports.faults import location, summary
from arena.reports.numbers import MISSING, count, ends, rating_number, rating_unit, signed
from arena.reports.second_legs import second_legs_line
from arena.reports.text_table import TextTable
from arena.stats.pairs import Pair
from arena.stats.second_leg_test import SecondLegs
from arena.stats.statements import GAINED, PERSON, RATING

HEADINGS = ("#", "bot", "author", "rating", str(RATING), "trend", "matches", "faults", "state")
ORDER = "Order: by the rating, less what its error is above the median; a bot that is known less well must show more."
MEETINGS = 10  # opponents of a bot that are shown
FAULTS = 5  # faults of a bot that are shown


class LeagueReport(Struct, frozen=True, kw_only=True):
    """A league at a moment, and what has changed since an earlier one."""

    spec: LeagueSpec
    calendar: Calendar
    at: Moment
    since: Moment
    then: LeagueTable
    now: LeagueTable
    changes: tuple[str, ...]
    warning: str = ""  # what the organiser should know

    @property
    def progress(self) -> str:
        """Return the title, and the numbers of rounds and matches played, in one line."""
        return f"{self.spec.title}: {self.extent}"

    @property
    def extent(self) -> str:
        """Return the numbers of rounds and matches played, and the aim."""
        return extent_words(sum(row.matches for row in self.now.rows) // 2, self.calendar, self.spec.aim)


def extent_words(matches: int, calendar: Calendar, aim: Aim) -> str:
    """Return the numbers of rounds and matches played, and the aim."""
    state = f", round {calendar.current.round} is open" if calendar.current else ""
    words = "the whole order" if aim == "order" else f"the best {aim.top}"
    return f"{count(matches, 'match', 'matches')} in {count(len(calendar.closed), 'round')}{state}; aim: {words}"


def league_report(path: Path, at: Moment | None, since: Moment) -> LeagueReport:
    """Return the report of the league in a folder at a moment; None: now, with the results of the open round so far.

    Raises: StoreError, SpecError.
    """
    with leagues.open_league(path) as league:
        history = leagues.history(league.folder, league.store)
        history = history.until(at) if at else history
        found, rule = report_on(league, history, at or now(), since), league.spec.likeness
        alike = groups(history.field().active, history.events, rule) if rule else ()  # for the organiser, in no export
        table_now = replace(found.now, notes=(*found.now.notes, *map(str, alike)))
        return replace(found, now=table_now, warning=leagues.spec_difference(league))


def report_on(
    league: OpenLeague, history: History, at: Moment, since: Moment, tell: Callable[[AnyEvent], str] = describe
) -> LeagueReport:
    """Return the report on a history; ``tell`` returns an event in one line."""
    then, now = make_table(history.until(since), league.spec.rating_terms), make_table(history, league.spec.rating_terms)
    return LeagueReport(
        spec=league.spec,
        calendar=history.calendar(),
        at=at,
        since=since,
        then=then,
        now=now,
        changes=tuple(changes(history.events, since, then, now, tell)),
    )


def text_table(shown: LeagueReport) -> TextTable:
    """Return the table of a league as text."""
    known = trends(shown.then, shown.now, anchors_in(shown.now, shown.spec.anchors))
    rows: list[tuple[str, ...]] = [
        (
            MISSING if row.rank is None else str(row.rank),
            row.id,
            row.author,
            rating_number(row.rating),
            ends(row.low, row.high),
            trend_words(row, known),
            str(row.matches),
            str(row.faults),
            row.state,
        )
        for row in shown.now.rows
    ]
    unit = rating_unit(str(shown.spec.rating.__struct_config__.tag))
    note = f"Rating: {unit}. {ORDER} Trend: since {shown.since}. Matches in which a bot was at fault are counted as faults."
    return TextTable(shown.spec.title, HEADINGS, rows, (1, 2, 8), note)


PEOPLE_HEADINGS = ("name", "class", "rating", str(RATING), "points a hand", "matches", "hands")


def people_table(shown: LeagueReport) -> TextTable | None:
    """Return the table of people; None: none has played a rated match."""
    rows: list[tuple[str, ...]] = [
        (
            row.person,
            UNCONFINED,
            rating_number(row.rating),
            ends(row.low, row.high),
            signed(row.points_a_hand),
            str(row.matches),
            str(row.hands),
        )
        for row in shown.now.people
    ]
    note = f"By the closed rounds, less the luck of the draws. {PERSON} It moves no bot's rating; no sandbox holds a person."
    return TextTable("People", PEOPLE_HEADINGS, rows, (0, 1), note) if rows else None


class RatedVersion(Struct, frozen=True, kw_only=True):
    """A version, and its row in the table."""

    version: Version
    row: TableRow | None  # None: it is not in the table


class OpponentResult(Struct, frozen=True, kw_only=True):
    """The pairs of a version against another one."""

    opponent: str
    pairs: int
    won: int
    points_a_hand: float  # net


class BotReport(Struct, frozen=True, kw_only=True):
    """A bot of a league: its versions and refusals; and the likenesses, meetings and faults of the requested version."""

    name: str
    versions: list[RatedVersion]
    refusals: list[Refusal]
    second_legs: SecondLegs | None = None  # None: no pair of legs was played
    learning: str = ""  # its state and the number of rounds in which it has learned, as text; empty: this league has no learning
    alike: list[Likeness] = []
    meetings: list[OpponentResult] = []  # with the opponents that were met last
    faults: list[Faulty] = []  # the last


def bot_report(path: Path, name: str) -> BotReport:
    """Return the report on a bot or version. Raises: InputError, StoreError, SpecError."""
    with leagues.open_league(path) as league:
        history = leagues.history(league.folder, league.store)
        field, called = history.field(), name.partition("@")[0]
        refusals = [one for one in field.refusals if one.version.name == called]
        if refusals and not field.of(called):  # it never joined
            return BotReport(name=called, versions=[], refusals=refusals)
        version, now = find_version(field, name), make_table(history, league.spec.rating_terms)
        alike = likenesses(field.versions, history.events, league.spec.likeness) if league.spec.likeness else []
        return BotReport(
            name=called,
            versions=[RatedVersion(version=one, row=now.row(one.id)) for one in field.of(called)],
            refusals=refusals,
            second_legs=now.second_legs.get(called),
            learning=_learning_words(history, version) if league.spec.learning else "",
            alike=[one for one in alike if version.id in (one.one, one.other)],
            meetings=_meetings(history, version),
            faults=[faulty for faulty in history.faults if faulty.version == version.id][-FAULTS:],
        )


def bot_lines(shown: BotReport) -> Iterator[str]:
    """Yield the lines of a bot's report."""
    if shown.versions:
        yield f"{shown.name} of {shown.versions[0].version.author}"
    yield from _version_lines(shown.versions)
    if shown.second_legs:
        yield f"  {second_legs_line(shown.second_legs)}"
    if shown.learning:
        yield f"  {shown.learning}"
    yield from (f"  {alike}" for alike in shown.alike)
    for refusal in shown.refusals:
        yield f"  refused {refusal.at}  {refusal.version.digest[:12]}  {refusal.reason}"
        yield from [f"    the turn: {refusal.turn}"] if refusal.turn else ()
    for one in shown.meetings:
        yield f"  against {one.opponent}: {one.won} of {one.pairs} pairs won, {signed(one.points_a_hand)} points a hand"
    for faulty in shown.faults:
        yield f"  fault in {faulty.fixture}, {location(faulty.fault)}: {summary(faulty.fault)}"
        yield from [f"    the question: {faulty.fault.turn.strip()}"] if faulty.fault.turn else ()


def trend_words(row: TableRow, trends: Mapping[str, float]) -> str:
    """Return the trend of a version; "new": other active ones were rated before it; a dash: it does not play, or none was."""
    if row.id in trends:
        return signed(trends[row.id])
    return "new" if trends and row.rank is not None else MISSING


def _version_lines(versions: Sequence[RatedVersion]) -> Iterator[str]:
    rows = {one.version.id: one.row for one in versions}
    for one in versions:
        version, row = one.version, one.row
        played = f"{count(row.matches, 'match', 'matches')}, {row.faults} with faults" if row else ""
        rating = f"rated {rating_number(row.rating)}, {played}" if row else ""
        gain = _gain(row, rows.get(version.predecessor or ""))
        reason = f": {version.reason}" if version.reason else ""
        yield f"  {version.id}  {version.digest[:12]}  {rating}{gain}; {version.state} since {version.since}{reason}"


def _gain(now: TableRow | None, before: TableRow | None) -> str:
    """Return the gain of a version over its predecessor."""
    if not now or not before or now.rating is None or before.rating is None:
        return ""
    half = hypot(*((row.high or 0.0) - (row.rating or 0.0) for row in (now, before)))
    return f", {GAINED(gain=signed(now.rating - before.rating), half=f'{half:,.2f}', before=before.id)}"


def _learning_words(history: History, version: Version) -> str:
    """Return a version's state and the number of rounds in which it has learned, as text."""
    learned = [(event.round, state) for event in history.calendar().closed for name, state in event.learned if name == version.id]
    if not learned:
        return "has learned nothing yet; logs/arena.log says why a state was not kept"
    last, state = learned[-1]
    now = learning.starts(history.events)[version.id]
    lost = "" if now == state else f", which is lost: it begins with {'nothing' if now == EMPTY_DIGEST else now[:12]}"
    return f"has the state {state[:12]} since round {last}{lost}; number of rounds in which it has learned: {len(learned)}"


def _meetings(history: History, version: Version) -> list[OpponentResult]:
    """Return a version's results against the opponents that it has met last, in the order of the last meetings."""
    found: dict[str, list[Pair]] = {}
    for pair in history.played:
        if version.id in (pair.entrant, pair.opponent):
            opponent = pair.opponent if pair.entrant == version.id else pair.entrant
            found[opponent] = found.pop(opponent, [])  # the last one stands last
            found[opponent].append(pair)
    return [_meeting(opponent, pairs, version.id) for opponent, pairs in list(found.items())[-MEETINGS:]]


def _meeting(opponent: str, met: Sequence[Pair], version: str) -> OpponentResult:
    signed = [(1 if pair.entrant == version else -1, pair) for pair in met]
    net = sum(sign * (pair.points[0] - pair.points[1]) for sign, pair in signed)
    won = sum(sign * pair.outcome > 0 for sign, pair in signed)
    return OpponentResult(opponent=opponent, pairs=len(met), won=won, points_a_hand=net / max(sum(pair.hands for pair in met), 1))
