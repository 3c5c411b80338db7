"""The hands of every version, counted by their ending and winner."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from msgspec import Struct

from arena.gin.score import Ending
from arena.records import MatchRecord
from arena.reports.numbers import MISSING, share

ENDING_NAMES: Mapping[tuple[Ending, int], str] = {  # by ending, and whether the version won (1), lost (-1) or neither (0)
    (Ending.KNOCK, 1): "won by knocking",
    (Ending.KNOCK, -1): "lost to a knock",
    (Ending.GIN, 1): "won by gin",
    (Ending.GIN, -1): "lost to gin",
    (Ending.BIG_GIN, 1): "won by big gin",
    (Ending.BIG_GIN, -1): "lost to big gin",
    (Ending.UNDERCUT, 1): "won by an undercut",
    (Ending.UNDERCUT, -1): "lost by an undercut of its knock",
    (Ending.SHOWDOWN, 1): "won in a showdown",
    (Ending.SHOWDOWN, -1): "lost in a showdown",
    (Ending.SHOWDOWN, 0): "drawn in a showdown",
    (Ending.DEAD, 0): "dead hands",
    (Ending.FAULT, 1): "won by a fault of the opponent",
    (Ending.FAULT, -1): "lost by a fault of its own",
}
ENDED_BY_A_FAULT = "ended by a fault"  # no winner


class EndedHands(Struct, frozen=True, kw_only=True):
    """The hands of a version that ended in one way."""

    name: str
    hands: int
    all_hands: int
    points: int  # net

    @property
    def share(self) -> str:
        """Return the share of all hands as text."""
        return share(self.hands / self.all_hands) if self.all_hands else MISSING

    @property
    def points_a_hand(self) -> str:
        """Return net points a hand as text."""
        return f"{self.points / self.hands:+z,.1f}" if self.hands else MISSING


class EndingCounts:
    """Counts hands and net points by ending, for each version."""

    def __init__(self) -> None:
        self._hands: defaultdict[str, Counter[str]] = defaultdict(Counter)  # by version, then by the name of the ending
        self._points: defaultdict[str, Counter[str]] = defaultdict(Counter)  # likewise

    def add(self, record: MatchRecord) -> None:
        """Count the hands of a match for both seats."""
        for hand in record.hands:
            for seat, version in enumerate(record.fixture.seats):
                sign = 0 if hand.winner is None else 1 if hand.winner == seat else -1
                name = ENDING_NAMES.get((hand.ending, sign), ENDED_BY_A_FAULT)
                self._hands[version][name] += 1
                self._points[version][name] += sign * hand.points

    def by_version(self) -> dict[str, list[EndedHands]]:
        """Return the hands of each version that has played by ending, the costliest first."""
        return {version: self._of(hands, self._points[version]) for version, hands in self._hands.items()}

    def _of(self, hands: Counter[str], points: Counter[str]) -> list[EndedHands]:
        total = hands.total()
        found = [EndedHands(name=name, hands=count, all_hands=total, points=points[name]) for name, count in hands.items()]
        return sorted(found, key=lambda one: (one.points, one.name))
