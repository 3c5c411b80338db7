"""The hands of a run as a file, and a run of such a file: nothing is lost, and nothing is believed that can be checked."""

import csv
import io
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace
from support.matches.in_process import SEED
from support.records.exporting import RULES, every_hand, exported, some_records, store_records, with_run

from arena.errors import DamagedError, InputError, StoreError
from arena.limits import FaultCosts
from arena.records import MatchRecord
from arena.referee.audit import differences
from arena.results import hands as data
from arena.results.hands import hands, header
from arena.runs.judge import judge_case
from arena.runs.judge_cases import JudgeCase
from arena.runs.stored import StoredRun
from arena.store.store import Facts, Store


@pytest.fixture(scope="module")
def records() -> list[MatchRecord]:
    return some_records()


@pytest.fixture(scope="module")
def run(records: list[MatchRecord], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store_records(tmp_path_factory.mktemp("run"), records)


def test_an_action_of_a_run_that_another_person_made_cannot_be_a_formula_in_csv(run: Path, tmp_path: Path) -> None:
    shutil.copy(run / "arena.sqlite", tmp_path)
    with closing(sqlite3.connect(tmp_path / "arena.sqlite")) as database, database:
        database.execute("UPDATE hand SET spent = NULL, notes = NULL, actions = '=HYPERLINK(1)'")
    found = exported(tmp_path, ".csv").decode()
    assert {row["actions"] for row in csv.DictReader(io.StringIO(found))} == {"'=HYPERLINK(1)"}


def test_a_version_of_luck_that_is_not_a_number_is_refused(run: Path, tmp_path: Path) -> None:
    shutil.copy(run / "arena.sqlite", tmp_path)
    with closing(sqlite3.connect(tmp_path / "arena.sqlite")) as database, database:
        database.execute("INSERT INTO run VALUES ('luck', 'x')")
    with pytest.raises(DamagedError, match="luck: found 'x'; expected the number of a version"):
        exported(tmp_path)


def test_a_fault_is_exported_as_it_is_on_record(run: Path) -> None:
    (found,) = [json.decode(line)["faults"] for line in exported(run, fixture="a-b/1/0").splitlines() if b'"line":"match"' in line]
    assert found[0]["kind"] == "illegal"
    assert "big_gin" in found[0]["detail"]


def test_the_judge_says_of_each_exported_hand_what_is_on_record(run: Path) -> None:
    def judged(folder: Path) -> list[Any]:
        cases = [JudgeCase(one.hand, "", list(one.deck), one.dealer, list(one.actions)) for one in every_hand(folder)]  # type: ignore[arg-type]
        return [judge_case(case, RULES) for case in cases]

    found = judged(run)
    for one, hand in zip(found, every_hand(run), strict=True):
        assert hand.ending == "fault" or (one["ending"], one["points"], one["winner"]) == (hand.ending, hand.points, hand.winner)


def test_a_deck_is_stored_if_and_only_if_no_seed_gives_it(records: list[MatchRecord]) -> None:
    record = records[0]
    with_deck = replace(record, hands=tuple(replace(hand, deck="".join(["Kd"] * 52)) for hand in record.hands))
    assert list(differences(with_deck, RULES, FaultCosts(), SEED)) == [
        "a-b/0/0 hand 0.0: its deck is stored, and need not follow from the seed"
    ]
    assert list(differences(record, RULES, FaultCosts(), None)) == ["a-b/0/0 hand 0.0: its deck is missing"]


def test_a_file_has_the_fixture_or_the_bot_that_was_asked_for(run: Path) -> None:
    assert {one.fixture for one in with_run(run, lambda store, run: list(hands(store, run, fixture="a-b/2/0")))} == {"a-b/2/0"}
    assert exported(run, bot="a") == exported(run)
    with pytest.raises(InputError, match="--bot: found 'c'; expected one of a, b"):
        exported(run, bot="c")
    with pytest.raises(StoreError, match="fixture 'x' not found"):
        exported(run, fixture="x")


def test_the_seed_is_in_the_header_when_the_run_is_finished(run: Path) -> None:
    def seed_when_unfinished(store: Store, run: StoredRun) -> str | None:
        facts = Facts(store.path, {key: value for key, value in run.facts.items() if key != "finished"})
        return header(store, replace(run, facts=facts)).seed

    assert json.decode(exported(run).splitlines()[0])["seed"] == SEED
    assert with_run(run, seed_when_unfinished) is None


def test_csv_has_a_line_for_each_hand(run: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(run, ".csv").decode(), newline="")))
    assert [row["actions"].split() for row in rows] == [list(hand.actions) for hand in every_hand(run)]
    assert {len(row["deck"].split()) for row in rows} == {52}
    noted = next(row for row in rows if row["notes"])
    assert json.decode(noted["notes"]) == [[0, "a note"]]
    assert len(noted["microseconds"].split()) == len(noted["actions"].split())


@pytest.mark.process
def test_parquet_has_typed_columns_and_says_what_they_mean(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(data, "IN_ROW_GROUP", 2)
    file = parquet.ParquetFile(io.BytesIO(exported(run, ".parquet")))
    every = every_hand(run)
    assert file.num_row_groups == (len(every) + 1) // 2
    assert [row["deck"] for row in file.read().to_pylist()] == [list(hand.deck) for hand in every]
    assert b"processor time" in file.schema_arrow.field("microseconds").metadata[b"description"]
    assert json.decode(file.schema_arrow.metadata[b"arena"])["schema"] == "arena/hands/1"


def test_the_page_names_every_column_and_every_key() -> None:
    page = (Path(data.__file__).parent / "DATA.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", page))
    assert {column.name for column in data.COLUMNS} <= named
