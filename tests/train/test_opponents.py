"""Installed bots as opponents: those that choose by networks decide in the kernel as in Python, and each hand has a new bot."""

import re
import sys

import numpy as np
import pytest

from arena.gin.match import Scoreline
from arena.gin.rules import Rules
from arena.gin.rulesets import RULESETS
from arena.gin.seeing import see
from arena.train.engine import hand_of, number_of
from arena.train.hands import Hands
from arena.train.native import OVER
from arena.train.opponents import LEARNED, Bots
from arena_bots.professor import Professor
from arena_bots.scholar import Scholar

BOTS = {"scholar": Scholar, "professor": Professor}


@pytest.mark.process
@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("name", LEARNED)
def test_a_bot_of_networks_decides_in_the_kernel_as_in_python(name: str, ruleset: type[Rules]) -> None:
    hands, bot, chosen = Hands(6, ruleset(), autoreset=False), BOTS[name](), Bots(name)
    hands.reset(5)
    while len(rows := np.flatnonzero(hands.states["phase"] != OVER)):
        views = [see(hand_of(hands.states[row], hands.rules), Scoreline()) for row in rows]
        expected = [number_of(bot.answer(view)) for view in views]
        assert chosen.choose(hands.states, rows, hands.rules).tolist() == expected
        hands.step(expected, rows)


@pytest.mark.parametrize("opponent", ["random-legal", "scholar", "searcher"])
def test_a_deck_is_played_in_the_same_way_in_any_row_and_at_any_time(opponent: str) -> None:
    hands = Hands(3, opponent=opponent, autoreset=False)
    hands.reset(6)
    begun = hands.states.copy()
    played = []
    for rows in ([0, 1, 2], [2, 0, 1]):
        hands.put(rows, begun)
        for _ in range(8):
            hands.step(hands.choose("greedy"))
        played.append(hands.states[rows].tobytes())
    assert played[0] == played[1]
    assert played[0] != begun.tobytes()


@pytest.mark.parametrize(
    ("opponent", "message"),
    [
        ("schollar", "opponent: 'schollar' is not installed; expected a function, 'random', or one of "),
        ("awk-counter", "opponent: 'awk-counter' is a program, which cannot play within a step; expected a function, "),
        ("guest-rlcard-novice", "opponent: 'guest-rlcard-novice' cannot be imported: "),
        (7, "opponent: 7; expected the name of a player, or a function"),
    ],
)
def test_an_opponent_that_cannot_play_is_one_line(opponent: object, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rlcard", None)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}[^\n]*$"):
        Hands(1, opponent=opponent)  # type: ignore[arg-type]
