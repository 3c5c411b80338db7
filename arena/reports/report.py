"""Everything that a tournament's report shows, as one value.

A run may have a million records, so they are never held in memory together: ``ReportBuilder`` counts each as it is read, and what
is shown in full (faults, matches, hands) is limited by the constants below. All of it remains in the run's database.
"""

from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil, log10, sqrt
from statistics import NormalDist
from typing import Any, TypeVar

from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.json import decode, encode
from msgspec.structs import replace

from arena.gin.rules import Rules
from arena.records import Assurance, Fault, MatchRecord, Result, points, result
from arena.reports.comparison import ComparisonReport
from arena.reports.faults import FaultGroup, Grouping
from arena.reports.numbers import first_in_words, names, percent, rating_name
from arena.reports.played import PlayedMatch, choose_fixtures, replay, with_review
from arena.reports.verdict import verdict
from arena.review.summary import Review
from arena.roster.entrant import Entered
from arena.stats.estimate import Estimate, Rating
from arena.stats.pairs import Pair
from arena.stats.resolution import student
from arena.stats.second_legs import SecondLegs, SecondLegsBuilder
from arena.stats.standings import Details, Places, Standing, standings
from arena.stats.strengths import Strengths
from arena.stats.tally import Counts, Tally, TallyBuilder
from arena.store.revisions import SpecRevised, revisions
from arena.store.store import Facts, Store

# The first sentence of a report: who leads, how sure that is, and what would separate the others.
#
# A format may rank otherwise than a rating does. Then the sentence names both, and states a chance only of the rating.
#
# Two bots are separated if one is stronger with a chance of 95 % (:mod:`arena.stats.ranks`). A difference z standard errors wide
# reaches 1.645 if the number of pairs grows by (1.645 / z)^2, because errors fall with the square root of it.

SEPARATED = 0.95  # chance above which one bot is called stronger than another
TIED = 0.02  # chances to be the strongest that differ by less are called equal: they are drawn
MOST_TIMES = 20  # times as many pairs; to advise more would not help
Z = NormalDist().inv_cdf(SEPARATED)


def summary(rows: Sequence[Standing], tally: Tally, rating: str, *, ranked: bool, won: bool = False) -> str:
    """Return the sentence; ``rating`` is the name of the rating that the chances come from.

    ``won``: all was played, and the format itself names a winner, whatever the ratings say.
    """
    if not any(row.counts.hands for row in rows):
        return "Nothing has been played yet."
    if not ranked:
        return "The bots played without a sandbox, so nobody is ranked."
    if sum(row.counts.matches_won + row.counts.matches_drawn / 2 for row in rows) == 1:  # a match is a win, or two halves
        return _only_match([row.entrant for row in rows if row.counts.matches_won])
    leaders = [row for row in rows if row.rank == 1]
    if len(leaders) > 1:
        return f"{names([row.entrant for row in leaders])} share the lead with equal results."
    strongest = max((row for row in rows if row.rating and row.rating.ranks), key=_chance, default=leaders[0])
    if _chance(strongest) > _chance(leaders[0]) + TIED:
        return _two_leaders(leaders[0], strongest, rating, "won" if won else "leads")
    return _lead(leaders[0], [row.entrant for row in rows[1:]], tally, rating, "won" if won else "leads")


def _only_match(winners: Sequence[str]) -> str:
    """Return who won a single match, which does not tell who is stronger; in words that fit a person called "you"."""
    result = f"{winners[0]} won the only match" if winners else "The only match was drawn"
    return f"{result}; a single match does not tell who is stronger."


def _chance(row: Standing) -> float:
    """Return the chance to be the strongest; 0 if it was not computed."""
    return row.rating.ranks[0] if row.rating and row.rating.ranks else 0.0


def _two_leaders(winner: Standing, strongest: Standing, rating: str, leads: str) -> str:
    """Return the sentence where who is first by the format is not who is most likely the strongest."""
    chance, own = (first_in_words(row.rating) if row.rating and row.rating.ranks else percent(0.0) for row in (strongest, winner))
    stronger = f"by {rating} another bot is more likely the strongest: {strongest.entrant}, with a chance of {chance}"
    return f"{winner.entrant} {leads}, but {stronger}; {winner.entrant} has {own}."


