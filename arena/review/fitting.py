"""Fits the habits of a player to hands of it whose cards are open.

Tables of deadwood and coefficients of evidence are those for which sampled worlds have, on average, the deadwood and the facts
that the actual hands have: a model of maximum entropy. Iterative scaling (Darroch and Ratcliff, 1972) finds the tables, Newton's
method on sampled worlds (Geyer, 1991) the coefficients, because facts that go together, like melds and pairs, cannot be fitted one
by one. Few hands change given habits little: each turn begins with ``PRIOR`` hands that are as those habits say, and the
coefficients come from a normal distribution around the given ones.

Throws and knocks are choices. For knocks the odds of the given habits are changed by steps from
turn to turn and from point to point, so that few hands say something of all.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import log

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import DISCARD, DRAW, UPCARD, BigGin, Discard, Knock
from arena.gin.cards import Card, Cards, bits
from arena.gin.deal import Seat
from arena.gin.melds import best_throws
from arena.review.rollouts import HandStep, judged_throws, own_actions
from arena.review.worlds import (
    COLUMN,
    COLUMNS,
    FACTS,
    KNOCKS,
    TURNS,
    Floats,
    Habits,
    Ints,
    Kernel,
    Sight,
    Walk,
    believe,
    lateness,
    sight,
    turns,
    weigh,
)
from arena.train.rollout_memory import DEAREST_FIRST, KNOWN_PAIR, OUTS, PAIR
from arena.train.sets import deadwoods

# What was seen of a player in hands whose cards are open: the material to which its habits are fitted.


class Observation(Struct, frozen=True):
    """A position, and the ten cards that the other seat had."""

    sight: Sight
    held: Cards


class KnockChance(Struct, frozen=True):
    """A turn at which a player could knock."""

    turn: int  # that it had finished
    left: int  # points of deadwood of the knock, at least 1
    knocked: bool


class SeenThrow(Struct, frozen=True):
    """A throw of a player whose cards are open."""

    held: Cards  # eleven
    dead: Cards  # the discard pile before it
    known: Cards  # the other seat's cards that the player knew of
    thrown: Card
    returned: Card | None  # what may not be thrown, because it was just taken
    scholars: bool  # scholar would discard the same card, and not knock


class Behaviour(Struct, frozen=True):
    """What was seen of a player."""

    hands: Sequence[Observation]
    knocks: Sequence[KnockChance]
    throws: Sequence[SeenThrow]


def behaviour(several: Iterable[tuple[Sequence[HandStep], Seat]]) -> Behaviour:
    """Return the behaviour of a player in the decisions of some hands, in each of which it has a seat."""
    hands = list(several)
    return Behaviour(
        [one for played, seat in hands for one in observations(played, seat)],
        [one for played, seat in hands for one in knock_chances(played, seat)],
        [one for played, seat in hands for one in throws(played, seat)],
    )


def observations(several: Sequence[HandStep], seat: Seat) -> Iterator[Observation]:
    """Yield the cards of ``seat`` at each decision of the other before it draws."""
    for step in several:
        if step.seat != seat and step.hand.phase in (UPCARD, DRAW):
            yield Observation(sight(step.view), step.hand.cards[seat])


def knock_chances(several: Sequence[HandStep], seat: Seat) -> Iterator[KnockChance]:
    """Yield each turn at which ``seat`` could knock with deadwood."""
    for step in several:
        may = step.view.may_knock if step.seat == seat and step.hand.phase is DISCARD else 0
        if may:
            left, _ = best_throws(step.view.cards, may)
            if left:
                yield KnockChance(step.view.threw[0].bit_count(), left, isinstance(step.action, Knock | BigGin))


def throws(several: Sequence[HandStep], seat: Seat) -> Iterator[SeenThrow]:
    """Yield the throws of ``seat`` with which it did not knock."""
    thrown = [(step, step.action) for step in several if step.seat == seat and isinstance(step.action, Discard)]
    scholars = own_actions([step for step, _ in thrown], as_scholar=True)
    for (step, action), same in zip(thrown, scholars, strict=True):
        view = step.view
        forbidden = view.cards & ~view.may_discard
        returned = forbidden.bit_length() - 1 if forbidden else None
        yield SeenThrow(view.cards, bits(view.pile), view.opponent_holds, action.card, returned, action == same)


# Fits how a player chooses among alternatives: the conditional logit model (McFadden, 1974).
#
# An alternative is chosen with a chance in proportion to exp(features * weights). The weights are the likeliest ones if they come
# from a normal distribution around given ones, found by Newton's method; the likelihood is concave, so there is one maximum.

NEWTON_STEPS = 25
HALVINGS = 12  # of a step that does not raise the likelihood
IMPOSSIBLE = -1e9  # base of an alternative that cannot be chosen


class Choices(Struct, frozen=True, eq=False):
    """Choices that were made."""

    features: Floats  # (choices x alternatives x features)
    base: Floats  # (choices x alternatives) what is added to each alternative
    chosen: Ints  # number of the alternative

    def chances(self, weights: Floats) -> Floats:
        """Return the chance of each alternative."""
        utility = self.base + self.features @ weights
        odds = np.exp(utility - utility.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def likeliest(choices: Choices, before: Floats, spread: Floats) -> Floats:
    """Return the likeliest weights; ``before`` and ``spread`` are the means and standard deviations of their distribution."""
    weights, tight = before.copy(), 1 / spread**2

    def value(some: Floats) -> float:
        chances = choices.chances(some)[np.arange(len(choices.chosen)), choices.chosen]
        return float(np.log(np.maximum(chances, 1e-300)).sum() - (tight * (some - before) ** 2).sum() / 2)

    for _ in range(NEWTON_STEPS):
        step, now = _step(choices, weights, tight, weights - before), value(weights)
        for _ in range(HALVINGS):
            if value(weights + step) > now:
                break
            step = step / 2
        else:
            break
        weights = weights + step
    return weights


def _step(choices: Choices, weights: Floats, tight: Floats, away: Floats) -> Floats:
    """Return a step of Newton's method: the gradient by the inverse of the negative matrix of second derivatives."""
    chances, features = choices.chances(weights), choices.features
    mean = np.einsum("na,naf->nf", chances, features)
    actual = features[np.arange(len(features)), choices.chosen]
    gradient = (actual - mean).sum(axis=0) - tight * away
    curved = np.einsum("na,naf,nag->fg", chances, features, features) - mean.T @ mean + np.diag(tight)
    return np.asarray(np.linalg.solve(curved, gradient))


