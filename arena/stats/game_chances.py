"""The chances to win games and matches that the hands of a duel imply."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from arena.records import Result
from arena.stats.duels import Implied
from arena.stats.games import GameForm, chances, differ, gather, mirror, tilt_to, wald
from arena.stats.scales import Interval


class InGames(Struct, frozen=True):
    """The chances to win one game or match that follow from a difference in points a hand, with their intervals."""

    games: Interval
    matches: Interval


def net_points(first: str, played: Iterable[Result]) -> Iterable[int]:
    """Yield the net points of every single hand from the point of view of ``first``, not capped."""
    for result in played:
        sign = 1 if result.fixture.seats[0] == first else -1
        yield from (sign * hand.points for hand in result.singles)


def implied_chances(
    points: Iterable[int], difference: Interval, bounds: Sequence[float], errors: tuple[float, float], form: GameForm
) -> Implied | None:
    """Return what the hands of a duel imply for games and matches.

    Beside the chances, ``match_wins`` is the mean number of hands that a test with the same bounds, but on won matches, would take.
    None if neither side ever scored, or if the bounds are so far from 0 that they imply the same wins of matches. ``points`` are
    the net points of each hand; ``difference`` and ``bounds`` are in points a hand, ``errors`` are alpha and beta. Each value is
    computed from the distribution with that mean that is nearest to the hands played (``tilt_to``).
    """
    hands = gather(points)
    if not hands.points.any():
        return None
    value, low, high = (chances(tilt_to(hands, mean), form) for mean in (difference.value, difference.low, difference.high))
    # The bounds are near 0, so they describe nearly equal bots. Tilting the hands themselves fails if one side never scored.
    even = mirror(hands)
    zero, one = (chances(tilt_to(even, bound), form).match for bound in bounds)
    if not differ(zero, one):
        return None
    hands_of_test = wald(value.match, zero, one, *errors) * value.match_hands
    return Implied(
        games=Interval(value.game, low.game, high.game),
        matches=Interval(value.match, low.match, high.match),
        match_wins=hands_of_test,
    )


def chances_by_field(points: Iterable[int], difference: Interval, form: GameForm) -> InGames | None:
    """Return the chances of a candidate to win games and matches against its baseline; None if no side ever scored.

    A gauntlet compares two bots that need not have met, so there are no hands between them. ``points`` are the net points of their
    hands against the field; mirrored, these are hands of equal bots, which are tilted to the difference.
    """
    even = mirror(gather(points))
    if not even.points.any():
        return None
    means = (difference.value, difference.low, difference.high)
    value, low, high = (chances(tilt_to(even, mean), form) for mean in means)
    return InGames(Interval(value.game, low.game, high.game), Interval(value.match, low.match, high.match))
