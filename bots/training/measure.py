"""``python -m arena_bots.training.measure challenger greedy --hands 4000``: points a hand, with its interval.

Two bots play every deal twice with the seats swapped and a two-ended stock (R2.4), in one process without time limits, so this
measures the policies alone. A pair of legs is one observation, so the interval is computed over pairs.
"""

import argparse
import time
from importlib.metadata import entry_points
from math import sqrt

from msgspec import Struct

from arena.gin.deal import Deals
from arena.gin.facts import Seat
from arena.gin.match import Batch, Hand, Match
from arena.gin.rules import Rules
from arena.gin.rulesets import Standard
from arena.gin.score import HandResult
from arena.gin.seeing import see
from arena.sdk import Bot

PAIRED = Rules(stock="two-ended")
Legs = tuple[HandResult, HandResult]  # of one deal: the first bot in seat 0, then in seat 1


class Measurement(Struct, frozen=True):
    """Points a hand of one bot against another."""

    mean: float
    error: float  # half the width of the 95 % interval
    hands: int
    won: float  # share of hands won by the first bot
    seconds: float  # of processor time per hand, both bots together

    def __str__(self) -> str:
        cost = f"{self.seconds * 1000:.1f} ms a hand"
        return f"{self.mean:+.2f} ± {self.error:.2f} points a hand ({self.hands} hands, {self.won:.1%} won, {cost})"


class Share(Struct, frozen=True):
    """The share of games that one bot wins against another."""

    mean: float
    error: float  # half the width of the 95 % interval
    games: int

    def __str__(self) -> str:
        return f"{self.mean:.1%} ± {self.error:.1%} of {self.games} games to 100 points"


def measure(one: Bot, other: Bot, hands: int, seed: str = "strength", rules: Rules = PAIRED) -> Measurement:
    """Play ``hands`` hands, half of them with the seats swapped, and return the points of ``one`` against ``other``."""
    before = time.process_time()
    pairs = play_pairs(one, other, Batch(rules, Deals(seed, "pairs"), hands // 2))
    seconds = (time.process_time() - before) / hands
    points = [(points_for(0, first) + points_for(1, second)) / 2 for first, second in pairs]
    won = sum((first.winner == 0) + (second.winner == 1) for first, second in pairs)
    return Measurement(sum(points) / len(points), half_interval(points), hands, won / hands, seconds)


def play_pairs(one: Bot, other: Bot, batch: Batch) -> list[Legs]:
    """Play every deal of ``batch`` from both seats: all first legs first, so that each hand reseeds the bots' random numbers."""
    first, second = play_all(batch, (one, other)), play_all(batch, (other, one))
    return list(zip(first, second, strict=True))


def play_all(batch: Batch, bots: tuple[Bot, Bot]) -> list[HandResult]:
    """Play all hands of ``batch`` and return their results."""
    results = []
    while not batch.over:
        results.append(play(batch, bots))
        batch = batch.add(results[-1])
    return results


def games_won(one: Bot, other: Bot, games: int, seed: str = "strength") -> Share:
    """Play games to 100 points, half of them with the seats swapped, and return the share that ``one`` wins."""
    rules = Standard(stock="two-ended")
    legs = [
        (play_match(Match.start(rules, deals), (one, other)) == 0, play_match(Match.start(rules, deals), (other, one)) == 1)
        for deals in (Deals(seed, f"game {number}") for number in range(games // 2))
    ]
    shares = [(first + second) / 2 for first, second in legs]
    mean = sum(shares) / len(shares)
    return Share(mean, half_interval(shares), games)


def play_match(match: Match, bots: tuple[Bot, Bot]) -> Seat | None:
    """Play a match between two bots and return the seat that wins it; None if it is drawn."""
    while not match.over:
        match = match.add(play(match, bots))
    return match.winner


def play(contest: Match | Batch, bots: tuple[Bot, Bot]) -> HandResult:
    """Play the next hand of a contest and return its result."""
    hand, standing = Hand.start(contest.deal(), contest.rules), contest.standing
    while hand.result is None:
        hand = hand.play(bots[hand.seat].answer(see(hand, standing)))
    return hand.result


def half_interval(observed: list[float]) -> float:
    """Return half the width of the 95 % interval of a mean."""
    mean = sum(observed) / len(observed)
    return 1.96 * sqrt(sum((one - mean) ** 2 for one in observed) / (len(observed) - 1) / len(observed))


def points_for(seat: Seat, result: HandResult) -> int:
    """Return the points of ``seat``, negative if the other seat scored."""
    return 0 if result.winner is None else result.points if result.winner == seat else -result.points


def bot(name: str) -> Bot:
    """Return a new bot of the entry point ``name``. Raises: KeyError."""
    made = entry_points(group="arena.bots")[name].load()("strength")
    assert isinstance(made, Bot)
    return made


def main() -> None:
    """Measure the pairing that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("one")
    parser.add_argument("other", nargs="?", default="greedy")
    parser.add_argument("--hands", type=int, default=2000)
    parser.add_argument("--games", type=int, help="instead of hands: games to 100 points, for bots that use the score")
    parser.add_argument("--seed", default="strength")
    args = parser.parse_args()
    one, other = bot(args.one), bot(args.other)
    result = games_won(one, other, args.games, args.seed) if args.games else measure(one, other, args.hands, args.seed)
    print(args.one, "against", args.other, result)  # noqa: T201 - output of a command


if __name__ == "__main__":
    main()
