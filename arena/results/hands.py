"""The hands of a run as values that need no database, and as files: JSON lines, CSV and Parquet, which are written as a stream.

A file of JSON lines begins with a header. Each match follows as a line of its own, and then its hands (``arena/results/DATA.md``).
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BufferedWriter
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct, json, to_builtins
from msgspec.structs import replace

from arena import distribution
from arena.errors import StoreError
from arena.gin.cards import NAMES
from arena.gin.facts import SeatNumber
from arena.gin.match import FinishedGame
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.limits import FaultCosts
from arena.records import (
    LUCK_VERSION,
    UNUSED,
    BatchSize,
    Deadwood,
    Fault,
    Fixture,
    HandPoints,
    MatchRecord,
    Note,
    Number,
    Short,
    Usage,
    dealt_hands,
)
from arena.reports.csv_file import safe_cell
from arena.roster.entrant import EntrantName
from arena.runs.chosen import choose
from arena.runs.starts import luck_version
from arena.runs.stored import StoredRun
from arena.store.spec_revisions import revisions
from arena.store.store import Store
from arena.tournament.spec import Title

if TYPE_CHECKING:
    import pyarrow as pa


WITHHELD = "withheld: its author sees what happened"  # the details of a fault in a league


class ExportedEntrant(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot that played."""

    name: EntrantName
    version: Short = ""
    digest: Short = ""  # SHA-256 of its files; empty: not known


class ExportedLine(Struct, frozen=True, kw_only=True, tag_field="line", forbid_unknown_fields=True):
    """A line of a file."""


class ExportedHeader(ExportedLine, frozen=True, kw_only=True, tag="header"):
    """The first line of a file. All keys but the schema, the rules and the entrants may be left out."""

    schema: Literal["arena/hands/1"]
    title: Title = "Imported hands"
    rules: str | dict[str, Any]  # as in a spec
    faults: FaultCosts = FaultCosts()
    entrants: Annotated[tuple[ExportedEntrant, ...], Meta(min_length=2)]
    luck: int = LUCK_VERSION  # the version of the value function by which luck was measured
    seed: str | None = None  # of the run; None: not revealed, or several
    commitment: str | None = None  # SHA-256 of the first seed, or of the seeds of a season
    link: str | None = None  # the last one of the run's chain
    arena: str | None = None  # the version that wrote the file


class ExportedMatch(ExportedLine, frozen=True, kw_only=True, tag="match"):
    """A match, or a batch of single hands. Its hands follow."""

    fixture: Short  # unique in the file
    deals: Short  # key of the deals: the two legs of a pair share it
    seats: tuple[EntrantName, EntrantName]
    hands: BatchSize | None = None  # number of single hands in a batch; None: a match
    scored: bool = False  # batch only: each hand begins at a score of its own
    winner: SeatNumber | None = None  # None: a batch, or a drawn match
    games: tuple[FinishedGame, ...] = ()
    faults: tuple[Fault, ...] = ()
    excused: tuple[Fault, ...] = ()  # faults that cost nothing: see arena.records
    forfeit: SeatNumber | None = None  # the seat that lost by its faults
    usage: tuple[Usage, Usage] = UNUSED  # seconds
    lost: Short | None = None  # why its worker was lost: it was not played; None: it was

    def as_fixture(self) -> Fixture:
        """Return the fixture."""
        return Fixture(self.fixture, self.seats, self.deals, self.hands, self.scored)


class ExportedHand(ExportedLine, frozen=True, kw_only=True, tag="hand"):
    """A hand with its deck. A seat is 0 or 1; points are those of the rules."""

    fixture: Short
    deals: Short
    seats: tuple[EntrantName, EntrantName]  # the names of seats 0 and 1
    game: Number  # of the match, from 0; of a batch the number of the hand
    hand: Number  # of the game, from 0
    dealer: SeatNumber
    score: tuple[HandPoints, HandPoints]  # points of the seats in the game before the hand
    deck: tuple[str, ...]  # 52 cards, as 3c, in the order in which they are dealt (R2.1)
    actions: tuple[str, ...]  # in the notation of arena.gin.actions
    ending: Ending
    winner: SeatNumber | None = None  # None: neither scored
    points: HandPoints = 0  # to the winner
    deadwood: tuple[Deadwood, Deadwood]  # points of seats 0 and 1
    luck: float | None = None  # of seat 0 in the draws, in points; None: not measured
    microseconds: tuple[Number, ...] = ()  # processor time for each action, in microseconds; empty: not measured
    notes: tuple[Note, ...] = ()  # each [number of the action, what its bot said of it]


