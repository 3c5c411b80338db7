"""``arena judge`` and ``arena melds``: JSON lines in, JSON lines out."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec import json
from support.commands.calls import arena, command, document

GOLDEN = Path(__file__).parents[1] / "golden"


def golden(name: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the cases of a golden file as lines, and what must come of each."""
    rows = [json.decode(line) for line in (GOLDEN / name).read_bytes().splitlines()]
    return "".join(json.encode(row["case"]).decode() + "\n" for row in rows), [row["expect"] for row in rows]


def answers(*arguments: object, typed: str = "", code: int = 0) -> list[dict[str, Any]]:
    done = arena(*arguments, typed=typed)
    assert done.returncode == code, done.stderr
    return [json.decode(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("command", "name"), [("judge", "judge.jsonl"), ("melds --jsonl", "melds.jsonl")])
def test_golden_cases_are_answered_as_another_program_did(command: str, name: str) -> None:
    cases, expected = golden(name)
    given = answers(*command.split(), typed=cases)
    assert len(given) == len(expected)
    for answer, expect in zip(given, expected, strict=True):
        assert answer | expect == answer


def test_cases_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"cards": ["7h", "7c", "7d"]}\n\n{"cards": ["Kd"]}\n')
    assert [answer["deadwood"] for answer in answers("melds", tmp_path / "cases.jsonl", "--jsonl")] == [0, 10]


def test_one_invalid_line_is_counted_as_one() -> None:
    assert arena("judge", typed="nonsense\n").stderr == 'arena: -: 1 invalid line; see "error" in each answer\n'


@pytest.mark.parametrize("command", ["judge", "melds --jsonl"])
def test_a_file_that_is_not_there_is_the_users_fault(command: str, tmp_path: Path) -> None:
    done = arena(*command.split(), tmp_path / "nowhere")
    assert (done.returncode, done.stderr) == (2, f"arena: {tmp_path}/nowhere: No such file or directory\n")


BAD = [
    "nonsense",
    "[]",
    "{}",
    '{"cards": ["1x"]}',
    '{"cards": ["7h", "7h"]}',
    '{"cards": []}',
    '{"cards": ["7h"], "knocker_melds": [["2c", "9d"]]}',
    '{"cards": ["7h"], "knocker_melds": [["6h", "7h", "8h"]]}',
    "[" * 100_000,
    '{"cards": ["7h\\u0000"]}',
]


def test_a_bad_line_is_answered_by_what_is_wrong_with_it_and_the_rest_goes_on() -> None:
    given = answers("melds", "--jsonl", typed="\n".join([*BAD, '{"cards": ["7h"]}']) + "\n", code=2)
    assert [answer["line"] for answer in given[:-1]] == list(range(1, len(BAD) + 1))
    assert all(answer["error"] and "\n" not in answer["error"] for answer in given[:-1])
    assert given[-1] == {"deadwood": 7, "melds": []}


DECK = [rank + suit for suit in "cdhs" for rank in "A23456789TJQK"]


def judged(**changes: Any) -> dict[str, Any]:
    case = {"id": 1, "rules": "standard", "deck": DECK, "dealer": 0, "actions": [], **changes}
    done = arena("judge", typed=json.encode(case).decode() + "\n")
    answer: dict[str, Any] = json.decode(done.stdout.splitlines()[0])
    return answer


def test_a_hand_that_is_not_over_says_who_is_to_act() -> None:
    assert judged() == {"id": 1, "unfinished": {"phase": "upcard", "seat": 1}}


def test_an_illegal_action_is_named_with_its_clause() -> None:
    answer = judged(actions=[{"seat": 1, "kind": "pass"}, {"seat": 0, "kind": "draw"}])
    assert (answer["illegal"]["action"], answer["illegal"]["clause"]) == (1, "R3.4")
    assert (
        judged(actions=[{"seat": 0, "kind": "pass"}])["illegal"]["detail"] == "seat 0 acts; it is for seat 1; allowed: pass, take"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"deck": DECK[:51]}, "a deck of 51 cards; expected all 52"),
        ({"deck": [*DECK[:51], DECK[0]]}, "Ac"),
        ({"rules": "stanard"}, "rules.name: found 'stanard'; did you mean 'standard'?"),
        ({"rules": {"name": "standard", "best_of": 2}}, "rules.best_of: 2 can end in a tie"),
        ({"rules": {"colour": 1}}, "rules.colour: unknown key; expected one of name, target"),
        ({"dealer": 2}, "dealer"),
        ({"actions": [{"seat": 1, "kind": "fold"}]}, "fold"),
        ({"actions": [{"seat": 1, "kind": "discard"}]}, "discard without a card"),
    ],
)
def test_a_case_that_is_none_is_shown(changes: dict[str, Any], message: str) -> None:
    assert message in judged(**changes)["error"]


def test_cards_may_be_given_on_the_command_line() -> None:
    assert document("melds", *["3c", "4c", "5c", "7d", "7h", "7s", "Kd", "2c", "9h", "Jd"], "--json")["deadwood"] == 29
    eleven = document("melds", *["3c", "4c", "5c", "7d", "7h", "7s", "Kd", "2c", "9h", "Jd", "Kh"], "--json")
    assert eleven["discards"]["Kd"] == 29
    done = arena("melds", "3c", "4c", "5c")
    assert done.stdout == "deadwood 0\n  3c 4c 5c\n"


def test_cards_that_are_none_are_the_users_fault() -> None:
    done = arena("melds", "3c", "xx")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("arena: melds: ")


@pytest.mark.process
def test_a_reader_who_has_received_enough_is_not_taken_for_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"cards": ["7h"]}\n' * 20_000, encoding="utf-8")  # more answers than a pipe holds
    with subprocess.Popen(command("melds", "--jsonl", cases), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout
        run.stdout.close()
        _, message = run.communicate()
    assert message == b""


def test_lines_come_from_one_file_alone() -> None:
    done = arena("melds", "--jsonl", "3c", "4c")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "arena: melds --jsonl: 2 arguments; expected one file at most, for its lines hold the cards\n"
