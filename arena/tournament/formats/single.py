"""A single match."""

from collections.abc import Iterable, Sequence

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.tournament.formats.base import Format


class Single(Format, frozen=True, kw_only=True, tag="single"):
    """Two entrants play one match, the first of them in seat 0."""

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the match if it has not been played. Raises: SpecError, unless there are two entrants."""
        if len(field) != 2:
            raise SpecError(f"format single: {len(field)} bots; expected two")
        one, other = field
        deals = f"{one}:{other}"
        return [] if played else [Fixture(f"{deals}/0", (one, other), deals)]
