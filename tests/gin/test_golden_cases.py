"""Hands played by another engine and deadwood found by exhaustive search give the same results here."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert
from support.hands.builders import RULESETS

from arena.gin.cards import card, cards
from arena.gin.deal import Deal
from arena.gin.match import Hand
from arena.gin.melds import deadwood, defend, laid_cards, points, union
from arena.protocol import notation
from arena.protocol.messages import Answer

GOLDEN = Path(__file__).parent.parent / "golden"


def rows(name: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the case and the expectation of each line of a golden file."""
    lines = (GOLDEN / name).read_text(encoding="utf-8").splitlines()
    return [(row["case"], row["expect"]) for row in map(json.loads, lines)]


@pytest.mark.parametrize(("case", "expect"), rows("judge.jsonl"), ids=lambda part: part.get("id"))
def test_a_hand_from_another_engine_is_legal_and_scores_the_same(case: dict[str, Any], expect: dict[str, Any]) -> None:
    hand = Hand.start(Deal(tuple(card(name) for name in case["deck"]), case["dealer"]), RULESETS[case["rules"]])
    for step in case["actions"]:
        assert hand.seat == step["seat"]
        hand = hand.play(notation.action(convert({name: step[name] for name in step if name != "seat"}, Answer)))
    if case["id"].endswith("*"):  # the lay-off is left to the referee
        hand = hand.play(notation.action(Answer("lay_off")))
    assert hand.result is not None
    assert {"ending": hand.result.ending, "winner": hand.result.winner, "points": hand.result.points} == expect


@pytest.mark.parametrize(("case", "expect"), rows("melds.jsonl"), ids=lambda part: "".join(part.get("cards", [])))
def test_deadwood_is_what_an_exhaustive_search_found(case: dict[str, Any], expect: dict[str, Any]) -> None:
    held = cards(case["cards"])
    if "knocker_melds" in case:
        own, lay_offs = defend(held, () if case["gin"] else tuple(map(cards, case["knocker_melds"])))
        assert points(held & ~union(own) & ~laid_cards(lay_offs)) == expect["deadwood"]
    else:
        assert deadwood(held) == expect["deadwood"]
    for name, left in expect.get("discards", {}).items():
        assert deadwood(held & ~(1 << card(name))) == left
