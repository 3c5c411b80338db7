"""The answer in a reply of a language model, and the replies that are not guessed at."""

import pytest

from arena.gin.actions import Pass, Take
from arena.sdk.answers import CUT, read_answer
from arena.sdk.named_moves import Move

LEGAL = {"pass": Move("pass", Pass(), "pass"), "take": Move("take", Take(), "take 4s")}
TAKE, PASS = '{"move": "take"}', '{"move": "pass"}'
REJECTED = '{"move": "take", "rejected": [{"move": "pass", "why": "worse"}]}'


@pytest.mark.parametrize(
    "reply",
    [
        REJECTED,
        f"```json\n{REJECTED}\n```",
        f"I compared them.\n{REJECTED}\nDone.",
        '{"move": "take", "alternatives": {"considered": {"move": "pass"}}, "plan": [[{"move": "pass"}]]}',
        '{"compared": [{"move": "pass"}], "move": "take"}',
    ],
)
def test_an_object_inside_another_is_no_answer(reply: str) -> None:
    assert read_answer(reply, LEGAL).move == LEGAL["take"]


@pytest.mark.parametrize(
    "reply",
    [
        f"```\n{PASS}\n```\nNo, better:\n```json\n{TAKE}\n```",
        f"The format is {PASS}.\n```json\n{TAKE}\n```",
        f"~~~json\n{TAKE}\n~~~",
        f"```{TAKE}```",
        f"```json\n{TAKE}",
        f"```json\n{TAKE}\n```\n```text\nno object\n```",
        f"{TAKE}\n\nOnce more: {TAKE}",
        f'{TAKE} and by its number {{"move": 2}}',
        f"[{TAKE}]",
        f"| move |\n| --- |\n| {TAKE} |",
        f"With {{3c, 4c, 5c}} as a meld: {TAKE}",
        f"{{I remove: the 7h!}} {TAKE}",
        f'{{"note": 1}} {TAKE}',
    ],
)
def test_the_last_fence_with_an_object_or_else_the_only_answer_counts(reply: str) -> None:
    assert read_answer(reply, LEGAL).move == LEGAL["take"]


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>{PASS} is one idea.</think>{TAKE}",
        f"{PASS} is one idea.</think>\n{TAKE}",
        f"<thinking>a <think>b</thinking> {TAKE}",
        f"<THINK>{{ unclosed</THINK>```json\n{TAKE}\n```",
        '{"move": "take", "why": "</think>"}',
    ],
)
def test_thoughts_are_passed_over(reply: str) -> None:
    assert read_answer(reply, LEGAL).move == LEGAL["take"]


@pytest.mark.parametrize(
    "reply",
    [
        '{"move": "take",}',
        '{"move": "take", "why": ["a", "b",],}',
        "{'move': 'take', 'why': 'it\\'s good', 'sure': True, 'odds': None}",
        "{move: take}",
        "{“move”: “take”, “why”: “best”}",
        '{"move": "take", // best\n "why": "x"}',
        '{"move": "take", "why": "two\nlines"}',
        '{"Move": "take"}',
        '{"move": ["take"]}',
        '{"move": "TAKE"}',
        '{"move": "Take 4s"}',
        '{"move": "take 4♠"}',
        '{"move": 2.0}',
        '{"move": "2.0"}',
        '{"move": "#2"}',
        '{"move": "two"}',
        '{"move": "the second move"}',
        '{"move": "2. take: take 4s"}',
        "take",
        "**Take**",
        "```\n2\n```",
    ],
)
def test_what_is_clear_although_it_is_not_as_asked_for_is_understood(reply: str) -> None:
    assert read_answer(reply, LEGAL).move == LEGAL["take"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (f"{PASS} or {TAKE}", 'found several answers: move "pass" and "take"; expected one object'),
        (f"Not {PASS}, but {TAKE}.", 'found several answers: move "pass" and "take"'),
        (f"[{PASS}, {TAKE}]", 'found several answers: move "pass" and "take"'),
        (f"```json\n{PASS}\n```\nNo: {TAKE}", 'found several answers: move "pass" and "take"'),
        (f"```json\n{PASS}\n{TAKE}\n```", 'found several answers: move "pass" and "take"'),
        (f'{{"move": <number>}} as {TAKE}', 'found several answers: move "<number>" and "take"'),
        ('{"move": "take", "move": "pass"}', 'move is given twice: "take" and "pass"; expected one'),
        ('{"move": "take", "Move": "pass"}', 'move is given twice: "take" and "pass"'),
        ('{"move": ["take", "pass"]}', 'move: found ["take", "pass"]; expected a number from 1 to 2 or one of pass, take'),
        ('{"answer": {"move": "take"}}', 'expected a JSON object with the member "move"'),
        ('{"rejected": {"move": "pass"}, "best": "take"}', 'expected a JSON object with the member "move"'),
        ('{"move": "take"', "a JSON object that is not closed"),
        ('{"move": "take", "rejected": [{"move": "pass"}]', "a JSON object that is not closed"),
        (f'{TAKE} or rather {{"move": "pa', "a JSON object that is not closed"),
        ('{"move": "take", "why": "he "said" so"}', "found one that is not valid"),
        ("<think>Perhaps " + PASS, "found thoughts alone"),
        ('{"move": true}', "move: found true"),
        ('{"move": null}', "move: found null"),
        ('{"move": 1.5}', "move: found 1.5"),
        ('{"move": 0}', "move: found 0"),
        ('{"move": "2. pass"}', 'move: found "2. pass"'),
        ("| move |\n| --- |\n| take |", "expected a JSON object; found"),
        ("take or pass", "expected a JSON object; found 'take or pass'"),
        ("{}" * 101, "found more than 100 JSON objects"),
        ("{" * 100_000, "a JSON object that is not closed"),
        ('{"\\"' * 200_000, "a JSON object that is not closed"),
    ],
)
def test_a_reply_that_is_not_clear_says_what_was_found(reply: str, said: str) -> None:
    answer = read_answer(reply, LEGAL)
    assert answer.move is None
    assert said in answer.said


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (TAKE, "take"),
        (f"```json\n{TAKE}\n```", "take"),
        (f"<think>long</think> {TAKE}", "take"),
        (f"<think>One idea is {PASS}, but no, because", None),
        (f"{PASS} would do, but", None),
        (f"First thought: {PASS}", None),
        ('{"move": "take", "why": "it', None),
        ("take", None),
    ],
)
def test_a_reply_that_was_cut_counts_only_if_it_is_one_whole_object(reply: str, move: str | None) -> None:
    answer = read_answer(reply, LEGAL, cut=True)
    assert answer.move == (move and LEGAL[move])
    assert answer.move or answer.said == CUT
