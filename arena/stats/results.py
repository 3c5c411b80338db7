"""Ratings from a table of results that somebody else has counted: what ``arena strength ratings`` reads and prints."""

from typing import Literal

import numpy as np
from msgspec import Struct

from arena.errors import InputError
from arena.stats.comparisons import Array, single_matches
from arena.stats.fit import Fit, State, bradley_terry
from arena.stats.ratings.bradley_terry import LEAST_PRIOR

ELO = 400 / np.log(10)
MOST = 1e12  # games in a cell
WHY: dict[State, str] = {
    State.EMPTY: "nobody to rate",
    State.SINGLE: "one player alone: there is nobody to compare it with",
    State.DISCONNECTED: "the field falls into groups that never met: ratings say nothing across them",
    State.UNBOUNDED: "some never lost or never won outside their group: no finite rating is the likeliest; a prior would give one",
    State.PERFECT: "some never lost or never won outside their group: how far apart they are is the prior's guess",
}


class Results(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Games between players."""

    players: list[str]
    wins: list[list[float]]  # wins[i][j]: games that i won against j
    draws: list[list[float]] | None = None  # symmetric: draws[i][j] and draws[j][i] are the same games


class Ratings(Struct, frozen=True, kw_only=True):
    """Elo around a mean of nought; None where there is no number, and ``state`` says why."""

    players: list[str]
    ratings: list[float | None]
    se: list[float | None]  # standard errors, on the space where ratings add up to nought
    state: Literal["ok", "empty", "single", "disconnected", "unbounded", "perfect"]
    groups: list[list[str]]  # who can be compared with whom
    prior: float  # standard deviation in logits; 0: none
    note: str = ""


def rate(results: Results, prior: float) -> Ratings:
    """Return the ratings. Raises: InputError, if the table is no table of results."""
    if prior and not LEAST_PRIOR <= prior <= 100:
        raise InputError(f"prior: {prior:g}; expected 0 for none, or {LEAST_PRIOR:g} to 100 logits")
    size = len(results.players)
    if len(set(results.players)) != size:
        raise InputError(f"players: {', '.join(results.players)}; expected every name once")
    wins, draws = _table("wins", results.wins, size), _table("draws", results.draws or [[0.0] * size] * size, size)
    if not np.array_equal(draws, draws.T):
        raise InputError("draws: not symmetric; expected draws[i][j] to be draws[j][i], for they are the same games")
    fit = bradley_terry(single_matches(wins, draws), prior, by_pair=False)
    return Ratings(
        players=results.players,
        ratings=_numbers(fit.values, size),
        se=_errors(fit, size),
        state=fit.state.value,
        groups=[[results.players[place] for place in group] for group in fit.groups],
        prior=prior,
        note=WHY.get(fit.state, ""),
    )


def _table(name: str, rows: list[list[float]], size: int) -> Array:
    if len(rows) != size or any(len(row) != size for row in rows):
        shape = f"{len(rows)} rows of {'/'.join(map(str, sorted({len(row) for row in rows}))) or '0'}"
        raise InputError(f"{name}: {shape}; expected {size} rows of {size}, one for each player")
    table = np.array(rows, dtype=float).reshape(size, size)
    if not ((table >= 0) & (table <= MOST)).all():
        raise InputError(f"{name}: {table.min():g} to {table.max():g}; expected counts from 0 to {MOST:g}")
    if np.diag(table).any():
        raise InputError(f"{name}: a player against itself; expected nought on the diagonal")
    return table


def _numbers(values: Array | None, size: int) -> list[float | None]:
    return [None] * size if values is None else [float(value) for value in values * ELO]


def _errors(fit: Fit, size: int) -> list[float | None]:
    """Return standard errors; one player alone has none, for nothing was measured."""
    return _numbers(None if fit.state is State.SINGLE else fit.errors, size)