def _lead(leader: Standing, others: Sequence[str], tally: Tally, rating: str, leads: str) -> str:
    known = leader.rating
    if known is None or not known.ahead:
        return f"{leader.entrant} {leads}; how likely it is the strongest, is not known."
    chance = f"{leader.entrant} {leads}, with a chance of {first_in_words(known)} to be the strongest by {rating}"
    close = [name for name in others if name in known.ahead and known.ahead[name] < SEPARATED]
    if not close:
        return f"{chance}; it is separated from all others."
    closest = min(close, key=lambda name: known.ahead[name])
    return (
        f"{chance}. {_not_separated(close)}; {_advice(known.ahead[closest], tally.between(leader.entrant, closest), len(close))}."
    )


def _not_separated(close: Sequence[str]) -> str:
    return f"{names(close)} {'is' if len(close) == 1 else 'are'} not separated from it"


def _advice(chance: float, met: Counts, close: int) -> str:
    """Return advice on the play that would separate the leader from a bot that it is ahead of with this chance."""
    them = "it" if close == 1 else "them"
    if (more := _times(chance)) > MOST_TIMES or not met.hands:
        return f"more than {MOST_TIMES} times as many pairs would be needed to separate {them}"
    if not (met.games_won or met.games_lost):
        return f"about {_round(more * met.hands):,} more hands between every two bots would separate {them}"
    several = "pairs" if (pairs := _round(more * max(met.pairs, 1))) > 1 else "pair"
    return f"about {pairs:,} more {several} between every two bots would separate {them}"


def _times(chance: float) -> float:
    """Return how many times the play so far is still needed to reach ``SEPARATED``; infinite, if the bot is not ahead."""
    distance = NormalDist().inv_cdf(min(max(chance, 1e-9), 1 - 1e-9))
    return (Z / distance) ** 2 - 1 if distance > 0 else float("inf")


def _round(number: float) -> int:
    """Return a number rounded up to two digits."""
    unit = int(10 ** max(ceil(log10(max(number, 1.0))) - 2, 0))
    return ceil(number / unit) * unit


# Each entrant's points a hand over the run, with intervals, thinned to what a chart can show.

POINTS_SHOWN = 120  # of a line; more cannot be distinguished on a screen

Value = TypeVar("Value")

SUMS = 7  # numbers that a point is made of: hands, net points, matches, opponents, and the spread
Sums = tuple[float, float, float]  # of squares about the mean: of points, of points times hands, of hands


class HistoryPoint(Struct, frozen=True, array_like=True):
    """An entrant's points a hand after a number of hands."""

    hands: int  # played so far
    points_a_hand: float  # net, over all of them
    half: float | None = None  # width of the 95 % interval; None: too few matches to say


class Opponent:
    """The matches against one opponent, in sums."""

    def __init__(self) -> None:
        self._matches = self._points = self._hands = 0

    def add(self, points: int, hands: int) -> Sums:
        """Count a match; return what it adds to the sums of squares about this opponent's means. Source: Welford (1962)."""
        before = self._matches
        over, longer = (points - self._points / before, hands - self._hands / before) if before else (0.0, 0.0)
        self._matches += 1
        self._points += points
        self._hands += hands
        weight = before / self._matches
        return weight * over * over, weight * over * longer, weight * longer * longer


class EntrantLine:
    """The line of one entrant.

    The mean is a ratio, of points to hands, and its variance that of the combined ratio estimate with a stratum for each opponent
    (Cochran, Sampling Techniques, section 6.11): who is met is not by chance, so a weak opponent does not widen the interval. One
    variance is taken for all opponents, and the matches as independent; a pair of legs varies less than two matches would.
    """

    def __init__(self) -> None:
        self._moments = array("d")  # SUMS numbers after each match
        self._opponents: defaultdict[str, Opponent] = defaultdict(Opponent)
        self._matches = self._net = self._hands = 0
        self._spread: Sums = (0.0, 0.0, 0.0)

    def add(self, opponent: str, net: int, hands: int) -> None:
        """Count a match."""
        more = self._opponents[opponent].add(net, hands)
        self._spread = self._spread[0] + more[0], self._spread[1] + more[1], self._spread[2] + more[2]
        self._matches += 1
        self._net += net
        self._hands += hands
        if self._hands:
            self._moments.extend((self._hands, self._net, self._matches, len(self._opponents), *self._spread))

    def points(self) -> list[HistoryPoint]:
        """Return at most ``POINTS_SHOWN`` points, the last of them included; only for these the interval is computed."""
        return [_point(*self._moments[at : at + SUMS]) for at in thin_out(range(0, len(self._moments), SUMS))]


