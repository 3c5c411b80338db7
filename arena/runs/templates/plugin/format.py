"""A format that decides who plays whom. In a spec: ``format: my-part``."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Annotated

from msgspec import Meta

from arena.plugins.hookspecs import hookimpl
from arena.records import Fixture, Result
from arena.tournament.formats.base import Format


class MyPart(Format, frozen=True, kw_only=True, tag="my-part"):
    """Each entrant plays ``pairs`` pairs of matches against the next one of the spec."""

    pairs: Annotated[int, Meta(ge=1)] = 1

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the fixtures that were not played: both legs of a pair have the same deals, with the seats swapped."""
        done = {result.fixture.id for result in played}
        for one, other in pairwise(field):
            for pair in range(self.pairs):
                deals = f"{one}:{other}/{pair}"
                for leg, seats in enumerate([(one, other), (other, one)]):
                    if f"{deals}/{leg}" not in done:
                        yield Fixture(f"{deals}/{leg}", seats, deals)


@hookimpl
def arena_formats() -> list[type[Format]]:
    """Return the format."""
    return [MyPart]
