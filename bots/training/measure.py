"""``python -m arena_bots.training.measure challenger greedy --hands 4000``: points a hand, with its interval.

Two bots play every deal twice with the seats swapped, by the two-ended stock (R2.4), in one process and without
clocks: what is measured is the policy. A pair of legs is one observation, so the interval is that of pairs.
"""

import argparse
import time
from importlib.metadata import entry_points
from math import sqrt

from msgspec import Struct

from arena.gin.deal import Deal, Deals, Seat
from arena.gin.hand import Hand
from arena.gin.match import Batch
from arena.gin.rules import Rules
from arena.gin.score import HandResult
from arena.gin.view import see
from arena.sdk import Bot

PAIRED = Rules(stock="two-ended")
Legs = tuple[HandResult, HandResult]  # of one deal: the first bot in seat 0, then in seat 1


class Strength(Struct, frozen=True):
    """Points a hand of one bot against another."""

    mean: float
    error: float  # half of the 95 % interval
    hands: int
    won: float  # share of the hands that were won
    seconds: float  # of processor time a hand, both bots together

    def __str__(self) -> str:
        cost = f"{self.seconds * 1000:.1f} ms a hand"
        return f"{self.mean:+.2f} ± {self.error:.2f} points a hand ({self.hands} hands, {self.won:.1%} won, {cost})"


def measure(one: Bot, other: Bot, hands: int, seed: str = "strength", rules: Rules = PAIRED) -> Strength:
    """Return the strength of ``one`` against ``other`` over so many hands, half of them with the seats swapped."""
    before = time.process_time()
    pairs = play_pairs(one, other, Batch(rules, Deals(seed, "pairs"), hands // 2))
    seconds = (time.process_time() - before) / hands
    points = [(to(0, first) + to(1, second)) / 2 for first, second in pairs]
    won = sum((first.winner == 0) + (second.winner == 1) for first, second in pairs)
    mean = sum(points) / len(points)
    spread = sum((point - mean) ** 2 for point in points) / (len(points) - 1)
    return Strength(mean, 1.96 * sqrt(spread / len(points)), hands, won / hands, seconds)


def play_pairs(one: Bot, other: Bot, batch: Batch) -> list[Legs]:
    """Return both legs of every deal of ``batch``; first all first legs, so that each hand's chance starts anew."""
    first, second = play_all(batch, (one, other)), play_all(batch, (other, one))
    return list(zip(first, second, strict=True))


def play_all(batch: Batch, bots: tuple[Bot, Bot]) -> list[HandResult]:
    """Return the results of all hands of ``batch``."""
    results = []
    while not batch.over:
        results.append(play(batch.deal(), batch, bots))
        batch = batch.add(results[-1])
    return results


def play(deal: Deal, batch: Batch, bots: tuple[Bot, Bot]) -> HandResult:
    """Return the result of one hand."""
    hand = Hand.start(deal, batch.rules)
    while hand.result is None:
        hand = hand.play(bots[hand.seat].answer(see(hand, batch.standing)))
    return hand.result


def to(seat: Seat, result: HandResult) -> int:
    """Return the points of ``seat``, negative if the other scored."""
    return 0 if result.winner is None else result.points if result.winner == seat else -result.points


def bot(name: str) -> Bot:
    """Return the installed bot that is registered as ``name``. Raises: KeyError."""
    made = entry_points(group="arena.bots")[name].load()("strength")
    assert isinstance(made, Bot)
    return made


def main() -> None:
    """Measure the pairing that the command line names."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("one")
    asked.add_argument("other", nargs="?", default="greedy")
    asked.add_argument("--hands", type=int, default=2000)
    asked.add_argument("--seed", default="strength")
    args = asked.parse_args()
    print(args.one, "against", args.other, measure(bot(args.one), bot(args.other), args.hands, args.seed))  # noqa: T201 - a command's answer


if __name__ == "__main__":
    main()
