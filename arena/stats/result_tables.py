"""Ratings from a table of results: the input and output of ``arena strength ratings``.

This is a calculator, so it reports where maximum likelihood has no answer; a table of standings uses a prior there instead.
"""

from typing import Literal

import numpy as np
from msgspec import Struct

from arena.errors import InputError
from arena.stats.comparisons import Array, single_matches
from arena.stats.components import Groups
from arena.stats.estimates import ELO
from arena.stats.fit import Fit, State, bradley_terry
from arena.stats.ratings import LEAST_PRIOR

MAX_COUNT = 1e12  # games in one cell of the table
NOTES: dict[State, str] = {
    State.EMPTY: "no players",
    State.SINGLE: "one player: nothing to compare it with",
    State.DISCONNECTED: "some groups never met: each is rated by itself, with mean 0, and cannot be compared with the others",
    State.UNBOUNDED: "a group never lost or never won against the rest, so the distance between them is infinite: each is rated by"
    " itself, with mean 0; with a prior all can be compared",
    State.PERFECT: "a group never lost or never won against the rest: the prior decides how far apart they are",
}


class Results(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Games between players."""

    players: list[str]
    wins: list[list[float]]  # wins[i][j]: games that i won against j
    draws: list[list[float]] | None = None  # symmetric, because draws[i][j] and draws[j][i] count the same games


class Ratings(Struct, frozen=True, kw_only=True):
    """Elo, mean 0 in each group; None where none can be given, and ``state`` says why."""

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
    try:
        state, groups, fits = _fit_parts(wins, draws, prior)
    except np.linalg.LinAlgError:
        raise InputError("the counts are too small or too far apart to be rated; expected counts of games") from None
    ratings, errors = list[float | None]([None] * size), list[float | None]([None] * size)
    for places, fit in fits:
        for place, value, error in zip(places, fit.values, fit.errors, strict=True):
            ratings[place] = float(value * ELO)
            errors[place] = None if state is State.SINGLE else float(error * ELO)  # of a single player nothing was measured
    return Ratings(
        players=results.players,
        ratings=ratings,
        se=errors,
        state=state.value,
        groups=[[results.players[place] for place in group] for group in groups],
        prior=prior,
        note=NOTES.get(state, ""),
    )


def _fit_parts(wins: Array, draws: Array, prior: float) -> tuple[State, Groups, list[tuple[list[int], Fit]]]:
    """Return the state of a field, its groups, and the places of those that have a fit of their own; a group of one has none."""
    found = bradley_terry(single_matches(wins, draws), prior, by_pair=False)
    if found.fit:
        return found.state, found.groups, [([*range(len(wins))], found.fit)]
    groups, fits = [group for group in found.groups if len(group) == 1], list[tuple[list[int], Fit]]()
    for group in found.groups:
        if len(group) > 1:
            own = np.ix_(group, group)
            _, inner, inner_fits = _fit_parts(wins[own], draws[own], prior)
            groups += [[group[place] for place in part] for part in inner]
            fits += [([group[place] for place in part], fit) for part, fit in inner_fits]
    return found.state, sorted(groups, key=lambda group: (-len(group), group)), fits


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
