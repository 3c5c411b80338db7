"""The charts of a search for the best values of a bot's parameters."""

from collections.abc import Sequence

from msgspec import Struct

WIDTH, HEIGHT = 640, 220  # of a chart, in units of its SVG


class GainChart(Struct, frozen=True, kw_only=True):
    """The gain along the range of a parameter, with all others at their best."""

    name: str
    start: float
    best: float
    points: Sequence[tuple[float, float]]  # values of the parameter, with the gain over the start in points a hand

    @property
    def low(self) -> float:
        """Return the lowest gain that is drawn."""
        return min(0.0, *(gain for _, gain in self.points))

    @property
    def high(self) -> float:
        """Return the highest gain that is drawn."""
        return max(0.0, *(gain for _, gain in self.points))

    @property
    def line(self) -> str:
        """Return the gains as points of an SVG."""
        return " ".join(f"{self.x(at)},{self.y(gain)}" for at, gain in self.points)

    def x(self, at: float) -> float:
        """Return the place of a value in the chart."""
        first, last = self.points[0][0], self.points[-1][0]
        return round(WIDTH * (at - first) / (last - first), 1)

    def y(self, gain: float) -> float:
        """Return the height of a gain in the chart."""
        return round(HEIGHT * (self.high - gain) / ((self.high - self.low) or 1.0), 1)
