"""Chances to win a game and a match, if every hand is drawn with replacement from those that were played.

The result of a hand does not depend on the score or on earlier hands. That is exact for bots that ignore both, and close for
others. Dead hands only make a game longer. The chance to win from a score (a, b) is the mean of the chances at the scores after
the next hand, so the whole table is computed from the target down. Bonuses at the end of a game are left out, because they decide
a game only under `game_winner: total`.
"""

from collections.abc import Iterable
from math import comb, exp, log

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.gin.rules import Rules, games_to_win
from arena.stats.confidence_sequence import bisect

Array = NDArray[np.float64]

LEAST = 1e-15  # least chance, and least complement of a chance, that counts as different from 0
CERTAIN = 300.0  # largest exponent of exp(), which then stays finite; beyond it, a chance counts as 0 or 1


class HandScores(Struct, frozen=True, eq=False):
    """The distribution of net points a hand."""

    points: Array  # distinct values, ascending
    chances: Array

    @property
    def mean(self) -> float:
        """Return the mean points a hand."""
        return float(self.points @ self.chances)


class Chances(Struct, frozen=True, kw_only=True):
    """Chances to win, and lengths."""

    game: float  # chance to win a game
    match: float  # chance to win a match
    game_hands: float  # mean hands in a game
    match_hands: float  # mean hands in a match


def gather(points: Iterable[int]) -> HandScores:
    """Return the empirical distribution of net points a hand."""
    values, counts = np.unique(np.fromiter(points, dtype=np.int64), return_counts=True)
    return HandScores(values.astype(np.float64), counts / counts.sum())


def mirror(hands: HandScores) -> HandScores:
    """Return the symmetric distribution: each hand is as likely for one side as for the other."""
    points = np.concatenate([hands.points, -hands.points])
    values, place = np.unique(points, return_inverse=True)
    return HandScores(values, np.bincount(place, np.concatenate([hands.chances, hands.chances])) / 2)


def tilt_to(hands: HandScores, mean: float) -> HandScores:
    """Return the distribution of this mean nearest to ``hands`` in relative entropy.

    Each value is weighted by exp(t x points), with the t from -2 to 2 that gives the mean, or comes closest to it. With hands of
    more than 300 points the range of t is smaller, so that weights stay above 0. Source: Csiszar (1975), I-projection.
    """
    most = 2 * CERTAIN / float(np.abs(hands.points).max(initial=CERTAIN))
    return _weigh(hands, bisect(lambda tilt: _weigh(hands, tilt).mean < mean, -most, most, steps=80)[0])


class GameForm(Struct, frozen=True):
    """What of the rules decides a game and a match."""

    target: int
    best_of: int
    hand_bonus: int = 0  # that counts towards the target (R9.3)

    @staticmethod
    def of(rules: Rules) -> "GameForm | None":
        """Return the form of games; None: another one, as ``why_unknown`` says."""
        if why_unknown(rules):
            return None
        return GameForm(rules.target, rules.best_of, rules.hand_bonus if rules.hand_bonus_added == "at_once" else 0)


def why_unknown(rules: Rules) -> str:
    """Return why chances in games are not computed for the rules; empty: they are."""
    if rules.hollywood:
        return "three games are played at once"
    return f"the ruleset {rules.name} ends a game in its own way" if type(rules).ended_by is not Rules.ended_by else ""


def chances(hands: HandScores, form: GameForm) -> Chances:
    """Return the chances to win games and matches."""
    hands, target, best_of = _with_bonus(hands, form.hand_bonus), form.target, form.best_of
    # rounding can take the sum above 1
    game = min(float(equity(hands, target)[0, 0]), 1.0)
    length = float(_solve(hands, target, won=0.0, each=1.0)[0, 0])
    need = games_to_win(best_of)
    last = {games: comb(games - 1, need - 1) for games in range(need, best_of + 1)}  # orders in which the last one decides
    for_us = {games: ways * game**need * (1 - game) ** (games - need) for games, ways in last.items()}
    for_them = {games: ways * (1 - game) ** need * game ** (games - need) for games, ways in last.items()}
    games = sum(number * (for_us[number] + for_them[number]) for number in last)
    return Chances(game=game, match=sum(for_us.values()), game_hands=length, match_hands=length * games)


