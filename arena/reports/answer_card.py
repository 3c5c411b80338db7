"""The parts of a report's answer, as values: what a terminal, Markdown, a page and JSON show in the same order."""

from collections.abc import Iterator, Sequence
from math import ceil, floor, inf, log10
from statistics import median_low
from typing import Final, Literal

from msgspec import Struct

from arena.suggestions import capital

MOST_STEPS = 5  # between the ticks of an axis
FAR = 2  # widths of the median interval: an end further from its dot leaves the axis, which it would stretch

OPEN, WEAK = "Not settled", "Weak as evidence of strength"


class Strip(Struct, frozen=True):
    """An interval that is drawn, with its dot."""

    name: str  # of the bot; empty: a difference of two
    value: float
    low: float
    high: float
    text: str  # the same numbers: ``+190 (-64 to +444)``
    bound: Literal["", "below", "above"] = ""  # of one without two ends, which has no dot: all three numbers are its only end


class Proof(Struct, frozen=True):
    """The evidence for one verdict of a comparison."""

    claim: str
    text: str  # ``3.1 (needs 20)``
    share: float  # of what decides, at most 1


class Axis(Struct, frozen=True):
    """The scale on which strips are drawn."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Return the place of a value as a share of the axis, from 0 to 1, to four digits; beyond an end, the end."""
        return round(min(max((value - self.low) / (self.high - self.low), 0.0), 1.0), 4)

    def ends(self, strip: Strip) -> tuple[float, float]:
        """Return the places between which an interval is drawn; where it has no end, that is the end of the axis."""
        return 0.0 if strip.bound == "below" else self.place(strip.low), 1.0 if strip.bound == "above" else self.place(strip.high)

    def left_by(self, strip: Strip) -> tuple[bool, bool]:
        """Tell whether an interval continues below the axis, and whether above it: there it has an arrow."""
        return strip.bound == "below" or strip.low < self.low, strip.bound == "above" or strip.high > self.high

    @property
    def labels(self) -> Iterator[tuple[float, str]]:
        """Yield the ticks: the place, and the number as text: ``+0.5``, ``0``, ``-200``."""
        for tick in self.ticks:
            yield self.place(tick), f"{tick:+,g}" if tick else "0"


def axis(strips: Sequence[Strip], marks: Sequence[float] = ()) -> Axis:
    """Return an axis that contains 0, marks, dots and the ends of intervals that are not ``FAR``, with two to six round ticks.

    An interval without two ends does not stretch it.
    """
    strips = [one for one in strips if not one.bound]
    reach = FAR * median_low([one.high - one.low for one in strips if one.high > one.low] or [inf])
    held = [(max(one.low, one.value - reach), min(one.high, one.value + reach)) for one in strips]
    ends = [0.0, *marks, *(end for pair in held for end in pair)]
    low, high = min(ends), max(ends)
    width = (high - low) or 1.0
    unit = 10 ** floor(log10(width / 2))  # so the width is 2 to 20 units
    step = next(unit * times for times in (1, 2, 5) if width / (unit * times) <= MOST_STEPS)
    low, high = low - width / 20, high + width / 20
    ticks = [round(step * at, 9) for at in range(ceil(low / step), floor(high / step) + 1)]
    return Axis(low, high, tuple(ticks))


class AnswerCard(Struct, frozen=True, kw_only=True):
    """The parts of an answer; sentences have no full stop."""

    finished: bool
    who: str  # who won or leads
    how: str = ""  # how that was decided
    models: str = ""  # how many decisions language models did not make; empty: no bot asked one
    sure: str = ""  # how sure it is, in a word or a few; empty: it is no matter of chance
    why: str = ""  # what ``sure`` follows from
    chance: tuple[float, float] | None = None  # to be the strongest, a range; None: not known
    grown: str = ""  # what was added to the run, and when; empty: nothing
    unit: str = ""  # of the strips
    strips: tuple[Strip, ...] = ()
    marks: tuple[float, ...] = ()  # on the axis of the strips: what a comparison asks about
    reading: str = ""  # what the strip of a comparison shows, as sentences
    proofs: tuple[Proof, ...] = ()
    surer: str = ""  # what would make it surer
    command: str = ""  # that does so, or where nothing would, plays on; empty: none

    @property
    def axis(self) -> Axis | None:
        """Return the axis of the strips; None without strips."""
        return axis(self.strips, self.marks) if self.strips else None

    @property
    def band(self) -> bool:
        """Tell whether the interval of the first strip is drawn behind the others: they are compared with who may be strongest."""
        return self.chance is not None

    @property
    def arrows(self) -> bool:
        """Tell whether an interval leaves the axis."""
        return any(any(axis.left_by(one)) for axis in filter(None, [self.axis]) for one in self.strips)

    @property
    def statements(self) -> list[str]:
        """Return who leads, how far language models decided, how sure it is, and what was added, as a sentence each."""
        who = ": ".join(filter(None, (self.who, self.how)))
        return [f"{sentence}." for sentence in (who, self.models, self.certainty, self.grown) if sentence]

    @property
    def certainty(self) -> str:
        """Return how sure it is and why, without a full stop; empty: it is no matter of chance."""
        return f"{self.sure}: {self.why}" if self.sure else capital(self.why)

    @property
    def advice(self) -> str:
        """Return the advice as a sentence; a command stands at its end, to be copied; empty: there is none."""
        if not self.surer:
            return f"To play on: {self.command}" if self.command else ""
        return f"To be surer: {self.surer}{f': {self.command}' if self.command else '.'}"

    @property
    def lines(self) -> list[str]:
        """Return the answer as sentences, one for each part."""
        return [*self.statements, *filter(None, [self.advice])]


NOTHING_PLAYED: Final = AnswerCard(finished=False, who="Nothing has been played yet")
