"""The game in JavaScript, run in a browser: its melds and messages must equal those of arena/gin."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from browser import Browser
from builders import RULESETS, play_out
from msgspec import json, to_builtins
from msgspec.structs import replace

from arena.gin.cards import Cards, names
from arena.gin.deal import Deal
from arena.gin.hand import Hand
from arena.gin.match import Scoreline
from arena.gin.melds import arrange
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.gin.transcript import write
from arena.protocol.codec import encode
from arena.protocol.notation import answer, meld_names, turn
from arena.referee.referee import as_laid
from arena.reports.page.assets import text
from arena.reports.played import LETTERS, choices

pytestmark = pytest.mark.process

HANDS = 250
AT = Scoreline(game=1, hand=2, score=(3, 40), games=(1, 0))
REPLAY = """
const at = { game: 1, hand: 2, score: [3, 40], games: [1, 0] };
return arguments[0].map(({ played, rules }) => {
  const { words, states } = Gin.replay(played, rules);
  return {
    cards: states.map((state) => state.cards.map(Gin.names)),
    melds: states.map((state) => state.cards.map((cards) => Gin.arrange(cards).melds.map(Gin.names))),
    questions: states.slice(0, words.length).map((state) => JSON.stringify(Gin.question(state, at))),
    answers: words.map(Gin.answer),
  };
});
"""


def hands() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield hands under all rulesets as a page has them, with the expected states and messages."""
    for number in range(HANDS):
        chance = Random(number)
        rules = replace(
            chance.choice(list(RULESETS.values())),
            stock=chance.choice(["top", "two-ended"]),
            stock_out=chance.choice(["dead", "showdown", "last_take"]),
        )
        deal = Deal(shuffle(str(number)), number & 1)
        states, done = play_out(deal, rules, number)
        actions = tuple(
            as_laid(action, after.laid[before.seat]) for action, before, after in zip(done, states, states[1:], strict=False)
        )
        played = {
            "deck": "".join(LETTERS[card] for card in deal.deck),
            "dealer": deal.dealer,
            "actions": write(actions),
            "may": choices(states[:-1]),
        }
        yield {"played": played, "rules": to_builtins(rules)}, expected(states, [to_builtins(answer(action)) for action in actions])


def expected(states: list[Hand], answers: list[Any]) -> dict[str, Any]:
    return {
        "cards": [[list(names(cards)) for cards in state.cards] for state in states],
        "melds": [[melds(cards) for cards in state.cards] for state in states],
        "questions": [question(state) for state in states[:-1]],
        "answers": answers,
    }


def melds(cards: Cards) -> list[list[str]]:
    return [list(meld) for meld in meld_names(arrange(cards))]


def question(state: Hand) -> str:
    return encode(turn(see(state, AT))).decode().strip()


def test_a_page_replays_every_hand_as_the_referee_played_it(browser: Browser) -> None:
    given, expected_values = zip(*hands(), strict=True)
    browser.open("about:blank")
    shown = browser.run(text("game.js") + REPLAY, list(given))
    for found, expect in zip(shown, expected_values, strict=True):
        assert found["cards"] == expect["cards"]
        assert found["melds"] == expect["melds"]
        assert found["questions"] == expect["questions"]
        assert found["answers"] == json.decode(json.encode(expect["answers"]))
