"""What witnesses of a database see, and when: after what was stored, never before."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from matches import match
from msgspec.json import decode, encode
from msgspec.structs import replace

from arena.records import MatchRecord
from arena.roster.entrant import Entered
from arena.store import chain
from arena.store.chain import SeenLink
from arena.store.store import Store

FIELD = (Entered("a", "1", "a.py:A", "1" * 64), Entered("b", "2", "b.py:B", "2" * 64))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arena.sqlite"


def lines(path: Path) -> list[SeenLink]:
    return [decode(line, type=SeenLink) for line in path.with_name(chain.NAME).read_bytes().splitlines()]


def record(number: int) -> MatchRecord:
    one = match()
    return replace(one, fixture=replace(one.fixture, id=f"a-b/{number}/0"))


def test_a_witness_sees_the_beginning_each_event_and_at_the_end_the_last_record(path: Path) -> None:
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        store.add(record(0))
        store.add_event("{}")
        store.add(record(1), record(2))
        seen = store.seen_link()
    assert [one.count for one in lines(path)] == [0, 2, 4]
    assert seen
    assert lines(path)[-1].link == seen.link
    with Store(path) as store:
        assert [store.link_at(one.count) for one in lines(path)] == [one.link for one in lines(path)]
        assert (store.link_at(5), lines(path)[0].run) == ("", store.link_at(0))


def test_records_that_are_stored_long_after_each_other_are_seen_one_by_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "PAUSE", 0.0)
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        for number in range(3):
            store.add(record(number))
    assert [one.count for one in lines(path)] == [0, 1, 2, 3]


def test_nothing_is_seen_of_a_decision_that_fails_or_of_a_copy(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "arena.sqlite"
    copy.parent.mkdir()
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        with pytest.raises(ZeroDivisionError), store.deciding():
            store.add_event("{}")
            raise ZeroDivisionError
    with Store(path) as store:
        store.copy(copy)
    with Store(copy, write=True, witnessed=False) as store:
        store.add_event("{}")
    assert [one.count for one in lines(path)] == [0]
    assert not copy.with_name(chain.NAME).exists()


def test_a_copy_is_one_file_without_a_log_of_its_own(path: Path, tmp_path: Path) -> None:
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        store.copy(tmp_path / "copy.sqlite")
    with closing(sqlite3.connect(tmp_path / "copy.sqlite")) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_second_witness_outside_of_the_folder_serves_many_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside.jsonl"
    monkeypatch.setenv(chain.VARIABLE, str(outside))
    (tmp_path / "other").mkdir()
    for number, one in enumerate((path, tmp_path / "other" / "arena.sqlite")):
        with Store(one, write=True) as store:
            store.begin({"title": f"League {number}"}, FIELD)
    log = chain.WitnessLog(outside, beside=False)
    for one in (path, tmp_path / "other" / "arena.sqlite"):
        assert list(log.of(lines(one)[0].run)) == lines(one)
        assert log.highest(lines(one)[0].run) == lines(one)


def test_a_line_that_a_full_disk_has_cut_is_passed_over_and_the_next_is_whole(path: Path) -> None:
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
    log = path.with_name(chain.NAME)
    log.write_bytes(log.read_bytes()[:-30])
    with Store(path, write=True) as store:
        store.add_event("{}")
        run = store.link_at(0)
    assert [one.count for one in chain.WitnessLog(log, beside=True).of(run)] == [1]


def test_a_witness_that_cannot_be_written_stops_nobody_and_is_logged_once(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.with_name(chain.NAME).mkdir()
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        store.add(record(0))
        for _ in range(3):
            store.add_event("{}")
        assert store.count() == 1
    assert [one.getMessage() for one in caplog.records] == [f"{path.with_name(chain.NAME)}: cannot be written: Is a directory"]


def test_a_link_is_seen_with_its_own_number_while_another_process_stores(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(path, write=True) as store, Store(path, write=True) as other:
        store.begin({"title": "League"}, FIELD)
        store.add(record(0))

        def overtaken(digests: str) -> str:
            monkeypatch.undo()
            other.add_event("{}")
            return chain.start(digests)

        monkeypatch.setattr(chain, "start", overtaken)
        seen = store.seen_link()
        assert seen
        assert store.link_at(seen.count) == seen.link


def test_a_line_that_another_run_has_not_ended_takes_no_other_with_it(tmp_path: Path) -> None:
    log, run = chain.WitnessLog(tmp_path / "shared.jsonl", beside=False), "a" * 64
    log.add(chain.seen_now(run, 1, "b" * 64))
    with log.path.open("ab") as file:
        file.write(b'{"run":')
    log.add(chain.seen_now(run, 2, "c" * 64))
    assert [one.count for one in log.of(run)] == [1, 2]


def test_a_damaged_line_and_a_number_that_no_database_can_hold_are_passed_over(tmp_path: Path) -> None:
    log, run = chain.WitnessLog(tmp_path / "witness.jsonl", beside=True), "a" * 64
    line = encode(chain.seen_now(run, 1, "b" * 64))
    damaged = [line.replace(b"bb", b"\xff\xfe", 1), line.replace(b'"count":1', b'"count":9223372036854775808')]
    log.path.write_bytes(b"\n".join([line, *damaged, line]) + b"\n")
    assert list(log.of(run)) == [decode(line, type=SeenLink)] * 2
    assert log.other("c" * 64) == decode(line, type=SeenLink)


def test_after_a_rollback_the_last_link_and_each_higher_one_before_it_are_known(tmp_path: Path) -> None:
    log, run, other = chain.WitnessLog(tmp_path / "witness.jsonl", beside=True), "a" * 64, "b" * 64
    for number, count in enumerate((1, 3, 7, 5, 4, 5)):
        log.add(chain.seen_now(run, count, str(number) * 64))
    assert [(one.count, one.link[0]) for one in log.highest(run)] == [(5, "5"), (7, "2")]
    assert (log.highest(other), log.other(run)) == ([], None)
    log.add(chain.seen_now(other, 0, "c" * 64))
    assert [one.run for one in (log.other(run),) if one] == [other]
    assert chain.WitnessLog(log.path, beside=False).other(run) is None


def test_a_witness_of_an_unknown_user_stops_nobody(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(chain.VARIABLE, "~nobody-of-this-name/witness.jsonl")
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        assert store.facts()["title"] == "League"
