"""The constants of each statistic; a test that chose them by its own scores would be wrong."""

from msgspec import Struct
from msgspec.structs import replace

from arena.stats.pairs import CAP

PRIOR_DEALS = 20.0  # weight of the priors, in deals
MOST_LOST = 0.99  # the largest share of its wealth that a bettor can lose in one block


class Scale(Struct, frozen=True, kw_only=True):
    """The constants of a statistic, in its unit."""

    distances: tuple[float, ...]  # assumed distances of the true mean from the tested one: a bettor for each
    variance: float  # prior variance of a deal's score less its share of luck
    share: float  # prior share of luck that is subtracted
    luck_variance: float  # prior variance of a deal's luck, in points squared
    most: float  # largest absolute score of a block
    most_luck: float = 60.0  # largest absolute luck of a block


POINTS = Scale(distances=(0.25, 0.5, 1.0, 2.0, 4.0, 8.0), variance=150.0, share=0.85, luck_variance=25.0, most=float(CAP))
DIFFERENCES = replace(POINTS, most=2.0 * CAP, most_luck=120.0)  # of two bots' points a hand against the same opponents
# in percent of a game, of which a point is worth about 0.3
EQUITY = Scale(distances=(0.075, 0.15, 0.3, 0.6, 1.2, 2.4), variance=15.0, share=0.25, luck_variance=25.0, most=20.0)


def scaled(scale: Scale, times: int) -> Scale:
    """Return a scale of points for rules by which a hand may count so many ``times`` (R2.5): its bounds are larger."""
    return replace(scale, most=scale.most * times, most_luck=scale.most_luck * times)


class Interval(Struct, frozen=True):
    """An estimate with its interval, of 95 % unless stated otherwise."""

    value: float
    low: float
    high: float
