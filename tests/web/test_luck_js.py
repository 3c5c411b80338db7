"""The value function and the luck of draws in JavaScript, run in a browser: they must equal those of arena/stats/luck.py."""

from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest
from browser import Browser
from builders import RULESETS, play_out
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from arena.gin.actions import Action
from arena.gin.deal import Deal
from arena.gin.rules import Rules
from arena.gin.shuffling import shuffle
from arena.gin.transcript import write
from arena.referee.referee import as_laid
from arena.reports.page.assets import text
from arena.reports.played import LETTERS
from arena.stats.luck import draws, inputs, luck, value, weights

pytestmark = pytest.mark.process

HANDS = 25
SCRIPTS = ("game.js", "luck.js")
STEPS = """
const [hands, layers] = arguments;
return hands.map(({ played, rules, knocks_with }) => {
  const { words, states } = Gin.replay(played, rules);
  const found = Luck.steps(states, words, { layers, knocks_with });
  const drawn = words.flatMap((word, turn) => (word === "draw" ? [states[turn]] : []));
  const rows = drawn.map((hand) => Luck.rows(hand, Gin.sorted(hand.deck.slice(hand.top, hand.bottom)), knocks_with));
  return { rows, total: Luck.total(found) };
});
"""


class Dealt(Struct, frozen=True):
    deal: Deal
    rules: Rules
    actions: tuple[Action, ...]


def hands() -> Iterator[Dealt]:
    for number in range(HANDS):
        chance = Random(number)
        rules = replace(chance.choice(list(RULESETS.values())), stock=chance.choice(["top", "two-ended"]))
        deal = Deal(shuffle(f"luck {number}"), number & 1)
        states, done = play_out(deal, rules, number)
        laid = tuple(
            as_laid(action, after.laid[before.seat]) for action, (before, after) in zip(done, pairwise(states), strict=True)
        )
        yield Dealt(deal, rules, laid)


def given(one: Dealt) -> dict[str, object]:
    deck = "".join(LETTERS[card] for card in one.deal.deck)
    played = {"deck": deck, "dealer": one.deal.dealer, "actions": write(one.actions), "may": []}
    return {"played": played, "rules": to_builtins(one.rules), "knocks_with": one.rules.knock_limit}


def test_a_page_has_the_inputs_and_the_luck_of_every_draw(browser: Browser) -> None:
    browser.open("about:blank")
    dealt = list(hands())
    found = browser.run("".join(map(text, SCRIPTS)) + STEPS, list(map(given, dealt)), to_builtins(weights())["layers"])
    for one, shown in zip(dealt, found, strict=True):
        expected = list(draws(one.deal, one.rules, one.actions))
        assert len(shown["rows"]) == len(expected)
        for rows, drawn in zip(shown["rows"], expected, strict=True):
            assert rows == [pytest.approx(inputs(drawn.hand, card)) for card in drawn.possible]
        assert shown["total"] == pytest.approx(luck(expected, value()))
