"""The turns of hands in a page, run in a browser: states, melds and messages must equal those of arena/gin."""

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import json, to_builtins
from msgspec.structs import replace
from support.browser.driver import Browser
from support.hands.builders import RULESETS
from support.hands.by_chance import play_out

from arena.gin.actions import Action, write_actions
from arena.gin.cards import Cards, each, names
from arena.gin.deal import Deal
from arena.gin.facts import GameScore
from arena.gin.match import Hand, Scoreline
from arena.gin.melds import arrange, deadwood
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.protocol.codec import encode
from arena.protocol.notation import answer, meld_names, turn
from arena.records import HandRecord
from arena.referee.hand_records import as_laid
from arena.reports.page.assets import text
from arena.reports.replays import played_hand
from arena.stats.luck import hand_values

if TYPE_CHECKING:
    from arena.reports.played import Ruling

pytestmark = pytest.mark.process

HANDS = 250
OPTIONS: list[dict[str, Any]] = [{}, {"double": "spades"}, {"first_turn": "eleven", "knock_limit": 10}]
COLUMNS = tuple(GameScore(points) for points in ((110, 0), (3, 40), (0, 20)))  # of three games at once (R9.6)
AT = Scoreline(game=1, hand=2, score=(3, 40), games=(1, 0), columns=COLUMNS)
REPLAY = """
const at = { game: 1, hand: 2, score: [3, 40], games: [1, 0], columns: [[110, 0], [3, 40], [0, 20]] };
return arguments[0].map((match) => {
  const hand = Gin.unpacked(match).hands[0];
  const { words, states } = Gin.replay(hand);
  return {
    cards: states.map((state) => state.cards.map(Gin.names)),
    melds: states.map((state) => state.melds.map((melds) => melds.map(Gin.names))),
    left: states.map((state) => state.left),
    laid: states.at(-1).laid.map((laid) => laid && [laid.melds.map(Gin.names), laid.left]),
    questions: states.slice(0, words.length).map((state) => JSON.stringify(Gin.question(state, at))),
    answers: words.map(Gin.answer),
    worth: Gin.worth(hand).flatMap(({ before, after }) => (before === null ? [after] : [before, after])),
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
            **chance.choice(OPTIONS),
        )
        deal = Deal(shuffle(str(number)), number & 1)
        states, done = play_out(deal, rules, number)
        actions = tuple(
            as_laid(action, after.laid[before.seat]) for action, before, after in zip(done, states, states[1:], strict=False)
        )
        yield shown(deal, actions, states), expected(states, [to_builtins(answer(action)) for action in actions])


def shown(deal: Deal, actions: tuple[Action, ...], states: list[Hand]) -> dict[str, Any]:
    """Return a match of one hand as a page has it."""
    result = states[-1].result
    assert result is not None
    hand = HandRecord(
        game=0,
        hand=0,
        dealer=deal.dealer,
        actions=write_actions(actions),
        ending=result.ending,
        winner=result.winner,
        points=result.points,
        deadwood=result.deadwood,
    )
    places: dict[Ruling, int] = {}
    return {"hands": [to_builtins(played_hand(hand, states, places))], "rulings": to_builtins(tuple(places))}


def expected(states: list[Hand], answers: list[Any]) -> dict[str, Any]:
    return {
        "cards": [[list(names(cards)) for cards in state.cards] for state in states],
        "melds": [[melds(cards) for cards in state.cards] for state in states],
        "left": [[least(cards) for cards in state.cards] for state in states],
        "laid": [laid and [[list(meld) for meld in meld_names(laid.melds)], laid.deadwood] for laid in states[-1].laid],
        "questions": [question(state) for state in states[:-1]],
        "answers": answers,
        "worth": [pytest.approx(one, abs=0.26) for one in hand_values(states)[0]],
    }


def least(cards: Cards) -> int:
    """Return the deadwood of ten cards, or the least that ten of eleven leave."""
    return min(deadwood(cards ^ 1 << card) for card in each(cards)) if cards.bit_count() > 10 else deadwood(cards)


def melds(cards: Cards) -> list[list[str]]:
    return [list(meld) for meld in meld_names(arrange(cards))]


def question(state: Hand) -> str:
    return encode(turn(see(state, AT))).decode().strip()


def test_a_page_replays_every_hand_as_the_referee_played_it(browser: Browser) -> None:
    given, expected_values = zip(*hands(), strict=True)
    browser.open("about:blank")
    found = browser.run(text("game.js") + REPLAY, list(given))
    for one, expect in zip(found, expected_values, strict=True):
        for field, values in expect.items():
            assert one[field] == json.decode(json.encode(values)) if field == "answers" else one[field] == values, field