def header(store: Store, run: StoredRun) -> ExportedHeader:
    """Return the header of a run, with its seed if it is finished and has one only. Raises: StoreError."""
    facts = run.facts
    is_revealed = "finished" in facts and not any(one.seed for one in revisions(store, facts))
    return ExportedHeader(
        schema="arena/hands/1",
        title=facts["title"],
        rules=to_builtins(run.spec.rules),
        faults=run.spec.faults,
        entrants=tuple(ExportedEntrant(name=bot.name, version=bot.version, digest=bot.digest) for bot in run.field),
        luck=luck_version(facts),
        seed=(facts.get("seed") or None) if is_revealed else None,
        commitment=run.provenance().get("commitment"),
        link=store.last_link(),
        arena=distribution.version(),
    )


def hands(store: Store, run: StoredRun, *, fixture: str | None = None, bot: str | None = None) -> Iterator[ExportedHand]:
    """Yield the hands of a run, one match in memory at a time, in the order of the fixtures' names.

    ``fixture`` and ``bot``: None: of all. Hands that are hidden yet, as of a league's open round, are left out. Raises: StoreError,
    for a fixture that is not on record, or hidden; InputError, for a bot that is not in the run; DamagedError.
    """
    return _hands(lines(store, run, fixture=fixture, bot=bot))


def lines(
    store: Store, run: StoredRun, *, fixture: str | None = None, bot: str | None = None
) -> Iterator[ExportedMatch | ExportedHand]:
    """Yield each match, and after it its hands. Raises: as ``hands``."""
    if bot is not None:
        choose(dict.fromkeys(run.names), bot, "--bot")
    records = store.records_in_order() if fixture is None else iter([store.record(fixture)])
    for record in records:
        why = run.why_hidden(record.fixture.id)
        if why and fixture is not None:
            raise StoreError(why)
        if not why and bot in (None, *record.fixture.seats):
            yield _match_line(record, with_details=run.faults_are_public)
            yield from hands_of(record, run.spec.rules, run.seed_of(record.fixture.id))


def hands_of(record: MatchRecord, rules: Rules, seed: str | None) -> Iterator[ExportedHand]:
    """Yield the hands of a record; ``seed`` is that of its run, None for an imported one. Raises: DamagedError."""
    fixture = record.fixture
    for hand, deal in dealt_hands(record, rules, seed):
        yield ExportedHand(
            fixture=fixture.id,
            deals=fixture.deals,
            seats=fixture.seats,
            game=hand.game,
            hand=hand.hand,
            dealer=hand.dealer,
            score=deal.before.score,
            deck=tuple(map(NAMES.__getitem__, deal.deck)),
            actions=tuple(hand.actions.split()),
            ending=hand.ending,
            winner=hand.winner,
            points=hand.points,
            deadwood=hand.deadwood,
            luck=hand.luck,
            microseconds=hand.spent,
            notes=hand.notes,
        )


def _match_line(record: MatchRecord, *, with_details: bool) -> ExportedMatch:
    """Return the line of a match, perhaps without the details of faults: in a league only the bot's author may see them."""
    fixture = record.fixture
    faults, excused = (some if with_details else tuple(map(_withheld, some)) for some in (record.faults, record.excused))
    return ExportedMatch(
        fixture=fixture.id,
        deals=fixture.deals,
        seats=fixture.seats,
        hands=fixture.hands,
        scored=fixture.scored,
        winner=record.winner,
        games=record.games,
        faults=faults,
        excused=excused,
        forfeit=record.forfeit,
        usage=record.usage,
        lost=record.lost,
    )


def _withheld(fault: Fault) -> Fault:
    return replace(fault, detail=WITHHELD, turn="", answer="", stderr="")


IN_ROW_GROUP = 10_000  # rows of a batch of Arrow, and of a row group of Parquet, which is held in memory: of hands about 50 MB

Lines = Iterable[ExportedMatch | ExportedHand]


class TableColumn(Struct, frozen=True):
    """A column of a table, as one with a row for each hand."""

    name: str
    kind: Literal["text", "int", "real", "bool", "words", "ints", "notes"]
    description: str  # with its unit
    value: Callable[[Any], Any]  # of a row


