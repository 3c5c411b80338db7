"""Faults as text: their cause, their turn, and their groups."""

import pytest
from msgspec.structs import replace
from support.matches.records import match
from support.records.reported import TRACEBACK, TURN, about, fault

from arena.gin.rules import Rules
from arena.protocol.codec import encode
from arena.protocol.messages import Hello, Limits
from arena.protocol.notation import rules_message
from arena.protocol.schema import VERSION
from arena.records import Fault
from arena.reports.base import Renderer
from arena.reports.faults import GROUPS_KEPT, GROUPS_SHOWN, fault_lines, group_faults, location, summaries, summary
from arena.reports.html_page import HtmlPage, place_words
from arena.reports.markdown import Markdown
from arena.reports.report_builder import ReportBuilder
from arena.reports.text import ConsoleText

CRASH = fault("ended with exit code 1 without an answer")
HELLO = encode(Hello(VERSION, rules_message(Rules()), Limits(2.0, 120.0, 65536), "s")).decode()
ILLEGAL = fault("discard 7h: it was just taken; allowed: discard", clause="R3.4")

IN_A_LIBRARY = """starting
Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/arena/sdk/loop.py", line 40, in answer
    return bot.draw(view)
  File "/srv/site-packages/rummy/mine.py", line 12, in draw
    return json.loads("")
  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
    raise JSONDecodeError("Expecting value", s, err.value) from None
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
"""
IN_A_GROUP = """  + Exception Group Traceback (most recent call last):
  |   File "/srv/mine.py", line 9, in <module>
  |     raise ExceptionGroup("g", errors)
  | ExceptionGroup: g (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/mine.py", line 4, in draw
    |     raise ValueError("a")
    | ValueError: a
    +------------------------------------
"""
JSON_ERROR = "json.decoder.JSONDecodeError at mine.py:12: Expecting value: line 1 column 1 (char 0)"
CHAINED = TRACEBACK + "\nDuring handling of the above exception, another exception occurred:\n\n" + TRACEBACK.replace("6", "9")


@pytest.mark.parametrize(
    ("stderr", "shown"),
    [
        (TRACEBACK, "KeyError at mine.py:6: 31"),
        (CHAINED, "KeyError at mine.py:9: 31"),
        (IN_A_LIBRARY, JSON_ERROR),
        ("warming up\nsegmentation fault\n", "crash: ended with exit code 1 without an answer; segmentation fault"),
        ("", "crash: ended with exit code 1 without an answer"),
        (IN_A_GROUP, "ValueError at mine.py:4: a"),
        (
            IN_A_LIBRARY.replace("/lib/", "/lib64/"),
            JSON_ERROR,
        ),
        (TRACEBACK.rpartition("KeyError")[0], "at mine.py:6"),
        ("Traceback (most recent call last)", "crash: ended with exit code 1 without an answer"),
    ],
)
def test_the_summary_of_a_crash_is_the_last_error_on_stderr(stderr: str, shown: str) -> None:
    assert summary(replace(CRASH, stderr=stderr)) == shown


def test_the_summary_of_an_illegal_action_has_its_clause_and_no_stderr() -> None:
    assert summary(ILLEGAL) == "illegal: discard 7h: it was just taken; allowed: discard (R3.4)"


def test_the_summary_of_a_timeout_has_the_last_line_of_stderr() -> None:
    late = replace(CRASH, kind="timeout", detail="no answer in 2 s", stderr="thinking\nstill thinking\n")
    assert summary(late) == "timeout: no answer in 2 s; still thinking"


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (TURN, "hand 0.1, asked to pass or take"),
        ("", "hand 0.1, before its first turn"),
        (HELLO, "hand 0.1, while it started"),
        ('{"type":"bye"}', "hand 0.1, at a message that cannot be read"),
        ("{", "hand 0.1, at a message that cannot be read"),
        ("[" * 100_000, "hand 0.1, at a message that cannot be read"),
    ],
)
def test_the_location_of_a_fault_names_game_hand_and_question(turn: str, words: str) -> None:
    assert location(replace(CRASH, turn=turn)) == words


