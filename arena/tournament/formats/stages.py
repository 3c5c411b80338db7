"""Two formats: divisions, with promotion and relegation; and stages, in which the best of one format enter the next one.

Divisions may be a stage. The ids and deals of a stage's fixtures begin with its number, ``s1/``. The format of a stage receives
only the results of its own fixtures, without this prefix. The next stage begins when the format returns no more fixtures, so the
stages together ask for the same fixtures after any interruption, as a format must.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.reports.numbers import count, names
from arena.stats import standings
from arena.tournament.formats.base import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.round_robin import Batches, RoundRobin
from arena.tournament.formats.swiss import Matchup, MatchupIndex, Pairs, Swiss, TieBreaks, check_once

# Divisions with promotion and relegation, over several seasons.
#
# A season is a round robin within each division. After it the last of a division change places with the first of the next one. The
# divisions of a season follow from complete seasons alone.

# all of a division meet, so no Buchholz
TIE_BREAKS = (standings.HEAD_TO_HEAD, standings.SONNEBORN_BERGER, standings.GAMES, standings.POINTS)
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

    def details(self, field: Sequence[str], played: Sequence[Result]) -> standings.Details:
        """Return a table for each division of the current season, with the earlier divisions of each entrant."""
        index = MatchupIndex(played)
        *before, now = self._seasons(field, index)
        tables = []
        for at, table in enumerate(self._tables(now, index)):
            columns = [*table.columns, *self._moving(table, at), *_history(table, before)]
            note = f"{table.note} {MOVES}" if self.divisions > 1 else table.note
            tables.append(replace(table, columns=columns, note=note, encounters=self._met(table, now, index)))
        stage = f"season {now.number} of {self.seasons}"
        return standings.Details(decided=self._first_division(tables), stage=stage, title="Divisions", tables=tables)

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

    def _tables(self, season: Season, index: MatchupIndex) -> Iterator[standings.PlaceTable]:
        """Yield the ranking of each division."""
        for number, division in enumerate(season.divisions, 1):
            meetings = index.meetings((Matchup(season.number, one, other) for one, other in combinations(division, 2)), self.pairs)
            title = f"Season {season.number} of {self.seasons}, division {number}"
            yield standings.place_table(title, standings.Scores(division, meetings, byes={}), self.tie_breaks)

    def _moving(self, table: standings.PlaceTable, at: int) -> Iterator[standings.Column]:
        """Yield the column of those promoted or relegated if the season ended now; nothing if there is one division."""
        up, down = self._movers(table, at)
        if self.divisions > 1:
            moves = {name: "up" if name in up else "down" if name in down else "–" for name in table.order}
            yield standings.Column(standings.MOVE, moves)

    def _met(self, table: standings.PlaceTable, season: Season, index: MatchupIndex) -> list[standings.Encounters]:
        """Return the meetings of a division, by opponent in the order of the table."""
        met: dict[str, dict[str, standings.Encounter]] = {name: {} for name in table.order}
        for matchup in season.matchups:
            if matchup.one in met:
                for entrant, seen in index.encounters(matchup, self.pairs).items():
                    met[seen.opponent][entrant] = seen  # the opponent is the key
        return [standings.Encounters(name, cells) for name, cells in met.items()]

    def _movers(self, table: standings.PlaceTable, at: int) -> tuple[list[str], list[str]]:
        """Return those promoted from a division, and those relegated."""
        order = table.order
        return order[: self.moves] if at > 0 else [], order[-self.moves :] if at < self.divisions - 1 else []

    def _first_division(self, tables: Sequence[standings.PlaceTable]) -> str:
        """Return the criterion that decided the first division, and the entrants that move between it and the second."""
        change = ""
        if len(tables) > 1:
            (up, _), (_, down) = self._movers(tables[1], 1), self._movers(tables[0], 0)
            change = f"; {names(up)} up, {names(down)} down"
        return f"division 1, {standings.how_decided(tables[0])}{change}"


def _history(table: standings.PlaceTable, before: Sequence[Season]) -> Iterator[standings.Column]:
    """Yield the divisions of earlier seasons, if there were any."""
    if before:
        divisions = {name: ", ".join(str(season.division_of(name)) for season in before) for name in table.order}
        yield standings.Column("before", divisions)


def _cut(order: Sequence[str], sizes: Iterable[int]) -> Iterator[Division]:
    start = 0
    for size in sizes:
        yield order[start : start + size]
        start += size


StageFormat = RoundRobin | Batches | Swiss | Knockout | Divisions


class SpecStage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stage in a spec."""

    format: StageFormat
    top: Annotated[int, Meta(ge=2, le=100_000)] | None = None  # how many of the stage before enter it; None: all


