"""Hands as files: JSON lines, CSV and Parquet, each written piece by piece."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from io import BufferedWriter
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, json

from arena.reports.text import safe_cell
from arena.results.hands import ExportedHand, ExportedHeader, ExportedMatch

if TYPE_CHECKING:
    import pyarrow as pa

IN_ROW_GROUP = 10_000  # hands of a row group of Parquet, which is in memory as a whole: about 50 MB

Lines = Iterable[ExportedMatch | ExportedHand]


class HandColumn(Struct, frozen=True):
    """A column of a table with a row for each hand."""

    name: str
    kind: Literal["text", "int", "real", "words", "ints", "notes"]
    description: str  # with its unit
    value: Callable[[ExportedHand], Any]


COLUMNS = (
    HandColumn("fixture", "text", "the match or batch", lambda hand: hand.fixture),
    HandColumn("deals", "text", "key of the deals, which both legs of a pair share", lambda hand: hand.deals),
    HandColumn("bot0", "text", "the bot in seat 0", lambda hand: hand.seats[0]),
    HandColumn("bot1", "text", "the bot in seat 1", lambda hand: hand.seats[1]),
    HandColumn("game", "int", "number of the game in the match, from 0; in a batch that of the hand", lambda hand: hand.game),
    HandColumn("hand", "int", "number of the hand in the game, from 0", lambda hand: hand.hand),
    HandColumn("dealer", "int", "the seat that deals", lambda hand: hand.dealer),
    HandColumn("score0", "int", "points of seat 0 in the game before the hand", lambda hand: hand.score[0]),
    HandColumn("score1", "int", "points of seat 1 in the game before the hand", lambda hand: hand.score[1]),
    HandColumn("deck", "words", "52 cards in the order in which they are dealt, as 3c", lambda hand: hand.deck),
    HandColumn("actions", "words", "what was done, a word each", lambda hand: hand.actions),
    HandColumn("ending", "text", "how the hand ended", lambda hand: hand.ending.value),
    HandColumn("winner", "int", "the seat that scored; null: neither", lambda hand: hand.winner),
    HandColumn("points", "int", "points to the winner", lambda hand: hand.points),
    HandColumn("deadwood0", "int", "deadwood of seat 0 at the end, in points", lambda hand: hand.deadwood[0]),
    HandColumn("deadwood1", "int", "deadwood of seat 1 at the end, in points", lambda hand: hand.deadwood[1]),
    HandColumn("luck", "real", "luck of seat 0 in the draws, in points; null: not measured", lambda hand: hand.luck),
    HandColumn("microseconds", "ints", "processor time of each action, µs; empty: not measured", lambda hand: hand.microseconds),
    HandColumn(
        "notes",
        "notes",
        "what bots said: number of the action, from 0, and text",
        lambda hand: [(note.turn, note.text) for note in hand.notes],
    ),
    HandColumn("skipped", "text", "why the hand was not played but computed; null: it was played", lambda hand: hand.skipped),
)


def write_jsonl(file: BufferedWriter, header: ExportedHeader, lines: Lines) -> None:
    """Write the header, and each match with its hands after it."""
    encode = json.Encoder().encode
    file.write(encode(header) + b"\n")
    file.writelines(encode(line) + b"\n" for line in lines)


def write_csv(file: BufferedWriter, _: ExportedHeader, lines: Lines) -> None:
    """Write a line for each hand after that of the columns; several values of one cell are separated by spaces."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    table = csv.writer(text)
    table.writerow([column.name for column in COLUMNS])
    table.writerows([_cell(column, hand) for column in COLUMNS] for hand in _hands(lines))
    text.detach()  # which writes the rest, and leaves the file open


def write_parquet(file: BufferedWriter, header: ExportedHeader, lines: Lines) -> None:
    """Write a row for each hand; the schema's metadata have the header, and what each column is. Needs the extra ``data``."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - of an extra, and slow

    with pq.ParquetWriter(file, schema(header), compression="zstd") as table:
        for rows in tables(header, _hands(lines)):
            table.write_table(rows)  # which becomes a row group


def tables(header: ExportedHeader, hands: Iterable[ExportedHand]) -> Iterator["pa.Table"]:
    """Yield Arrow tables of at most ``IN_ROW_GROUP`` hands each. Needs the extra ``data``."""
    import pyarrow as pa  # noqa: PLC0415 - of an extra, and slow

    kinds, left = schema(header), iter(hands)
    while some := list(islice(left, IN_ROW_GROUP)):
        yield pa.table([[column.value(hand) for hand in some] for column in COLUMNS], schema=kinds)


def schema(header: ExportedHeader) -> "pa.Schema":
    """Return the types of the columns, with their descriptions and the header as metadata. Needs the extra ``data``."""
    import pyarrow as pa  # noqa: PLC0415 - of an extra, and slow

    types = {
        "text": pa.string(),
        "int": pa.int64(),
        "real": pa.float64(),
        "words": pa.list_(pa.string()),
        "ints": pa.list_(pa.int64()),
        "notes": pa.list_(pa.struct([("turn", pa.int64()), ("text", pa.string())])),
    }
    fields = [pa.field(column.name, types[column.kind], metadata={"description": column.description}) for column in COLUMNS]
    return pa.schema(fields, metadata={"arena": json.encode(header)})


WRITERS = {".jsonl": write_jsonl, ".csv": write_csv, ".parquet": write_parquet}  # by the end of a file's name


def _hands(lines: Lines) -> Iterator[ExportedHand]:
    return (line for line in lines if isinstance(line, ExportedHand))


def _cell(column: HandColumn, hand: ExportedHand) -> object:
    value = column.value(hand)
    if column.kind == "notes":
        return json.encode(value).decode() if value else ""
    if column.kind == "text":  # an imported file may name its fixtures at will
        return safe_cell(value)
    return " ".join(map(str, value)) if column.kind in ("words", "ints") else value
