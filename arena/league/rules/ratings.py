"""The ratings of the versions of a league: each by its results and those of its kin, on the scale of the anchors.

**Kin.** A version and the one before it are tied by a prior (:mod:`arena.stats.ranks`): they may be equally strong, or differ by an
amount with long tails. So a version begins with the rating of its predecessor, and a few results of its own move it only if they
are far off. The same holds for a bot that decides exactly as an earlier one of its author, and for one that replaced another bot of
its author, which plays no more.

**Standing.** The table is ordered by the standing: the rating, less the excess of its error over the median error of the active
versions. So a bot that is known less well than most needs better results. The first round of a version that joins a league under
way does not count for the standing: an author could submit bots under any name and account, and give up each whose first round is
unlucky. Until it plays again it has the standing of the version before it. A bot that decides exactly as an earlier active one
under another name stands behind it, until their intervals do not overlap. But no standing is below the low end of the interval by
all results.

**Requests.** Matches that authors asked for weigh less than drawn ones (:mod:`arena.league.rules.challenges`).

**Help.** Results between bots of one author that look like help (:mod:`arena.stats.help`) are left out, with a note.

Pairings use the ratings of :func:`pairing_strengths`, a simpler method that is not changed: ``arena verify`` decides earlier rounds
again by it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from statistics import median
from typing import Annotated

from msgspec import Meta, Struct

from arena.league.rules import challenges
from arena.league.rules.events import VersionName, bot_name
from arena.league.rules.field import Version
from arena.league.rules.focused_pairings import RatedStrength
from arena.league.rules.rounds import first_rounds, is_requested, round_of
from arena.stats import estimates
from arena.stats.comparisons import Measure, sum_pairs
from arena.stats.estimate import Estimate, Rating
from arena.stats.estimates import Corrected, Rated
from arena.stats.help import Surplus, signs_of_help
from arena.stats.pairs import Pair
from arena.stats.ranks import Kinship
from arena.stats.ratings import BradleyTerry

POINTS_WIDTH = 2.0  # points a hand
ELO_WIDTH = 100.0  # about as much
LOOSE = 10.0  # widths of the prior in the fit, which only connects parts that never met; the prior proper follows, by ``_kin``
EQUAL = 0.5  # prior probability that a version is as strong as the one before it
EQUAL_IF_ALIKE = 0.95  # the same, if they decide alike in all positions
NAMED = 3  # opponents in a note

Answers = Mapping[str, str]  # the answers in the league's positions, by version; versions that were not asked are not in it


class VersionTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The prior on the difference between a version and the one before it."""

    width: Annotated[float, Meta(gt=0, le=10_000)] | None = None  # a typical difference; None: 2 points a hand, or 100 Elo


