"""A database from an untrusted source: the work of reading it is bounded, and every value is checked."""

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest
from matches import match
from msgspec.structs import replace

from arena import signals
from arena.errors import DamagedError, StoreError
from arena.gin.cards import NAMES
from arena.records import Usage
from arena.roster.entrant import Entered
from arena.store import file
from arena.store.file import losses
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


def write_deck(path: Path, deck: str) -> None:
    """Give every hand a deck."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE hand SET deck = ?", (deck,))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n",
            "v differs from schema 11",
        ),
        ("CREATE TRIGGER t AFTER INSERT ON game BEGIN DELETE FROM hand; END", "t differs from schema 11"),
        ("CREATE INDEX i ON hand (points)", "i differs from schema 11"),
        ("ANALYZE", "sqlite_stat1 differs from schema 11"),
        ("PRAGMA user_version = -1", "the database has schema -1; expected 1 to 11"),
        ("PRAGMA user_version = 2", "entrant differs from schema 2"),
        ("PRAGMA user_version = 0", "the database holds no run: it has no tables"),
    ],
)
def test_a_database_with_anything_but_our_tables_is_not_opened(path: Path, script: str, message: str) -> None:
    change(path, script)
    with pytest.raises(StoreError, match=message):
        Store(path)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("UPDATE match SET winner = 2", "a:b/0/0: winner: expected `int` <= 1"),
        ("UPDATE match SET batch = 5", "a:b/0/0: found [0-9]+ hands; expected 5"),
        ("UPDATE match SET lost = 'the worker ended'", "a:b/0/0: found [0-9]+ hands; expected 0"),
        ("UPDATE match SET seat1 = 'c'", "a:b/0/0: 'c' is not an entrant"),
        ("UPDATE match SET usage = '[{},{\"cpu\":-1}]'", "a:b/0/0: usage: expected `float` >= 0.0"),
        ("UPDATE hand SET ending = 'won' WHERE number = 0", "a:b/0/0 0.0: ending: invalid enum value 'won'"),
        ("UPDATE hand SET points = 9223372036854775807", "a:b/0/0 0.0: points: expected `int` <= 1000000000"),
        ("UPDATE hand SET spent = '1 x'", "a:b/0/0 0.0: spent: expected a time in microseconds for each action"),
        ("UPDATE hand SET notes = '[[99999,\"x\"]]'", "a:b/0/0 0.0: notes: expected at most one for each action"),
        ('UPDATE hand SET notes = \'[[1,"x"],[1,"y"]]\'', "a:b/0/0 0.0: notes: expected at most one for each action"),
        ("UPDATE hand SET notes = '[[0,\"' || hex(zeroblob(101)) || '\"]]'", "a:b/0/0 0.0: notes: expected `str` of length <= 200"),
        ("UPDATE hand SET notes = hex(zeroblob(8500000)) WHERE match = 1 AND number = 0", "string or blob too big"),
        (NOTE_AFTER_THE_LAST_ACTION, "a:b/0/0 0.0: notes: expected at most one for each action"),
        ("UPDATE hand SET spent = '1'", "a:b/0/0 0.0: spent: expected a time in microseconds for each action"),
        ("UPDATE hand SET luck = 9e999", "a:b/0/0 0.0: luck: expected `float` <= 1000000.0"),
        ("INSERT INTO fault VALUES (1, 0, '{}')", "a:b/0/0: fault: object missing required field `seat`"),
        ("UPDATE entrant SET name = 'a b' WHERE place = 0", "entrant: name: expected `str` matching regex"),
    ],
)
def test_every_value_is_checked_when_it_is_read(path: Path, script: str, message: str) -> None:
    change(path, script)
    with Store(path) as store, pytest.raises(DamagedError, match=f"arena.sqlite: {message}"):
        list(store.records())


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


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("UPDATE match SET winner = 2", "winner: expected `int` <= 1"),
        ("UPDATE match SET batch = 5", "found [0-9]+ hands; expected 5"),
        ("UPDATE match SET lost = 'the worker ended'", "found [0-9]+ hands; expected 0"),
        ("UPDATE match SET seat1 = 'c'", "'c' is not an entrant"),
    ],
)
def test_results_are_checked_as_records_are(path: Path, script: str, message: str) -> None:
    change(path, script)
    with Store(path) as store, pytest.raises(DamagedError, match=f"arena.sqlite: a:b/0/0: {message}"):
        store.results()


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
    monkeypatch.setattr(file, "CHECK_EVERY", 10)
    with Store(path) as store:
        assert len(list(store.records())) == len(store.results()) == 3
    monkeypatch.setattr(file, "STEPS", 0)
    monkeypatch.setattr(file, "STEPS_PER_BYTE", 1)
    with Store(path) as store:  # by its size alone, for each pass
        assert [len(store.results()) for _ in range(10)] == [3] * 10
    monkeypatch.setattr(file, "STEPS", 100)
    monkeypatch.setattr(file, "STEPS_PER_BYTE", 0)
    with (
        pytest.raises(DamagedError, match=r"arena\.sqlite: takes more work to read than an intact database of its size"),
        Store(path) as store,
    ):
        store.results()


@pytest.mark.parametrize("read", [Store.records, Store.results, Store.problems, Store.check_records])
def test_a_signal_stops_a_reader_although_sqlite_turns_its_exception_into_an_error(
    path: Path, read: Callable[[Store], Iterable[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def spend(_: file.StepBudget) -> bool:
        signals.raise_if_stopped()  # as a signal does during the progress handler
        return False

    monkeypatch.setattr(file, "CHECK_EVERY", 10)
    monkeypatch.setattr(file.StepBudget, "spend", spend)
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
        file.restrict(database, tmp_path)
        settings = [database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("trusted_schema", "cell_size_check")]
        assert settings == [0, 1]
        assert database.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) == file.LONGEST


@pytest.fixture
def unclean(tmp_path: Path) -> Path:
    """Return the database of a killed run, with its write-ahead log and the log's index."""
    path = tmp_path / "run" / "arena.sqlite"
    path.parent.mkdir()
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        for number in range(3):
            store.add(replace(RECORD, fixture=replace(RECORD.fixture, id=f"a:b/{number}/0")))
        shutil.copytree(path.parent, tmp_path / "unclean")
    return tmp_path / "unclean" / "arena.sqlite"


