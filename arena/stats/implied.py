"""The chances to win games and matches that the hands of a duel imply."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from arena.records import Result
from arena.stats import games
from arena.stats.sequential.outcome import Implied, Interval


class InGames(Struct, frozen=True):
    """What a difference in points a hand means: chances to win one game or match, with their intervals."""

    games: Interval
    matches: Interval


def net_points(first: str, played: Iterable[Result]) -> Iterable[int]:
    """Yield the net points of every single hand from the point of view of ``first``, not capped."""
    for result in played:
        sign = 1 if result.fixture.seats[0] == first else -1
        yield from (sign * hand.points for hand in result.singles)


def implied(
    points: Iterable[int], difference: Interval, bounds: Sequence[float], errors: tuple[float, float], form: tuple[int, int]
) -> Implied | None:
    """Return the chances in games to ``form[0]`` points and matches of best of ``form[1]``.

    None if neither side ever scored, or if the bounds are so far from 0 that they imply the same wins of matches. ``difference``
    and ``bounds`` are in points a hand, ``errors`` are alpha and beta. Each end of the interval is computed from the distribution
    with that mean that is nearest to the hands played (:func:`arena.stats.games.tilted`).
    """
    hands = games.gather(points)
    if not hands.points.any():
        return None
    here, low, high = (
        games.chances(games.tilted(hands, mean), *form) for mean in (difference.value, difference.low, difference.high)
    )
    # The bounds are near 0, so they describe nearly equal bots. Tilting the hands themselves fails if one side never scored.
    even = games.mirrored(hands)
    zero, one = (games.chances(games.tilted(even, bound), *form).match for bound in bounds)
    if not games.differ(zero, one):
        return None
    matches = games.wald(here.match, zero, one, *errors)
    return Implied(
        games=Interval(here.game, low.game, high.game),
        matches=Interval(here.match, low.match, high.match),
        match_wins=matches * here.match_hands,
    )


def between_equals(points: Iterable[int], difference: Interval, form: tuple[int, int]) -> InGames | None:
    """Return what a difference wins between two bots that score like the field, but equally; None if nobody ever scored.

    A gauntlet compares two bots that need not have met, so there are no hands between them. The hands against the field, mirrored,
    are those of equal bots; they are tilted to the difference. ``form`` is as for ``implied``.
    """
    even = games.mirrored(games.gather(points))
    if not even.points.any():
        return None
    means = (difference.value, difference.low, difference.high)
    here, low, high = (games.chances(games.tilted(even, mean), *form) for mean in means)
    return InGames(Interval(here.game, low.game, high.game), Interval(here.match, low.match, high.match))
