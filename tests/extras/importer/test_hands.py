"""A run is made of a file of hands, from anybody."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import json, to_builtins
from msgspec.structs import replace
from support.commands.calls import arena
from support.commands.runs import league
from support.records.exporting import every_hand, exported, some_records, store_records, with_run
from support.records.verifying import audited

from arena.errors import ArenaError, InputError, StoreError
from arena.extras.importer import eaai
from arena.extras.importer.hands import import_hands
from arena.records import MatchRecord, words_of_deck
from arena.reports.playthrough import playthrough
from arena.results.publish import publish
from arena.results.recorded import RecordedDecision, ask_again
from arena.runs.agreement import check_kind
from arena.runs.stored import StoredRun
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.formats.round_robin import RoundRobin


@pytest.fixture(scope="module")
def records() -> list[MatchRecord]:
    return some_records()


@pytest.fixture(scope="module")
def run(records: list[MatchRecord], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store_records(tmp_path_factory.mktemp("run"), records)


def imported(text: bytes, folder: Path) -> Path:
    (folder / "hands.jsonl").write_bytes(text)
    return import_hands(folder / "hands.jsonl", folder / "imported", lambda _, __: None).folder.path


@pytest.fixture(scope="module")
def again(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(exported(run), tmp_path_factory.mktemp("again"))


def changed(text: bytes, kind: str, **values: Any) -> tuple[bytes, int]:
    """Return a file whose first line of a kind has other values, and the number of that line; ... removes a key."""
    every = [json.decode(line) for line in text.splitlines()]
    number = next(number for number, line in enumerate(every) if line["line"] == kind)
    every[number] = {key: value for key, value in (every[number] | values).items() if value is not ...}
    return b"\n".join(map(json.encode, every)) + b"\n", number + 1


def test_what_is_exported_imported_and_exported_again_is_the_same(run: Path, again: Path) -> None:
    assert exported(again).splitlines()[1:] == exported(run).splitlines()[1:]


def test_a_fixture_of_an_imported_file_cannot_be_a_formula_or_an_escape_in_csv(run: Path, tmp_path: Path) -> None:
    hostile = "=HYPERLINK(1)\n\x1b[31m"
    text = exported(run, fixture="a-b/2/0").replace(b'"fixture":"a-b/2/0"', b'"fixture":' + json.encode(hostile))
    found = exported(imported(text, tmp_path), ".csv").decode()
    assert {row["fixture"] for row in csv.DictReader(io.StringIO(found))} == {r"'=HYPERLINK(1)\n\x1b[31m"}
    assert "\x1b" not in found


def test_an_imported_record_is_the_same_but_for_the_decks_that_it_holds(records: list[MatchRecord], again: Path) -> None:
    with Store(again / "arena.sqlite") as store:
        kept = list(store.records())
    assert all(len(words_of_deck(hand.deck or "")) == 52 for record in kept for hand in record.hands)
    assert [replace(one, hands=tuple(replace(hand, deck=None) for hand in one.hands)) for one in kept] == records


def test_an_imported_run_is_verified_but_for_what_only_a_seed_could_show(again: Path) -> None:
    difference, audit = audited(again)
    assert difference == ""
    assert any(line.startswith("imported: the decks cannot be checked against a seed") for line in audit.message())


@pytest.mark.process
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


def test_a_bot_of_an_imported_run_is_asked_for_by_its_file(tmp_path: Path) -> None:
    hands = tmp_path / "hands.jsonl"
    eaai.main(["openspiel", str(Path(__file__).parent / "logs" / "openspiel.txt"), str(hands), "--names", "ours", "greedy"])
    import_hands(hands, tmp_path / "run", lambda *_: None)
    decision = RecordedDecision(fixture="openspiel/1", hand="0.0", turn=1)
    with pytest.raises(InputError, match="greedy: the run keeps no place of this bot, so it cannot play again"):
        ask_again("greedy", Folder(tmp_path / "run"), decision, None, raw=False, show=print)


@pytest.mark.process
def test_a_run_is_exported_imported_and_taken_by_the_commands_that_take_a_run(tmp_path: Path) -> None:
    for line in (
        ("run", league(tmp_path, "format: {pairs: 1}", "sandbox: none"), "--results", "run", "--seed", "s"),
        ("export", "run", "--to", "hands.jsonl"),
        ("import", "hands.jsonl", "--results", "imported"),
        ("verify", "imported"),
        ("report", "imported"),
        ("replay", "imported", "one:two/0/0", "0.0"),
        ("review", "imported", "--hands", "1"),
        ("export", "imported", "--to", "again.jsonl"),
    ):
        done = arena(*line, folder=tmp_path)
        assert done.returncode == 0, done
    first, again = ((tmp_path / name).read_bytes().splitlines()[1:] for name in ("hands.jsonl", "again.jsonl"))
    assert first == again
    done = arena("verify", "imported", "--replay", folder=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the run keeps no place of this bot, so it cannot play again" in done.stderr
    done = arena("import", "hands.jsonl", "--results", "imported", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "expected a new or empty folder, or another name" in done.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "is not a regular file; expected"),
        ("/dev/null", "is not a regular file; expected"),  # as a pipe, which cannot be read twice
        ("spec.yaml", "JSON is malformed: .*; expected"),
    ],
)
def test_what_is_no_file_of_hands_is_refused_with_what_was_expected(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "spec.yaml").write_text("title: League\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"{said} .*JSON lines, as `arena export` writes them"):
        import_hands(tmp_path / name, None, lambda *_: None)
