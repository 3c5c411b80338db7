"""Commands that are shown word for word, and the texts of rules and limits in them."""

import shlex
import subprocess

import pytest
from builders import RULESETS
from msgspec.structs import replace

from arena.errors import InputError
from arena.gin.rules import Rules
from arena.players.remote import TimeLimits
from arena.runs import plans
from arena.runs.debug import fold_command

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
        assert plans.ruleset(changed.text) == changed


def test_only_what_differs_is_in_the_text() -> None:
    assert Rules(target=30, layoff_on_gin=True, big_gin_bonus=None, stock="two-ended").text == (
        '{name: tournament, target: 30, big_gin_bonus: null, layoff_on_gin: true, stock: "two-ended"}'
    )
    assert TimeLimits(per_turn=0.5, wall=20).text == "{per_turn: 0.5, wall: 20}"
    for limits in (TimeLimits(per_turn=0.5, wall=20), TimeLimits(per_turn=0.1234567, per_match=123456.75)):
        assert plans.time_limits(limits.text) == limits


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("tournamet", "--rules: found 'tournamet'; did you mean 'tournament'"),
        ("{name: tournamet}", "--rules: found 'tournamet'; did you mean 'tournament'"),
        ("{target: x}", "--rules: target: expected a whole number; found a string"),
        ("{targt: 30}", "--rules: unknown key 'targt'"),
        ("{target: 30", "--rules: "),
        ("{best_of: 4}", "--rules: best_of: 4 can end in a tie"),
    ],
)
def test_rules_that_cannot_be_are_one_line(rules: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        plans.ruleset(rules)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)
