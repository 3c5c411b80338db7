"""What the hands of a duel come to in games and matches."""

from collections.abc import Iterable, Sequence

from arena.records import Result
from arena.stats import games
from arena.stats.outcome import Implied, Spread


def net_points(first: str, played: Iterable[Result]) -> Iterable[int]:
    """Yield the points of every single hand, as the first of two sees them; nothing is held."""
    for result in played:
        sign = 1 if result.fixture.seats[0] == first else -1
        yield from (sign * hand.points for hand in result.singles)


def implied(
    points: Iterable[int], difference: Spread, bounds: Sequence[float], errors: tuple[float, float], form: tuple[int, int]
) -> Implied | None:
    """Return what hands come to in games to ``form[0]`` and matches of best of ``form[1]``; None, if nobody ever scored.

    The intervals are those of the points a hand: the ends are played with the hands nearest to those played that bring so much.
    ``errors`` are alpha and beta.
    """
    hands = games.gather(points)
    if not hands.points.any():
        return None
    here, low, high = (
        games.chances(games.tilted(hands, mean), *form) for mean in (difference.value, difference.low, difference.high)
    )
    even = games.mirrored(hands)  # what the bounds claim is that the two are about equals
    zero, one = (games.chances(games.tilted(even, bound), *form).match for bound in bounds)
    matches = games.wald(here.match, zero, one, *errors)
    return Implied(
        games=Spread(here.game, low.game, high.game),
        matches=Spread(here.match, low.match, high.match),
        match_wins=matches * here.match_hands,
    )
