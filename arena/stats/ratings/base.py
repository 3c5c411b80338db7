"""What a rating is."""

from collections.abc import Iterable

from msgspec import Struct

from arena.records import MatchRecord


class Estimate(Struct, frozen=True):
    """A number and how sure it is."""

    value: float
    low: float  # the ends of the 95 % interval
    high: float
    note: str = ""  # what the reader must know of it, if anything
    ranks: tuple[float, ...] = ()  # the chance to be first, second, and so on by this rating; empty: not worked out


class Rating(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Its fields are its options in a spec, its docstring is its manual."""

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that played."""
        raise NotImplementedError
