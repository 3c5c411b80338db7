"""Records are read as they were stored."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json
from msgspec.structs import replace
from support.matches.in_process import match
from support.records.strategies import records
from support.sizes import size

from arena.errors import StoreError
from arena.gin.rules import Rules
from arena.records import Fixture, MatchRecord, left_states, result
from arena.roster.entrant import Entered
from arena.store import file, problems, rows
from arena.store.file import DatabaseFile
from arena.store.spec_revisions import SpecRevised, in_force, later_seeds
from arena.store.store import Facts, Store
from arena.testing import batch_record

RECORD = match(rules=Rules(target=60, best_of=3))
FIELD = (Entered("b", "1", "b.py:B", "1" * 64), Entered("a", "2", "a.py:A", "2" * 64))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arena.sqlite"


@contextmanager
def store(path: Path) -> Iterator[Store]:
    with Store(path, write=True) as opened:
        yield opened


def named(record: MatchRecord, name: str) -> MatchRecord:
    return replace(record, fixture=replace(record.fixture, id=name))


@pytest.mark.process
@settings(max_examples=size(20, 150))
@given(several=st.lists(records, max_size=4, unique_by=lambda record: record.fixture.id))
def test_records_are_read_as_they_were_stored_and_in_that_order(several: list[MatchRecord]) -> None:
    with TemporaryDirectory() as folder, store(Path(folder) / "arena.sqlite") as opened:
        for record in several:
            opened.add(record)
        assert list(opened.records()) == several
        assert sorted(opened.results(), key=str) == sorted((result(record) for record in several), key=str)
        for record in several:
            assert opened.record(record.fixture.id) == record


def test_a_record_can_be_read_after_the_database_was_closed(path: Path) -> None:
    with store(path) as opened:
        opened.add(RECORD)
    assert not path.with_name("arena.sqlite-wal").exists()
    with Store(path) as reader:
        assert list(reader.records()) == [RECORD]


def test_a_batch_that_is_stored_while_results_are_read_has_its_hands_or_is_not_among_them(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = batch_record("a", "b", (10, -5))
    scan = DatabaseFile.scan
    with store(path) as writer, Store(path) as reader:
        writer.add(RECORD)

        def scan_and_store(file: DatabaseFile, query: str, values: tuple[object, ...] = ()) -> Iterator[Any]:
            yield from scan(file, query, values)
            if "FROM hand JOIN match" in query or "FROM match ORDER BY in_order" in query:
                monkeypatch.setattr(DatabaseFile, "scan", scan)
                writer.add(batch)

        monkeypatch.setattr(DatabaseFile, "scan", scan_and_store)
        during, after = reader.results(), reader.results()
    assert during == [result(RECORD)]
    assert after == sorted([result(RECORD), result(batch)], key=lambda one: one.fixture.id)


def test_a_fixture_is_stored_only_once(path: Path) -> None:
    with store(path) as opened:
        opened.add(RECORD)
        with pytest.raises(StoreError, match=r"arena\.sqlite: UNIQUE constraint failed: match\.fixture"):
            opened.add(RECORD)
        assert list(opened.records()) == [RECORD]


def test_a_record_that_cannot_be_stored_leaves_nothing_behind(path: Path) -> None:
    twice = replace(RECORD, hands=(*RECORD.hands, RECORD.hands[0]))
    with store(path) as opened:
        with pytest.raises(StoreError, match="UNIQUE constraint failed: hand"):
            opened.add(twice)
        opened.add(named(RECORD, "other"))
    with closing(sqlite3.connect(path)) as database:
        counts = [database.execute(f"SELECT count(DISTINCT {key}) FROM {table}").fetchone()[0] for table, key in TABLES]  # noqa: S608
    assert counts == [1, 1, 1]


TABLES = [("match", "id"), ("game", "match"), ("hand", "match")]


def test_facts_and_entrants_are_stored_in_one_transaction(path: Path) -> None:
    with store(path) as opened:
        with pytest.raises(StoreError, match="UNIQUE constraint failed: entrant"):
            opened.begin({"title": "League"}, [*FIELD, FIELD[0]])
        with pytest.raises(StoreError, match="entrant"):  # which could not be read later
            opened.begin({"title": "League"}, [replace(FIELD[0], source="x" * 10_001)])
        assert (opened.facts(), opened.field()) == ({}, ())
        opened.begin({"title": "League"}, FIELD)
        assert (opened.facts(), opened.field()) == ({"title": "League"}, FIELD)


def test_a_run_may_be_finished_twice(path: Path) -> None:
    with store(path) as opened:
        opened.begin({"title": "League"}, FIELD)
        opened.finish()
        opened.add(RECORD)
        opened.finish()
        assert set(opened.facts()) == {"title", "finished"}
        assert list(opened.problems()) == []


def test_the_order_of_fixtures_does_not_depend_on_the_order_of_storing(path: Path) -> None:
    with store(path) as opened:
        for number in (10, 2, 1):
            opened.add(named(RECORD, f"a:b/{number}/0"))
        assert [record.fixture.id for record in opened.records()] == ["a:b/10/0", "a:b/2/0", "a:b/1/0"]
        assert [record.fixture.id for record in opened.records_in_order()] == ["a:b/1/0", "a:b/2/0", "a:b/10/0"]
        assert [(place, record.fixture.id) for place, record in opened.in_order()] == [
            (3, "a:b/1/0"),
            (2, "a:b/2/0"),
            (1, "a:b/10/0"),
        ]
        assert [found.fixture.id for found in opened.results()] == ["a:b/1/0", "a:b/2/0", "a:b/10/0"]


def test_a_reader_sees_new_records_while_another_process_writes(path: Path) -> None:
    with store(path) as writer, Store(path) as reader:
        assert list(reader.records()) == []
        writer.add(RECORD)
        assert list(reader.records()) == [RECORD]
    with Store(path) as reader, store(path) as writer:  # which begins later
        writer.add(named(RECORD, "later"))
        assert reader.count() == 2


def test_records_are_read_by_the_beginning_of_their_names_and_after_the_first_ones(path: Path) -> None:
    names = [f"r{number}/a:b/0/0" for number in (1, 12, 2, 1)]
    names[3] += "1"
    with store(path) as opened:
        opened.add(*(named(RECORD, name) for name in names))
        assert [one.fixture.id for one in opened.records_of("r1/")] == [names[0], names[3]]
        assert [one.fixture.id for one in opened.records(after=3)] == names[3:]


def test_more_entrants_than_a_report_shows_are_reported_but_known(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with store(path) as opened:
        opened.begin({"title": "League"}, FIELD)
        monkeypatch.setattr(rows, "MOST_SHOWN", 2)
        assert opened.field() == FIELD
        monkeypatch.setattr(rows, "MOST_SHOWN", 1)
        with pytest.raises(StoreError, match=r"arena\.sqlite: more than 1 entrants"):
            opened.field()
        assert opened.entrants() == FIELD


def test_an_unknown_fixture_is_reported(path: Path) -> None:
    with store(path) as opened, pytest.raises(StoreError, match=r"arena\.sqlite: fixture 'x:y/0/0' not found"):
        opened.record("x:y/0/0")


def test_a_batch_keeps_its_number_of_hands(path: Path) -> None:
    batch = match(hands=3)
    with store(path) as opened:
        opened.add(batch)
        assert opened.results()[0].fixture == Fixture("a-b/0/0", ("a", "b"), "a-b/0", 3)


@pytest.mark.parametrize("write", [True, False])
def test_a_file_that_is_not_a_database_is_reported(path: Path, write: bool) -> None:  # noqa: FBT001 - a table's row
    path.write_bytes(b"not a database, but long enough for a header of a hundred bytes" * 4)
    with pytest.raises(StoreError, match=r"arena\.sqlite: file is not a database"), Store(path, write=write) as opened:
        opened.facts()


def test_a_missing_database_is_reported_and_not_created(path: Path) -> None:
    with pytest.raises(StoreError, match=r"arena\.sqlite: no such file; expected the database of a run"):
        Store(path)
    assert not path.exists()


def test_a_database_without_tables_is_reported(path: Path) -> None:
    sqlite3.connect(path).close()
    path.touch()
    with pytest.raises(StoreError, match=r"arena\.sqlite: "), Store(path) as opened:
        opened.facts()


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    """Act as a user who is not root, because root can write to a read-only folder."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def read_only() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        with store(folder / "arena.sqlite") as opened:
            opened.begin({"title": "League"}, FIELD)
            opened.add(RECORD)
        folder.chmod(0o555)
        (folder / "arena.sqlite").chmod(0o444)
        yield folder
        folder.chmod(0o755)


