"""What a league shows: its table, what has changed, and one bot."""

from collections.abc import Callable, Iterator, Sequence
from math import hypot
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.league import learning
from arena.league.certainty import Aim
from arena.league.events import AnyEvent
from arena.league.field import LeagueField, Version
from arena.league.history import History
from arena.league.likeness import Likeness, LikenessRule, likenesses
from arena.league.table import LeagueTable, TableRow, changes, describe, table
from arena.players.learned_state import EMPTY_DIGEST
from arena.reports.faults import summary
from arena.reports.numbers import MISSING, RATING_UNITS
from arena.reports.second_legs import describe as describe_second_legs
from arena.reports.tables import TextTable
from arena.runs.leagues import folder as leagues
from arena.runs.leagues.changes import chosen
from arena.runs.leagues.folder import League
from arena.runs.leagues.moments import Moment, now
from arena.stats.pairs import Pair
from arena.stats.ratings.base import Rating

HEADINGS = ("#", "bot", "author", "rating", "95 % interval", "trend", "matches", "faults", "state")
MEETINGS = 10  # opponents of a bot that are shown
FAULTS = 5  # faults of a bot that are shown


class LeagueReport(Struct, frozen=True, kw_only=True):
    """A league at a moment, and what has changed since an earlier one."""

    title: str
    aim: Aim
    rated_by: str  # the name of the rating
    at: Moment
    since: Moment
    then: LeagueTable
    now: LeagueTable
    changes: tuple[str, ...]
    rounds: int  # that were closed
    open_round: int | None  # None: none is open
    matches: int
    warning: str = ""  # what the organiser should know

    @property
    def progress(self) -> str:
        """Return how much was played, in one line."""
        state = "" if self.open_round is None else f", round {self.open_round} is open"
        aim = "the whole order" if self.aim == "order" else f"the best {self.aim.top}"
        return f"{self.title}: {self.matches} matches in {self.rounds} rounds{state}; aim: {aim}"


def report(path: Path, at: Moment | None, since: Moment) -> LeagueReport:
    """Return the report of the league in a folder at a moment; None: now, with the results of the open round so far.

    Raises: StoreError, SpecError.
    """
    with leagues.opened(path) as league:
        history = leagues.history(league.folder, league.store)
        found = report_on(league, history.until(at) if at else history, at or now(), since)
        return replace(found, warning=leagues.spec_difference(league))


def report_on(
    league: League, history: History, at: Moment, since: Moment, tell: Callable[[AnyEvent], str] = describe
) -> LeagueReport:
    """Return the report on a history; ``tell`` returns an event in one line."""
    then, now = table(history.until(since), league.spec.rated), table(history, league.spec.rated)
    alike = _likenesses(history, league.spec.likeness)
    now = replace(now, notes=(*now.notes, *map(str, alike)))
    calendar = history.calendar()
    return LeagueReport(
        title=league.spec.title,
        aim=league.spec.aim,
        rated_by=_name(league.spec.rating),
        at=at,
        since=since,
        then=then,
        now=now,
        changes=tuple(changes(history.events, since, then, now, tell)),
        rounds=len(calendar.closed),
        open_round=calendar.current.round if calendar.current else None,
        matches=sum(row.matches for row in now.rows) // 2,
    )


def _likenesses(history: History, rule: LikenessRule | None) -> list[Likeness]:
    """Return the active bots that play alike."""
    return likenesses(history.field().active, history.events, rule) if rule else []


def text_table(shown: LeagueReport) -> TextTable:
    """Return the table of a league as text."""
    rows = [_cells(row, shown.then.row(row.id)) for row in shown.now.rows]
    unit = RATING_UNITS.get(shown.rated_by, shown.rated_by)
    note = f"Rating: {unit}. Trend: since {shown.since}. Matches in which a bot was at fault are counted as faults."
    return TextTable(shown.title, HEADINGS, rows, (1, 2, 8), note)


def bot(path: Path, name: str) -> Iterator[str]:
    """Yield what is known of a bot, one line each. Raises: InputError, StoreError, SpecError."""
    with leagues.opened(path) as league:
        history = leagues.history(league.folder, league.store)
        field = history.field()
        refusals = list(_refusals(field, name.partition("@")[0]))
        if refusals and not field.of(name.partition("@")[0]):  # it never joined
            yield from refusals
            return
        version, now = chosen(field, name), table(history, league.spec.rated)
        yield from _versions(field, version, now)
        if second := now.second_legs.get(version.name):
            yield f"  {describe_second_legs(second)}"
        if league.spec.learning:
            yield _learned(history, version)
        yield from _alike(history, version, league.spec.likeness)
        yield from refusals
        yield from _meetings(history, version)
        yield from _faults(history, version)


