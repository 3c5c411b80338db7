"""Ratings from a table of results: the input and output of ``arena strength ratings``.

This is a calculator, so it reports where maximum likelihood has no answer; a table of standings uses a prior there instead
(:mod:`arena.stats.estimates`).
"""

from typing import Literal

import numpy as np
from msgspec import Struct

from arena.errors import InputError
from arena.stats.estimates import LEAST_PRIOR
from arena.stats.fit import Array, Fit, State, bradley_terry, single_matches

ELO = 400 / np.log(10)
MAX_COUNT = 1e12  # games in one cell of the table
NOTES: dict[State, str] = {
    State.EMPTY: "no players",
    State.SINGLE: "one player: nothing to compare it with",
    State.DISCONNECTED: "some groups never met: ratings cannot be compared between them",
    State.UNBOUNDED: "a group never lost or never won against the rest: maximum likelihood is infinite; use a prior",
    State.PERFECT: "a group never lost or never won against the rest: the prior decides how far apart they are",
}


class Results(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Games between players."""

    players: list[str]
    wins: list[list[float]]  # wins[i][j]: games that i won against j
    draws: list[list[float]] | None = None  # symmetric, because draws[i][j] and draws[j][i] count the same games


class Ratings(Struct, frozen=True, kw_only=True):
    """Elo, mean 0; None where none can be given, and ``state`` says why."""

    players: list[str]
    ratings: list[float | None]
    se: list[float | None]  # standard errors, of ratings that sum to zero
    state: Literal["ok", "empty", "single", "disconnected", "unbounded", "perfect"]
    groups: list[list[str]]  # of players that can be compared with each other
    prior: float  # standard deviation in logits; 0: none
    note: str = ""


def rate(results: Results, prior: float) -> Ratings:
    """Return the ratings. ``prior`` is in logits, 0 for none. Raises: InputError, for an invalid table or prior."""
    if prior and not LEAST_PRIOR <= prior <= 100:
        raise InputError(f"prior: {prior:g}; expected 0 for none, or {LEAST_PRIOR:g} to 100 logits")
    size = len(results.players)
    if len(set(results.players)) != size:
        raise InputError(f"players: {', '.join(results.players)}; expected every name once")
    wins, draws = _table("wins", results.wins, size), _table("draws", results.draws or [[0.0] * size] * size, size)
    if not np.array_equal(draws, draws.T):
        raise InputError("draws: not symmetric; expected draws[i][j] to equal draws[j][i], which count the same games")
    fit = bradley_terry(single_matches(wins, draws), prior, by_pair=False)
    return Ratings(
        players=results.players,
        ratings=_numbers(fit.values, size),
        se=_errors(fit, size),
        state=fit.state.value,
        groups=[[results.players[place] for place in group] for group in fit.groups],
        prior=prior,
        note=NOTES.get(fit.state, ""),
    )


def _table(name: str, rows: list[list[float]], size: int) -> Array:
    if len(rows) != size or any(len(row) != size for row in rows):
        shape = f"{len(rows)} rows of {'/'.join(map(str, sorted({len(row) for row in rows}))) or '0'}"
        raise InputError(f"{name}: {shape}; expected {size} rows of {size}, one for each player")
    table = np.array(rows, dtype=float).reshape(size, size)
    if not ((table >= 0) & (table <= MAX_COUNT)).all():
        raise InputError(f"{name}: {table.min():g} to {table.max():g}; expected counts from 0 to {MAX_COUNT:g}")
    if np.diag(table).any():
        raise InputError(f"{name}: a player against itself; expected 0 on the diagonal")
    return table


def _numbers(values: Array | None, size: int) -> list[float | None]:
    return [None] * size if values is None else [float(value) for value in values * ELO]


def _errors(fit: Fit, size: int) -> list[float | None]:
    """Return standard errors in Elo; None for a single player, of which nothing was measured."""
    return _numbers(None if fit.state is State.SINGLE else fit.errors, size)