def test_a_read_only_folder_is_reported(read_only: Path) -> None:
    with as_ordinary_user(), pytest.raises(StoreError, match=r"other\.sqlite: cannot be opened: Permission denied"):
        Store(read_only / "other.sqlite", write=True)


def test_an_error_of_the_system_is_named_with_its_reason(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "WAIT", 0.0)
    monkeypatch.setattr(file, "WAIT", 0.0)
    with store(path) as opened:
        opened.begin({"title": "League"}, FIELD)
        with closing(sqlite3.connect(path)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match=r"arena\.sqlite: another process has kept it locked for 0 s"):
                opened.add(RECORD)
    with store(path) as opened:
        opened._file.database.execute("PRAGMA max_page_count = 1")  # noqa: SLF001 - as if the disk were full
        with pytest.raises(StoreError, match=r"arena\.sqlite: cannot be written: No space left on device"):
            opened.add(*(named(RECORD, str(number)) for number in range(100)))


def test_a_text_that_is_not_utf8_is_reported(path: Path) -> None:
    with (
        store(path) as opened,
        pytest.raises(StoreError, match=r"arena\.sqlite: cannot hold 'd\\udcff/x', which is not"),
    ):
        opened.begin({"title": "d\udcff/x"}, FIELD)


def test_a_database_that_may_not_be_written_is_reported(read_only: Path) -> None:
    read_only.chmod(0o777)
    refused = pytest.raises(StoreError, match=r"arena\.sqlite: cannot be written: Permission denied")
    with as_ordinary_user(), store(read_only / "arena.sqlite") as opened, refused:
        opened.finish()


