"""A knockout: an entrant that loses a tie, or in double elimination two, is out.

The ties are planned beforehand (:mod:`arena.tournament.formats.elimination`), and filled as results decide them
(:mod:`arena.tournament.formats.draw`). All ties of a wave are decided before the next wave begins, and all first replays are
played before the second replays.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from arena.records import Fixture, Result
from arena.stats.details import Details
from arena.stats.meetings import Meeting, compare
from arena.stats.standings import Places
from arena.tournament.formats import elimination
from arena.tournament.formats.base import Format
from arena.tournament.formats.brackets import brackets
from arena.tournament.formats.draw import Decision, KnockoutDraw, ranked
from arena.tournament.formats.elimination import THIRD_PLACE, PlannedTie
from arena.tournament.formats.matchups import Book, Matchup, Pairs
from arena.tournament.formats.sharing import ONE_OPPONENT


class Knockout(Format, frozen=True, kw_only=True, tag="knockout"):
    """Entrants meet in ties of ``pairs`` pairs of matches; one loss, or with ``elimination: double`` two, and an entrant is out.

    The order of the spec is the seeding: the first two entrants can meet only in the final, and the best have the byes. A tie
    is won by more matches. While it is level, up to ``replays`` further pairs are played; then more games decide, then more
    hand points, then the better seed. With ``third_place`` the losers of the semi-finals of single elimination play for it.
    """

    without: ClassVar[Mapping[str, str]] = {"deals": ONE_OPPONENT}
    elimination: Literal["single", "double"] = "single"
    third_place: bool = False
    pairs: Pairs = 1
    replays: Annotated[int, Meta(ge=0, le=1000)] = 2

    def __post_init__(self) -> None:
        """Raise ValueError for a match for the third place in double elimination, which has a third place anyway."""
        if self.third_place and self.elimination == "double":
            raise ValueError(
                "third_place: expected elimination: single; in double elimination the last to lose before the final is third"
            )

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current wave, or the next wave."""
        book = Book(played)
        draw = self._draw(field, book)
        for wave in draw.waves():
            if still_open := [draw.matchup(tie) for tie in wave if tie.is_open]:
                return self._due(still_open, book)
        return []

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> Places:
        """Return the winner, the beaten finalist, and the others by when they were out; those out in one round share a place."""
        return ranked(self._draw(field, Book(played)), self._losses, THIRD_PLACE)

    def details(self, field: Sequence[str], played: Sequence[Result]) -> Details:
        """Return the brackets."""
        return Details(brackets=brackets(self._draw(field, Book(played))))

    def least(self, size: int) -> int:
        """Return the number of fixtures without replays and without a decider."""
        ties = self._losses * (size - 1) + (self.third_place and size > 3)
        return 2 * self.pairs * ties

    def explain(self, size: int) -> Iterator[str]:
        """Yield what is played, and what it can tell."""
        byes = elimination.places(size) - size
        free = f", {byes} bye{'s' * (byes > 1)} for the best seeds" if byes else ""
        yield f"{self.elimination} elimination of {size}{free}; each tie is {self.pairs} pair{'s' * (self.pairs > 1)} of matches"
        again = f"replayed at most {self.replays} time{'s' * (self.replays > 1)}, then " if self.replays else ""
        yield f"a level tie is {again}decided by games, then points, then the better seed"
        yield "it shows who wins, not an order: those out in one round share a place, and one unlucky tie can put the best out"

    @property
    def _losses(self) -> int:
        return 2 if self.elimination == "double" else 1

    def _draw(self, field: Sequence[str], book: Book) -> KnockoutDraw:
        return KnockoutDraw(self._ties(len(field)), field, book.meeting, lambda met: self._decision(met, field))

    def _ties(self, size: int) -> list[PlannedTie]:
        if self.elimination == "double":
            return elimination.double(size)
        return elimination.single(size, third_place=self.third_place)

    def _due(self, still_open: Sequence[Matchup], book: Book) -> list[Fixture]:
        """Return what is missing of the first pairs of a wave; if all have been played, the next replay."""
        if missing := book.missing(still_open, range(self.pairs)):
            return missing
        played = {matchup: book.meeting(matchup).legs // 2 for matchup in still_open}
        replay = min(played.values())
        return book.missing([one for one in still_open if played[one] == replay], range(replay, replay + 1))

    def _decision(self, met: Meeting, seeds: Sequence[str]) -> Decision | None:
        """Return who won a tie; None while it is not decided."""
        pairs, half = divmod(met.legs, 2)
        if half or pairs < self.pairs:
            return None
        if side := compare(met.matches):
            return Decision(_winner(met, side))
        if pairs < self.pairs + self.replays:
            return None
        return _by_less(met, seeds)


def _by_less(met: Meeting, seeds: Sequence[str]) -> Decision:
    """Return who won a tie that is level by matches: by games, then points, then the better seed."""
    for name, (one, other) in (("games", met.games), ("points", met.points)):
        if side := compare((one, other)):
            return Decision(_winner(met, side), f"by {name}, {max(one, other)}–{min(one, other)}")
    return Decision(min(met.one, met.other, key=seeds.index), "by seed")


def _winner(met: Meeting, side: int) -> str:
    return met.one if side > 0 else met.other
