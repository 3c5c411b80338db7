"""``python tests/studies/luck_rollouts.py FOLDER [--deals N] [--worlds K]``: luck by rollouts, on the hands of studies.pairings.

V of a state is here the mean points of ``worlds`` orders of the stock, each played to its end by the kernel's greedy for both
seats. The orders are the same for every card that could come, and depend on nothing that is hidden in the stock, so luck has mean
zero. A row of the table: the variance of a pair without a correction; by how much it is divided by the network, by rollouts, and by
both; and the processor time of the rollouts of a hand.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from pairings import DIFFERENT, PATCHES, BothLegs, file_of, key_of, read
from table_policy import PAIRED, SEED

from arena.gin.actions import read_actions
from arena.gin.cards import bits
from arena.gin.deal import Deal, Deals
from arena.gin.match import Hand
from arena.records import HandRecord, net
from arena.stats import luck
from arena.stats.games import Array
from arena.stats.luck import StockDraw
from arena.stats.pairs import cap
from arena.train import Hands
from arena.train.checks import STATE
from arena.train.native import AT_DISCARD


class Rollouts:
    """V by rollouts, and the processor time that they took."""

    def __init__(self, worlds: int) -> None:
        self.worlds = worlds
        self.seconds = 0.0

    def values(self, draws: Sequence[StockDraw]) -> list[Array]:
        """Return for each draw the value of each card that could have come."""
        begun = process_time()
        states = np.concatenate([self._worlds(draw).ravel() for draw in draws])
        points = np.clip(
            Hands.of(states, PAIRED, autoreset=False).finish("greedy", "greedy")[:, 0], -luck.LUCK_BOUND, luck.LUCK_BOUND
        )
        self.seconds += process_time() - begun
        ends = np.cumsum([self.worlds * len(draw.possible) for draw in draws])[:-1]
        shares = np.split(points, ends)
        return [draw.sign * share.reshape(self.worlds, -1).mean(0) for draw, share in zip(draws, shares, strict=True)]

    def _worlds(self, draw: StockDraw) -> NDArray[np.void]:
        """Return the state after the draw of each card that could come (columns) with each order of the others (rows)."""
        hand, could = draw.hand, np.array(draw.possible)
        chance = np.random.default_rng([*hand.cards, len(hand.pile)])
        worlds = np.repeat(_state(hand), self.worlds * len(could)).reshape(self.worlds, -1)
        for world in worlds:
            order = chance.permutation(could)
            world["chance"] = chance.integers(1 << 63)
            for one, card in zip(range(len(could)), could, strict=True):
                world["deck"][one, hand.top : hand.bottom] = [card, *order[order != card]]
        worlds["drawn"] = could
        worlds["held"][:, :, hand.seat] |= np.uint64(1) << could.astype(np.uint64)
        return worlds


def _state(hand: Hand) -> NDArray[np.void]:
    """Return the kernel's state of a hand in which the card at the top of the stock is drawn."""
    state = np.zeros((), STATE)
    for name in ("took", "threw", "seat", "dealer", "takes", "passes", "bottom", "deck"):
        state[name] = getattr(hand, name)
    state["held"], state["piled"] = hand.cards, bits(hand.pile)
    state["pile"][: len(hand.pile)], state["pile_count"] = hand.pile, len(hand.pile)
    state["phase"], state["top"] = AT_DISCARD, hand.top + 1
    state["ending"] = state["winner"] = -1
    return state


def scores(key: str, legs: BothLegs, rollouts: Rollouts) -> tuple[float, float, float]:
    """Return the points of the first bot in a pair, a hand, and its luck by the network and by rollouts."""
    first, second = (_of_hand(key, hand, rollouts) for hand in (legs.first, legs.second))
    points, network, played = ((one - two) / 2 for one, two in zip(first, second, strict=True))
    return points, network, played


def _of_hand(key: str, played: HandRecord, rollouts: Rollouts) -> tuple[float, float, float]:
    deal = Deal(Deals(SEED, key).deck(played.game, played.hand), played.dealer)
    draws = list(luck.draws(deal, PAIRED, read_actions(played.actions)))
    return cap(net(played, 0)), luck.luck(draws, luck.value(1)), luck.luck(draws, rollouts.values)


def left(points: Array, *controls: Array) -> float:
    """Return the variance that is left of points after a regression on controls."""
    columns = np.column_stack([np.ones(len(points)), *controls])
    return float((points - columns @ np.linalg.lstsq(columns, points, rcond=None)[0]).var())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--deals", type=int, default=150)
    parser.add_argument("--worlds", type=int, default=32)
    options = parser.parse_args()
    for one, two in DIFFERENT + PATCHES:
        pairs = read(file_of(options.folder, one, two))[: options.deals]
        if not pairs:
            continue
        rollouts = Rollouts(options.worlds)
        points, network, played = np.array([scores(key_of(one, two), legs, rollouts) for legs in pairs]).T
        plain = float(points.var())
        gains = [plain / left(points, *controls) for controls in ((network,), (played,), (network, played))]
        cost = 1000 * rollouts.seconds / 2 / len(pairs)
        shown = " | ".join(f"{gain:.2f}" for gain in gains)
        print(f"| {one.name} – {two.name} | {plain:.1f} | {shown} | {cost:.0f} ms |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
