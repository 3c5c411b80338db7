"""The witness of a database sees what was stored, after it, and is compared with it."""

from pathlib import Path

import pytest
from msgspec.json import decode, encode
from msgspec.structs import replace
from support.matches.in_process import match

from arena.errors import StoreError
from arena.moments import now
from arena.records import MatchRecord
from arena.roster.entrant import Entered
from arena.store import chain
from arena.store.store import Store
from arena.store.witness import WITNESS_FILE, SeenLink, Witness, last_seen

FIELD = (Entered("a", "1", "a.py:A", "1" * 64), Entered("b", "2", "b.py:B", "2" * 64))
RUN = "a" * 64


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arena.sqlite"


def lines(path: Path) -> list[SeenLink]:
    return [decode(line, type=SeenLink) for line in path.with_name(WITNESS_FILE).read_bytes().splitlines()]


def link_seen(count: int, link: str) -> SeenLink:
    return SeenLink(run=RUN, count=count, link=link, at=now())


def record(number: int) -> MatchRecord:
    one = match()
    return replace(one, fixture=replace(one.fixture, id=f"a-b/{number}/0"))


def test_a_witness_sees_the_link_of_every_transaction(path: Path) -> None:
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        store.add(record(0))
        store.add_event("{}")
        store.add(record(1), record(2))
        store.finish()  # adds no link
    with Store(path) as store:
        assert [one.count for one in lines(path)] == [0, 1, 2, 4]
        assert [store.link_at(one.count) for one in lines(path)] == [one.link for one in lines(path)]
        assert store.contradiction(last_seen(path)) == ""


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
    assert not copy.with_name(WITNESS_FILE).exists()


def test_a_database_that_was_copied_without_its_log_lacks_the_last_link_of_its_witness(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "arena.sqlite"
    copy.parent.mkdir()
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        store.add(record(0))
    with Store(path, write=True) as store:
        store.add(record(1))  # is in the log
        copy.write_bytes(path.read_bytes())
        copy.with_name(WITNESS_FILE).write_bytes(path.with_name(WITNESS_FILE).read_bytes())
    with (
        Store(copy, write=True) as store,
        pytest.raises(StoreError, match=r"lacks link 2, which witness\.jsonl has seen at .*remove"),
    ):
        store.check_witness()
    with Store(path) as store:
        store.check_witness()


def test_a_witness_that_is_behind_or_missing_or_of_a_run_without_records_is_no_contradiction(path: Path) -> None:
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        store.add(record(0))
        store.check_witness()
        behind = lines(path)[0]
        of_another_run = replace(behind, run=RUN, link=RUN)
        assert [store.contradiction(one) for one in (behind, None, of_another_run)] == ["", "", ""]
        assert store.contradiction(replace(lines(path)[1], link=RUN)) != ""


def test_a_line_that_a_full_disk_has_cut_is_passed_over_and_the_next_is_whole(path: Path) -> None:
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
    log = path.with_name(WITNESS_FILE)
    whole = log.read_bytes()
    log.write_bytes(whole[:-30])
    assert last_seen(path) is None
    log.write_bytes(whole + whole[:-30])
    assert last_seen(path) == decode(whole, type=SeenLink)
    with Store(path, write=True) as store:
        store.add_event("{}")
    assert last_seen(path) == decode(log.read_bytes().splitlines()[-1], type=SeenLink)


def test_a_damaged_line_and_a_number_that_no_database_can_hold_are_passed_over(path: Path) -> None:
    line = encode(link_seen(1, "b" * 64))
    damaged = [line.replace(b"bb", b"\xff\xfe", 1), line.replace(b'"count":1', b'"count":9223372036854775808')]
    path.with_name(WITNESS_FILE).write_bytes(b"\n".join([line, *damaged]) + b"\n")
    assert last_seen(path) == decode(line, type=SeenLink)


def test_the_last_line_of_a_long_witness_is_found(path: Path) -> None:
    witness = Witness(path)
    for number in range(100):
        witness.add(link_seen(number, f"{number:064}"))
    assert (seen := last_seen(path))
    assert seen.count == 99


def test_a_witness_that_cannot_be_written_stops_nobody_and_is_logged_once(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.with_name(WITNESS_FILE).mkdir()
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        store.add(record(0))
        for _ in range(3):
            store.add_event("{}")
        assert store.count() == 1
    assert [one.getMessage() for one in caplog.records] == [f"{path.with_name(WITNESS_FILE)}: cannot be written: Is a directory"]


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
