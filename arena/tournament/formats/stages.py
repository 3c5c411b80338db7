"""Stages, in which the best of one format enter the next one.

The ids and deals of a stage's fixtures begin with its number, ``s1/``. The format of a stage receives
only the results of its own fixtures, without this prefix. The next stage begins when the format returns no more fixtures, so the
stages together ask for the same fixtures after any interruption, as a format must.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.stats import format_details, standings
from arena.tournament.formats.base import Format
from arena.tournament.formats.divisions import StageFormat


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

    def details(self) -> format_details.Details:
        """Return the tables and brackets of the stage, with its number in their titles."""
        own = self.format.details(self.field, self.results) or format_details.Details()
        return format_details.Details(
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

    def details(self, field: Sequence[str], played: Sequence[Result]) -> format_details.Details:
        """Return the tables and brackets of every stage that has begun, the latest first, which decides; no answer."""
        parts = [stage.details() for stage in reversed(self._start_stages(field, played))]
        return format_details.Details(
            decided=parts[0].decided if parts else "",
            stage=parts[0].stage if parts else "",
            title="Stages",
            tables=[table for part in parts for table in part.tables],
            brackets=[one for part in parts for one in part.brackets],
        )

    def least(self, size: int) -> int:
        """Return the number of fixtures of all stages."""
        return sum(stage.format.least(entering) for stage, entering in zip(self.stages, self._sizes(size), strict=True))

    def most_hands(self, size: int) -> int:
        """Return the hands of the batches of all stages."""
        return sum(stage.format.most_hands(entering) for stage, entering in zip(self.stages, self._sizes(size), strict=True))

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
