"""Where the rest of a hand can be searched to its end, estimates agree with the search (point 3a of reviews)."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from habits import flat
from msgspec.structs import replace
from support.bots.self_play import self_play
from support.hands.reference import Reference

from arena.gin.actions import DISCARD, Discard
from arena.gin.cards import DECK, bits, each
from arena.gin.match import Hand
from arena.gin.rules import Rules
from arena.review.habits import usual_habits
from arena.review.hand_walks import HandStep
from arena.review.likelihood import walk_sights, weigh
from arena.review.rollouts import Rollouts, states
from arena.review.sights import sight
from arena.review.worlds import SAMPLES, sample
from arena.train.engine import number_of
from arena.train.native import TURNS
from arena_bots.gin_hunter import GinHunter

RULES = Rules()
PLAYER = replace(usual_habits(), knocks=flat().knocks)  # knocks as soon as it can: no chance to enumerate
WALKS = 48


def positions(count: int, key: str) -> Iterator[HandStep]:
    """Yield decisions after which the other seat draws the last card but two."""
    for played in self_play((GinHunter("a"), GinHunter("b")), 100_000, key):
        late = [one for one in played if one.hand.phase is DISCARD and one.hand.stock == 3]
        if late and isinstance(late[0].action, Discard):
            yield late[0]
            count -= 1
        if not count:
            return


def searched(step: HandStep) -> float:
    """Return the exact points of the chosen throw: every hand of the other seat by its likelihood, every card that it may draw."""
    seen = sight(step.view)
    stocks = [bits(three) for three in combinations(each(seen.unseen), 3)]
    hands = np.array([seen.known | seen.unseen & ~stock for stock in stocks])
    likely = np.exp(weigh(walk_sights([seen], PLAYER), hands)[0])
    cases = zip(hands.tolist(), stocks, strict=True)
    ends = [np.mean([_points(step, held, order) for order in _orders(stock)]) for held, stock in cases]
    return float(np.average(ends, weights=likely))


def _orders(stock: int) -> list[list[int]]:
    first, second, third = each(stock)
    return [[first, second, third], [second, first, third], [third, first, second]]


def _end(step: HandStep, held: int, order: list[int]) -> Hand:
    """Return the hand with the reviewed seat as the dealer's opponent, and the other's cards and the stock as given."""
    hand = step.hand
    deck = (*each(DECK & ~bits(order)), *order)
    cards, took, threw = step.view.cards, step.view.took, step.view.threw
    return replace(
        hand, facts=replace(hand.facts, dealer=1), deck=deck, seat=0, cards=(cards, held), took=took, threw=threw, top=49, bottom=52
    )


def _points(step: HandStep, held: int, order: list[int]) -> int:
    return Reference(RULES, np.ones((2, TURNS, 101)), np.array(PLAYER.throwing), np.zeros(TURNS)).finish(
        _end(step, held, order).play(step.action)
    )


def estimated(step: HandStep) -> tuple[float, float]:
    """Return the points of the chosen throw in sampled worlds, with the standard error."""
    worlds = sample([sight(step.view)], PLAYER, WALKS, [np.random.default_rng(step.hand.deck[:10])])[0]
    play = Rollouts(RULES, PLAYER)
    places = np.arange(WALKS * SAMPLES)
    found = play.points(states(step, worlds), worlds.chance, places, np.full(len(places), number_of(step.action)))
    values = found.reshape(WALKS, SAMPLES).mean(axis=1)
    return float(values.mean()), float(values.std(ddof=1) / WALKS**0.5)


def agreeing(count: int, key: str) -> int:
    """Return for how many positions the estimate is within two standard errors of the search."""
    return sum(abs(value - searched(step)) <= 2 * se + 1e-9 for step in positions(count, key) for value, se in [estimated(step)])


@pytest.mark.process
def test_an_estimate_agrees_with_the_search_of_every_world() -> None:
    assert agreeing(3, "quick") == 3


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.nightly
def test_estimates_agree_with_the_search_in_95_of_100_positions() -> None:
    assert agreeing(20, "exact") >= 19
