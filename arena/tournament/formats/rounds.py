"""The rounds of a format that stops at a verdict: they grow, and the verdict is checked only between them.

The end of a round depends only on its number, and the verdict only on the rounds before it, in order. So the same fixtures are
played after any interruption and on any number of workers. The price is that up to an eighth of the hands are played after the
verdict.
"""

from collections.abc import Iterator

FIRST = 2  # pairs in the first round: four legs, to keep a few workers busy
FIRST_DEALS = 32  # deals in the first round of short legs
SHARE = 8  # a later round is an eighth of the pairs before it


def first_of(leg: int) -> int:
    """Return the pairs in the first round of legs with ``leg`` deals each."""
    return max(FIRST, FIRST_DEALS // leg)


def ends(most: int, first: int = FIRST) -> Iterator[int]:
    """Yield the number of pairs at the end of each round; the last is ``most``."""
    end = 0
    while end < most:
        end = min(most, end + max(first, end // SHARE))
        yield end


def current(played: int, most: int, first: int = FIRST) -> tuple[int, int]:
    """Return the first pair and the end of the round in play after ``played`` pairs; both are ``most`` after the last round."""
    start = 0
    for end in ends(most, first):
        if played < end:
            return start, end
        start = end
    return most, most
