"""The hands of a run as a file, and a run of such a file: nothing is lost, and nothing is believed that can be checked."""

import csv
import io
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec import json, to_builtins
from msgspec.structs import replace
from support.matches.in_process import PLAN, SEED, by_chance, match, once
from support.records.verifying import audited

from arena.errors import ArenaError, DamagedError, InputError, StoreError
from arena.gin.actions import BigGin
from arena.gin.rules import Rules
from arena.records import Assurance, MatchRecord, Note, words_of_deck
from arena.referee.audit import differences
from arena.referee.referee import FaultCosts
from arena.reports.playthrough import playthrough
from arena.results import hands as data
from arena.results.hands import ExportedHand, hands, header, lines
from arena.results.imports import import_hands
from arena.results.publish import publish
from arena.roster.entrant import Entered
from arena.runs.judge import JudgeCase, judge_case
from arena.runs.plans import kinds
from arena.runs.session import check_kind
from arena.runs.stored import StoredRun, stored_run
from arena.stats.luck import add_luck
from arena.store.folder import Folder
from arena.store.store import Facts, Store
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.seeds import commitment

RULES = Rules(target=50, best_of=1)
SPEC = "title: Cup\nbots: [a, b]\nrules: {target: 50, best_of: 1}\nformat: {pairs: 1}\nsandbox: none\nreports: [console]\n"
FIELD = [Entered("a", "1", "a.py:A", "1" * 64), Entered("b", "2", "b.py:B", "2" * 64)]
ASSURANCE = json.encode(Assurance(isolated=False, profile="none")).decode()


def faulty() -> MatchRecord:
    """Return a match in which seat 0 does something that is forbidden, and loses a hand for it."""
    return match(once(lambda _: BigGin()), by_chance("1"), rules=RULES, name="a-b/1/0")


@pytest.fixture(scope="module")
def records() -> list[MatchRecord]:
    batch = match(rules=RULES, hands=3, name="a-b/2/0")
    noted = replace(batch.hands[0], notes=(Note(0, "a note"),), spent=tuple(range(len(batch.hands[0].actions.split()))))
    batch = add_luck(replace(batch, hands=(noted, *batch.hands[1:])), RULES, SEED)
    return [match(rules=RULES), faulty(), batch]


