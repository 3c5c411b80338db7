"""The first sentence of a report: who leads, how sure that is, and what would separate the others.

A format may rank otherwise than a rating does. Then the sentence names both, and states a chance only of the rating.

Two bots are separated if one is stronger with a chance of 95 % (:mod:`arena.stats.posterior`). A difference z standard errors wide
reaches 1.645 if the number of pairs grows by (1.645 / z)^2, because errors fall with the square root of it.
"""

from collections.abc import Sequence
from math import ceil, log10
from statistics import NormalDist

from arena.reports.numbers import names, percent
from arena.stats.standings import Standing
from arena.stats.tally import Counts, Tally

SEPARATED = 0.95  # chance above which one bot is called stronger than another
TIED = 0.02  # chances to be the strongest that differ by less are called equal: they are drawn
MOST_TIMES = 20  # as many pairs: an advice to play more than that would help nobody
Z = NormalDist().inv_cdf(SEPARATED)


def summary(rows: Sequence[Standing], tally: Tally, rating: str, *, ranked: bool) -> str:
    """Return the sentence; ``rating`` is the name of the unit that the chances come from."""
    if not any(row.counts.hands for row in rows):
        return "Nothing has been played yet."
    if not ranked:
        return "The bots played without a sandbox, so nobody is ranked."
    if sum(row.counts.matches_won + row.counts.matches_drawn / 2 for row in rows) == 1:
        return _only_match([row.entrant for row in rows if row.counts.matches_won])
    leaders = [row for row in rows if row.rank == 1]
    if len(leaders) > 1:
        return f"{names([row.entrant for row in leaders])} share the lead with equal results."
    strongest = max((row for row in rows if row.rating and row.rating.ranks), key=_chance, default=leaders[0])
    if _chance(strongest) > _chance(leaders[0]) + TIED:
        return _two_leaders(leaders[0], strongest, rating)
    return _lead(leaders[0], [row.entrant for row in rows[1:]], tally, rating)


def _only_match(winners: Sequence[str]) -> str:
    """Return who won a single match, which does not tell who is stronger; in words that fit a person called "you"."""
    result = f"{winners[0]} won the only match" if winners else "The only match was drawn"
    return f"{result}; a single match does not tell who is stronger."


def _chance(row: Standing) -> float:
    """Return the chance to be the strongest; 0 if it was not computed."""
    return row.rating.ranks[0] if row.rating and row.rating.ranks else 0.0


def _two_leaders(winner: Standing, strongest: Standing, rating: str) -> str:
    """Return the sentence where who is first by the format is not who is most likely the strongest."""
    chance, own = percent(_chance(strongest)), percent(_chance(winner))
    stronger = f"by {rating} another bot is more likely the strongest: {strongest.entrant}, with a chance of {chance}"
    return f"{winner.entrant} leads, but {stronger}; {winner.entrant} has {own}."


def _lead(leader: Standing, others: Sequence[str], tally: Tally, rating: str) -> str:
    known = leader.rating
    if known is None or not known.ahead:
        return f"{leader.entrant} leads; how sure that is, is not known."
    chance = f"{leader.entrant} leads, with a chance of {percent(known.ranks[0])} to be the strongest by {rating}"
    close = [name for name in others if name in known.ahead and known.ahead[name] < SEPARATED]
    if not close:
        return f"{chance}; it is separated from all others."
    closest = min(close, key=lambda name: known.ahead[name])
    return (
        f"{chance}. {_not_separated(close)}; {_advice(known.ahead[closest], tally.between(leader.entrant, closest), len(close))}."
    )


def _not_separated(close: Sequence[str]) -> str:
    return f"{names(close)} {'is' if len(close) == 1 else 'are'} not separated from it"


def _advice(chance: float, met: Counts, close: int) -> str:
    """Return how much more would separate the leader from a bot that it is ahead of with this chance."""
    them = "it" if close == 1 else "them"
    if (more := _times(chance)) > MOST_TIMES or not met.hands:
        return f"more than {MOST_TIMES} times as many pairs would be needed to separate {them}"
    if not (met.games_won or met.games_lost):
        return f"about {_round(more * met.hands):,} more hands between every two bots would separate {them}"
    several = "pairs" if (pairs := _round(more * max(met.pairs, 1))) > 1 else "pair"
    return f"about {pairs:,} more {several} between every two bots would separate {them}"


def _times(chance: float) -> float:
    """Return how many times as much as was played is still missing to reach ``SEPARATED``."""
    distance = NormalDist().inv_cdf(min(max(chance, 1e-9), 1 - 1e-9))
    return (Z / distance) ** 2 - 1 if distance > 0 else float("inf")


def _round(number: float) -> int:
    """Return a number rounded up to two digits."""
    unit = int(10 ** max(ceil(log10(max(number, 1.0))) - 2, 0))
    return ceil(number / unit) * unit
