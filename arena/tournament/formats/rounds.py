"""How a format that may stop early asks for more: in rounds that grow, and looks at its verdict only between them.

A round's end depends on nothing but its number, and a verdict on nothing but the rounds before it, in order. So the same fixtures
are played however often a run was interrupted, and on however many workers.
"""

from collections.abc import Iterator

FIRST = 2  # pairs in the first round: four legs, to keep a few workers busy
SHARE = 8  # a later round is an eighth of what was played, so that at most that much is played in vain


def ends(most: int) -> Iterator[int]:
    """Yield how many pairs have been played at the end of each round; the last is ``most``."""
    end = 0
    while end < most:
        end = min(most, end + max(FIRST, end // SHARE))
        yield end


def current(played: int, most: int) -> tuple[int, int]:
    """Return where the round begins and ends that goes on when the first ``played`` pairs are on record; empty after the last."""
    start = 0
    for end in ends(most):
        if played < end:
            return start, end
        start = end
    return most, most
