"""The base class of ratings, and the estimate that they return."""

from collections.abc import Iterable

from msgspec import Struct

from arena.records import MatchRecord


class Estimate(Struct, frozen=True):
    """A number with its 95 % interval."""

    value: float
    low: float  # end of the 95 % interval
    high: float  # end of the 95 % interval
    note: str = ""  # what limits the estimate; several notes are joined by "; "
    ranks: tuple[float, ...] = ()  # the chance to be first, second, and so on by this rating; empty: not computed
    first: tuple[float, float] | None = None  # range of the chance to be first, for any spread of strengths; None: not computed
    ahead: dict[str, float] = {}  # the chance to be stronger than each other entrant by this rating; empty: not computed


class Rating(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """A rating. The fields of a subclass are its options in a spec; its docstring is its manual."""

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that played, by name."""
        raise NotImplementedError
