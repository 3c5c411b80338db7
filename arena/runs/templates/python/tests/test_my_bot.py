"""Tests of my-bot: run them with ``python -m pytest``."""

from my_bot import MyBot

from arena.gin.cards import card
from arena.sdk import Discard, Draw, Knock, Take
from arena.sdk.positions import position
from arena.sdk.selfplay import selfplay


def test_it_plays_a_hundred_legal_hands() -> None:
    assert selfplay((MyBot("one"), MyBot("two")), hands=100) > 1000


def test_it_takes_what_makes_a_meld() -> None:
    cards = "3c4c 7d8d Jh Qh 2s 6s 9s Ks"
    assert MyBot().answer(position(cards, phase="draw", pile="5c")) == Take()
    assert MyBot().answer(position(cards, phase="draw", pile="5h")) == Draw()


def test_it_knocks_early_with_anything_and_later_with_little() -> None:
    cards = "3c4c5c 7d8d9d 2h2s2d 9c Ks"
    assert MyBot().answer(position(cards, phase="discard")) == Knock(card("Ks"))
    assert MyBot().answer(position(cards, phase="discard", threw=("Kc Kd Qh Qs Jh", ""))) == Discard(card("Ks"))
