"""The difference between requested and drawn matches; there is none if requests choose nothing."""

from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import fmean

from msgspec import Struct

from arena.league.rules.challenges import Challenges, drawn_pairs
from arena.league.rules.events import AnyEvent
from arena.league.rules.rounds import is_requested, request_of
from arena.stats.margin import half_of_one
from arena.stats.pairs import Pair
from arena.stats.statements import REQUESTS, REQUESTS_CHANCE

FEW = 6  # compared pairs, below which an interval says little


class RequestSummary(Struct, frozen=True, kw_only=True):
    """The number of challenges, and the points of the challengers in them."""

    asked: int
    waiting: int
    played: int  # pairs of legs on record
    compared: int  # of these: with hands, and of versions that also met by draw
    # points a hand of the challengers in requested matches, less those against the same bots in drawn ones; None: unknown
    difference: float | None = None
    half: float | None = None  # half of its 95 % interval

    def __str__(self) -> str:
        """Return it in one sentence."""
        text = f"rated matches on request: {self.asked} asked for, {self.played} played, {self.waiting} waiting"
        if self.difference is None or self.half is None:
            return text
        direction = "fewer" if self.difference < 0 else "more"
        difference, half = f"{abs(self.difference):,.2f}", f"{self.half:,.2f}"
        found = f"{text}; {REQUESTS(compared=self.compared, difference=difference, half=half, direction=direction)}"
        if self.compared < FEW:
            return f"{found}, which are too few to judge"
        return f"{found}, {REQUESTS_CHANCE(more='more' if abs(self.difference) > self.half else 'no more')}"


def summary(events: Iterable[AnyEvent], played: Sequence[Pair]) -> RequestSummary | None:
    """Return the summary of all challenges; None: there are none."""
    known = Challenges(events)
    if not known.asked:
        return None
    requested = [pair for pair in played if is_requested(pair.deals) and pair.legs == 2]
    asked = [(pair, known.asked[request_of(pair.deals)].version) for pair in requested if pair.hands]
    groups = [group for group in _groups(asked, drawn_pairs(played)).values() if group.requested and group.drawn]
    compared = sum(len(group.requested) for group in groups)
    difference, half = _difference(groups)
    return RequestSummary(
        asked=len(known.asked),
        waiting=len(known.waiting),
        played=len(requested),
        compared=compared,
        difference=difference,
        half=half,
    )


class _PointsByPair(Struct):
    """Points a hand of a challenger against one opponent, in each pair."""

    requested: list[float] = []
    drawn: list[float] = []


def _groups(asked: Iterable[tuple[Pair, str]], others: Iterable[Pair]) -> dict[tuple[str, str], _PointsByPair]:
    """Return the points of each challenger against its opponent; ``others`` are the drawn pairs."""
    found: dict[tuple[str, str], _PointsByPair] = {}
    for pair, challenger in asked:
        opponent = pair.opponent if pair.entrant == challenger else pair.entrant
        found.setdefault((challenger, opponent), _PointsByPair()).requested.append(_points(pair, challenger))
    for pair in others:
        for both in ((pair.entrant, pair.opponent), (pair.opponent, pair.entrant)):
            if both in found and pair.hands:
                found[both].drawn.append(_points(pair, both[0]))
    return found


def _points(pair: Pair, version: str) -> float:
    """Return a version's net points a hand in a pair."""
    return (pair.capped_points if pair.entrant == version else -pair.capped_points) / pair.hands


def _difference(groups: Sequence[_PointsByPair]) -> tuple[float | None, float | None]:
    """Return the mean difference over the requested pairs, and half its interval, from the scatter of pairs around their means.

    (None, None): there are too few pairs.
    """
    one = half_of_one([(value, 1.0) for value in values] for group in groups for values in (group.requested, group.drawn))
    if one is None:
        return None, None
    total = sum(len(group.requested) for group in groups)
    gains = ((len(group.requested), fmean(group.requested) - fmean(group.drawn)) for group in groups)
    weighted = (len(group.requested) ** 2 * (1 / len(group.requested) + 1 / len(group.drawn)) for group in groups)
    return sum(number * gain for number, gain in gains) / total, one * sqrt(sum(weighted)) / total
