"""The ratings of the versions of a league: each by its own results, near its predecessor, on the scale of the anchors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Annotated

from msgspec import Meta, Struct

from arena.league.events import VersionName
from arena.league.field import Version
from arena.league.focus import RatedStrength
from arena.stats import versions as linked
from arena.stats.comparisons import compare
from arena.stats.estimates import WIDTH, hand_points, matches
from arena.stats.pairs import Pair
from arena.stats.ratings.base import Estimate, Rating
from arena.stats.ratings.bradley_terry import BradleyTerry

POINTS_WIDTH = 2.0  # points a hand
ELO_WIDTH = 100.0  # about as much
FALSE_ALARM = 0.01  # chance of a note on help in a league without any
FEW_PAIRS = 8  # from which two bots of an author are looked at


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

    def strengths(self) -> Mapping[str, RatedStrength]:
        """Return each estimate as a value with its standard error."""
        return {name: RatedStrength(one.value, (one.high - one.low) / 2 / WIDTH) for name, one in self.estimates.items()}


def rate(played: Iterable[Pair], versions: Sequence[Version], terms: RatingTerms) -> LeagueRatings:
    """Return the ratings of the versions that have played."""
    names, table = compare(played, matches if terms.elo else hand_points)
    links, anchors = _links(versions, frozenset(names), terms.width), _anchors(versions, frozenset(names), terms.anchors)
    if isinstance(terms.rating, BradleyTerry):
        rated = linked.by_matches(names, table, links, terms.rating.prior)
    else:
        rated = linked.by_points(names, table, links)
    found = linked.estimates(rated, anchors)
    notes = (*_missing(anchors, terms.anchors), *linked.off_anchors(found, anchors), *_help(versions, rated, elo=terms.elo))
    return LeagueRatings(found, notes)


def _help(versions: Sequence[Version], rated: linked.Rated, *, elo: bool) -> Iterator[str]:
    """Yield the results between bots of one author that look like help.

    The statistic is what the one scored more against the other than their ratings say, in standard deviations; the ratings are
    those of all results, which makes it a little too small. It is reported above the normal quantile of 1 % shared among all
    pairings of bots of one author, so that in an honest league a note appears about once in a hundred. It says nothing about who
    helped whom: the same may come of a bot that plays badly against one way to play.
    """
    authors = {version.id: version.author for version in versions}
    own = list(linked.surpluses(rated, [authors.get(name, "") for name in rated.names]))
    least = NormalDist().inv_cdf(1 - FALSE_ALARM / max(len(own), 1) / 2)
    unit = "matches of a hundred" if elo else "points a hand"
    for found in own:
        if found.pairs >= FEW_PAIRS and found.deviations > least:
            more = found.more * (100 if elo else 1)
            yield (
                f"{found.one} has {more:.2f} {unit} more against {found.other} of the same author than their ratings say:"
                f" {found.deviations:.1f} standard deviations, {found.pairs} pairs"
            )


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
