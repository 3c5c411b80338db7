"""The sizes that suit a statistic. They are constants: a test that chose them by its scores would be wrong."""

from math import inf

from msgspec import Struct
from msgspec.structs import replace

PRIOR_DEALS = 20.0  # weight of the priors, in deals


class Scale(Struct, frozen=True, kw_only=True):
    """The sizes for a statistic, in its unit."""

    distances: tuple[float, ...]  # assumed distances of the true mean from the tested one: a bettor for each
    variance: float  # prior variance of a deal's score
    share: float  # prior share of luck that is subtracted
    luck_variance: float  # prior variance of a deal's luck, in points squared
    most: float  # largest absolute score of a block
    most_luck: float = 60.0  # largest absolute luck of a block
    clip: float = inf  # largest distance of a score less luck from the tested mean that counts; inf: nothing is clipped

    @property
    def exact(self) -> bool:
        """Tell whether the mean that is tested is that of the scores; else it is that of clipped scores."""
        return self.clip == inf

    @property
    def most_lost(self) -> float:
        """Return the largest share of its wealth that a bettor can lose in one block."""
        return 0.99 if self.exact else 0.95


POINTS = Scale(distances=(0.25, 0.5, 1.0, 2.0, 4.0, 8.0), variance=150.0, share=0.85, luck_variance=25.0, most=60.0)
DIFFERENCES = replace(POINTS, most=120.0, most_luck=120.0)  # of two bots' points a hand against the same opponents
# In percent of a game, of which a point is worth about 0.3. A hand can move it by 93, a bound that would allow no useful stake.
EQUITY = Scale(distances=(0.075, 0.15, 0.3, 0.6, 1.2, 2.4), variance=15.0, share=0.25, luck_variance=25.0, most=60.0, clip=8.0)


def clip(scale: Scale) -> Scale:
    """Return the scale for points as method 2 had it, for the runs that were begun by it."""
    return replace(scale, clip=25.0)