def test_a_fault_without_a_question_may_be_the_use_of_the_opponents_time() -> None:
    assert location(replace(CRASH, kind="timeout", turn="")) == "hand 0.1, in its opponent's turn"


def test_faults_that_differ_only_in_cards_and_numbers_are_one_group() -> None:
    other = [
        replace(CRASH, hand=7, stderr=TRACEBACK.replace("KeyError: 31", "KeyError: 30")),
        replace(ILLEGAL, detail="discard Ks: it was just taken; allowed: discard, knock"),
    ]
    groups = group_faults(("a", f"f{number}", fault) for number, fault in enumerate([CRASH, ILLEGAL, *other, CRASH]))
    assert [(group.count, group.fixture) for group in groups] == [(3, "f0"), (2, "f1")]


def test_faults_from_different_lines_or_bots_are_different_groups() -> None:
    elsewhere = replace(CRASH, stderr=TRACEBACK.replace("line 6", "line 8"))
    assert len(group_faults([("a", "f", CRASH), ("a", "f", elsewhere), ("b", "f", CRASH)])) == 3


def different(number: int) -> Fault:
    return replace(CRASH, stderr=TRACEBACK.replace("line 6", f"line {number}"))


def test_a_list_of_faults_counts_those_that_it_omits() -> None:
    faults = [("a", "f", different(number)) for number in range(GROUPS_KEPT + 5)]
    shown = list(fault_lines(faults))
    assert len(shown) == GROUPS_SHOWN + 1
    assert shown[-1] == f"and {GROUPS_KEPT + 5 - GROUPS_SHOWN} more faults"
    assert list(fault_lines(faults[:1])) == ["a: KeyError at mine.py:0: 31; in f, hand 0.1, asked to pass or take"]
    assert next(fault_lines(faults[:1] * 7)).startswith("a: 7 × KeyError at mine.py:0: 31; first in f, ")


def test_a_report_begins_with_the_bots_that_have_faults_and_the_most_frequent_cause_of_each() -> None:
    faults = [("a", "f", different(1)), ("a", "g", ILLEGAL), ("a", "h", ILLEGAL), *((name, "f", ILLEGAL) for name in "bcde")]
    a, b, *_, more = summaries(group_faults(faults))
    assert a == f"a has 3 faults: 2 × {summary(ILLEGAL)}; first in g, {location(ILLEGAL)}"
    assert b == f"b has a fault: {summary(ILLEGAL)}; in f, {location(ILLEGAL)}"
    assert more == "2 more bots have faults, which the table of faults names"


@pytest.mark.parametrize(
    ("fixture", "words"),
    [("ann:ben/0/1", "ann – ben, pair 1, leg 2"), ("r3/ann:ben/1/0", "ann – ben, round 3, pair 2, leg 1"), ("other", "other")],
)
def test_a_page_names_the_place_of_a_fault_in_words_and_counts_from_1(fixture: str, words: str) -> None:
    groups = group_faults([("ann", fixture, ILLEGAL)])
    [line] = summaries(groups, place_words)
    assert line.endswith(f"; in {words}, game 1, hand 2, {location(ILLEGAL).partition(', ')[2]}")
    assert next(summaries(groups)).endswith(f"; in {fixture}, {location(ILLEGAL)}")


def test_a_count_of_faults_is_a_lower_limit_if_not_all_causes_are_kept() -> None:
    faults = [("a", "f", different(number)) for number in range(GROUPS_KEPT + 5)]
    assert next(summaries(group_faults(faults))).startswith(f"a has at least {GROUPS_KEPT} faults: ")


@pytest.mark.parametrize("renderer", [ConsoleText(), Markdown(), HtmlPage()], ids=["console", "markdown", "page"])
def test_a_report_says_how_many_faults_it_omits(renderer: Renderer) -> None:
    growing = ReportBuilder()
    for number in range(GROUPS_KEPT + 5):
        growing.add(match("a", "b", deals=str(number), points=[50], faults=[different(number)]))
    report = growing.report(about(("a", "b")), {})
    assert f"and {GROUPS_KEPT + 5 - GROUPS_SHOWN} more faults" in renderer.render(report).replace("And", "and")