def _point(hands: float, net: float, matches: float, opponents: float, *spread: float) -> HistoryPoint:
    """Return the point for the sums after a match."""
    ratio, degrees = net / hands, int(matches - opponents)
    if degrees < 1:
        return HistoryPoint(int(hands), ratio)
    both, product, length = spread
    squares = max(0.0, both - 2 * ratio * product + ratio * ratio * length)
    return HistoryPoint(int(hands), ratio, student(degrees) * sqrt(squares * matches / degrees) / hands)


class PointsHistory:
    """Collects the history from records, which must be added in the order in which they were stored."""

    def __init__(self) -> None:
        self._lines: defaultdict[str, EntrantLine] = defaultdict(EntrantLine)

    def add(self, record: MatchRecord) -> None:
        """Count one more record for both entrants."""
        scored = points(record)
        net = scored[0] - scored[1]
        zero, one = record.fixture.seats
        self._lines[zero].add(one, net, len(record.hands))
        self._lines[one].add(zero, -net, len(record.hands))

    def lines(self) -> dict[str, list[HistoryPoint]]:
        """Return each entrant's line of at most ``POINTS_SHOWN`` points, the last of them included."""
        return {entrant: line.points() for entrant, line in self._lines.items()}


def thin_out(points: Sequence[Value]) -> Sequence[Value]:
    """Return at most ``POINTS_SHOWN`` of ``points``, evenly spaced, the last included."""
    step = -(-len(points) // POINTS_SHOWN)
    return points[::-1][:: max(1, step)][::-1]  # counted from the end, so that the last is included


FAULTS_SHOWN = 200
MOST_DEADWOOD = 100  # points: ten cards cannot leave more (R1.2), so a higher limit is none
MATCHES_SHOWN = 20_000
LARGEST_CROSS_TABLE = 250  # entrants; a larger field gets no table of every two, or of every rank of each
HANDS_SHOWN = 12_000  # card by card: about three megabytes of a page


class ShownFault(Struct, frozen=True):
    """A fault, its fixture and its entrant."""

    fixture: str
    entrant: str
    fault: Fault


class About(Struct, frozen=True, kw_only=True):
    """The part of a report that is not counted from records."""

    title: str
    field: tuple[str, ...]  # the entrants, in the order of the spec
    finished: bool
    rated_by: str  # the rating's name
    isolation: Assurance
    reading: tuple[str, ...] = ()  # the entrants that open files while they play, and so were not sealed
    provenance: dict[str, str]
    rules: Rules
    batches: bool = False  # the format plays batches of single hands; used until a record shows it
    coin_decides: Callable[[str], bool] = lambda _: False  # by key of deals: a coin decided which leg is played first
    places: Places | None = None  # the ranking by the format; None: by matches, pairs, games and points won
    details: Details | None = None  # tie-breaks and brackets of the format; None: it has none
    comparison: ComparisonReport | None = None  # None: not a duel or gauntlet
    review: Review | None = None  # of the hands that were reviewed; None: none was


class Report(Struct, frozen=True, kw_only=True):
    """A tournament, counted, rated and ranked."""

    summary: str = ""  # what was found, in a sentence or two
    comparison: ComparisonReport | None = None  # the verdict and its evidence; None: not a duel or gauntlet
    title: str
    finished: bool
    matches: int
    batches: bool  # batches of single hands were played, or will be, instead of matches
    hands: int  # those that were skipped included
    skipped: int = 0  # hands that were not played, because they are the same in both legs
    standings: list[Standing]
    tally: Tally
    rated_by: str  # the rating's name
    faults: list[ShownFault]  # the first FAULTS_SHOWN
    fault_groups: list[FaultGroup] = []  # all faults by cause
    isolation: Assurance  # how the bots were isolated
    reading: tuple[str, ...] = ()  # the entrants that open files while they play, and so were not sealed
    provenance: dict[str, str]  # what is needed to reproduce the numbers
    history: dict[str, list[HistoryPoint]] = {}  # each entrant's points a hand over the run
    results: list[Result] = []  # the first MATCHES_SHOWN
    played: list[PlayedMatch] = []  # matches with their hands, at most HANDS_SHOWN, from every pairing
    rules: dict[str, Any] = {}  # the ruleset's name and every number of it
    knocks_with: int = 10  # points of deadwood that a knock may leave, at most (R6.1)
    strengths: Strengths | None = None  # None: not computed while the run is in progress
    second_legs: dict[str, SecondLegs] = {}  # of each entrant with a pair of which a coin decided which leg was played first
    details: Details | None = None  # tie-breaks and brackets; None: the format has none
    review: Review | UnsetType = UNSET  # as ``arena review --json`` has it; UNSET, which JSON leaves out: no hand was reviewed

    @property
    def has_cross_table(self) -> bool:
        """Tell whether the field is small enough to show every two entrants, and every rank of each."""
        return len(self.standings) <= LARGEST_CROSS_TABLE


class ReportBuilder:
    """Builds a report from records that are added one by one, in the order in which they were stored."""

    def __init__(self, coin_decides: Callable[[str], bool] = lambda _: False) -> None:
        """``coin_decides`` receives deals and returns whether a coin decided which of two legs on them was played first."""
        self._coin_decides = coin_decides
        self.read = 0  # records
        self.hands = 0
        self.matches = 0  # records of whole matches; the others are batches of single hands
        self.skipped = 0  # hands
        self.results: list[Result] = []
        self.faults: list[ShownFault] = []
        self._grouping = Grouping()
        self._counting = TallyBuilder()
        self._history = PointsHistory()
        self._second_legs = SecondLegsBuilder()

    def add(self, record: MatchRecord, place: int | None = None) -> Pair | None:
        """Count one more record; return the pair that it completes, if any.

        ``place``: of the record in the order of play; None: records are added in that order.
        """
        self.read += 1
        if record.lost is not None:  # only a verdict counts it
            return None
        self.hands += len(record.hands)
        self.matches += record.fixture.hands is None
        self.skipped += sum([hand.skipped is not None for hand in record.hands])
        self._history.add(record)
        if len(self.results) < MATCHES_SHOWN:
            self.results.append(replace(result(record), singles=()))  # single hands are in ``played``
        faults = _faults(record)
        self.faults += faults[: FAULTS_SHOWN - len(self.faults)]
        for shown in faults:
            self._grouping.add(shown.entrant, shown.fixture, shown.fault)
        pair = self._counting.add(record, place)
        if pair and self._coin_decides(pair.deals):
            self._second_legs.add(pair)
        return pair

    def single_legs(self) -> list[Pair]:
        """Return the legs without a partner so far."""
        return self._counting.single_legs()

    def report(
        self,
        about: About,
        ratings: Mapping[str, Estimate],
        shown: Iterable[PlayedMatch] = (),
        strengths: Strengths | None = None,
    ) -> Report:
        """Return the report on all records so far, with the ``ratings`` and the matches to show hand by hand."""
        tally = self._counting.tally()
        rows = standings(tally, ratings, about.field, about.places)
        return Report(
            summary=_summary(about, rows, tally),
            comparison=about.comparison,
            title=about.title,
            finished=about.finished,
            matches=self.matches,
            batches=not self.matches if self.read else about.batches,
            hands=sum(row.counts.hands for row in rows) // 2,
            skipped=self.skipped,
            standings=rows,
            tally=tally,
            rated_by=about.rated_by,
            faults=list(self.faults),
            fault_groups=self._grouping.groups(),
            isolation=about.isolation,
            reading=about.reading,
            provenance=about.provenance,
            history=self._history.lines(),
            results=list(self.results),
            played=list(shown),
            rules=to_builtins(about.rules),
            knocks_with=knocks_with(about.rules),
            strengths=strengths,
            second_legs=self._second_legs.gains(),
            details=about.details,
            review=about.review or UNSET,
        )


def make(
    records: Iterable[tuple[int, MatchRecord]],
    find: Callable[[str], MatchRecord],
    about: About,
    rating: Rating,
    seed_of: Callable[[str], str | None],
) -> Report:
    """Return the report on ``records``, which are read once, each with its place in the order of play.

    ``find`` returns the record of a fixture that is shown, and ``seed_of`` its seed.

    Raises: DamagedError, for a hand that cannot be replayed.
    """
    from arena.stats.strengths import Appraisal

    builder, appraisal = ReportBuilder(about.coin_decides), Appraisal()
    # the rating takes the records one by one, so that all three count each while it is in memory
    passing = _count(records, builder, appraisal.add)
    ratings = rating.rate(passing)
    deque(passing, maxlen=0)  # those that the rating did not need
    for leg in builder.single_legs():
        appraisal.add(leg)
    first = (*(fault.fixture for fault in builder.faults), *_dearest(about.review))
    shown = choose_fixtures(builder.results, first, HANDS_SHOWN)
    names = (one.fixture.id for one in builder.results if one.fixture.id in shown)
    replayed = (with_review(replay(find(name), about.rules, seed_of(name)), about.review) for name in names)
    return builder.report(about, ratings, replayed, appraisal.strengths())


def _dearest(review: Review | None) -> Iterator[str]:
    """Yield the fixtures of the decisions that a review lists."""
    if review:
        yield from (one.fixture for bot in review.bots for one in review.dearest(bot))


def _count(
    records: Iterable[tuple[int, MatchRecord]], builder: ReportBuilder, paired: Callable[[Pair], None]
) -> Iterator[MatchRecord]:
    """Yield each record after it was counted; ``paired`` receives each pair as soon as it is complete."""
    for place, record in records:
        if pair := builder.add(record, place):
            paired(pair)
        yield record


def _summary(about: About, rows: list[Standing], tally: Tally) -> str:
    if about.comparison:
        return f"{verdict(about.comparison)}."
    if "imported" in about.provenance:
        return "The run was imported: how its bots were isolated is not known, so they are not ranked."
    ranked, won = about.isolation.profile != "none", about.finished and about.places is not None
    return summary(rows, tally, rating_name(about.rated_by), ranked=ranked, won=won)


def knocks_with(rules: Rules) -> int:
    """Return the deadwood that a knock may leave, at most."""
    # every deadwood below one that is allowed is allowed, too
    return next(points for points in range(MOST_DEADWOOD, -1, -1) if rules.may_knock_with(points))


def _faults(record: MatchRecord) -> list[ShownFault]:
    return [ShownFault(record.fixture.id, record.fixture.seats[fault.seat], fault) for fault in record.faults]


# The facts about a run that head and foot of its report show; nothing here is counted.

HIDDEN = "revealed when the tournament is finished"
IMPORTED = "not known: the decks are stored as they were imported, and cannot be checked against it"


def about(
    store: Store,
    facts: Facts,
    field: Sequence[Entered],
    rules: Rules,
    rating: Rating,
    sandbox: object,
    batches: bool,  # noqa: FBT001 - one of the facts
    coin_decides: Callable[[str], bool],
    places: Places | None,
    details: Details | None,
    comparison: ComparisonReport | None,
    review: Review | None,
) -> About:
    """Return the facts of a report, with the parts that the spec names, what the format ranks, shows and decides, and the review.

    Raises: StoreError.
    """
    grown = revisions(store, facts)
    return About(
        title=facts["title"],
        field=tuple(entrant.name for entrant in field),
        finished="finished" in facts,
        rated_by=str(rating.__struct_config__.tag),
        isolation=decode(facts["walls"], type=Assurance),
        reading=tuple(entrant.name for entrant in field if entrant.reads_while_playing),
        provenance=_provenance(store, facts, grown, field, rules, sandbox)
        | {"link": store.last_link(), "spec": grown[-1].spec if grown else facts["spec"]},
        rules=rules,
        batches=batches,
        coin_decides=coin_decides,
        places=places,
        details=details,
        comparison=comparison,
        review=review,
    )


def _provenance(
    store: Store, facts: Facts, grown: Sequence[SpecRevised], field: Sequence[Entered], rules: Rules, sandbox: object
) -> dict[str, str]:
    """Return the facts needed to reproduce the numbers.

    The seed is left out until the run is finished: a bot that knew it could compute every deal.
    """
    if "imported" in facts:
        return {"imported": facts["imported"], "seed": IMPORTED} | _terms(facts, field, rules, sandbox)
    shown = {key: facts[key] for key in ("arena", "python", "platform", "started", "commitment")}
    is_revealed = "finished" in facts or any(one.seed for one in grown)
    shown |= {"seed": facts["seed"] if is_revealed else HIDDEN}
    for number, one in enumerate(grown, 1):
        is_revealed = "finished" in facts or any(later.seed for later in grown[number:])
        shown |= _revision(one, number + 1, is_revealed=is_revealed)
    for number, event in store.rollbacks():
        shown[f"rollback at link {number}"] = f"accepted at {event.at}: the links up to {event.count} were given up"
    return shown | _terms(facts, field, rules, sandbox)


def _terms(facts: Facts, field: Sequence[Entered], rules: Rules, sandbox: object) -> dict[str, str]:
    shown = {"rules": encode(rules).decode(), "sandbox": encode(sandbox).decode(), "isolation": facts["walls"]}
    bots = {f"bot {entrant.name}": f"{entrant.version}, {entrant.source}, SHA-256 {entrant.digest}" for entrant in field}
    return shown | bots


def _revision(one: SpecRevised, number: int, *, is_revealed: bool) -> dict[str, str]:
    """Return the facts about a spec that has grown; the first one has the number 1."""
    shown = {f"spec {number}": f"since {one.at}, after {one.matches} matches; the link was {one.link}"}
    if one.seed:
        shown[f"commitment {number}"] = one.commitment or ""
        shown[f"seed {number}"] = one.seed if is_revealed else HIDDEN
    return shown
