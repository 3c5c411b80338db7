"""What a report says of its run besides the numbers."""

import pytest
from msgspec import convert
from yaml import safe_load

from arena.gin.rules import Rules
from arena.gin.rulesets import Standard
from arena.results.headline import command_word, is_found_again, rules_option
from arena.roster.entrant import IN_PROCESS_SOURCE, Entered


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("ginrummy-arena arena_bots.greedy:Greedy", "greedy"),
        ("mine.py:Mine", "mine.py:Mine"),
        ("my bots/mine.py:Mine(fear=3)", "my bots/mine.py:Mine(fear=3)"),
        ("my bots/awk counter/bot.yaml", "my bots/awk counter/bot.yaml"),
        ("../mine.py:Mine", ""),
        ("ginrummy-arena arena_bots.two_way:TwoWay", ""),
        (IN_PROCESS_SOURCE, ""),
    ],
)
def test_a_report_names_a_bot_as_commands_find_it(source: str, word: str) -> None:
    assert command_word(Entered("greedy", "1", source, "0" * 64)) == word


@pytest.mark.parametrize(
    ("bot", "source", "found"),
    [
        ("greedy", "ginrummy-arena arena_bots.greedy:Greedy", True),
        ("professor(greed=1)", "ginrummy-arena arena_bots.professor:Professor(greed=1)", True),
        ("/home/ann/my (new)/bot.py", "/home/ann/my (new)/bot.py:Mine", True),
        ("/home/ann/bot.py(knock=5)", "/home/ann/bot.py:Mine(knock=5)", True),
        ("bot.py", "/home/ann/bot.py:Mine", False),
        ("greedy", "greedy(any text)", False),
        ("../../bots/1234/bot.py:Mine", "../../bots/1234/bot.py:Mine", False),  # of a cup in a league
    ],
)
def test_a_copied_spec_finds_installed_bots_and_files_by_their_whole_paths(bot: str, source: str, found: bool) -> None:  # noqa: FBT001
    assert is_found_again(bot, source) is found


@pytest.mark.parametrize(
    ("rules", "option"),
    [
        (Rules(), ""),
        (Rules(target=100, best_of=1), ""),
        (Standard(), "standard"),
        (Standard(knock_limit=3, big_gin_bonus=None), "{name: standard, knock_limit: 3, big_gin_bonus: null}"),
        (Standard(stock="two-ended"), "standard"),
    ],
)
def test_an_advised_duel_is_played_by_the_rules_of_the_run(rules: Rules, option: str) -> None:
    assert rules_option(rules) == option


@pytest.mark.parametrize("rules", [Rules(), Rules(target=100, stock="two-ended"), Standard(), Standard(knock_limit=3, best_of=3)])
def test_a_duel_is_continued_by_all_the_rules_of_the_run(rules: Rules) -> None:
    option = safe_load(rules_option(rules, whole=True)) or "tournament"
    words = {"name": option} if isinstance(option, str) else option
    assert convert({"stock": "two-ended", **words}, Rules | Standard) == rules  # a duel adds this stock