ROUNDS = 20
WORLDS = 8  # of each position
FIRST_STEPS, STEPS = 150, 15  # of the walks, before the first round and between two
FALLING = slice(4, None), slice(10, None)  # turns and columns where more deadwood is never likelier: rare hands would trap walks
PRIOR = 4.0  # hands of a turn
SPREAD_KNOCKS = (4.0, *(1.5,) * (TURNS - 1), *(1.5,) * (KNOCKS - 1))  # of the odds: in all, from turn to turn, from point to point
SPREAD_THROWS = (3.0, 1.0, 0.5, 1.0, 0.5, 2.0, 1.0)  # of the weights of the features of a throw
SURE = 0.002  # the least chance to knock or not to knock
SPREAD_EVIDENCE = 2.0  # of the coefficients of evidence
STRONGEST = 6.0  # largest coefficient of evidence
CLEARLY = 3.0  # by which the logarithm of a likelihood must be larger
STEP = 0.5  # of the way to where the sampled worlds point: they are few


def fit(seen: Behaviour, before: Habits, random: np.random.Generator) -> Habits:
    """Return the habits of the player that was seen, starting from ``before``."""
    changed = replace(_throwing(seen.throws, before), knocks=_knocks(seen.knocks, before))
    return _hands(seen.hands, changed, random)


def _hands(seen: Sequence[Observation], habits: Habits, random: np.random.Generator) -> Habits:
    if not seen:
        return habits
    sights, held = [one.sight for one in seen], np.array([one.held for one in seen])
    turn = turns(sights)
    walk = Walk(sights, habits, WORLDS, [random] * len(seen))
    walk.go(FIRST_STEPS)
    actual, facts = _tally(turn, held), weighted_facts(walk.known, turn, held)
    prior, before = PRIOR * _shares(_sample_rates(turn, walk)), np.ravel(habits.evidence)
    for _ in range(ROUNDS):
        weights = _scale(habits, actual + prior, _sample_rates(turn, walk))
        habits = replace(_weigh(habits, before, facts, weighted_facts(walk.known, turn, walk.held)), weights=weights)
        believe(walk.known, turn, habits)
        walk.go(STEPS)
    return habits


def _scale(habits: Habits, actual: Floats, sampled: Floats) -> tuple[tuple[float, ...], ...]:
    """Return tables whose worlds have deadwood more like the actual hands."""
    change = np.log(_shares(actual) + 1e-4) - np.log(_shares(sampled) + 1e-4)
    weights = np.clip(np.array(habits.weights) + STEP * change, -12, 12)
    weights[FALLING] = np.minimum.accumulate(weights[FALLING], axis=1)
    return tuple(tuple(row) for row in weights.round(4).tolist())