def test_an_error_about_another_file_is_not_given_to_the_database(path: Path) -> None:
    def write_tokens(opened: Store) -> None:
        with opened.deciding():
            raise StoreError("tokens.json: cannot be written: No space left on device")

    with store(path) as opened, pytest.raises(StoreError, match=r"^tokens\.json: "):
        write_tokens(opened)


def test_a_run_in_a_read_only_folder_can_be_read(read_only: Path) -> None:
    with as_ordinary_user(), Store(read_only / "arena.sqlite") as reader:
        assert list(reader.records()) == [RECORD]


def test_records_that_arrive_together_are_stored_together_or_not_at_all(path: Path) -> None:
    two, three = named(RECORD, "two"), named(RECORD, "three")
    with store(path) as opened:
        opened.add(RECORD, two)
        with pytest.raises(StoreError, match="UNIQUE constraint failed"):
            opened.add(three, two)
        opened.add(three)
        assert list(opened.records()) == [RECORD, two, three]
        assert all(intact for _, intact in opened.check_records())


def test_a_bot_that_came_by_another_process_may_play_at_once(path: Path) -> None:
    with store(path) as opened:
        opened.begin({"title": "League"}, [FIELD[0]])
        with pytest.raises(StoreError, match="'a' is not an entrant"):
            opened.add(RECORD)
        with store(path) as other:
            other.add_event("came", FIELD[1])
        opened.add(RECORD)


