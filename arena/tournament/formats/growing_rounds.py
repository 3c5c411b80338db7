"""The rounds of a format that stops at a verdict: they grow, and the verdict is computed only between them.

The end of a round depends only on its number. The price is that the round of the verdict is played to its end. The first rounds
have ``first`` pairs; later ones have a twelfth of the number of pairs before them.
"""

from collections.abc import Iterator

FIRST = 2  # pairs in a round, at least: four legs, to keep a few workers busy
FIRST_DEALS = 16  # deals in a round of short legs, at least
SHARE = 12  # a round has 1/SHARE of the number of pairs before it, but not fewer than the first


def first_round_size(leg: int) -> int:
    """Return the pairs in the first round of legs with ``leg`` deals each."""
    return max(FIRST, FIRST_DEALS // leg)


def round_ends(most: int, first: int = FIRST) -> Iterator[int]:
    """Yield the number of pairs at the end of each round; the last is ``most``."""
    end = 0
    while end < most:
        end = min(most, end + max(first, end // SHARE))
        yield end


def round_in_play(played: int, most: int, first: int = FIRST) -> tuple[int, int]:
    """Return the first pair of the round in play after ``played`` pairs, and its end; both are ``most`` after the last round."""
    start = 0
    for end in round_ends(most, first):
        if played < end:
            return start, end
        start = end
    return most, most
