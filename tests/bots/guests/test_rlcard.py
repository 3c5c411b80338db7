"""Agents of RLCard as bots of arena."""

import subprocess
import sys
from importlib.util import find_spec

import pytest
from support.hands.builders import RULESETS
from support.matches.in_process import match

from arena.gin.cards import NAMES
from arena.gin.rules import Rules

if find_spec("rlcard") is None:
    pytest.skip("rlcard is not installed here: pip install 'ginrummy-arena[rlcard]'", allow_module_level=True)
if subprocess.run([sys.executable, "-c", "import rlcard.models"], capture_output=True, check=False).returncode:
    pytest.skip("rlcard cannot be imported here", allow_module_level=True)

from rlcard.games.gin_rummy.utils.utils import card_from_card_id

from arena_bots.guests.rlcard_agents import Novice, card_of, number


def test_card_numbers_convert_both_ways() -> None:
    for card in range(52):
        theirs = card_from_card_id(number(card))
        assert theirs.rank + theirs.suit.lower() == NAMES[card]
        assert card_of(number(card)) == card


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_the_novice_plays_legal_hands_under_every_ruleset(rules: Rules) -> None:
    record = match(Novice("seed").answer, rules=rules, hands=12)
    assert record.faults == ()


def test_the_same_seed_plays_the_same_hands() -> None:
    assert match(Novice("seed").answer, hands=10).hands == match(Novice("seed").answer, hands=10).hands
    assert match(Novice("seed").answer, hands=10).hands != match(Novice("other").answer, hands=10).hands


def test_the_novice_loses_to_greedy_but_wins_some_hands() -> None:
    record = match(Novice("seed").answer, hands=60)
    assert 3 < sum(hand.winner == 0 for hand in record.hands) < 30
