"""The base class of ratings, and the estimate that they return."""

from collections.abc import Iterable, Sequence
from math import isinf

from msgspec import Struct

from arena.records import MatchRecord


class Estimate(Struct, frozen=True):
    """A number with its 95 % interval."""

    value: float
    low: float  # end of the 95 % interval; infinite: results say only that it is below ``high``
    high: float  # end of the 95 % interval; infinite: results say only that it is above ``low``
    note: str = ""  # what limits the estimate; several notes are joined by "; "
    ranks: tuple[float, ...] = ()  # the chance to be first, second, and so on by this rating; empty: not computed
    first: tuple[float, float] | None = None  # range of the chance to be first, for any spread of strengths; None: not computed
    contends: bool | None = None  # whether it may be the strongest (:mod:`arena.stats.strongest`); None: not known
    # multiple of the play so far after which it would not contend, if ratings stay; None: never, or not known
    out_after: float | None = None

    @property
    def one_sided(self) -> bool:
        """Tell whether results give a bound alone; then the value is that of a prior."""
        return isinf(self.low) or isinf(self.high)


class Rating(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """A rating. The fields of a subclass are its options in a spec; its docstring is its manual."""

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that played, by name."""
        raise NotImplementedError

    def rate_scheduled(self, records: Iterable[MatchRecord], field: Sequence[str]) -> dict[str, Estimate]:
        """Return the same for a tournament of ``field`` whose schedule no result changes, with who may be the strongest."""
        del field
        return self.rate(records)
