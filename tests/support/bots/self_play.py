"""Hands that bots of the repository play against each other in this process."""

from collections.abc import Iterator

from arena.gin.actions import Action
from arena.gin.deal import Deal, Deals
from arena.gin.match import Hand, Scoreline
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.review.hand_walks import HandStep, steps
from arena.sdk import Bot


def self_play(bots: tuple[Bot, Bot], count: int, key: str, rules: Rules | None = None) -> Iterator[list[HandStep]]:
    """Yield the decisions of each of ``count`` hands; the dealers alternate."""
    rules = rules or Rules()
    deals = Deals("self-play", key)
    for number in range(count):
        deal = Deal(deals.deck(0, number), number % 2)
        yield list(steps(deal, rules, tuple(_actions(bots, deal, rules, number))))


def _actions(bots: tuple[Bot, Bot], deal: Deal, rules: Rules, number: int) -> Iterator[Action]:
    hand, standing = Hand.start(deal, rules), Scoreline(number)
    while hand.result is None:
        action = bots[hand.seat].answer(see(hand, standing))
        yield action
        hand = hand.play(action)


def points(played: list[HandStep], seat: int) -> int:
    """Return what a seat scored in a hand."""
    result = played[-1].hand.play(played[-1].action).result
    assert result is not None
    return 0 if result.winner is None else result.points if result.winner == seat else -result.points