@pytest.fixture(scope="module")
def run(records: list[MatchRecord], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    about = dict.fromkeys(("arena", "python", "platform", "started"), "x")
    with Store(folder / "arena.sqlite", write=True) as store:
        facts = {"title": "Cup", "seed": SEED, "commitment": commitment(SEED), "spec": SPEC, "plan": PLAN, "walls": ASSURANCE}
        store.begin(facts | about, FIELD)
        store.add(*records)
        store.finish()
    return folder


def with_run(folder: Path, what: Callable[[Store, StoredRun], Any]) -> Any:
    with Store(folder / "arena.sqlite") as store:
        return what(store, stored_run(Folder(folder), store, kinds()))


def exported(folder: Path, suffix: str = ".jsonl", **chosen: str) -> bytes:
    file = io.BytesIO()
    with_run(folder, lambda store, run: data.WRITERS[suffix](file, header(store, run), lines(store, run, **chosen)))  # type: ignore[arg-type]
    return file.getvalue()


def imported(text: bytes, folder: Path) -> Path:
    (folder / "hands.jsonl").write_bytes(text)
    return import_hands(folder / "hands.jsonl", folder / "imported", lambda _, __: None).folder.path


@pytest.fixture(scope="module")
def again(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(exported(run), tmp_path_factory.mktemp("again"))


def every_hand(folder: Path) -> list[ExportedHand]:
    return with_run(folder, lambda store, run: list(hands(store, run)))  # type: ignore[no-any-return]


def test_what_is_exported_imported_and_exported_again_is_the_same(run: Path, again: Path) -> None:
    assert exported(again).splitlines()[1:] == exported(run).splitlines()[1:]


def test_a_fixture_of_an_imported_file_cannot_be_a_formula_or_an_escape_in_csv(run: Path, tmp_path: Path) -> None:
    hostile = "=HYPERLINK(1)\n\x1b[31m"
    text = exported(run, fixture="a-b/2/0").replace(b'"fixture":"a-b/2/0"', b'"fixture":' + json.encode(hostile))
    found = exported(imported(text, tmp_path), ".csv").decode()
    assert {row["fixture"] for row in csv.DictReader(io.StringIO(found))} == {r"'=HYPERLINK(1)\n\x1b[31m"}
    assert "\x1b" not in found


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


def test_an_imported_record_is_the_same_but_for_the_decks_that_it_holds(records: list[MatchRecord], again: Path) -> None:
    with Store(again / "arena.sqlite") as store:
        kept = list(store.records())
    assert all(len(words_of_deck(hand.deck or "")) == 52 for record in kept for hand in record.hands)
    assert [replace(one, hands=tuple(replace(hand, deck=None) for hand in one.hands)) for one in kept] == records


def test_the_judge_says_of_each_exported_hand_what_is_on_record(run: Path, again: Path) -> None:
    def judged(folder: Path) -> list[Any]:
        cases = [JudgeCase(one.hand, "", list(one.deck), one.dealer, list(one.actions)) for one in every_hand(folder)]  # type: ignore[arg-type]
        return [judge_case(case, RULES) for case in cases]

    found = judged(run)
    for one, hand in zip(found, every_hand(run), strict=True):
        assert hand.ending == "fault" or (one["ending"], one["points"], one["winner"]) == (hand.ending, hand.points, hand.winner)
    assert judged(again) == found


def test_an_imported_run_is_verified_but_for_what_only_a_seed_could_show(again: Path) -> None:
    difference, audit = audited(again)
    assert difference == ""
    assert any(line.startswith("imported: the decks cannot be checked against a seed") for line in audit.message())


def test_an_imported_run_is_reported_without_ranks_and_says_why(again: Path) -> None:
    shown = with_run(again, lambda store, run: publish(Folder(again), store, run))
    assert "The run was imported" in shown
    assert "NOT ISOLATED: imported, so the bots are not ranked" in shown
    assert re.search(r"^ – [ab] ", shown, re.MULTILINE)


def test_a_hand_of_an_imported_run_is_replayed_as_that_of_the_first(run: Path, again: Path) -> None:
    def turns(folder: Path) -> list[str]:
        def of(store: Store, run: StoredRun) -> list[str]:
            record = store.record("a-b/0/0")
            return list(playthrough(record, record.hands[0], run.spec.rules, run.seed_of(record.fixture.id)))

        return with_run(folder, of)  # type: ignore[no-any-return]

    assert turns(again) == turns(run)


def test_an_imported_run_is_not_played_on(again: Path) -> None:
    with Store(again / "arena.sqlite") as store, pytest.raises(StoreError, match="a run of the kind 'import', not a tournament"):
        check_kind(Folder(again), store.facts())


def test_a_deck_is_stored_if_and_only_if_no_seed_gives_it(records: list[MatchRecord]) -> None:
    record = records[0]
    with_deck = replace(record, hands=tuple(replace(hand, deck="".join(["Kd"] * 52)) for hand in record.hands))
    assert list(differences(with_deck, RULES, FaultCosts(), SEED)) == [
        "a-b/0/0 hand 0.0: its deck is stored, and need not follow from the seed"
    ]
    assert list(differences(record, RULES, FaultCosts(), None)) == ["a-b/0/0 hand 0.0: its deck is missing"]


# --- the files


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


# --- files from anybody


def changed(text: bytes, kind: str, **values: Any) -> tuple[bytes, int]:
    """Return a file whose first line of a kind has other values, and the number of that line; ... removes a key."""
    every = [json.decode(line) for line in text.splitlines()]
    number = next(number for number, line in enumerate(every) if line["line"] == kind)
    every[number] = {key: value for key, value in (every[number] | values).items() if value is not ...}
    return b"\n".join(map(json.encode, every)) + b"\n", number + 1


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("header", {"schema": "arena/hands/2"}, "schema: "),
        ("header", {"rules": "whist"}, "rules.name: found 'whist'"),
        ("header", {"rules": {"knock_limt": 9}}, "rules.knock_limt: unknown key"),
        ("header", {"entrants": [{"name": "a"}, {"name": "a"}]}, "entrants: expected each name once"),
        ("header", {"entrants": [{"name": "a"}, {"name": "c"}]}, "'b' is not an entrant"),
        ("match", {"seats": ["a", "c"]}, "seats: found "),
        ("match", {"winner": 7}, "winner: "),
        ("match", {"games": []}, "recorded games: none"),
        ("match", {"line": "game"}, "line"),
        ("hand", {"deck": ["3c"] * 52}, "deck: '3c' is named twice"),
        ("hand", {"deck": ["3c"]}, "deck: found 1 cards; expected all 52"),
        ("hand", {"actions": ["Zz"]}, "actions[0]: 'Zz' is not an action"),
        ("hand", {"actions": ["pass pass"]}, "actions[0]: 'pass pass' is not an action"),
        ("hand", {"actions": ["big_gin"]}, "R"),
        ("hand", {"actions": ["pass"]}, "expected another action"),
        ("hand", {"points": 1}, "expected "),
        ("hand", {"ending": "dead"}, "recorded dead"),
        ("hand", {"score": [1, 0]}, "score: found 1 and 0; expected 0 and 0"),
        ("hand", {"deals": "other"}, "deals: found 'other'; expected 'a-b/0', as in its match"),
        ("hand", {"microseconds": [1]}, "microseconds: found 1; expected "),
        ("hand", {"deadwood": ...}, "'deadwood' is missing"),
        ("hand", {"dekc": 1}, "unknown key 'dekc'"),
        ("hand", {"game": 5}, "expected hand 0.0"),
    ],
)
def test_a_wrong_line_is_named_with_what_is_wrong_and_nothing_is_left(
    run: Path, tmp_path: Path, kind: str, values: dict[str, Any], expected: str
) -> None:
    text, number = changed(exported(run), kind, **values)
    with pytest.raises(ArenaError) as refused:
        imported(text, tmp_path)
    assert re.match(rf"{re.escape(str(tmp_path))}/hands\.jsonl:\d+: ", str(refused.value))
    assert expected in str(refused.value)
    assert "\n" not in str(refused.value)
    if kind == "hand":
        assert f"hands.jsonl:{number}: " in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["hands.jsonl"]


