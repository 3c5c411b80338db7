"""``python tests/studies/endgames.py [--hands N] [--positions N]``: points that Professor leaves in its last turns, at least.

Professor plays itself in the kernel. Of the first decision of each seat with at most LATE cards in the stock, a random sample is
searched exhaustively: every hand that the opponent may hold and every order of the cards that can still be drawn, each played on
by Professor at both seats, after each legal action. The best action is chosen without a look at the hidden cards: a hand is as
likely as its deadwood is among opponents at late decisions of other hands. It is judged against the cards that the opponent really
held. So a player that does this, and plays as Professor elsewhere, scores so much more against Professor: a lower bound of what is
left, to which a better belief would add.
"""

import argparse
from itertools import combinations, permutations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.gin.cards import DECK, bits, each
from arena.gin.rules import Rules
from arena.sdk.network import load
from arena.train import Hands, calls, deadwoods
from arena.train.checks import STATE
from arena.train.native import AT_DISCARD, AT_DRAW, DEADWOODS, SCHOLAR, TURNS
from arena.train.rule_tables import terms_of
from arena_bots.common.taught import LEARNED
from arena_bots.training.measure import half_interval

RULES = Rules()
LATE = 4  # cards in the stock
NEVER_DRAWN = 2  # cards with which a hand is dead (R5.2)
BUCKET = 4  # points of deadwood that the belief does not tell apart

States = NDArray[np.void]
Floats = NDArray[np.float64]


class Searched(Struct, frozen=True):
    """A decision, and what the best action gains over Professor's, in points."""

    believed: float  # on average over the hands that the opponent may hold
    gained: float  # on average over the orders of the stock, against the cards that the opponent held


def professor() -> calls.Networks:
    """Return Professor's networks in the memory of the kernel."""
    networks = load(LEARNED)
    return calls.Networks(
        [(one.rows, one.biases, one.weights, one.bias) for one in (networks[kind] for kind in ("after", "before", "knock"))]
    )


def choices(states: States, networks: calls.Networks) -> NDArray[np.int32]:
    """Return Professor's action in each state; for a hand that is over, any."""
    actions = np.zeros(len(states), np.int32)
    arrays = {"states": states, "actions": actions, "places": np.zeros(len(states), np.int64)}
    calls.ask(arrays, terms_of(RULES), networks, size=len(states), player=SCHOLAR, other=SCHOLAR)
    return np.maximum(actions, 0)


def late_decisions(count: int, seed: int, networks: calls.Networks) -> States:
    """Play ``count`` hands, and return the first late decision of each seat in each hand that has one."""
    hands = Hands(count, RULES, autoreset=False)
    hands.reset(seed)
    seen, found = np.zeros((count, 2), np.bool_), [np.zeros(0, STATE)]
    while not hands.done.all():
        states, rows = hands.states, np.arange(count)
        stock = states["bottom"].astype(int) - states["top"]
        late = np.isin(states["phase"], (AT_DRAW, AT_DISCARD)) & (stock <= LATE) & ~seen[rows, states["seat"]]
        seen[rows[late], states["seat"][late]] = True
        found.append(states[late].copy())
        hands.step(choices(states.copy(), networks))
    return np.concatenate(found)


def possible_worlds(state: np.void) -> States:
    """Return the state with every hand of the opponent, and every order of the cards that can be drawn."""
    mine, theirs = int(state["seat"]), 1 - int(state["seat"])
    known = int(state["took"][theirs] & state["held"][theirs])
    unseen = DECK & ~(int(state["held"][mine]) | int(state["piled"]) | known)
    size = int(state["bottom"]) - int(state["top"])
    drawn = max(0, size - NEVER_DRAWN)
    orders = [
        (*order, *rest)
        for order in permutations(each(unseen), drawn)
        for rest in combinations(each(unseen & ~bits(order)), size - drawn)
    ]
    stocks = np.array(orders, np.uint8).reshape(len(orders), size)
    worlds = np.repeat(np.array([state], STATE), len(orders))
    worlds["deck"][:, int(state["top"]) : int(state["bottom"])] = stocks
    left = np.bitwise_or.reduce(np.uint64(1) << stocks.astype(np.uint64), axis=1)
    worlds["held"][:, theirs] = np.uint64(known | unseen) & ~left
    return worlds


def buckets(state: np.void, worlds: States) -> NDArray[np.intp]:
    """Return the bucket of the opponent's deadwood in each world."""
    return np.asarray(deadwoods(worlds["held"][:, 1 - int(state["seat"])]), np.intp) // BUCKET


def learn_belief(late: States) -> Floats:
    """Return by the bucket of its deadwood how much more likely a hand is at late decisions than if all were equally likely."""
    real, equal = np.full(DEADWOODS // BUCKET + 1, 0.1), np.full(DEADWOODS // BUCKET + 1, 0.1)
    for state in late:
        worlds = possible_worlds(state)
        equal += np.bincount(buckets(state, worlds), minlength=len(equal)) / len(worlds)
        real[buckets(state, np.array([state], STATE))] += 1
    ratio: Floats = real / equal
    return ratio


def search(state: np.void, belief: Floats, networks: calls.Networks) -> Searched:
    """Search a decision exhaustively."""
    worlds = possible_worlds(state)
    at = np.array([state], STATE)
    legal = np.flatnonzero(Hands.of(at, RULES).look()[1][0]).astype(np.int32)
    points = np.zeros(len(worlds) * len(legal))
    arrays = {
        "states": worlds,
        "scratch": np.zeros(1, STATE),
        "places": np.repeat(np.arange(len(worlds)), len(legal)),
        "actions": np.tile(legal, len(worlds)),
        "chance": np.zeros((len(worlds), TURNS)),
        "knocking": np.zeros((2, TURNS, 101)),
        "points": points,
    }
    calls.play_out(arrays, terms_of(RULES), networks, size=len(points), player=SCHOLAR, other=SCHOLAR)
    values = points.reshape(len(worlds), len(legal)) * (1 - 2 * int(state["seat"]))
    own = int(np.flatnonzero(legal == choices(at, networks)[0])[0])
    means = np.average(values, axis=0, weights=belief[buckets(state, worlds)])
    best = own if means[own] >= means.max() else int(means.argmax())
    real = worlds["held"][:, 1 - int(state["seat"])] == state["held"][1 - int(state["seat"])]
    return Searched(float(means[best] - means[own]), float((values[real, best] - values[real, own]).mean()))


def main() -> None:
    """Search a sample, and print what it gains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--seed", type=int, default=51)
    args = parser.parse_args()
    networks = professor()
    late = late_decisions(args.hands, args.seed, networks)
    order = np.random.default_rng(args.seed).permutation(len(late))
    chosen, others = np.split(order, [min(args.positions, len(late) // 2)])
    belief = learn_belief(late[others[: args.positions]])
    found = [search(late[place], belief, networks) for place in chosen]
    gained, share = [one.gained for one in found], len(late) / (2 * args.hands)
    mean, error = float(np.mean(gained)), half_interval(gained)
    better, believed = np.mean([one.believed > 0 for one in found]), np.mean([one.believed for one in found])
    print(f"a late decision in {share:.1%} of {2 * args.hands} hands of a seat; {len(found)} searched")  # noqa: T201
    print(f"another action is better in {better:.1%}, by {believed:+.2f} points a decision as believed")  # noqa: T201
    print(f"gained {mean:+.2f} ± {error:.2f} points a decision, {share * mean:+.3f} ± {share * error:.3f} a hand")  # noqa: T201


if __name__ == "__main__":
    main()
