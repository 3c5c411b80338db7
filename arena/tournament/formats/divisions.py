"""Divisions with promotion and relegation, over several seasons.

A season is a round robin within each division. After it the last of a division change places with the first of the next one. The
divisions of a season follow from complete seasons alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Annotated

from msgspec import Meta, Struct

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.reports.numbers import names
from arena.stats.standings import (
    GAMES,
    HEAD_TO_HEAD,
    POINTS,
    SONNEBORN_BERGER,
    Column,
    Details,
    Places,
    PlaceTable,
    Scores,
    how_decided,
    place_table,
)
from arena.tournament.formats.base import Format
from arena.tournament.formats.swiss import Book, Matchup, Pairs, TieBreaks, check_once

TIE_BREAKS = (HEAD_TO_HEAD, SONNEBORN_BERGER, GAMES, POINTS)  # all of a division meet, so no Buchholz

Division = Sequence[str]


class Season(Struct, frozen=True):
    """The divisions of a season, the best first."""

    number: int  # from 1
    divisions: tuple[Division, ...]

    @property
    def matchups(self) -> list[Matchup]:
        """Return who meets whom."""
        return [Matchup(self.number, one, other) for division in self.divisions for one, other in combinations(division, 2)]

    def division_of(self, name: str) -> int:
        """Return an entrant's division, from 1."""
        return next(number for number, division in enumerate(self.divisions, 1) if name in division)


class Divisions(Format, frozen=True, kw_only=True, tag="divisions"):
    """The field plays in ``divisions`` of about equal size; after each of ``seasons`` some entrants change places.

    The spec lists the entrants of the first division first. In a season every two entrants of a division play ``pairs`` pairs of
    matches. A pairing is won by more matches, then more games, and scores 1, a draw a half; ``tie_breaks`` separate equal scores.
    Then the last ``moves`` of a division and the first ``moves`` of the next one change places. The final order is that of the
    divisions of the last season.
    """

    divisions: Annotated[int, Meta(ge=1, le=1000)] = 2
    moves: Annotated[int, Meta(ge=1, le=1000)] = 1
    seasons: Annotated[int, Meta(ge=1, le=1000)] = 2
    pairs: Pairs = 1
    tie_breaks: TieBreaks = TIE_BREAKS

    def __post_init__(self) -> None:
        """Raise ValueError for a tie-break that is named twice."""
        check_once(self.tie_breaks)

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current season, or the next season. Raises: SpecError, for too few bots."""
        self._check(len(field))
        book = Book(played)
        return book.missing(self._seasons(field, book)[-1].matchups, range(self.pairs))

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> Places:
        """Return the order within each division of the current season, the first division first."""
        book = Book(played)
        season = self._seasons(field, book)[-1]
        return [place for table in self._tables(season, book) for place in table.places]

    def details(self, field: Sequence[str], played: Sequence[Result]) -> Details:
        """Return a table for each division of the current season, with the earlier divisions of each entrant."""
        book = Book(played)
        *before, now = self._seasons(field, book)
        tables = []
        for at, table in enumerate(self._tables(now, book)):
            columns = [*table.columns, *self._moving(table, at), *_history(table, before)]
            tables.append(PlaceTable(title=table.title, places=table.places, columns=columns, note=table.note))
        return Details(decided=self._first_division(tables), tables=tables)

    def least(self, size: int) -> int:
        """Return the number of fixtures."""
        return 2 * self.pairs * self.seasons * sum(count * (count - 1) // 2 for count in self._sizes(size))

    def explain(self, size: int) -> Iterator[str]:
        """Yield what is played, and what it can tell."""
        sizes = " and ".join(map(str, self._sizes(size)))
        each = f"{self.pairs} pair{'s' * (self.pairs > 1)} of matches"
        yield f"{self.seasons} seasons in divisions of {sizes}; in each, every two of a division play {each}"
        yield f"after a season the last {self.moves} and the first {self.moves} of neighbouring divisions change places"
        yield "it orders each division, like a small round robin; an entrant can rise or fall by one division a season"

    def _check(self, size: int) -> None:
        smallest = size // self.divisions
        if smallest < 2:
            raise SpecError(
                f"format divisions: {self.divisions} divisions for {size} bots; expected at most {size // 2}, with two bots each"
            )
        if self.divisions > 1 and 2 * self.moves > smallest:
            raise SpecError(
                f"format divisions: {self.moves} moves in a division of {smallest} bots; expected at most {smallest // 2}"
            )

    def _sizes(self, size: int) -> list[int]:
        """Return the sizes of the divisions; the first are larger by one if the field cannot be divided equally."""
        equal, more = divmod(size, self.divisions)
        return [equal + (number < more) for number in range(self.divisions)]

    def _seasons(self, field: Sequence[str], book: Book) -> list[Season]:
        """Return the seasons whose divisions are known: those that are over, and the one in play."""
        seasons = [Season(1, tuple(_cut(field, self._sizes(len(field)))))]
        while len(seasons) < self.seasons and not book.missing(seasons[-1].matchups, range(self.pairs)):
            order = [name for table in self._tables(seasons[-1], book) for place in table.places for name in place]
            seasons.append(Season(len(seasons) + 1, tuple(self._next_divisions(order))))
        return seasons

    def _next_divisions(self, order: Sequence[str]) -> Iterator[Division]:
        """Yield the divisions of the next season, of all entrants in the order of the last."""
        after, end = list(order), 0
        for size in self._sizes(len(order))[:-1]:
            end += size
            leaving, coming = slice(end - self.moves, end), slice(end, end + self.moves)
            after[leaving], after[coming] = after[coming], after[leaving]
        yield from _cut(after, self._sizes(len(order)))

    def _tables(self, season: Season, book: Book) -> Iterator[PlaceTable]:
        """Yield the ranking of each division."""
        for number, division in enumerate(season.divisions, 1):
            meetings = book.meetings((Matchup(season.number, one, other) for one, other in combinations(division, 2)), self.pairs)
            title = f"Season {season.number} of {self.seasons}, division {number}"
            yield place_table(title, Scores(division, meetings, {}), self.tie_breaks)

    def _moving(self, table: PlaceTable, at: int) -> Iterator[Column]:
        """Yield who will be promoted or relegated as the table stands; nothing if there is one division."""
        up, down = self._movers(table, at)
        if self.divisions > 1:
            field = (name for place in table.places for name in place)
            yield Column("move", {name: "up" if name in up else "down" if name in down else "–" for name in field})

    def _movers(self, table: PlaceTable, at: int) -> tuple[list[str], list[str]]:
        """Return who is promoted from a division, and who is relegated."""
        order = [name for place in table.places for name in place]
        return order[: self.moves] if at > 0 else [], order[-self.moves :] if at < self.divisions - 1 else []

    def _first_division(self, tables: Sequence[PlaceTable]) -> str:
        """Return the criterion that decided the first division, and who changes places with it."""
        change = ""
        if len(tables) > 1:
            (up, _), (_, down) = self._movers(tables[1], 1), self._movers(tables[0], 0)
            change = f"; {names(up)} up, {names(down)} down"
        return f"division 1, {how_decided(tables[0])}{change}"


def _history(table: PlaceTable, before: Sequence[Season]) -> Iterator[Column]:
    """Yield the divisions of earlier seasons, if there were any."""
    if before:
        names = [name for place in table.places for name in place]
        yield Column("before", {name: ", ".join(str(season.division_of(name)) for season in before) for name in names})


def _cut(order: Sequence[str], sizes: Iterable[int]) -> Iterator[Division]:
    start = 0
    for size in sizes:
        yield order[start : start + size]
        start += size
