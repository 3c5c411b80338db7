"""Fits the habits of a player to those of its hands whose cards are open.

Tables of deadwood and coefficients of evidence are chosen so that sampled worlds have, on average, the deadwood and the facts of
the actual hands: a model of maximum entropy. Iterative scaling (Darroch and Ratcliff, 1972) finds the tables, Newton's method on
sampled worlds (Geyer, 1991) the coefficients, because correlated facts, like melds and pairs, cannot be fitted one by one. Few
hands change the given habits little: each turn begins with ``PRIOR`` hands as these habits sample them, and the coefficients have
a normal prior around the given ones.

Throws and knocks are choices, fitted by logit models. For knocks the log odds of the given habits change by steps from turn to turn
and from point to point, so that few hands inform the whole table.
"""

from collections.abc import Sequence
from math import log

import numpy as np
from msgspec.structs import replace

from arena.review.arrays import Floats, Ints
from arena.review.habits import COLUMN, COLUMNS, KNOCKS, TURNS, Habits
from arena.review.likelihood import FACTS, Positions, lateness, set_habits, turns, weigh
from arena.review.logit import IMPOSSIBLE, Choices, likeliest
from arena.review.observations import Behaviour, KnockChance, Observation, SeenThrow
from arena.review.rollouts import judged_throws
from arena.review.worlds import Walk
from arena.train.sets import deadwoods

ROUNDS = 20
WORLDS = 8  # of each position
FIRST_STEPS, STEPS = 150, 15  # of the walks, before the first round and between two
# turns and columns whose weights must not rise with deadwood, else rare hands would trap walks
FALLING = slice(4, None), slice(10, None)
PRIOR = 4.0  # hands of each turn that the given habits count as
SPREAD_KNOCKS = (4.0, *(1.5,) * (TURNS - 1), *(1.5,) * (KNOCKS - 1))  # of log odds: of all, from turn to turn, point to point
SPREAD_THROWS = (3.0, 1.0, 0.5, 1.0, 0.5, 2.0, 1.0)  # of the weights of the features of a throw
LEAST_CHANCE = 0.002  # to knock, and not to knock
SPREAD_EVIDENCE = 2.0  # of the coefficients of evidence
STRONGEST = 6.0  # largest coefficient of evidence
CLEARLY = 3.0  # by which the log likelihood as scholar must be larger than that by habits
STEP = 0.5  # share of each step that is made, because the sampled worlds are few


def fit(seen: Behaviour, before: Habits, random: np.random.Generator) -> Habits:
    """Return the habits of the observed player, with those of ``before`` as the prior."""
    changed = replace(_fit_throws(seen.throws, before), knocks=_fit_knocks(seen.knocks, before))
    return _fit_hands(seen.hands, changed, random)


def _fit_hands(seen: Sequence[Observation], habits: Habits, random: np.random.Generator) -> Habits:
    """Return habits with tables of deadwood and coefficients of evidence fitted to the observed hands."""
    if not seen:
        return habits
    sights, held = [one.sight for one in seen], np.array([one.held for one in seen])
    turn = turns(sights)
    walk = Walk(sights, habits, WORLDS, [random] * len(seen))
    walk.go(FIRST_STEPS)
    actual, facts = _count_hands(turn, held), weighted_facts(walk.positions, turn, held)
    prior, before = PRIOR * _shares(_sample_rates(turn, walk)), np.ravel(habits.evidence)
    for _ in range(ROUNDS):
        weights = _scale_tables(habits, actual + prior, _sample_rates(turn, walk))
        habits = replace(_step_evidence(habits, before, facts, weighted_facts(walk.positions, turn, walk.held)), weights=weights)
        set_habits(walk.positions, turn, habits)
        walk.go(STEPS)
    return habits


def _scale_tables(habits: Habits, actual: Floats, sampled: Floats) -> tuple[tuple[float, ...], ...]:
    """Return the tables after a step of iterative scaling from numbers of hands by turn and deadwood, actual and sampled."""
    change = np.log(_shares(actual) + 1e-4) - np.log(_shares(sampled) + 1e-4)
    weights = np.clip(np.array(habits.weights) + STEP * change, -12, 12)
    weights[FALLING] = np.minimum.accumulate(weights[FALLING], axis=1)
    return tuple(tuple(row) for row in weights.round(4).tolist())


def _step_evidence(habits: Habits, before: Floats, actual: Floats, sampled: Floats) -> Habits:
    """Return habits after a step of Newton's method on the coefficients of evidence.

    ``actual`` (positions x 1 x 2 facts) and ``sampled`` (positions x WORLDS x 2 facts) are as of ``weighted_facts``.
    """
    now, precision, mean = np.ravel(habits.evidence), 1 / SPREAD_EVIDENCE**2, sampled.mean(axis=1, keepdims=True)
    apart = (sampled - mean).reshape(-1, len(now))
    covariance = np.einsum("nf,ng->fg", apart, apart) / (WORLDS - 1)  # no BLAS, whose threads would wait
    # mean less actual: facts count against a hand, by ``weights - sum(evidence * facts)`` (``worlds``)
    gradient = (mean - actual).sum(axis=(0, 1)) - precision * (now - before)
    step = np.linalg.solve(covariance + precision * np.eye(len(now)), gradient)
    found = np.clip(now + STEP * step, -STRONGEST, STRONGEST)
    first, last = found.reshape(2, -1).round(4).tolist()
    return replace(habits, evidence=(tuple(first), tuple(last)))