class Anchor(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reference bot with a stated rating."""

    version: VersionName
    rating: Annotated[float, Meta(ge=-10_000, le=10_000)]
    digest: Annotated[str, Meta(pattern=r"^[0-9a-f]{8,64}\Z")] | None = None  # its first digits; another bot is no anchor

    def is_bot(self, digest: str) -> bool:
        """Tell whether the version with a digest is the anchor."""
        return digest.startswith(self.digest or "")


class RatingTerms(Struct, frozen=True, kw_only=True):
    """How the versions of a league are rated."""

    rating: Rating
    versions: VersionTerms = VersionTerms()
    anchors: tuple[Anchor, ...] = ()

    @property
    def elo(self) -> bool:
        """Tell whether the ratings are Elo, by won matches; otherwise they are points a hand."""
        return isinstance(self.rating, BradleyTerry)

    @property
    def width(self) -> float:
        """Return the typical change from one version to the next."""
        return self.versions.width or (ELO_WIDTH if self.elo else POINTS_WIDTH)


class LeagueRatings(Struct, frozen=True):
    """The estimate of every version that has played, its standing, and notes."""

    estimates: Mapping[str, Estimate]  # corrected for the luck of the best
    measured: Mapping[str, float]  # the values before that correction, by the results alone
    standing: Mapping[str, float]  # by which the table is ordered: the rating, less the excess of its error over the median one
    notes: tuple[str, ...] = ()


def rate(played: Sequence[Pair], versions: Sequence[Version], terms: RatingTerms, answers: Answers | None = None) -> LeagueRatings:
    """Return the ratings of the versions that have played; only active ones have chances of ranks, among themselves."""
    authors = {version.id: version.author for version in versions}
    surpluses = help_signs(played, versions)
    counted = _without_help(played, surpluses, authors)
    known = _names(counted)
    anchors = _anchors(versions, known, terms.anchors)
    alike = _earlier_alike(versions, answers or {})
    active = {version.id for version in versions if version.state == "active"}

    def correct(pairs: Sequence[Pair], ranked: Collection[str]) -> dict[str, Corrected]:
        kin = _kin(versions, _names(pairs), alike, terms.width)
        return estimates.corrected_estimates(_fit(pairs, versions, terms, LOOSE * terms.width), anchors, kin, ranked)

    found, settled = correct(counted, active), _without_first_rounds(counted)
    shown = {name: one.estimate for name, one in found.items()}
    standing = _standing(found if len(settled) == len(counted) else correct(settled, ()), active, alike)
    for name, before, _ in _predecessors(versions, known):
        if before in standing:
            standing.setdefault(name, standing[before])
    standing |= {name: max(standing.get(name, -inf), one.estimate.low) for name, one in found.items()}
    notes = (*_anchor_notes(anchors, terms.anchors), *estimates.off_anchors(shown, anchors), *_help_notes(surpluses, authors))
    return LeagueRatings(shown, {name: one.measured for name, one in found.items()}, standing, notes)


def pairing_strengths(played: Iterable[Pair], versions: Sequence[Version], terms: RatingTerms) -> Mapping[str, RatedStrength]:
    """Return the ratings that pairings follow from: by all results, with a normal prior on the step between versions."""
    counted = list(played)
    anchors = _anchors(versions, _names(counted), terms.anchors)
    found = estimates.measured_ratings(_fit(counted, versions, terms, terms.width), anchors)
    return {name: RatedStrength(value, error) for name, value, error in found}


def _names(played: Iterable[Pair]) -> set[str]:
    return {name for pair in played for name in (pair.entrant, pair.opponent)}


def _without_first_rounds(played: Sequence[Pair]) -> Sequence[Pair]:
    """Return the results without those of the first round of each version that joined a league under way."""
    first = first_rounds(played)
    placed = {name: number for name, number in first.items() if number > min(first.values())}
    return [pair for pair in played if round_of(pair.deals) not in {placed.get(pair.entrant), placed.get(pair.opponent)}]


def _fit(played: Sequence[Pair], versions: Sequence[Version], terms: RatingTerms, width: float) -> Rated:
    names, table = sum_pairs(played, _with_weights(estimates.matches if terms.elo else estimates.hand_points, played))
    variances = {(one, name): count * width**2 for name, one, count in _predecessors(versions, set(names))}
    if isinstance(terms.rating, BradleyTerry):
        return estimates.fit_matches(names, table, terms.rating.prior, variances)
    return estimates.fit_points(names, table, variances)


def _with_weights(measure: Callable[[Pair], Measure], played: Iterable[Pair]) -> Callable[[Pair], Measure]:
    """Return a measure by which pairs on request weigh less than drawn ones."""
    weights = challenges.weights(played)

    def weighted(pair: Pair) -> Measure:
        found, weight = measure(pair), weights.get((pair.entrant, pair.opponent), 1.0)
        if not is_requested(pair.deals):
            return found
        return Measure(weight * found.weight, weight * found.score, weight * found.opponent_score)

    return weighted


def _predecessors(versions: Sequence[Version], known: Collection[str]) -> Iterator[tuple[str, str, int]]:
    """Yield each version in ``known``, the last version before it in ``known``, and the number of steps between them."""
    before = {version.id: version.predecessor for version in versions}
    for name, last in before.items():
        if name in known:
            steps, one = 1, last
            while one is not None and one not in known:
                steps, one = steps + 1, before.get(one)
            if one is not None:
                yield name, one, steps


def _earlier_alike(versions: Sequence[Version], answers: Answers) -> dict[str, list[Version]]:
    """Return for each version with answers the earlier versions with equal answers, the first one first."""
    groups: dict[str, list[Version]] = {}
    found = {}
    for version in versions:
        if text := answers.get(version.id):
            group = groups.setdefault(text, [])
            found[version.id] = list(group)
            group.append(version)
    return found


def _kin(
    versions: Sequence[Version], known: Collection[str], alike: Mapping[str, list[Version]], width: float
) -> list[Kinship[str]]:
    """Return the kinship of each version with its predecessor, or with an earlier bot of its author: one alike, or one given up."""
    before, found = {name: (one, steps) for name, one, steps in _predecessors(versions, known)}, []
    given_up = _given_up(versions, known)
    for version in versions:
        twins = [twin.id for twin in alike.get(version.id, ()) if twin.author == version.author and twin.id in known]
        if version.id in before:
            one, steps = before[version.id]
            equal = EQUAL_IF_ALIKE if one in twins else EQUAL
            found.append(Kinship(one, version.id, width * steps**0.5, equal, carries=one in twins))
        elif version.id in known and twins:
            found.append(Kinship(twins[0], version.id, width, EQUAL_IF_ALIKE, carries=True))
        elif version.id in given_up:
            found.append(Kinship(given_up[version.id], version.id, width, EQUAL))
    return found


def _given_up(versions: Sequence[Version], known: Collection[str]) -> dict[str, str]:
    """Return for the first version of a bot the last one of an earlier bot of its author that plays no more.

    The earlier bot counts as replaced by it; each is replaced once, the first one first.
    """
    followed = {version.predecessor for version in versions}
    left, found = dict[str, list[str]](), {}
    for version in (version for version in versions if version.id in known):
        if version.predecessor is None and left.get(version.author):
            found[version.id] = left[version.author].pop(0)
        if version.state != "active" and version.id not in followed:
            left.setdefault(version.author, []).append(version.id)
    return found


def _standing(found: Mapping[str, Corrected], active: Collection[str], alike: Mapping[str, list[Version]]) -> dict[str, float]:
    """Return the standing of each version."""
    typical = median([found[name].error for name in found if name in active] or [0.0])
    standing = {name: one.estimate.value - max(one.error - typical, 0.0) for name, one in found.items()}
    for name in (name for name in alike if name in found):
        for twin in (twin for twin in alike[name] if twin.id in found and twin.id in active):
            overlap = found[name].estimate.low <= found[twin.id].estimate.high
            if overlap and _stands_behind(name, twin, alike):
                standing[name] = min(standing[name], standing[twin.id])
    return standing


def _stands_behind(name: str, twin: Version, alike: Mapping[str, list[Version]]) -> bool:
    """Tell whether a twin is of another bot, which decided like this before the bot of the version did."""
    bots = [one.name for one in alike[name]]
    bot = bot_name(name)
    return twin.name != bot and (bot not in bots or bots.index(twin.name) < bots.index(bot))


def help_signs(played: Iterable[Pair], versions: Sequence[Version]) -> list[Surplus]:
    """Return the results that look like help."""
    names, table = sum_pairs(played, estimates.hand_points)
    authors = {version.id: version.author for version in versions}
    joined = {version.id: number for number, version in enumerate(versions, 1)}
    return signs_of_help(names, table, authors, joined)


def _of_one_author(surplus: Surplus, authors: Mapping[str, str]) -> bool:
    return all(authors[other] == authors[surplus.one] for other in surplus.others)


def _without_help(played: Sequence[Pair], surpluses: Iterable[Surplus], authors: Mapping[str, str]) -> Sequence[Pair]:
    """Return the results without those between bots of one author that look like help."""
    found = [one for one in surpluses if _of_one_author(one, authors)]
    left_out = {both for one in found for other in one.others for both in ((one.one, other), (other, one.one))}
    return [pair for pair in played if (pair.entrant, pair.opponent) not in left_out] if left_out else played


def _help_notes(surpluses: Iterable[Surplus], authors: Mapping[str, str]) -> Iterator[str]:
    """Yield a note on the results that look like help; a bot that plays badly against one style has such results too."""
    for found in surpluses:
        more = f"{found.one} has {found.more:.1f} points a hand more against"
        if _of_one_author(found, authors):
            several = "" if len(found.others) <= NAMED else f" and {len(found.others) - NAMED} more"
            others = f"{', '.join(found.others[:NAMED])}{several}"
            yield f"{more} {others} of the same author than results of other authors' bots explain; these meetings do not count"
        else:
            yield f"{more} {found.others[0]} than the other results of both explain"


def _anchors(versions: Sequence[Version], known: Collection[str], wanted: Sequence[Anchor]) -> dict[str, float]:
    """Return the stated ratings of the anchors that have played."""
    digests = {version.id: version.digest for version in versions if version.id in known}
    return {one.version: one.rating for one in wanted if one.version in digests and one.is_bot(digests[one.version])}


def _anchor_notes(found: Mapping[str, float], wanted: Sequence[Anchor]) -> Iterator[str]:
    """Yield a note on the anchors that do not hold the scale."""
    missing = [anchor.version for anchor in wanted if anchor.version not in found]
    if missing:
        scale = "" if found else ": 0 is the mean of the field"
        yield f"not played yet, or another bot than the anchor: {', '.join(missing)}{scale}"
