"""The reports of a league: its table, the changes, and one bot; comparisons of versions; and the export."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import hypot
from pathlib import Path

from msgspec import Struct
from msgspec.json import format
from msgspec.structs import replace

from arena import publishing
from arena.league import folder as leagues
from arena.league.folder import SPEC, OpenLeague
from arena.league.intake.copies import entrant
from arena.league.places import redact_paths
from arena.league.rules import learning
from arena.league.rules.events import AnyEvent, Auditioned, RoundOpened, Suspended, decode
from arena.league.rules.field import Refusal, Version
from arena.league.rules.history import Calendar, Faulty, History, calendar, round_of
from arena.league.rules.likeness import Likeness, groups, likenesses
from arena.league.rules.pairing import Aim
from arena.league.rules.spec import LeagueSpec
from arena.league.rules.special import person_matches, special_events
from arena.league.rules.table import LeagueTable, TableRow, changes, describe, describe_to_all, table, trends
from arena.league.special import EVENTS, PEOPLE, event_folder, match_folder
from arena.league.submit import find_version
from arena.moments import Moment, now
from arena.players.state import EMPTY_DIGEST
from arena.records import UNCONFINED
from arena.reports.faults import location, summary
from arena.reports.html_page import render
from arena.reports.numbers import MISSING, count, ends, rating_number, rating_unit
from arena.reports.tables import TextTable, second_legs_line
from arena.roster.entrant import Entrant
from arena.runs import debug, diff, review_cache
from arena.runs.confined_reading import confined_reader
from arena.runs.debug import HandChoice, Opponents, Show
from arena.runs.diff import DiffRequest, FoundDifference, HandCommand
from arena.runs.plans import ResolvedBot
from arena.runs.play import Runner
from arena.stats.pairs import Pair, SecondLegs
from arena.stats.statements import GAINED, PERSON, RATING
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store
from arena.text import json_text

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


def report(path: Path, at: Moment | None, since: Moment) -> LeagueReport:
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
    then, now = table(history.until(since), league.spec.rating_terms), table(history, league.spec.rating_terms)
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
    known = trends(shown.then, shown.now, shown.now.anchors(shown.spec.anchors))
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
            f"{row.points_a_hand:+z.2f}",
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
        version, now = find_version(field, name), table(history, league.spec.rating_terms)
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
        yield f"  against {one.opponent}: {one.won} of {one.pairs} pairs won, {one.points_a_hand:+z.2f} points a hand"
    for faulty in shown.faults:
        yield f"  fault in {faulty.fixture}, {location(faulty.fault)}: {summary(faulty.fault)}"
        yield from [f"    the question: {faulty.fault.turn.strip()}"] if faulty.fault.turn else ()


def trend_words(row: TableRow, trends: Mapping[str, float]) -> str:
    """Return the trend of a version; "new": other active ones were rated before it; a dash: it does not play, or none was."""
    if row.id in trends:
        return f"{trends[row.id]:+z.2f}"
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
    return f", {GAINED(gain=f'{now.rating - before.rating:+z.2f}', half=f'{half:.2f}', before=before.id)}"


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


# Compares two versions, and shows their hands, with the rules, limits and sandbox of the league.


def compare(path: Path, old: str, new: str, hands: int, runner: Runner) -> FoundDifference:
    """Return the differences of two versions' answers. Raises: InputError, StoreError, SpecError, SandboxError, RosterError."""
    spec, found = _entrants(path, old, new)
    bots = [ResolvedBot(one.source, replace(one, name=name)) for one, name in zip(found, ("old", "new"), strict=True)]
    request = DiffRequest(hands=hands, rules=spec.rules, sandbox=spec.sandbox, time=spec.time)
    command = HandCommand(words=("arena", "league", "debug", str(path), found[0].name), bot=found[0].name)
    return diff.compare(bots[0], bots[1], request, runner, command)


def show_hand(path: Path, bot: str, against: str | None, choice: HandChoice, show: Show) -> bool:
    """Show a hand of a version against another, while it is played; ``against``: None: against itself.

    Returns false if the bot faulted. Raises: InputError, StoreError, SpecError, SandboxError, RosterError.
    """
    spec, (found, other) = _entrants(path, bot, against or bot)
    opponents = Opponents(bot=found, opponent=other, rules=spec.rules, time=spec.time, sandbox=spec.sandbox)
    return debug.show_hand(opponents, choice, show)


def _entrants(path: Path, *bots: str) -> tuple[LeagueSpec, list[Entrant]]:
    """Return the spec of a league, and the entrants of some bots or versions, each named by the id of its version."""
    with leagues.open_league(path) as league:
        field, spec = leagues.field(league.store), league.spec
    versions = [find_version(field, one) for one in bots]
    with confined_reader(spec.sandbox) as reader:
        return spec, [entrant(version, path, reader) for version in versions]