def test_luck_that_the_draws_do_not_give_is_refused(run: Path, tmp_path: Path) -> None:
    text, number = changed(exported(run, fixture="a-b/2/0"), "hand", luck=55.0)
    with pytest.raises(InputError, match=rf":{number}: luck: found 55.0; expected -?[0-9.]+"):
        imported(text, tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", ":1: expected the header"),
        (b'\n{"line":"header","schema":"arena/hands/1","rules":"nothing","entrants":[{"name":"a"},{"name":"b"}]}\n', ":2: rules"),
        (b"\xff\n", ":1: "),
        (b"{\n", ":1: "),
        (b"[" * 100_000, ":1: "),
        (b'{"line":"match","fixture":"f","deals":"d","seats":["a","b"]}\n', ":1: expected the header"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_line(text: bytes, expected: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        imported(text, tmp_path)
    assert expected in str(refused.value)
    assert not (tmp_path / "imported").exists()


def test_a_byte_order_mark_at_the_start_of_a_file_is_skipped(run: Path, tmp_path: Path) -> None:
    text = exported(run)
    assert exported(imported(b"\xef\xbb\xbf" + text, tmp_path)).count(b"\n") == text.count(b"\n")


def test_a_hand_stands_after_its_match_and_a_match_once(run: Path, tmp_path: Path) -> None:
    first, a_match, *others = exported(run).splitlines(keepends=True)
    with pytest.raises(InputError, match=":2: a hand before its match"):
        imported(b"".join([first, *others]), tmp_path)
    with pytest.raises(InputError, match="second header"):
        imported(b"".join([first, first]), tmp_path)
    with pytest.raises(InputError, match=r":\d+: fixture: 'a-b/0/0' is there already"):
        imported(b"".join([first, a_match, *others, a_match, *others]), tmp_path)


def test_a_file_that_others_write_may_leave_out_what_they_do_not_know(run: Path, tmp_path: Path) -> None:
    every = [json.decode(line) for line in exported(run, fixture="a-b/2/0").splitlines()]
    judged = ("game", "hand", "dealer", "score", "deck", "actions", "ending", "winner", "points", "deadwood")
    needed = {
        "header": ("line", "schema", "rules", "entrants"),
        "match": ("line", "fixture", "deals", "seats", "hands"),
        "hand": ("line", "fixture", "deals", "seats", *judged),
    }
    every[0]["entrants"] = [{"name": "a"}, {"name": "b"}]
    least = [{key: line[key] for key in needed[line["line"]]} for line in every]
    folder = imported(b"\n".join(map(json.encode, least)), tmp_path)
    assert audited(folder)[0] == ""
    assert {hand.luck for hand in every_hand(folder)} == {None}


def test_a_folder_that_holds_something_is_left_alone(run: Path, tmp_path: Path) -> None:
    (tmp_path / "imported").mkdir()
    (tmp_path / "imported" / "mine.txt").write_text("")
    with pytest.raises(StoreError, match=r"holds 'mine\.txt'; expected a new or empty folder"):
        imported(exported(run), tmp_path)
    assert [path.name for path in (tmp_path / "imported").iterdir()] == ["mine.txt"]


def test_the_format_of_an_imported_run_asks_for_what_is_on_record(again: Path) -> None:
    form = with_run(again, lambda _, run: run.spec.format)
    assert not isinstance(form, RoundRobin)
    assert [one.id for one in form.fixtures(["a", "b"], [])] == ["a-b/0/0", "a-b/1/0", "a-b/2/0"]
    assert to_builtins(form)["name"] == "recorded"