COLUMNS = (
    TableColumn("fixture", "text", "the match or batch", lambda hand: hand.fixture),
    TableColumn("deals", "text", "key of the deals, which both legs of a pair share", lambda hand: hand.deals),
    TableColumn("bot0", "text", "the bot in seat 0", lambda hand: hand.seats[0]),
    TableColumn("bot1", "text", "the bot in seat 1", lambda hand: hand.seats[1]),
    TableColumn("game", "int", "number of the game in the match, from 0; in a batch that of the hand", lambda hand: hand.game),
    TableColumn("hand", "int", "number of the hand in the game, from 0", lambda hand: hand.hand),
    TableColumn("dealer", "int", "the seat that deals", lambda hand: hand.dealer),
    TableColumn("score0", "int", "points of seat 0 in the game before the hand", lambda hand: hand.score[0]),
    TableColumn("score1", "int", "points of seat 1 in the game before the hand", lambda hand: hand.score[1]),
    TableColumn("deck", "words", "52 cards in the order in which they are dealt, as 3c", lambda hand: hand.deck),
    TableColumn("actions", "words", "what was done, a word each", lambda hand: hand.actions),
    TableColumn("ending", "text", "how the hand ended", lambda hand: hand.ending.value),
    TableColumn("winner", "int", "the seat that scored; null: neither", lambda hand: hand.winner),
    TableColumn("points", "int", "points to the winner", lambda hand: hand.points),
    TableColumn("deadwood0", "int", "deadwood of seat 0 at the end, in points", lambda hand: hand.deadwood[0]),
    TableColumn("deadwood1", "int", "deadwood of seat 1 at the end, in points", lambda hand: hand.deadwood[1]),
    TableColumn("luck", "real", "luck of seat 0 in the draws, in points; null: not measured", lambda hand: hand.luck),
    TableColumn("microseconds", "ints", "processor time of each action, µs; empty: not measured", lambda hand: hand.microseconds),
    TableColumn(
        "notes",
        "notes",
        "what bots said: number of the action, from 0, and text",
        lambda hand: [(note.turn, note.text) for note in hand.notes],
    ),
)


def write_jsonl(file: BufferedWriter, header: ExportedHeader, lines: Lines) -> None:
    """Write the header, and each match with its hands after it."""
    encode = json.Encoder().encode
    file.write(encode(header) + b"\n")
    file.writelines(encode(line) + b"\n" for line in lines)


def write_csv(file: BufferedWriter, _: ExportedHeader, lines: Lines) -> None:
    """Write a line for each hand after that of the columns; several values of one cell are separated by spaces, notes are JSON."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    table = csv.writer(text)
    table.writerow([column.name for column in COLUMNS])
    table.writerows([_cell(column, hand) for column in COLUMNS] for hand in _hands(lines))
    text.detach()  # flushes, and leaves the file open


def write_parquet(file: BufferedWriter, header: ExportedHeader, lines: Lines) -> None:
    """Write a row for each hand; the schema's metadata hold the header and the columns' descriptions. Needs the extra ``data``."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - of an extra, and slow

    typed = schema(COLUMNS, header)
    with pq.ParquetWriter(file, typed, compression="zstd") as table:
        for batch in batches(COLUMNS, typed, _hands(lines)):
            table.write_batch(batch)  # which becomes a row group


def batches(columns: Sequence[TableColumn], schema: "pa.Schema", rows: Iterable[Struct]) -> Iterator["pa.RecordBatch"]:
    """Yield rows in Arrow's batches, at most ``IN_ROW_GROUP`` in each; ``schema``: of the columns. Needs the extra ``data``."""
    import pyarrow as pa  # noqa: PLC0415 - of an extra, and slow

    remaining = iter(rows)
    while group := list(islice(remaining, IN_ROW_GROUP)):
        yield pa.record_batch([[column.value(row) for row in group] for column in columns], schema=schema)


def schema(columns: Sequence[TableColumn], header: ExportedHeader | None) -> "pa.Schema":
    """Return the Arrow schema of columns, with their descriptions and the header as metadata. Needs the extra ``data``."""
    import pyarrow as pa  # noqa: PLC0415 - of an extra, and slow

    types = {
        "text": pa.string(),
        "int": pa.int64(),
        "real": pa.float64(),
        "bool": pa.bool_(),
        "words": pa.list_(pa.string()),
        "ints": pa.list_(pa.int64()),
        "notes": pa.list_(pa.struct([("turn", pa.int64()), ("text", pa.string())])),
    }
    fields = [pa.field(column.name, types[column.kind], metadata={"description": column.description}) for column in columns]
    return pa.schema(fields, metadata={"arena": json.encode(header)} if header else None)


WRITERS = {".jsonl": write_jsonl, ".csv": write_csv, ".parquet": write_parquet}  # by the suffix of the file


def _hands(lines: Lines) -> Iterator[ExportedHand]:
    return (line for line in lines if isinstance(line, ExportedHand))


def _cell(column: TableColumn, hand: ExportedHand) -> object:
    value = column.value(hand)
    if column.kind == "notes":
        return json.encode(value).decode() if value else ""
    # names and actions may begin as a formula: nothing has checked them in a run that another person made
    return safe_cell(" ".join(map(str, value)) if column.kind in ("words", "ints") else value)