def test_a_bot_whose_event_was_not_stored_may_not_play(path: Path) -> None:
    with store(path) as opened:
        opened.begin({"title": "League"}, [FIELD[0]])
        with suppress(ZeroDivisionError), opened.deciding():
            opened.add_event("came", FIELD[1])
            opened.add(RECORD)
            raise ZeroDivisionError
        with pytest.raises(StoreError, match="'a' is not an entrant"):
            opened.add(RECORD)


@pytest.mark.parametrize(("content", "name"), [("x" * ((1 << 20) + 1), "c"), ("{}", "c d")], ids=["content", "entrant"])
def test_an_event_that_could_not_be_read_back_is_not_stored(path: Path, content: str, name: str) -> None:
    with store(path) as opened:
        opened.begin({"title": "League"}, FIELD)
        with pytest.raises(StoreError, match="expected `str`"):
            opened.add_event(content, Entered(name, "1", "c.py:C", "3" * 64))
        assert (list(opened.events()), opened.entrants()) == ([], FIELD)


def test_a_run_that_is_withdrawn_leaves_nothing_and_may_begin_again(path: Path) -> None:
    with store(path) as opened:
        opened.begin({"title": "League"}, FIELD)
        opened.add_event("{}", Entered("c", "1", "c.py:C", "3" * 64))
        opened.withdraw()
        assert (opened.has_begun(), opened.facts(), opened.entrants(), list(opened.events())) == (False, {}, (), [])
        opened.begin({"title": "League"}, FIELD)
        assert list(opened.problems()) == []


def test_the_states_that_bots_have_left_are_read_without_the_records(path: Path) -> None:
    one = replace(named(RECORD, "r1/a:b/0/0"), states=(None, "1" * 64))
    with store(path) as opened:
        opened.add(named(RECORD, "r1/a:b/0/1"), one)
        assert list(opened.left_states()) == [left_states(one)]
        assert list(left_states(one).by_name()) == [(one.fixture.seats[1], "1" * 64)]


def test_a_revision_without_a_seed_keeps_that_of_the_one_before(path: Path) -> None:
    facts = {"plan": '{"bots": ["b", "a"]}', "spec": "1", "seed": "1" * 64, "commitment": "2" * 64}
    grown = SpecRevised(at="2026-01-01T00:00:00Z", spec="2", plan=facts["plan"], matches=0, link="4" * 64)
    again = replace(grown, spec="3", seed="5" * 64, commitment="6" * 64)
    with store(path) as opened:
        opened.begin(facts, FIELD)
        for event, seed, commitment in ((grown, "1", "2"), (again, "5", "6"), (grown, "5", "6")):
            opened.revise(json.encode(event).decode(), ())
            assert "finished" not in opened.facts()
            terms = in_force(opened, opened.facts())
            assert (terms.seed, terms.commitment, terms.spec) == (seed * 64, commitment * 64, event.spec)
            opened.finish()


def test_what_is_stored_after_a_revision_with_a_seed_was_played_with_that_seed(path: Path) -> None:
    facts = {"plan": "{}", "spec": "1", "seed": "1" * 64, "commitment": "2" * 64}
    grown = SpecRevised(at="2026-01-01T00:00:00Z", spec="2", plan="{}", matches=0, link="4" * 64)
    with store(path) as opened:
        opened.begin(facts, FIELD)
        for number, event in enumerate((grown, replace(grown, seed="5" * 64), grown, replace(grown, seed="6" * 64))):
            opened.add(named(RECORD, f"{number}"))
            opened.add_event(json.encode(event).decode())
        opened.add(named(RECORD, "4"))
        assert later_seeds(opened, opened.facts()) == {"2": "5" * 64, "3": "5" * 64, "4": "6" * 64}
        assert later_seeds(opened, Facts(path, {"kind": "league"})) == {}
