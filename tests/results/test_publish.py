"""What a report says of its run besides the numbers."""

import pytest

from arena.results.headline import command_word
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
