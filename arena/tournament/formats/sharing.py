"""Which deals the pairings of a round play: each has its own, or all have the same.

Fixtures on the same deals wait for each other (:mod:`arena.tournament.schedule`), so with shared deals at most as many are in play
as there are different deals. The pairings take these in turn, each beginning one further than the one before it: then neighbours
have different deals as long as there are some, and a run that is stopped early has played about as much of every pairing.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

Sharing = Literal["own", "shared"]
SHARED = "all"  # how the keys of shared deals begin; those of a pairing's own deals name both entrants, with a colon between them


ONE_OPPONENT = (
    "each pairing plays its own deals: with one opponent a round, shared deals would tell nobody apart better, and pairings would"
    " wait for each other; `arena docs stats` has the measurement"
)
DIFFERENT_BOTS = (
    "each pairing plays its own deals: a division ranks bots that play differently, and between these shared deals would triple the"
    " noise; `arena docs stats` has the measurement. To compare versions of a bot: {name: round-robin, deals: shared}"
)


class DealSet(NamedTuple):
    """The deals of a pair of legs."""

    id: str  # how the ids of both legs begin; no two pairs have the same
    key: str  # of the deals
    number: int  # of the pair, from 0


def deal_set(entrants: Sequence[str], place: int, turn: int, turns: int, sharing: Sharing) -> DealSet:
    """Return what the pairing at ``place`` in a round plays in its ``turn`` of ``turns``, both counted from 0."""
    number = turn if sharing == "own" else (turn + place) % turns
    own = f"{':'.join(entrants)}/{number}"
    return DealSet(own, own if sharing == "own" else f"{SHARED}/{number}", number)


def explain(sharing: Sharing, sets: int) -> Iterator[str]:
    """Yield what it means that all pairings play the same sets of deals; nothing, if each has its own."""
    if sharing == "shared":
        yield f"all pairings play the same deals, in sets: {sets}; no more fixtures are in play at once"
        yield "the resolution below is that of deals of its own: shared ones tell bots that play alike apart better, others worse"
