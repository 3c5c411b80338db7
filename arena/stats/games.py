"""What hands are worth: chances to win a game and a match, if every hand is drawn anew from those that were played.

A hand is points to one of two, or nothing; which of them comes next depends neither on the score nor on the last hand. That is
exact for bots that take no notice of the score, and close for others. Dead hands change nothing but the length of a game. From a
score (a, b) the chance to win is the mean of the chances at the scores that the next hand may lead to; so all of them follow,
from the target down. Bonuses at the end of a game are left out: they decide games under `game_winner: total` alone.
"""

from collections.abc import Callable, Iterable
from math import comb, exp, log

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Array = NDArray[np.float64]

SURE = 300.0  # a logarithm beyond which a chance is certain


class Hands(Struct, frozen=True, eq=False):
    """How likely a hand is to be worth how much."""

    points: Array  # net, each value once, rising
    chances: Array

    @property
    def mean(self) -> float:
        """Return the points a hand."""
        return float(self.points @ self.chances)


class Chances(Struct, frozen=True, kw_only=True):
    """What points a hand come to."""

    game: float  # the chance to win one
    match: float
    game_hands: float  # in a game, on average
    match_hands: float


def gather(points: Iterable[int]) -> Hands:
    """Return the hands that were played, each as likely as it was frequent."""
    values, counts = np.unique(np.fromiter(points, dtype=np.int64), return_counts=True)
    return Hands(values.astype(np.float64), counts / counts.sum())


def mirrored(hands: Hands) -> Hands:
    """Return the hands of two equals: each as likely for one as for the other."""
    points = np.concatenate([hands.points, -hands.points])
    values, place = np.unique(points, return_inverse=True)
    return Hands(values, np.bincount(place, np.concatenate([hands.chances, hands.chances])) / 2)


def tilted(hands: Hands, mean: float) -> Hands:
    """Return the hands nearest to ``hands`` (in relative entropy) that bring ``mean`` points; beyond reach, the best or the worst.

    Each is weighed by exp(t x points), for the t that fits (Csiszar 1975, I-projection).
    """
    low, high = -2.0, 2.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _weighed(hands, middle).mean < mean else (low, middle)
    return _weighed(hands, low)


def chances(hands: Hands, target: int, best_of: int) -> Chances:
    """Return what ``hands`` come to in games to ``target`` and matches of best of so many."""
    game = min(float(equity(hands, target)[0, 0]), 1.0)  # a sum of rounded chances
    length = float(_solve(hands, target, won=0.0, each=1.0)[0, 0])
    need = best_of // 2 + 1
    last = {games: comb(games - 1, need - 1) for games in range(need, best_of + 1)}  # orders in which the last one decides
    for_us = {games: ways * game**need * (1 - game) ** (games - need) for games, ways in last.items()}
    for_them = {games: ways * (1 - game) ** need * game ** (games - need) for games, ways in last.items()}
    games = sum(number * (for_us[number] + for_them[number]) for number in last)
    return Chances(game=game, match=sum(for_us.values()), game_hands=length, match_hands=length * games)


def equity(hands: Hands, target: int) -> Array:
    """Return the chance to win the game at every score: row, what we have; column, what they have."""
    return _solve(hands, target, won=1.0, each=0.0)


def wald(chance: float, zero: float, one: float, alpha: float, beta: float) -> float:
    """Return how many wins and losses a sequential test of ``zero`` against ``one`` takes on average, when ``chance`` is the truth.

    Source: Wald (1945), Sequential tests of statistical hypotheses, 3.4 and 3.57; what it overshoots by is left out.
    """
    upper, lower = log((1 - beta) / alpha), log(beta / (1 - alpha))
    won, lost = log(one / zero), log((1 - one) / (1 - zero))
    drift = chance * won + (1 - chance) * lost
    steps = max(abs(won), abs(lost))
    power = _root(lambda h: chance * exp(h * won) + (1 - chance) * exp(h * lost) - 1, drift, SURE / steps)
    if abs(power) < 1e-6:  # no drift: a walk between two walls
        return -upper * lower / (chance * won**2 + (1 - chance) * lost**2)
    if abs(power) * max(upper, -lower) > SURE:  # it can only end at the wall that it drifts to
        return (upper if drift > 0 else lower) / drift
    below = (exp(power * upper) - 1) / (exp(power * upper) - exp(power * lower))  # the chance to end at the lower wall
    return (below * lower + (1 - below) * upper) / drift


def _root(valley: Callable[[float], float], drift: float, most: float) -> float:
    """Return where a convex function that is nought at nought is so again, on the side that ``drift`` leads away from.

    ``most`` is returned, with its sign, if that lies further away.
    """
    near, far = 0.0, -most if drift > 0 else most
    for _ in range(200):
        middle = (near + far) / 2
        near, far = (middle, far) if valley(middle) < 0 else (near, middle)
    return far


def _weighed(hands: Hands, tilt: float) -> Hands:
    logs = np.log(hands.chances) + tilt * hands.points
    weights = np.exp(logs - logs.max())
    return Hands(hands.points, weights / weights.sum())


def _solve(hands: Hands, target: int, *, won: float, each: float) -> Array:
    """Return the mean, at every score, of ``won`` for a game won and ``each`` for every hand to its end."""
    live = hands.points != 0
    share = hands.chances[live].sum()
    if not share:  # nobody ever scores: no game ends
        return np.full((target, target), np.nan)
    ours, our_chances = _side(hands, 1, share)
    theirs, their_chances = _side(hands, -1, share)
    value = np.zeros((target, target))
    for rank in range(2 * target - 2, -1, -1):  # all scores of one sum at a time: the next hand leads to greater ones
        a = np.arange(max(0, rank - target + 1), min(rank, target - 1) + 1)
        b = rank - a
        up, down = a[:, None] + ours, b[:, None] + theirs
        gain = np.where(up < target, value[np.minimum(up, target - 1), b[:, None]], won) @ our_chances
        loss = np.where(down < target, value[a[:, None], np.minimum(down, target - 1)], 0.0) @ their_chances
        value[a, b] = gain + loss + each / share
    return value


def _side(hands: Hands, sign: int, share: float) -> tuple[NDArray[np.int64], Array]:
    """Return the points that one side may score, and their chances among the hands in which somebody does."""
    here = hands.points * sign > 0
    return np.abs(hands.points[here]).astype(np.int64), hands.chances[here] / share
