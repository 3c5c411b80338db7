"""How points a hand came about: what each entrant stood at as its hands were played."""

from collections import defaultdict

from msgspec import Struct

from arena.records import MatchRecord, points

MARKS = 120  # of a line: more than a screen shows apart


class Mark(Struct, frozen=True, array_like=True):
    """Where an entrant stood at one moment."""

    hands: int  # it had played
    points_a_hand: float  # net, over all of them


class Course:
    """Is told of records in the order in which they were filed."""

    def __init__(self) -> None:
        self._marks: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)  # entrant: hands and net points so far

    def add(self, record: MatchRecord) -> None:
        """Count one more record for both who played it."""
        net = points(record, 0) - points(record, 1)
        for entrant, gain in zip(record.fixture.seats, (net, -net), strict=True):
            marks = self._marks[entrant]
            hands, total = marks[-1] if marks else (0, 0)
            marks.append((hands + len(record.hands), total + gain))

    def marks(self) -> dict[str, list[Mark]]:
        """Return every entrant's line, thinned to ``MARKS``; its last mark is always there."""
        lines = {entrant: thinned(marks) for entrant, marks in self._marks.items()}
        return {entrant: [Mark(hands, net / hands) for hands, net in line if hands] for entrant, line in lines.items()}


def thinned(marks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return at most ``MARKS`` of some marks, evenly spread and the last among them."""
    step = -(-len(marks) // MARKS)
    return marks[::-1][::step][::-1] if step > 1 else marks
