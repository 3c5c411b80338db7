"""Meetings: what two entrants won against each other in all legs of one pairing of a round."""

from collections.abc import Iterable

from msgspec import Struct

from arena.records import Result


class Meeting(Struct, frozen=True, kw_only=True):
    """The sum of the results between two entrants; each pair of numbers is in the order of ``one`` and ``other``."""

    one: str
    other: str
    matches: tuple[int, int] = (0, 0)  # won
    games: tuple[int, int] = (0, 0)  # won
    points: tuple[int, int] = (0, 0)  # scored in hands
    legs: int = 0
    batches: bool = False  # single hands, which nobody wins as a match, instead of matches

    @property
    def outcome(self) -> int:
        """Return 1 for a win of ``one``, -1 for a loss, 0 for a draw: by matches, then games; for batches by points."""
        return compare(self.points) if self.batches else compare(self.matches) or compare(self.games)

    def add(self, result: Result) -> "Meeting":
        """Return the meeting with one more leg."""
        seat = result.fixture.seats.index(self.one)
        won = (int(result.winner == seat), int(result.winner == 1 - seat))
        return Meeting(
            one=self.one,
            other=self.other,
            matches=_sum(self.matches, won),
            games=_sum(self.games, (result.games[seat], result.games[1 - seat])),
            points=_sum(self.points, (result.points[seat], result.points[1 - seat])),
            legs=self.legs + 1,
            batches=result.fixture.hands is not None,
        )


def meeting(one: str, other: str, results: Iterable[Result]) -> Meeting:
    """Return the meeting of two entrants in ``results``, in which nobody else played."""
    met = Meeting(one=one, other=other)
    for result in results:
        met = met.add(result)
    return met


def compare(score: tuple[int, int]) -> int:
    """Return 1 if the first number is larger, -1 if the second is, 0 if they are equal."""
    return (score[0] > score[1]) - (score[0] < score[1])


def _sum(one: tuple[int, int], two: tuple[int, int]) -> tuple[int, int]:
    return one[0] + two[0], one[1] + two[1]
