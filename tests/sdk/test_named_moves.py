"""The rules and a view in words: all that a player may know, and nothing else."""

import re

import pytest
from hypothesis import given, settings
from msgspec.structs import replace
from support.hands.builders import FIRST, RULESETS
from support.hands.strategies import PlayOut, play_outs

from arena.gin.cards import DECK, cards, names
from arena.gin.rules import Ace, Rules
from arena.gin.rulesets import Classic, Hollywood, Oklahoma
from arena.gin.seeing import see
from arena.protocol.notation import rules_message
from arena.sdk.named_moves import meant, moves
from arena.sdk.positions import position
from arena.sdk.rule_words import rules_in_words
from arena.sdk.view_words import view_in_words


@pytest.mark.process
@settings(max_examples=15)
@given(play_outs())
def test_a_view_in_words_names_every_card_that_is_held_and_none_that_is_hidden(played: PlayOut) -> None:
    for state in played[0][:-1]:
        view = see(state, FIRST)
        named = cards(tuple(dict.fromkeys(re.findall(r"\b[A2-9TJQK][cdhs]\b", view_in_words(view)))))
        laid = sum(view.knocker.melds) if view.knocker else 0
        assert named & view.cards == view.cards
        assert named & DECK & view.unseen & ~laid == 0, names(named & view.unseen)


@pytest.mark.rule("R7.2")
def test_nothing_is_laid_off_on_gin_in_the_words() -> None:
    held = "6c9c 2d8d 5h8h9h 2s9sQs"
    words = [view_in_words(position(held, phase="lay_off", laid="3c4c5c 7d7h7s", deadwood=left)) for left in (0, 8)]
    assert "nothing may be laid off" in words[0]
    assert words[1].endswith("lay off what fits.")


@pytest.mark.rule("R9.3")
def test_a_shutout_doubles_the_total_in_the_words() -> None:
    assert rules_in_words(Classic()).endswith(
        "The first to reach 100 points ends the game and wins it. Then 20 points for each hand won and 100 points for reaching 100"
        " first are added. The total of that player counts twice if the other has won no hand."
    )


@pytest.mark.parametrize(
    "options",
    [
        *({"target": 99}, {"best_of": 3}, {"knock_limit": 7}, {"gin_bonus": 20}, {"undercut_bonus": 11}, {"tie": "nothing"}),
        *({"tie_bonus": 5}, {"big_gin_bonus": None}, {"gin_deadwood": False}, {"big_gin_deadwood": False}),
        *({"layoff_on_gin": True}, {"return_taken": True}, {"stock_out": "showdown"}, {"stock_out": "last_take"}),
        *({"game_bonus": 100}, {"hand_bonus": 25}, {"shutout": "double"}, {"game_winner": "total"}),
        *({"knock_limit": "upcard"}, {"knock_limit": 0}, {"double": "spades"}, {"first_turn": "eleven"}, {"hollywood": True}),
        *({"shutout": "hands"}, {"shutout": "bonus"}, {"shutout": 100}),
    ],
)
def test_each_rule_that_a_decision_depends_on_is_in_the_words(options: dict[str, int]) -> None:
    assert rules_in_words(replace(Rules(), **options)) != rules_in_words(Rules())


@pytest.mark.parametrize("rules", [*RULESETS.values(), Oklahoma(ace="one")], ids=lambda rules: rules.text)
def test_a_bot_that_knows_the_rules_by_their_message_has_the_same_words(rules: Rules) -> None:
    assert rules_in_words(rules_message(rules)) == rules_in_words(rules)


@pytest.mark.rule("R6.7")
@pytest.mark.parametrize(("ace", "words"), [("gin", "an ace allows only gin"), ("one", "an ace is 1")])
def test_the_limit_by_the_upcard_is_in_the_words(ace: Ace, words: str) -> None:
    assert f"at most as many points as the upcard that is turned at the deal is worth ({words}) of" in rules_in_words(
        Oklahoma(ace=ace)
    )


@pytest.mark.rule("R2.5")
@pytest.mark.parametrize(
    ("limit", "times", "words"),
    [
        (6, 1, "In this hand a knock may leave at most 6 points."),
        (0, 1, "In this hand only gin may be called."),
        (6, 2, "In this hand a knock may leave at most 6 points and the points count twice."),
        (10, 3, "In this hand a knock may leave at most 10 points and the points count 3 times."),
    ],
)
def test_what_is_special_about_a_hand_is_in_the_words_of_its_view(limit: int, times: int, words: str) -> None:
    held = "6c9c 2d8d 5h8h9h 2s9sQs"
    assert words in view_in_words(position(held, pile="Kd", rules=Oklahoma(), knock_limit=limit, multiplier=times)).splitlines()
    assert "In this hand" not in view_in_words(position(held, pile="Kd"))


@pytest.mark.rule("R9.6")
def test_the_scores_of_three_games_at_once_are_in_the_words_of_a_view() -> None:
    view = replace(position("6c9c 2d8d 5h8h9h 2s9sQs", pile="Kd", rules=Hollywood()), columns=((43, 12), (18, 0), (0, 0)))
    assert "Three games at once: 43–12, 18–0, 0–0." in view_in_words(view)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        *((text, ["Ks"]) for text in ("Ks", "ks", "K♠", "discard Ks", "Throw Ks", "11", "eleventh", "11. Ks")),
        *((text, ["knock:Ks"]) for text in ("knock:Ks", "KNOCK KS", "knock with Ks", "knock with 9", "12th", "move 12", "twelve")),
        ("knock", ["knock:Ks", "knock:9c"]),
        *((text, []) for text in ("14", "0", "-1", "13.5", "K", "", "10h", "draw")),
    ],
)
def test_a_move_is_meant_by_name_number_or_description(text: str, names: list[str]) -> None:
    legal = moves(position("3c4c5c 7d8d9d 2h2s2d 9c Ks"))
    assert [move.name for move in meant(text, legal)] == names


def test_a_ten_is_written_with_one_sign_or_two() -> None:
    legal = moves(position("3c4c5c 7d8d9d 2h2s2d 9c Td"))
    assert {move.name for text in ("Td", "10d", "10♦", "10♦\ufe0f", "throw 10D") for move in meant(text, legal)} == {"Td"}


@pytest.mark.process
@settings(max_examples=3)
@given(play_outs())
def test_the_name_the_number_and_the_line_of_a_move_mean_it_alone(played: PlayOut) -> None:
    for state in played[0][:-1]:
        legal = moves(see(state, FIRST))
        for number, move in enumerate(legal.values(), 1):
            texts = (move.name, str(number), f"{number}. {move.name}: {move.message}", move.name.upper())
            assert [meant(text, legal) for text in texts] == [[move]] * 4