def _weigh(habits: Habits, before: Floats, actual: Floats, sampled: Floats) -> Habits:
    """Return habits whose worlds have facts more like the actual hands (positions x 1 or worlds x 2 facts)."""
    now, tight, mean = np.ravel(habits.evidence), 1 / SPREAD_EVIDENCE**2, sampled.mean(axis=1, keepdims=True)
    apart = (sampled - mean).reshape(-1, len(now))
    curved = np.einsum("nf,ng->fg", apart, apart) / (WORLDS - 1) + tight * np.eye(len(now))  # no BLAS, whose threads would wait
    gradient = (mean - actual).sum(axis=(0, 1)) - tight * (now - before)
    found = np.clip(now + STEP * np.linalg.solve(curved, gradient), -STRONGEST, STRONGEST)
    first, last = found.reshape(2, -1).round(4).tolist()
    return replace(habits, evidence=(tuple(first), tuple(last)))


def _tally(turn: Ints, held: Ints) -> Floats:
    """Return the number of hands of each turn and deadwood."""
    table = np.zeros((TURNS, COLUMNS))
    np.add.at(table, (turn, COLUMN[deadwoods(held)]), 1)
    return table


def _sample_rates(turn: Ints, walk: Walk) -> Floats:
    return _tally(np.repeat(turn, WORLDS), walk.held) / WORLDS


def weighted_facts(sights: Kernel, turn: Ints, held: Ints) -> Floats:
    """Return the facts that the coefficients of evidence multiply, of one hand or several of each position.

    The shape is (positions x hands x 2 facts): first those of the first turn, then those of a late one.
    """
    _, facts = weigh(sights, held)
    return np.asarray(lateness(turn)[:, None, :, None] * facts.reshape(len(sights), -1, 1, len(FACTS))).reshape(
        len(sights), -1, 2 * len(FACTS)
    )


def _shares(table: Floats) -> Floats:
    """Return the shares of each row; of a row without hands, equal ones."""
    total = table.sum(axis=1, keepdims=True)
    return np.where(total > 0, table / np.maximum(total, 1e-9), 1 / COLUMNS)


def _knocks(chances: Sequence[KnockChance], before: Habits) -> tuple[tuple[float, ...], ...]:
    """Return the chance to knock at each turn with each deadwood."""
    odds = _log_odds(before)
    cells = [(min(one.turn, TURNS - 1), min(one.left, KNOCKS - 1)) for one in chances]
    features = np.zeros((len(chances), 2, len(SPREAD_KNOCKS)))
    base = np.zeros((len(chances), 2))
    for number, (turn, left) in enumerate(cells):
        features[number, 1], base[number, 1] = _steps(turn, left), odds[turn, left]
    seen = Choices(features, base, np.array([int(one.knocked) for one in chances], np.int64))
    weights = likeliest(seen, np.zeros(len(SPREAD_KNOCKS)), np.array(SPREAD_KNOCKS))
    changes = np.array([[_steps(turn, left) @ weights for left in range(KNOCKS)] for turn in range(TURNS)])
    table = np.clip(1 / (1 + np.exp(-odds - changes)), SURE, 1 - SURE)
    return tuple(tuple(row) for row in table.round(4).tolist())


def _log_odds(before: Habits) -> Floats:
    """Return the logarithm of the odds of a knock."""
    table = np.clip(np.array(before.knocks), SURE, 1 - SURE)
    return np.asarray(np.log(table / (1 - table)))


def _steps(turn: int, left: int) -> Floats:
    """Return the features of a chance to knock: one, and whether each turn and each point after the first is reached."""
    return np.concatenate([[1.0], np.arange(1, TURNS) <= turn, np.arange(1, KNOCKS) <= left])


def _throwing(thrown: Sequence[SeenThrow], before: Habits) -> Habits:
    """Return habits with fitted weights of the features of a throw, and whether scholar explains the throws better."""
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
    """Return the logarithm of the likelihood of throws, if a share is as scholar's and the others are equally likely.

    The share is estimated by the rule of succession, so it is never 0 or 1.
    """
    others = [10 if one.returned is None else 9 for one in thrown if not one.scholars]
    same = len(thrown) - len(others)
    share = (same + 1) / (len(thrown) + 2)
    return same * log(share) + sum(log((1 - share) / count) for count in others)


def flat() -> Habits:
    """Return habits that say nothing, to begin with: random hands, the throws of the policy, and a knock as soon as possible."""
    thousandths = (-1000, OUTS, -PAIR, -KNOWN_PAIR, DEAREST_FIRST, 0, 0)
    weights = tuple(some / 1000 for some in thousandths)
    return Habits(((0.0,) * COLUMNS,) * TURNS, ((0.0,) * len(FACTS),) * 2, ((1.0,) * KNOCKS,) * TURNS, weights)
