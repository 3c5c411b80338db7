"""Fits the habits of a player to hands of it whose cards are open.

The tables are those for which sampled worlds have, on average, the deadwood and the evidence that the actual hands have: a model of
maximum entropy, fitted by iterative scaling (Darroch and Ratcliff, 1972). Few hands change given habits little: each turn begins
with ``PRIOR`` hands that are as those habits say.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from arena.gin.cards import Cards
from arena.review.habits import COLUMN, COLUMNS, EVIDENCE, KNOCKS, TURNS, Habits
from arena.review.sights import Sight
from arena.review.vectors import Floats, Ints, deadwoods
from arena.review.worlds import Walk, evidence

ROUNDS = 10
WORLDS = 8  # of each position
FIRST_STEPS, STEPS = 150, 15  # of the walks, before the first round and between two
PRIOR = 4.0  # hands of a turn
PRIOR_KNOCKS = 4.0  # chances to knock in a cell
STRONGEST = 6.0  # largest coefficient of evidence


class Observation(Struct, frozen=True):
    """A position, and the ten cards that the other seat had."""

    sight: Sight
    held: Cards


class KnockChance(Struct, frozen=True):
    """A turn at which a player could knock."""

    turn: int  # that it had finished
    left: int  # points of deadwood of the knock, at least 1
    knocked: bool


def fitted(seen: Sequence[Observation], chances: Sequence[KnockChance], before: Habits, random: np.random.Generator) -> Habits:
    """Return the habits of the player that was seen, starting from ``before``."""
    return _hands(seen, Habits(before.weights, before.evidence, _knocks(chances, before)), random)


def _hands(seen: Sequence[Observation], habits: Habits, random: np.random.Generator) -> Habits:
    if not seen:
        return habits
    sights, held = [one.sight for one in seen], np.array([one.held for one in seen])
    turns = np.array([min(one.turn, TURNS - 1) for one in sights])
    walk = Walk(sights, [habits] * len(seen), WORLDS, [random] * len(seen))
    walk.go(FIRST_STEPS)
    actual, counted = _shares(turns, held), evidence(sights, held).sum(axis=0)
    prior = PRIOR * _per_turn(_sampled(turns, walk))
    for _ in range(ROUNDS):
        habits = _nearer(habits, actual + prior, _sampled(turns, walk), counted, _counted(sights, walk))
        walk.believe([habits] * len(seen))
        walk.go(STEPS)
    return habits


def _nearer(habits: Habits, actual: Floats, sampled: Floats, counted: Floats, counted_sampled: Floats) -> Habits:
    """Return habits whose worlds are nearer to the actual hands."""
    scaled = np.log(_per_turn(actual) + 1e-4) - np.log(_per_turn(sampled) + 1e-4)
    weights = np.clip(np.array(habits.weights) + 0.7 * scaled, -12, 12)
    step = 0.7 * (np.log(counted_sampled + 3) - np.log(counted + 3))
    coefficients = np.clip(np.array(habits.evidence) + step, -1, STRONGEST)
    table = tuple(tuple(row) for row in weights.round(4).tolist())
    return Habits(table, tuple(coefficients.round(4).tolist()), habits.knocks)


def _shares(turns: Ints, held: Ints) -> Floats:
    """Return how many hands there are of each turn and deadwood."""
    table = np.zeros((TURNS, COLUMNS))
    np.add.at(table, (turns, COLUMN[deadwoods(held)]), 1)
    return table


def _sampled(turns: Ints, walk: Walk) -> Floats:
    return _shares(np.repeat(turns, WORLDS), walk.held) / WORLDS


def _counted(sights: Sequence[Sight], walk: Walk) -> Floats:
    by_world = walk.held.reshape(-1, WORLDS)
    return np.asarray(sum(evidence(sights, by_world[:, world]).sum(axis=0) for world in range(WORLDS)) / WORLDS)


def _per_turn(table: Floats) -> Floats:
    """Return the shares of each row; of a row without hands, equal ones."""
    total = table.sum(axis=1, keepdims=True)
    return np.where(total > 0, table / np.maximum(total, 1e-9), 1 / COLUMNS)


def _knocks(chances: Sequence[KnockChance], before: Habits) -> tuple[tuple[float, ...], ...]:
    knocked = PRIOR_KNOCKS * np.array(before.knocks)
    could = np.full((TURNS, KNOCKS), PRIOR_KNOCKS)
    for one in chances:
        cell = min(one.turn, TURNS - 1), min(one.left, KNOCKS - 1)
        knocked[cell] += one.knocked
        could[cell] += 1
    return tuple(tuple(row) for row in (knocked / could).round(4).tolist())


def flat() -> Habits:
    """Return habits that say nothing, to begin with: random hands, and a knock as soon as possible."""
    return Habits(((0.0,) * COLUMNS,) * TURNS, (0.0,) * EVIDENCE, ((1.0,) * KNOCKS,) * TURNS)
