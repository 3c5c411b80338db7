"""Random play is what each bot's page says: among all legal actions, or among their kinds first."""

from collections import Counter

import numpy as np
import pytest
from support.hands.builders import FIRST, dealt, played

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, Pass
from arena.gin.match import Hand
from arena.gin.seeing import see
from arena.sdk import Bot, each
from arena.train.engine import number_of
from arena.train.hands import Hands
from arena_bots.random_kind import RandomKind
from arena_bots.random_legal import RandomLegal

TRIALS = 12_000
SEES_KNOCKS = played("pass pass draw", dealt("3c4c5c 7d7h7s Ah2h 2sTd", "2c2d9s 9h9c8s Jd Qs 5h 3h", "8d", "6s Kh Tc 4s"))
SEES_BIG_GIN = played("pass pass draw", dealt("3c4c5c 7d7h7s 8s9sTsJs", "2c2d9d 9h9c8c Jd Qd 5h 3h", "8d", "Qs Kh Tc 4s"))


def throws(hand: Hand) -> list[Action]:
    """Return every legal action of a turn's end."""
    view = see(hand, FIRST)
    every: list[Action] = [Discard(card) for card in each(view.may_discard)]
    every += [Knock(card) for card in each(view.may_knock)]
    return [*every, BigGin()] if "big_gin" in view.may else every


def shares(bot: Bot, hand: Hand) -> dict[Action, float]:
    """Return how often a bot takes each action, as a share."""
    view = see(hand, FIRST)
    counts = Counter(bot.answer(view) for _ in range(TRIALS))
    assert counts.keys() <= set(throws(hand))
    return {action: counts[action] / TRIALS for action in throws(hand)}


@pytest.mark.parametrize("hand", [SEES_KNOCKS, SEES_BIG_GIN], ids=["knocks", "big gin"])
def test_random_legal_takes_every_legal_action_equally_often(hand: Hand) -> None:
    found = shares(RandomLegal("seed"), hand)
    assert len(found) == 11 + len(list(each(see(hand, FIRST).may_knock))) + ("big_gin" in hand.may())
    assert list(found.values()) == pytest.approx([1 / len(found)] * len(found), abs=0.01)


@pytest.mark.parametrize("hand", [SEES_KNOCKS, SEES_BIG_GIN], ids=["knocks", "big gin"])
def test_random_kind_takes_every_kind_equally_often(hand: Hand) -> None:
    kinds: Counter[str] = Counter()
    for action, share in shares(RandomKind("seed"), hand).items():
        kinds[type(action).__name__] += share  # type: ignore[assignment]
    assert list(kinds.values()) == pytest.approx([1 / len(kinds)] * len(kinds), abs=0.02)


@pytest.mark.parametrize("hand", [SEES_KNOCKS, SEES_BIG_GIN], ids=["knocks", "big gin"])
def test_the_random_player_of_the_kernel_does_as_random_legal(hand: Hand) -> None:
    hands = Hands(TRIALS)
    hands.reset(seed=1)
    hands.deal(np.tile(np.array(hand.deck, np.uint8), (TRIALS, 1)), np.full(TRIALS, hand.dealer, np.uint8))
    for action in (Pass(), Pass(), Draw()):
        hands.step(np.full(TRIALS, number_of(action)))
    counts = np.bincount(hands.choose("random"), minlength=108) / TRIALS
    expected = [number_of(action) for action in throws(hand)]
    assert np.flatnonzero(counts).tolist() == sorted(expected)
    assert counts[expected] == pytest.approx([1 / len(expected)] * len(expected), abs=0.01)


@pytest.mark.process
@pytest.mark.skipif(not Hands.compiled, reason="without a compiler this takes minutes")
def test_hands_of_random_players_end_as_those_of_a_uniform_choice_from_the_mask() -> None:
    by_mask, named = Hands(6_000, autoreset=False), Hands(6_000, autoreset=False)
    chance = np.random.default_rng(1)
    by_mask.reset(seed=3)
    named.reset(seed=3)
    while not by_mask.done.all():
        _, mask = by_mask.look()
        by_mask.step((mask * chance.random(mask.shape)).argmax(axis=1))
    named.finish("random", "random")
    dead, others = (float(np.mean(hands.states["winner"] < 0)) for hands in (by_mask, named))
    assert dead == pytest.approx(0.971, abs=0.008)
    assert others == pytest.approx(0.971, abs=0.008)
