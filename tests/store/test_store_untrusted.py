"""A database from an untrusted source: the work of reading it is bounded, and every value is checked."""

import shutil
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace
from support import refusals
from support.matches.in_process import match

from arena import signals
from arena.errors import DamagedError, StoreError
from arena.gin.cards import NAMES
from arena.records import Usage
from arena.roster.entrant import Entered
from arena.store import step_budget
from arena.store.rows import MOST_ENTRANTS
from arena.store.store import Store

FIELD = (Entered("a", "1", "a.py:A", "1" * 64), Entered("b", "2", "b.py:B", "2" * 64))
RECORD = match()
DECK = "".join(NAMES)
NOTE_AFTER_THE_LAST_ACTION = (
    "UPDATE hand SET notes = '[[' || (length(actions) - length(replace(actions, ' ', '')) + 1) || ',\"x\"]]'"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Store(tmp_path / "arena.sqlite", write=True) as store:
        store.begin({"title": "League", "seed": "s"}, FIELD)
        for number in range(3):
            store.add(replace(RECORD, fixture=replace(RECORD.fixture, id=f"a:b/{number}/0")))
        store.finish()
    return tmp_path / "arena.sqlite"


def change(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)


def changed(path: Path, scripts: Iterable[str], read: Callable[[Path], object]) -> dict[str, Callable[[], object]]:
    """Return what reads a database after each of some changes."""

    def call(script: str) -> object:
        copy = Path(shutil.copytree(path.parent, path.parent / "copy", ignore=lambda *_: ["copy"]), path.name)
        try:
            change(copy, script)
            return read(copy)
        finally:
            shutil.rmtree(copy.parent)

    return {script: partial(call, script) for script in scripts}


def read_records(path: Path) -> object:
    with Store(path) as store:
        return list(store.records())


def read_results(path: Path) -> object:
    with Store(path) as store:
        return store.results()


def write_deck(path: Path, deck: str) -> None:
    """Give every hand a deck."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE hand SET deck = ?", (deck,))


NOT_OURS = (
    "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n",
    "CREATE TRIGGER t AFTER INSERT ON game BEGIN DELETE FROM hand; END",
    "CREATE INDEX i ON hand (points)",
    "ANALYZE",
    "PRAGMA user_version = -1",
    "PRAGMA user_version = 2",
    "PRAGMA user_version = 0",
)


def test_a_database_with_anything_but_our_tables_is_not_opened(path: Path, golden: Callable[[str, str], None]) -> None:
    golden("messages/store_tables.txt", refusals.page(StoreError, changed(path, NOT_OURS, Store), hidden=path.parent))


BAD_VALUES = (
    "UPDATE match SET winner = 2",
    "UPDATE match SET batch = 5",
    "UPDATE match SET lost = 'the worker ended'",
    "UPDATE match SET seat1 = 'c'",
    "UPDATE match SET usage = '[{},{\"cpu\":-1}]'",
    "UPDATE hand SET ending = 'won' WHERE number = 0",
    "UPDATE hand SET points = 9223372036854775807",
    "UPDATE hand SET spent = '1 x'",
    "UPDATE hand SET notes = '[[99999,\"x\"]]'",
    'UPDATE hand SET notes = \'[[1,"x"],[1,"y"]]\'',
    "UPDATE hand SET notes = '[[0,\"' || hex(zeroblob(101)) || '\"]]'",
    "UPDATE hand SET notes = hex(zeroblob(8500000)) WHERE match = 1 AND number = 0",
    NOTE_AFTER_THE_LAST_ACTION,
    "UPDATE hand SET spent = '1'",
    "UPDATE hand SET luck = 9e999",
    "INSERT INTO fault VALUES (1, 0, '{}')",
    "UPDATE entrant SET name = 'a b' WHERE place = 0",
)


def test_every_value_is_checked_when_it_is_read(path: Path, golden: Callable[[str, str], None]) -> None:
    golden("messages/store_values.txt", refusals.page(DamagedError, changed(path, BAD_VALUES, read_records), hidden=path.parent))


@pytest.mark.parametrize("deck", [DECK[2:], DECK[2:] + DECK[2:4], DECK + DECK[:2], "x" * 104])
def test_a_deck_that_does_not_have_each_card_once_is_found(path: Path, deck: str) -> None:
    write_deck(path, deck)
    with Store(path) as store, pytest.raises(DamagedError, match=r"a:b/0/0 0\.0: deck: expected each of the 52 cards once"):
        list(store.records())


def test_a_note_on_the_last_action_and_a_deck_of_all_cards_are_read(path: Path) -> None:
    write_deck(path, DECK)
    change(path, NOTE_AFTER_THE_LAST_ACTION.replace("+ 1", ""))
    with Store(path) as store:
        first, *_ = store.records()
    assert all((hand.deck, hand.notes[0].turn) == (DECK, len(hand.actions.split()) - 1) for hand in first.hands)


BAD_RESULTS = (
    "UPDATE match SET winner = 2",
    "UPDATE match SET batch = 5",
    "UPDATE match SET lost = 'the worker ended'",
    "UPDATE match SET seat1 = 'c'",
)


def test_results_are_checked_as_records_are(path: Path) -> None:
    results, records = changed(path, BAD_RESULTS, read_results), changed(path, BAD_RESULTS, read_records)
    assert refusals.page(DamagedError, results) == refusals.page(DamagedError, records)


@pytest.mark.parametrize(
    ("script", "read"),
    [
        ("UPDATE hand SET actions = CAST(x'ff' AS TEXT)", Store.records),
        ("UPDATE match SET fixture = CAST(x'ff' AS TEXT) WHERE id = 1", Store.in_order),
        ("UPDATE hand SET points = 9223372036854775807", Store.results),
    ],
)
def test_a_text_that_is_not_utf_8_and_a_sum_that_is_too_large_are_called_a_damaged_file(
    path: Path, script: str, read: Callable[[Store], Iterable[object]]
) -> None:
    change(path, script)
    with Store(path) as store, pytest.raises(DamagedError, match=r"arena.sqlite: "):
        list(read(store))


def test_a_missing_fact_is_reported(path: Path) -> None:
    with Store(path) as store, pytest.raises(DamagedError, match=r"arena.sqlite: run: 'walls' is missing"):
        store.fact("walls")


def test_the_work_of_reading_is_bounded_by_the_size_of_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_budget, "CHECK_EVERY", 10)
    with Store(path) as store:
        assert len(list(store.records())) == len(store.results()) == 3
    monkeypatch.setattr(step_budget, "STEPS", 0)
    monkeypatch.setattr(step_budget, "STEPS_PER_BYTE", 1)
    with Store(path) as store:  # by its size alone, for each pass
        assert [len(store.results()) for _ in range(10)] == [3] * 10
    monkeypatch.setattr(step_budget, "STEPS", 100)
    monkeypatch.setattr(step_budget, "STEPS_PER_BYTE", 0)
    with (
        pytest.raises(DamagedError, match=r"arena\.sqlite: takes more work to read than an intact database of its size"),
        Store(path) as store,
    ):
        store.results()


@pytest.mark.parametrize("read", [Store.records, Store.results, Store.problems, Store.check_records])
def test_a_signal_stops_a_reader_although_sqlite_turns_its_exception_into_an_error(
    path: Path, read: Callable[[Store], Iterable[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def spend(_: step_budget.StepBudget) -> bool:
        signals.raise_if_stopped()  # as a signal does during the progress handler
        return False

    monkeypatch.setattr(step_budget, "CHECK_EVERY", 10)
    monkeypatch.setattr(step_budget.StepBudget, "spend", spend)
    with Store(path) as store:
        monkeypatch.setattr(signals, "stop_requested", lambda: True)
        with pytest.raises(KeyboardInterrupt):
            list(read(store))


def test_a_run_with_a_fact_that_could_not_be_read_back_does_not_begin(tmp_path: Path) -> None:
    with Store(tmp_path / "arena.sqlite", write=True) as store:
        with pytest.raises(DamagedError, match="run: title: expected `str` of length <= 1000"):
            store.begin({"title": "x" * 1001}, FIELD)
        assert store.facts() == {}


def test_a_record_that_could_not_be_read_back_is_not_stored(path: Path) -> None:
    odd = replace(RECORD, usage=(Usage(cpu=-1.0), Usage()))
    with Store(path, write=True) as store:
        with pytest.raises(StoreError, match=r"usage: expected `float` >= 0\.0"):
            store.add(odd)
        assert len(list(store.records())) == 3


@pytest.mark.process
def test_a_run_with_too_many_entrants_does_not_begin(tmp_path: Path) -> None:
    field = [Entered(f"bot{number}", "1", "there", "1" * 64) for number in range(MOST_ENTRANTS + 1)]
    with Store(tmp_path / "arena.sqlite", write=True) as store:
        with pytest.raises(StoreError, match=f"more than {MOST_ENTRANTS} entrants"):
            store.begin({"title": "League"}, field)
        assert store.facts() == {}


def test_a_database_runs_no_code_of_its_schema_and_every_cell_is_checked(tmp_path: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        step_budget.restrict(database, tmp_path)
        settings = [database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("trusted_schema", "cell_size_check")]
        assert settings == [0, 1]
        assert database.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) == step_budget.LONGEST
