"""One match, and no more."""

from collections.abc import Iterable, Sequence

from arena.records import Fixture, Result
from arena.tournament.formats.base import Format


class Single(Format, frozen=True, kw_only=True, tag="single"):
    """The first two entrants play one match, the first of them in seat 0."""

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the match, until it is played."""
        one, other = field[:2]
        deals = f"{one}:{other}"
        return [] if played else [Fixture(f"{deals}/0", (one, other), deals)]