def test_the_log_of_a_killed_run_has_lost_nothing(unclean: Path) -> None:
    assert list(losses(unclean)) == []


def test_a_damaged_header_of_the_log_is_reported(unclean: Path) -> None:
    log = unclean.with_name("arena.sqlite-wal")
    log.write_bytes(b"x" + log.read_bytes()[1:])
    assert list(losses(unclean)) == ["arena.sqlite-wal: damaged header; SQLite ignores the whole log"]


def test_a_damaged_frame_is_reported_with_the_transactions_after_it(unclean: Path) -> None:
    log = unclean.with_name("arena.sqlite-wal")
    content = bytearray(log.read_bytes())
    frame = 24 + int.from_bytes(content[8:12], "big")  # a header, and a page
    commits = [bytes(content[at + 4 : at + 8]) != bytes(4) for at in range(32, len(content) - frame + 1, frame)]
    content[32 + 30] ^= 1  # in the page of the first frame
    log.write_bytes(content)
    unclean.with_name("arena.sqlite-shm").unlink()
    lost = sum(commits[1:])
    assert lost > 2
    assert list(losses(unclean)) == [f"arena.sqlite-wal: frame 1 is damaged; transactions lost after it: {lost}"]


def test_a_truncated_log_is_detected_by_its_index(unclean: Path) -> None:
    log = unclean.with_name("arena.sqlite-wal")
    log.write_bytes(log.read_bytes()[: 32 + 4120 * 3])
    (message,) = losses(unclean)
    assert re.fullmatch(r"arena\.sqlite-wal: ends after [023] frames; [0-9]{2,} were written", message), "of whole transactions"
    log.unlink()
    (message,) = losses(unclean)
    assert message.startswith("arena.sqlite-wal: ends after 0 frames; ")


@pytest.mark.parametrize("size", [512, 65536])
def test_a_log_may_have_any_size_of_page_that_sqlite_allows(tmp_path: Path, size: int) -> None:
    path = tmp_path / "arena.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"PRAGMA page_size = {size}; PRAGMA journal_mode = WAL; CREATE TABLE one (value)")
        assert list(losses(path)) == []
        assert path.with_name("arena.sqlite-wal").stat().st_size > size


def test_an_incomplete_last_transaction_is_not_a_loss(unclean: Path) -> None:
    unclean.with_name("arena.sqlite-shm").unlink()
    log = unclean.with_name("arena.sqlite-wal")
    log.write_bytes(log.read_bytes()[:-100])
    assert list(losses(unclean)) == []


def test_a_log_whose_transactions_are_all_in_the_database_may_be_truncated(unclean: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(unclean)) as database:
        database.execute("PRAGMA wal_checkpoint(PASSIVE)")
        shutil.copytree(unclean.parent, tmp_path / "written")
    log = tmp_path / "written" / "arena.sqlite-wal"
    log.write_bytes(log.read_bytes()[:32])
    assert list(losses(log.with_name("arena.sqlite"))) == []


def test_an_index_of_another_log_says_nothing_about_a_log(unclean: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "arena.sqlite")) as database:
        database.executescript("PRAGMA journal_mode = WAL; CREATE TABLE one (value)")
        shutil.copy(tmp_path / "arena.sqlite-wal", unclean.parent)
        assert list(losses(unclean)) == []


def test_a_damaged_last_transaction_may_never_have_been_committed(unclean: Path) -> None:
    unclean.with_name("arena.sqlite-shm").unlink()
    log = unclean.with_name("arena.sqlite-wal")
    log.write_bytes(log.read_bytes()[:-1] + b"?")
    assert list(losses(unclean)) == []


def test_the_frames_of_an_older_log_are_not_lost_transactions(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "arena.sqlite", isolation_level=None)) as database:
        database.executescript("PRAGMA journal_mode = WAL; CREATE TABLE one (value)")
        for number in range(5):
            database.execute("INSERT INTO one VALUES (?)", (number,))
        database.executescript("PRAGMA wal_checkpoint(RESTART); INSERT INTO one VALUES (5)")
        assert list(losses(tmp_path / "arena.sqlite")) == []