class StartedStage(Struct, frozen=True, kw_only=True):
    """A stage whose entrants are known."""

    number: int  # from 1
    format: StageFormat
    field: list[str]  # seeded by the stage before
    results: list[Result]  # with the ids and deals of the stage's format

    def missing(self) -> Iterator[Fixture]:
        """Yield the fixtures that are left of the stage, now."""
        for fixture in self.format.fixtures(self.field, self.results):
            yield replace(fixture, id=f"s{self.number}/{fixture.id}", deals=f"s{self.number}/{fixture.deals}")

    def places(self) -> standings.Places:
        """Return the ranking of the stage."""
        return self.format.ranking(self.field, self.results) or standings.by_results(self.field, self.results)

    def details(self) -> standings.Details:
        """Return the tables and brackets of the stage, with its number in their titles."""
        own = self.format.details(self.field, self.results) or standings.Details()
        return standings.Details(
            decided=own.decided,
            stage=f"stage {self.number}{f', {own.stage}' if own.stage else ''}",
            tables=[replace(table, title=f"Stage {self.number}: {table.title}") for table in own.tables],
            brackets=[replace(bracket, title=f"Stage {self.number}: {bracket.title}") for bracket in own.brackets],
        )


class Stages(Format, frozen=True, kw_only=True, tag="stages"):
    """Formats that are played one after the other; the ``top`` of a stage enter the next one and are its seeds, in their order.

    An example is ``stages: [{format: {name: swiss}}, {format: {name: knockout}, top: 4}]``. Each stage is ranked by its own
    format. The entrants of the last stage rank first, then the others of the stage before it, and so on. If more share a place
    than can advance, the better seeds of their stage do.
    """

    stages: Annotated[tuple[SpecStage, ...], Meta(min_length=2, max_length=100)]

    def __post_init__(self) -> None:
        """Raise ValueError for a first stage with ``top``."""
        if self.stages[0].top is not None:
            raise ValueError(
                "stages: the first has the key top; expected it in a later stage, because all bots of the spec enter the first"
            )

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the fixtures of the current stage. Raises: SpecError, for a stage that does not accept its number of entrants."""
        self._check(field)
        return self._start_stages(field, played)[-1].missing()

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> standings.Places:
        """Return the ranking of the current stage, then the others of the stages before it, the latest first."""
        ranked: list[Sequence[str]] = []
        inside: set[str] = set()
        for stage in reversed(self._start_stages(field, played)):
            ranked += [rest for place in stage.places() if (rest := [name for name in place if name not in inside])]
            inside |= {*stage.field}
        return ranked

    def details(self, field: Sequence[str], played: Sequence[Result]) -> standings.Details:
        """Return the tables and brackets of every stage that has begun, the latest first."""
        return standings.join([stage.details() for stage in reversed(self._start_stages(field, played))])

    def least(self, size: int) -> int:
        """Return the number of fixtures of all stages."""
        return sum(stage.format.least(entering) for stage, entering in zip(self.stages, self._sizes(size), strict=True))

    def explain(self, size: int) -> Iterator[str]:
        """Yield what is played in each stage, and what it can tell."""
        for number, (stage, entering) in enumerate(zip(self.stages, self._sizes(size), strict=True), 1):
            name = stage.format.__struct_config__.tag
            yield f"stage {number}: {name}, with {'all' if entering == size else f'the best {entering}'}"
            yield from (f"stage {number}: {line}" for line in stage.format.explain(entering))

    def _sizes(self, size: int) -> Iterator[int]:
        """Yield the number of entrants of each stage."""
        for stage in self.stages:
            size = stage.top or size
            yield size

    def _check(self, field: Sequence[str]) -> None:
        """Raise SpecError for a stage with more entrants than the one before it, or that its format does not accept."""
        before = len(field)
        for number, (stage, size) in enumerate(zip(self.stages, self._sizes(before), strict=True), 1):
            if size > before:
                raise SpecError(f"format stages: stage {number} has top: {size} of {before} entrants; expected 2 to {before}")
            next(iter(stage.format.fixtures(field[:size], ())), None)
            before = size

    def _start_stages(self, field: Sequence[str], played: Sequence[Result]) -> list[StartedStage]:
        """Return the stages whose entrants are known: those that are over, and the one in play."""
        started: list[StartedStage] = []
        seeds = list(field)
        for number, stage in enumerate(self.stages, 1):
            entering = seeds[: stage.top]
            started.append(StartedStage(number=number, format=stage.format, field=entering, results=_results_of(number, played)))
            if next(started[-1].missing(), None):
                break
            seeds = _in_order(started[-1])
        return started


def _results_of(number: int, played: Sequence[Result]) -> list[Result]:
    """Return the results of a stage, with the ids and deals of its format."""
    prefix = f"s{number}/"
    return [_without(prefix, one) for one in played if one.fixture.id.startswith(prefix)]


def _without(prefix: str, result: Result) -> Result:
    fixture = result.fixture
    return replace(result, fixture=replace(fixture, id=fixture.id.removeprefix(prefix), deals=fixture.deals.removeprefix(prefix)))


def _in_order(stage: StartedStage) -> list[str]:
    """Return the entrants of a stage in the order of its ranking; those in one place in the order of their seeds."""
    return [name for place in stage.places() for name in sorted(place, key=stage.field.index)]