# Writes a copy of a league that a web server can publish: its table as a page and as JSON, and its records.
#
# The copied database has no secret: it has the seeds of closed rounds only; those of later rounds follow from a file that is not
# copied. It ends before the open round, whose hands a bot with network access could otherwise read before it plays their other leg.
#
# All pages are made from that database, so they show one moment, also if the league is played meanwhile. The copy is published as
# a whole (:mod:`arena.publishing`).

BOTS = "bots"  # the folder of the bots' pages
PEOPLE_FILE = "people.json"
# beside the files of reports
FILES = {"index.html", "table.json", PEOPLE_FILE, DATABASE, SPEC, review_cache.SHOWN_FILE, leagues.EXPORTED}
# files that arena leaves in such a folder: beside a database that it reads, and drafts of a killed export
ORPHANS = re.compile(rf"{re.escape(DATABASE)}-(wal|shm|journal)|{leagues.RESULTS_CACHE}|\..+\.new(-wal|-shm|-journal)?")


def export(path: Path, out: Path, at: Moment, since: Moment, add_pages: Callable[[Path], object] = lambda _: None) -> LeagueReport:
    """Write a league to a folder, which may hold an earlier copy, and return its report.

    ``add_pages`` writes more pages into the folder that it is given, from the database in it. Raises: StoreError, SpecError.
    """
    with leagues.open_league(path) as league:
        reports = [renderer.file for renderer in league.spec.reports if renderer.file]
        with publishing.replacing(out, "an earlier copy of the league", lambda path: _is_own(path, reports)) as draft:
            target = Folder(draft)
            _copy_database(league, target)
            reports_of_events = _copy_runs(path, target)
            with suppress(FileNotFoundError):  # so that not all records are read; it does not count if it does not fit
                shutil.copyfile(path / leagues.RESULTS_CACHE, draft / leagues.RESULTS_CACHE)
            with leagues.open_league(draft) as copy:
                report = report_on(copy, leagues.history(target, copy.store), at, since, describe_to_all)
                last = copy.store.seen_link()
                seen = last and replace(last, at=at)  # as all of the export
            review_cache.copy(league.folder, target, lambda fixture: round_of(fixture) <= len(report.calendar.closed))
            target.write(SPEC, league.spec.text)
            target.write("table.json", format(json_text(report.now.rows), indent=2) + "\n")
            target.write(PEOPLE_FILE, format(json_text(report.now.people), indent=2) + "\n")
            target.write(leagues.EXPORTED, json_text(seen) + "\n")
            files, link = [*reports, *reports_of_events], seen.link if seen else ""
            target.write("index.html", render("league.html", report=report, table=text_table(report), files=files, link=link))
            add_pages(draft)
            (draft / leagues.RESULTS_CACHE).unlink(missing_ok=True)
    return report


def private_paths(path: Path) -> Iterator[str]:
    """Yield a warning for each event whose stored reason names a folder of this machine; the chain cannot be changed any more.

    Only reasons that were stored before they had two parts can do so. Raises: StoreError, SpecError.
    """
    with leagues.open_league(path) as league:
        for event in leagues.events_of(league.store):
            if not isinstance(event, Suspended | Auditioned) or not isinstance(event.reason, str):
                continue
            if redact_paths(path, event.reason) != event.reason:
                yield f"{DATABASE}: an older arena has stored a reason of {event.version}, {event.at}, that names a folder of yours"


def _is_own(path: Path, reports: Sequence[str]) -> bool:
    """Tell whether a file or folder is of an earlier copy."""
    if path.name == BOTS and path.is_dir():
        return all(page.suffix == ".html" or ORPHANS.fullmatch(page.name) for page in path.iterdir())
    if path.name in (EVENTS, PEOPLE) and path.is_dir():
        return all((event / DATABASE).is_file() for event in path.iterdir())
    return path.name in FILES or path.name in reports or bool(ORPHANS.fullmatch(path.name))


def _copy_database(league: leagues.OpenLeague, target: Folder) -> None:
    league.store.copy(target.database)
    with Store(target.database, write=True, witnessed=False) as copy:
        events = list(map(decode, copy.events()))
        if calendar(events).current:
            copy.cut(max(number for number, event in enumerate(events) if isinstance(event, RoundOpened)))
        copy.into_one_file()


def _copy_runs(league: Path, target: Folder) -> list[str]:
    """Copy the events and the people's matches that are over by the copied database; return the pages that are made of events."""
    with Store(target.database) as copy:
        events = leagues.events_of(copy)
    names = [event.name for event in special_events(events) if event.closed]
    numbers = [number for number, match in person_matches(events).items() if match.counts]
    for run in [*(event_folder(league, name) for name in names), *(match_folder(league, number) for number in numbers)]:
        if run.database.is_file():
            place = Folder(target.path / run.path.relative_to(league))
            place.path.mkdir(parents=True)
            with Store(run.database) as store:
                store.copy(place.database)
    return [f"{EVENTS}/{name}/report.html" for name in names if (event_folder(league, name).path / "report.html").is_file()]
