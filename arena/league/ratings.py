"""The ratings of the versions of a league: each by its own results, near its predecessor, on the scale of the anchors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from arena.league.events import VersionName
from arena.league.field import Version
from arena.league.focus import Strength
from arena.stats import versions as linked
from arena.stats.comparisons import compare
from arena.stats.estimates import WIDTH, hand_points, matches
from arena.stats.pairs import Pair
from arena.stats.ratings.base import Estimate, Rating
from arena.stats.ratings.bradley_terry import BradleyTerry

POINTS_WIDTH = 2.0  # points a hand
ELO_WIDTH = 100.0  # about as much


class VersionTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far a version may be expected from the one before it."""

    width: Annotated[float, Meta(gt=0, le=10_000)] | None = None  # standard deviation; None: 2 points a hand, or 100 Elo


class Anchor(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reference bot with a stated rating."""

    version: VersionName
    rating: Annotated[float, Meta(ge=-10_000, le=10_000)]
    digest: Annotated[str, Meta(pattern=r"^[0-9a-f]{8,64}\Z")] | None = None  # how it begins; another bot is no anchor


class RatingTerms(Struct, frozen=True, kw_only=True):
    """How the versions of a league are rated."""

    rating: Rating
    versions: VersionTerms = VersionTerms()
    anchors: tuple[Anchor, ...] = ()

    @property
    def elo(self) -> bool:
        """Return whether matches won count; otherwise points do."""
        return isinstance(self.rating, BradleyTerry)

    @property
    def width(self) -> float:
        """Return the standard deviation of the change from one version to the next."""
        return self.versions.width or (ELO_WIDTH if self.elo else POINTS_WIDTH)


class LeagueRatings(Struct, frozen=True):
    """The estimate of every version that has played, and what is to be said of the scale."""

    estimates: Mapping[str, Estimate]
    notes: tuple[str, ...] = ()

    def strengths(self) -> Mapping[str, Strength]:
        """Return each estimate as a value with its standard error."""
        return {name: Strength(one.value, (one.high - one.low) / 2 / WIDTH) for name, one in self.estimates.items()}


def rate(played: Iterable[Pair], versions: Sequence[Version], terms: RatingTerms) -> LeagueRatings:
    """Return the ratings of the versions that have played."""
    names, table = compare(played, matches if terms.elo else hand_points)
    links, anchors = _links(versions, frozenset(names), terms.width), _anchors(versions, frozenset(names), terms.anchors)
    if isinstance(terms.rating, BradleyTerry):
        rated = linked.by_matches(names, table, links, terms.rating.prior)
    else:
        rated = linked.by_points(names, table, links)
    found = linked.estimates(rated, anchors)
    return LeagueRatings(found, (*_missing(anchors, terms.anchors), *linked.off_anchors(found, anchors)))


def _links(versions: Sequence[Version], played: frozenset[str], width: float) -> linked.Links:
    """Return the variance between each version and the last one before it that has played."""
    before = {version.id: version.predecessor for version in versions}
    found: dict[tuple[str, str], float] = {}
    for name in before.keys() & played:
        steps, one = 1, before[name]
        while one is not None and one not in played:
            steps, one = steps + 1, before.get(one)
        if one is not None:
            found[one, name] = steps * width**2
    return found


def _anchors(versions: Sequence[Version], played: frozenset[str], wanted: Sequence[Anchor]) -> dict[str, float]:
    """Return the stated ratings of the anchors that have played."""
    digests = {version.id: version.digest for version in versions if version.id in played}
    return {
        anchor.version: anchor.rating
        for anchor in wanted
        if anchor.version in digests and digests[anchor.version].startswith(anchor.digest or "")
    }


def _missing(found: Mapping[str, float], wanted: Sequence[Anchor]) -> Iterator[str]:
    """Yield a note on the anchors that do not hold the scale."""
    missing = [anchor.version for anchor in wanted if anchor.version not in found]
    if missing:
        scale = "" if found else ": 0 is the mean of the field"
        yield f"not played yet, or another bot than the anchor: {', '.join(missing)}{scale}"