def _name(rating: Rating) -> str:
    return str(rating.__struct_config__.tag)


def _cells(row: TableRow, then: TableRow | None) -> tuple[str, ...]:
    return (
        MISSING if row.rank is None else str(row.rank),
        row.id,
        row.author,
        _number(row.rating),
        MISSING if row.low is None else f"{_number(row.low)} to {_number(row.high)}",
        _trend(row, then),
        str(row.matches),
        str(row.faults),
        row.state,
    )


def _number(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{value:+z.2f}" if abs(value) < 100 else f"{value:+z.0f}"


def _trend(row: TableRow, then: TableRow | None) -> str:
    if row.rating is None:
        return MISSING
    return "new" if then is None or then.rating is None else f"{row.rating - then.rating:+z.2f}"


def _versions(field: LeagueField, version: Version, shown: LeagueTable) -> Iterator[str]:
    yield f"{version.name} of {version.author}"
    for one in field.of(version.name):
        row = shown.row(one.id)
        rating = f"rated {_number(row.rating)}, {row.matches} matches, {row.faults} with faults" if row else ""
        reason = f": {one.reason}" if one.reason else ""
        yield f"  {one.id}  {one.digest[:12]}  {rating}{_gain(one, shown)}; {one.state} since {one.since}{reason}"


def _gain(version: Version, shown: LeagueTable) -> str:
    """Return how much a version is better than its predecessor, with the interval of independent errors, which is too wide."""
    now, before = shown.row(version.id), shown.row(version.predecessor) if version.predecessor else None
    if not now or not before or now.rating is None or before.rating is None:
        return ""
    half = hypot(*((row.high or 0.0) - (row.rating or 0.0) for row in (now, before)))
    return f", {now.rating - before.rating:+z.2f} ± {half:.2f} over {before.id}"


def _learned(history: History, version: Version) -> str:
    """Return in which rounds a version has learned, and its state."""
    learned = [(event.round, state) for event in history.calendar().closed for name, state in event.learned if name == version.id]
    if not learned:
        return "  has learned nothing yet; logs/arena.log says why a state was not kept"
    last, state = learned[-1]
    now = learning.starts(history.events)[version.id]
    lost = "" if now == state else f", which is lost: it begins with {'nothing' if now == EMPTY_DIGEST else now[:12]}"
    return f"  has the state {state[:12]} since round {last}{lost}; number of rounds in which it has learned: {len(learned)}"


def _alike(history: History, version: Version, rule: LikenessRule | None) -> Iterator[str]:
    """Yield the bots that play like a version."""
    for one in likenesses(history.field().versions, history.events, rule) if rule else ():
        if version.id in (one.one, one.other):
            yield f"  {one}"


def _refusals(field: LeagueField, name: str) -> Iterator[str]:
    for refusal in field.refusals:
        if refusal.version.name == name:
            yield f"  refused {refusal.at}  {refusal.version.digest[:12]}  {refusal.reason}"
            yield from [f"    the turn: {refusal.turn}"] if refusal.turn else ()


def _meetings(history: History, version: Version) -> Iterator[str]:
    """Yield the opponents of a version that were met last, and what came of it."""
    found: dict[str, list[Pair]] = {}
    for pair in history.played:
        if version.id in (pair.entrant, pair.opponent):
            found.setdefault(pair.opponent if pair.entrant == version.id else pair.entrant, []).append(pair)
    for other, met in list(found.items())[-MEETINGS:]:
        yield f"  against {other}: {_meeting(met, version.id)}"


def _meeting(met: Sequence[Pair], version: str) -> str:
    """Return the pairs that a version has won, and its net points a hand."""
    signs = [1 if pair.entrant == version else -1 for pair in met]
    net = sum(sign * (pair.points[0] - pair.points[1]) for sign, pair in zip(signs, met, strict=True))
    won = sum(sign * pair.outcome > 0 for sign, pair in zip(signs, met, strict=True))
    hands = sum(pair.hands for pair in met)
    return f"{won} of {len(met)} pairs won, {net / max(hands, 1):+z.2f} points a hand"


def _faults(history: History, version: Version) -> Iterator[str]:
    mine = [faulty for faulty in history.faults if faulty.version == version.id]
    for faulty in mine[-FAULTS:]:
        yield f"  fault in {faulty.fixture}: {summary(faulty.fault)}"
        if faulty.fault.turn:
            yield f"    the turn: {faulty.fault.turn.strip()}"