def _count_hands(turn: Ints, held: Ints) -> Floats:
    """Return the number of hands by turn and deadwood (TURNS x COLUMNS)."""
    table = np.zeros((TURNS, COLUMNS))
    np.add.at(table, (turn, COLUMN[deadwoods(held)]), 1)
    return table


def _sample_rates(turn: Ints, walk: Walk) -> Floats:
    """Return the same of sampled hands, each counting 1 / WORLDS."""
    return _count_hands(np.repeat(turn, WORLDS), walk.held) / WORLDS


def weighted_facts(sights: Positions, turn: Ints, held: Ints) -> Floats:
    """Return the facts as the coefficients of evidence multiply them, of one hand or several of each position.

    The shape is (positions x hands x 2 facts): first those for the coefficients of the first turn, then of a late one.
    """
    _, facts = weigh(sights, held)
    return np.asarray(lateness(turn)[:, None, :, None] * facts.reshape(len(sights), -1, 1, len(FACTS))).reshape(
        len(sights), -1, 2 * len(FACTS)
    )


def _shares(table: Floats) -> Floats:
    """Return the shares of each row; a row without hands has equal ones."""
    total = table.sum(axis=1, keepdims=True)
    return np.where(total > 0, table / np.maximum(total, 1e-9), 1 / COLUMNS)


def _fit_knocks(chances: Sequence[KnockChance], before: Habits) -> tuple[tuple[float, ...], ...]:
    """Return the chance to knock by turn and deadwood (TURNS x KNOCKS)."""
    log_odds = _log_odds(before)
    cells = [(min(one.turn, TURNS - 1), min(one.left, KNOCKS - 1)) for one in chances]
    features = np.zeros((len(chances), 2, len(SPREAD_KNOCKS)))
    base = np.zeros((len(chances), 2))
    for number, (turn, left) in enumerate(cells):
        features[number, 1], base[number, 1] = _step_features(turn, left), log_odds[turn, left]
    seen = Choices(features, base, np.array([int(one.knocked) for one in chances], np.int64))
    weights = likeliest(seen, np.zeros(len(SPREAD_KNOCKS)), np.array(SPREAD_KNOCKS))
    changes = np.array([[_step_features(turn, left) @ weights for left in range(KNOCKS)] for turn in range(TURNS)])
    table = np.clip(1 / (1 + np.exp(-log_odds - changes)), LEAST_CHANCE, 1 - LEAST_CHANCE)
    return tuple(tuple(row) for row in table.round(4).tolist())


def _log_odds(before: Habits) -> Floats:
    """Return the log odds of a knock by turn and deadwood (TURNS x KNOCKS)."""
    table = np.clip(np.array(before.knocks), LEAST_CHANCE, 1 - LEAST_CHANCE)
    return np.asarray(np.log(table / (1 - table)))


def _step_features(turn: int, left: int) -> Floats:
    """Return the features of a chance to knock: 1, and for each turn and each point after the first 1 if it is reached."""
    return np.concatenate([[1.0], np.arange(1, TURNS) <= turn, np.arange(1, KNOCKS) <= left])


def _fit_throws(thrown: Sequence[SeenThrow], before: Habits) -> Habits:
    """Return habits with fitted weights of the features of a throw, and with ``as_scholar``."""
    if not thrown:
        return before
    found = judged_throws([one.held for one in thrown], [one.dead for one in thrown], [one.known for one in thrown])
    returned = np.array([-1 if one.returned is None else one.returned for one in thrown])
    base = np.where(found.cards == returned[:, None], IMPOSSIBLE, 0.0)
    chosen = (found.cards == np.array([one.thrown for one in thrown])[:, None]).argmax(axis=1)
    choices = Choices(found.features, base, chosen)
    weights = likeliest(choices, np.array(before.throwing), np.array(SPREAD_THROWS))
    by_habits = np.log(choices.chances(weights)[np.arange(len(chosen)), chosen]).sum()
    as_scholar = bool(_likelihood_as_scholar(thrown) > by_habits + CLEARLY)
    return replace(before, throwing=tuple(weights.round(4).tolist()), as_scholar=as_scholar)


def _likelihood_as_scholar(thrown: Sequence[SeenThrow]) -> float:
    """Return the log likelihood of throws, if a share of them is as scholar's and all other cards are equally likely.

    The share is estimated by the rule of succession, so it is never 0 or 1.
    """
    others = [10 if one.returned is None else 9 for one in thrown if not one.scholars]
    same = len(thrown) - len(others)
    share = (same + 1) / (len(thrown) + 2)
    return same * log(share) + sum(log((1 - share) / count) for count in others)