def _with_bonus(hands: HandScores, bonus: int) -> HandScores:
    return HandScores(hands.points + bonus * np.sign(hands.points), hands.chances)


def equity(hands: HandScores, target: int) -> Array:
    """Return the chance to win the game at every score (target x target): row, own points; column, the opponent's."""
    return _solve(hands, target, won=1.0, each=0.0)


def differ(zero: float, one: float) -> bool:
    """Tell whether win rate ``one`` is greater than ``zero``; rates of 0 or 1 count as rounded."""
    return max(zero, LEAST) < min(one, 1 - LEAST)


def wald(chance: float, zero: float, one: float, alpha: float, beta: float) -> float:
    """Return the expected sample size of Wald's test of a win rate ``zero`` against ``one``, if the true one is ``chance``.

    ``differ(zero, one)`` has to hold. Source: Wald (1945), Sequential tests of statistical hypotheses, 3.4 and 3.57; overshoot is
    neglected.
    """
    zero, one = max(zero, LEAST), min(one, 1 - LEAST)  # a rate of exactly 0 or 1 is a rounded one
    upper, lower = log((1 - beta) / alpha), log(beta / (1 - alpha))
    won, lost = log(one / zero), log((1 - one) / (1 - zero))
    drift = chance * won + (1 - chance) * lost
    steps = max(abs(won), abs(lost))
    # the second zero of a convex function that is zero at 0; its sign is opposite to that of ``drift``
    furthest = -CERTAIN / steps if drift > 0 else CERTAIN / steps
    power = bisect(lambda h: chance * exp(h * won) + (1 - chance) * exp(h * lost) - 1 < 0, 0.0, furthest, steps=200)[1]
    if abs(power) < 1e-6:  # a random walk without drift
        return -upper * lower / (chance * won**2 + (1 - chance) * lost**2)
    if abs(power) * max(upper, -lower) > CERTAIN:  # only the bound in the direction of the drift is ever reached
        return (upper if drift > 0 else lower) / drift
    at_lower = (exp(power * upper) - 1) / (exp(power * upper) - exp(power * lower))
    return (at_lower * lower + (1 - at_lower) * upper) / drift


def _weigh(hands: HandScores, tilt: float) -> HandScores:
    logs = np.log(hands.chances) + tilt * hands.points
    weights = np.exp(logs - logs.max())
    return HandScores(hands.points, weights / weights.sum())


def _solve(hands: HandScores, target: int, *, won: float, each: float) -> Array:
    """Return the expected value at every score (target x target): ``won`` for a won game, ``each`` for every hand to its end.

    All are NaN if neither side ever scores.
    """
    live = hands.points != 0
    share = hands.chances[live].sum()
    if not share:  # neither side ever scores, so no game ends
        return np.full((target, target), np.nan)
    ours, our_chances = _side(hands, 1, share)
    theirs, their_chances = _side(hands, -1, share)
    value = np.zeros((target, target))
    # all scores of one sum at a time, in descending order: a hand always leads to a larger sum
    for total in range(2 * target - 2, -1, -1):
        a = np.arange(max(0, total - target + 1), min(total, target - 1) + 1)
        b = total - a
        up, down = a[:, None] + ours, b[:, None] + theirs
        gain = np.where(up < target, value[np.minimum(up, target - 1), b[:, None]], won) @ our_chances
        loss = np.where(down < target, value[a[:, None], np.minimum(down, target - 1)], 0.0) @ their_chances
        value[a, b] = gain + loss + each / share
    return value


def _side(hands: HandScores, sign: int, share: float) -> tuple[NDArray[np.int64], Array]:
    """Return the points that the side with ``sign`` may score, and their chances among hands that are not dead."""
    here = hands.points * sign > 0
    return np.abs(hands.points[here]).astype(np.int64), hands.chances[here] / share
