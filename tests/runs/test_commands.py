"""Commands that are shown word for word, and the texts of rules and limits in them."""

import shlex
import subprocess
from typing import Any

import pytest
from msgspec.structs import replace
from support.hands.builders import RULESETS

from arena.errors import InputError
from arena.gin.rules import Rules
from arena.limits import TimeLimits
from arena.runs import judge, named_parts
from arena.runs.debugging import fold_command

COMMAND = ("arena", "debug", "my bot.py:Mine", "--rules", "{name: tournament, target: 30}", "--seed", "audition")


@pytest.mark.parametrize("width", [1, 30, 79, 80, 200])
def test_a_folded_command_has_short_lines_and_a_shell_reads_the_same_words(width: int) -> None:
    lines = list(fold_command(COMMAND, "    see it again: ", width))
    script = "printf '%s\\n' " + "\n".join(lines).removeprefix("    see it again: ")
    assert subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=True).stdout.splitlines() == list(
        COMMAND
    )
    assert all(len(line) <= width or len(shlex.split(line.strip(" \\"))) == 1 for line in lines[1:])
    assert width < 200 or len(lines) == 1


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_rules_are_read_from_the_text_that_stands_for_them(rules: Rules) -> None:
    assert rules.text == rules.name
    for changed in (rules, replace(rules, target=30, tie_bonus=None, big_gin_bonus=None), replace(rules, stock_out="dead")):
        assert named_parts.ruleset(changed.text) == changed


def test_only_what_differs_is_in_the_text() -> None:
    assert Rules(target=30, layoff_on_gin=True, big_gin_bonus=None, stock="two-ended").text == (
        '{name: tournament, target: 30, big_gin_bonus: null, layoff_on_gin: true, stock: "two-ended"}'
    )
    assert TimeLimits(per_turn=0.5, wall=20).text == "{per_turn: 0.5, wall: 20}"
    for limits in (TimeLimits(per_turn=0.5, wall=20), TimeLimits(per_turn=0.1234567, per_match=123456.75)):
        assert named_parts.time_limits(limits.text) == limits


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("tournamet", "--rules: found 'tournamet'; did you mean 'tournament'"),
        ("{name: tournamet}", "--rules: found 'tournamet'; did you mean 'tournament'"),
        ("{name: [a]}", "--rules: name: expected a string; found a list of 1"),
        ("{target: x}", "--rules: target: expected a whole number; found 'x'"),
        ("{targt: 30}", "--rules: targt: unknown key; did you mean 'target'? expected one of name, target, best_of, knock_limit"),
        ("{oklahoma: true}", "--rules: oklahoma: unknown key; expected one of name, target, best_of, knock_limit"),
        ("{tie: maybe}", "--rules: tie: found 'maybe'; expected one of nothing, undercut"),
        ("{knock_limit: face}", "--rules: knock_limit: found 'face'; expected one of upcard, a whole number"),
        ("{knock_limit: 200}", "--rules: knock_limit: expected a whole number <= 100; found 200"),
        (
            "{shutout: nine}",
            "--rules: shutout: found 'nine'; did you mean 'none'? expected one of bonus, double, hands",
        ),
        ("{name: oklahoma, first_turn: eleven}", "--rules: first_turn: found 'eleven', which turns no upcard; expected upcard or"),
        ("{target: 30", "--rules: "),
        ("{best_of: 4}", "--rules: best_of: 4 can end in a tie"),
    ],
)
def test_rules_that_cannot_be_are_one_line(rules: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        named_parts.ruleset(rules)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("sandbox", "message"),
    [
        ("stric", "--sandbox: found 'stric'; did you mean 'strict'? expected one of none, standard, strict"),
        ("{thread: 4}", "--sandbox: thread: unknown key; did you mean 'threads'? expected one of name, memory_mb, cpu_seconds"),
        ("{threads: x}", "--sandbox: threads: expected a whole number; found 'x'"),
    ],
)
def test_a_sandbox_that_cannot_be_is_one_line_that_says_what_can(sandbox: str, message: str) -> None:
    for check in (named_parts.check_sandbox, lambda text: named_parts.sandbox(text, [])):
        with pytest.raises(InputError) as raised:
            check(sandbox)
        assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("time", "message"),
    [
        ("{per_turm: 1}", "--time: per_turm: unknown key; did you mean 'per_turn'? expected one of per_turn, per_match, stall"),
        ("{per_turn: x}", "--time: per_turn: expected a number; found 'x'"),
        ("slow", "--time: found 'slow'; expected a mapping of keys to values"),
    ],
)
def test_time_limits_that_cannot_be_are_one_line_that_says_what_can(time: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        named_parts.time_limits(time)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("tournamet", "rules.name: found 'tournamet'; did you mean 'tournament'? expected one of boxes"),
        ({"oklahoma": True}, "rules.oklahoma: unknown key; expected one of name, target, best_of"),
        ({"tie": "maybe"}, "rules.tie: found 'maybe'; expected one of nothing, undercut"),
        ({"knock_limit": "face"}, "rules.knock_limit: found 'face'; expected one of upcard, a whole number"),
    ],
)
def test_rules_of_a_judged_hand_that_cannot_be_are_one_line_that_says_what_can(rules: Any, message: str) -> None:
    with pytest.raises(ValueError, match="rules") as raised:
        judge.Rulesets().of(rules)
    assert str(raised.value).startswith(message)
