"""The page of a search for the best values of a bot's parameters: one file that works offline."""

from collections.abc import Sequence

from msgspec import Struct

from arena.reports.answer import AnswerCard

WIDTH, HEIGHT = 640, 220  # of a chart, in units of its SVG


class GainPoint(Struct, frozen=True):
    """The gain over the start at a value of a parameter, in points a hand."""

    at: float
    value: float
    low: float  # end of the 95 % interval
    high: float  # end of the 95 % interval


class GainChart(Struct, frozen=True, kw_only=True):
    """The gain along the range of a parameter, with all others at their best."""

    name: str
    start: float
    best: float
    points: Sequence[GainPoint]

    @property
    def low(self) -> float:
        """Return the lowest gain that is drawn."""
        return min(0.0, *(point.low for point in self.points))

    @property
    def high(self) -> float:
        """Return the highest gain that is drawn."""
        return max(0.0, *(point.high for point in self.points))

    @property
    def line(self) -> str:
        """Return the gains as points of an SVG."""
        return self._coordinates([(point.at, point.value) for point in self.points])

    @property
    def band(self) -> str:
        """Return the 95 % intervals as the corners of an SVG's area."""
        ends = [(point.at, point.high) for point in self.points] + [(point.at, point.low) for point in reversed(self.points)]
        return self._coordinates(ends)

    def x(self, at: float) -> float:
        """Return the place of a value in the chart."""
        first, last = self.points[0].at, self.points[-1].at
        return round(WIDTH * (at - first) / (last - first), 1)

    def y(self, gain: float) -> float:
        """Return the height of a gain in the chart."""
        return round(HEIGHT * (self.high - gain) / ((self.high - self.low) or 1.0), 1)

    def _coordinates(self, points: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(at)},{self.y(gain)}" for at, gain in points)


def tune_page(title: str, answer: AnswerCard, played: str, lines: Sequence[str], charts: Sequence[GainChart]) -> str:
    """Return the page: the answer, a chart for each parameter, and ``lines`` with all that was learned as text."""
    from arena.reports.page import assets

    values = {"title": title, "name": title, "answer": answer, "played": played, "lines": lines, "charts": charts}
    return assets.environment().get_template("tune.html").render(values)
