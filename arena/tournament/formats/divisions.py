"""Divisions with promotion and relegation, over several seasons.

A season is a round robin within each division. After it the last of a division change places with the first of the next one. The
divisions of a season follow from complete seasons alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Annotated, ClassVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.reports.numbers import count, names
from arena.stats import format_details, score_ranking, standings
from arena.tournament.formats.base import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.matchups import Matchup, MatchupIndex, Pairs, TieBreaks, check_once
from arena.tournament.formats.round_robin import Batches, RoundRobin
from arena.tournament.formats.swiss import Swiss

# all of a division meet, so no Buchholz
TIE_BREAKS = (score_ranking.HEAD_TO_HEAD, score_ranking.SONNEBORN_BERGER, score_ranking.GAMES, score_ranking.POINTS)
MOVES = "Move: who changes division after the season, as the table stands. Before: the divisions of earlier seasons."

Division = Sequence[str]


class Season(Struct, frozen=True):
    """The divisions of a season, the best first."""

    number: int  # from 1
    divisions: tuple[Division, ...]

    @property
    def matchups(self) -> list[Matchup]:
        """Return the matchups of the season."""
        return [Matchup(self.number, one, other) for division in self.divisions for one, other in combinations(division, 2)]

    def division_of(self, name: str) -> int:
        """Return an entrant's division, from 1."""
        return next(number for number, division in enumerate(self.divisions, 1) if name in division)


class Divisions(Format, frozen=True, kw_only=True, tag="divisions"):
    """The field plays in ``divisions`` of about equal size for a number of ``seasons``, between which some entrants change places.

    The spec lists the entrants of the first division first. In a season every two entrants of a division play ``pairs`` pairs of
    matches. A pairing is won by more matches, then more games, and scores 1, a draw a half; ``tie_breaks`` separate equal scores.
    Then the last ``moves`` of a division and the first ``moves`` of the next one change places. The final order is that of the
    divisions of the last season.
    """

    is_fixed: ClassVar[bool] = True

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
        index = MatchupIndex(played)
        return index.missing(self._seasons(field, index)[-1].matchups, range(self.pairs))

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> standings.Places:
        """Return the order within each division of the current season, the first division first."""
        index = MatchupIndex(played)
        season = self._seasons(field, index)[-1]
        return [place for table in self._tables(season, index) for place in table.places]

    def details(self, field: Sequence[str], played: Sequence[Result]) -> format_details.Details:
        """Return a table for each division of the current season, with the earlier divisions of each entrant."""
        index = MatchupIndex(played)
        *before, now = self._seasons(field, index)
        tables = []
        for at, table in enumerate(self._tables(now, index)):
            columns = [*table.columns, *self._moving(table, at), *_history(table, before)]
            note = f"{table.note} {MOVES}" if self.divisions > 1 else table.note
            tables.append(replace(table, columns=columns, note=note, encounters=self._met(table, now, index)))
        stage = f"season {now.number} of {self.seasons}"
        return format_details.Details(decided=self._first_division(tables), stage=stage, title="Divisions", tables=tables)

    def least(self, size: int) -> int:
        """Return the number of fixtures."""
        return 2 * self.pairs * self.seasons * sum(each * (each - 1) // 2 for each in self._sizes(size))

    def explain(self, size: int) -> Iterator[str]:
        """Yield what is played, and what it can tell."""
        sizes = " and ".join(map(str, self._sizes(size)))
        seasons, each = count(self.seasons, "season"), f"{count(self.pairs, 'pair')} of matches"
        divisions = "divisions" if self.divisions > 1 else "a division"
        yield f"{seasons} in {divisions} of {sizes}; in each, every two of a division play {each}"
        if self.divisions == 1 or self.seasons == 1:
            yield "it orders each division, like a small round robin"
            return
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

    def _seasons(self, field: Sequence[str], index: MatchupIndex) -> list[Season]:
        """Return the seasons whose divisions are known: those that are over, and the one in play."""
        seasons = [Season(1, tuple(_cut(field, self._sizes(len(field)))))]
        while len(seasons) < self.seasons and not index.missing(seasons[-1].matchups, range(self.pairs)):
            order = [name for table in self._tables(seasons[-1], index) for place in table.places for name in place]
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

    def _tables(self, season: Season, index: MatchupIndex) -> Iterator[format_details.PlaceTable]:
        """Yield the ranking of each division."""
        for number, division in enumerate(season.divisions, 1):
            meetings = index.meetings((Matchup(season.number, one, other) for one, other in combinations(division, 2)), self.pairs)
            title = f"Season {season.number} of {self.seasons}, division {number}"
            yield score_ranking.place_table(title, score_ranking.Scores(division, meetings, byes={}), self.tie_breaks)

    def _moving(self, table: format_details.PlaceTable, at: int) -> Iterator[format_details.Column]:
        """Yield the column of those promoted or relegated if the season ended now; nothing if there is one division.

        Nobody moves before a meeting is over: then the order is that of the field.
        """
        scores = {*table.columns[0].cells.values()}
        up, down = self._movers(table, at) if scores != {"0"} else ([], [])
        if self.divisions > 1:
            moves = {name: "up" if name in up else "down" if name in down else "–" for name in table.order}
            yield format_details.Column(format_details.MOVE, moves)

    def _met(self, table: format_details.PlaceTable, season: Season, index: MatchupIndex) -> list[format_details.Encounters]:
        """Return the meetings of a division, by opponent in the order of the table."""
        met: dict[str, dict[str, format_details.Encounter]] = {name: {} for name in table.order}
        for matchup in season.matchups:
            if matchup.one in met:
                for entrant, seen in index.encounters(matchup, self.pairs).items():
                    met[seen.opponent][entrant] = seen  # the opponent is the key
        return [format_details.Encounters(name, cells) for name, cells in met.items()]

    def _movers(self, table: format_details.PlaceTable, at: int) -> tuple[list[str], list[str]]:
        """Return those promoted from a division, and those relegated."""
        order = table.order
        return order[: self.moves] if at > 0 else [], order[-self.moves :] if at < self.divisions - 1 else []

    def _first_division(self, tables: Sequence[format_details.PlaceTable]) -> str:
        """Return the criterion that decided the first division, and the entrants that move between it and the second."""
        decided = format_details.how_decided(tables[0])
        moves = []
        if len(tables) > 1:
            (up, _), (_, down) = self._movers(tables[1], 1), self._movers(tables[0], 0)
            moves = [f"up: {names(up)}", f"down: {names(down)}"]
        return "; ".join([*([f"division 1, {decided}"] if decided else []), *moves])


def _history(table: format_details.PlaceTable, before: Sequence[Season]) -> Iterator[format_details.Column]:
    """Yield the divisions of earlier seasons, if there were any."""
    if before:
        divisions = {name: ", ".join(str(season.division_of(name)) for season in before) for name in table.order}
        yield format_details.Column("before", divisions)


def _cut(order: Sequence[str], sizes: Iterable[int]) -> Iterator[Division]:
    start = 0
    for size in sizes:
        yield order[start : start + size]
        start += size


StageFormat = RoundRobin | Batches | Swiss | Knockout | Divisions
