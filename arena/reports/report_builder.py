"""Builds a report from records.

A run may have a million records, so they are never held in memory together: ``ReportBuilder`` counts each as it is read, and what
is shown in full (faults, matches, hands) is limited. All of it remains in the run's database.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from arena.gin.rules import Rules
from arena.records import MatchRecord, Result, result
from arena.reports.answer import BY_WINNINGS, answer_of_standings
from arena.reports.answer_card import NOTHING_PLAYED, OPEN, AnswerCard
from arena.reports.comparison_answer import answer_of_comparison, strips_of
from arena.reports.fallbacks import ModelPlay, ModelPlays, judged, sentence, why_not_judged
from arena.reports.faults import Grouping
from arena.reports.numbers import LARGE_FIELD, names
from arena.reports.played import PlayedMatch
from arena.reports.points_history import PointsHistory
from arena.reports.replays import choose_fixtures, replay, with_review
from arena.reports.report import About, Report, ShownFault
from arena.reports.verdict import verdict
from arena.stats.appraisal import appraise
from arena.stats.comparisons import PairSums
from arena.stats.estimate import Estimate, Rating
from arena.stats.estimates import hand_points
from arena.stats.pairs import Pair
from arena.stats.second_leg_test import SecondLegsBuilder
from arena.stats.standings import Standing, standings
from arena.stats.statements import SETTLED
from arena.stats.strengths import Strengths
from arena.stats.tally import Tally, TallyBuilder


class DealtRecord(NamedTuple):
    """A record, and the seed from which its deals follow; None: the record has the decks itself."""

    record: MatchRecord
    seed: str | None


ReplayEach = Callable[[Callable[[DealtRecord], PlayedMatch], Iterable[DealtRecord]], Iterable[PlayedMatch]]

FAULTS_SHOWN = 200
MATCHES_SHOWN = 20_000
HANDS_SHOWN = 12_000  # card by card: about two megabytes of a page
HANDS_OF_LARGE_FIELD = 300


class ReportBuilder:
    """Builds a report from records that are added one by one, in the order in which they were stored."""

    def __init__(self, coin_decides: Callable[[str], bool] = lambda _: False) -> None:
        """``coin_decides`` receives deals and returns whether a coin decided which of two legs on them was played first."""
        self._coin_decides = coin_decides
        self.read = 0  # records
        self.hands = 0
        self.matches = 0  # records of whole matches; the others are batches of single hands
        self.results: list[Result] = []
        self.faults: list[ShownFault] = []
        self._grouping = Grouping()
        self._void = Counter[str]()
        self._counting = TallyBuilder()
        self._history = PointsHistory()
        self._second_legs = SecondLegsBuilder()
        self._models = ModelPlays()

    def add(self, record: MatchRecord, place: int | None = None) -> Pair | None:
        """Count one more record; return the pair that it completes, if any.

        ``place``: of the record in the order of play; None: records are added in that order.
        """
        self.read += 1
        if record.lost is not None:  # it was not played; the verdict of a duel counts it
            self._void.update(record.fixture.seats)
            return None
        self.hands += len(record.hands)
        self.matches += record.fixture.hands is None
        self._history.add(record)
        self._models.add(record)
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
        """Return the legs without a partner so far, each as a pair of one leg."""
        return self._counting.single_legs()

    def report(
        self,
        about: About,
        ratings: Mapping[str, Estimate],
        shown: Iterable[PlayedMatch] = (),
        strengths: Strengths | None = None,
    ) -> Report:
        """Return the report on all records so far, with the ``ratings`` and the matches to show hand by hand."""
        tally, models = self._counting.tally(), self._models.plays(about.isolation)
        compared = about.comparison and replace(about.comparison, outcome=judged(about.comparison.outcome, models))
        about = replace(about, comparison=compared)
        if not about.rated:
            ratings, strengths = {}, None
        rows = standings(tally, ratings, about.field, about.places)
        answer = _of_run(_answer(about, rows, tally, models), about, models)
        return Report(
            summary=_summary(about, answer),
            answer=answer,
            comparison=about.comparison,
            title=about.title,
            finished=about.finished,
            is_league=about.is_league,
            matches=self.matches,
            planned=0 if about.finished else about.planned,
            planned_as="" if about.finished else about.planned_as,
            batches=not self.matches if self.results else about.batches,
            hands=sum(row.counts.hands for row in rows) // 2,  # without those of a bot against itself
            standings=rows,
            tally=tally,
            rated_by=about.rated_by,
            faults=list(self.faults),
            fault_groups=self._grouping.groups(),
            void=dict(self._void.most_common()),
            isolation=about.isolation,
            rated=about.rated,
            reading=about.reading,
            models=models,
            provenance=about.provenance,
            history=self._history.lines(),
            results=list(self.results),
            played=list(shown),
            rules=to_builtins(about.rules),
            knocks_with=about.rules.limits[-1],
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
    each: ReplayEach = map,
) -> Report:
    """Return the report on ``records``, which are read once, each with its place in the order of play.

    ``find`` returns the record of a fixture that is shown, and ``seed_of`` its seed; ``each`` replays them, in their order.

    Raises: DamagedError, for a hand that cannot be replayed.
    """
    builder, sums = ReportBuilder(about.coin_decides), PairSums(hand_points)
    # the rating draws the records one by one from ``_count``: so builder, sums and rating count a record while it is in memory
    passing = _count(records, builder, sums.add)
    ratings = rating.rate_scheduled(passing, about.field) if about.scheduled else rating.rate(passing)
    deque(passing, maxlen=0)  # those that the rating did not need
    for leg in builder.single_legs():
        sums.add(leg)
    faults, review = (fault.fixture for fault in builder.faults), about.review
    worst_decisions = (one.fixture for bot in review.bots for one in review.worst_decisions(bot)) if review else ()
    shown = choose_fixtures(builder.results, (*faults, *worst_decisions), hands_shown(len(about.field)))
    names = (one.fixture.id for one in builder.results if one.fixture.id in shown)
    dealt = (DealtRecord(find(name), seed_of(name)) for name in names)
    replayed = each(partial(_replay, about.rules), dealt)
    return builder.report(about, ratings, (with_review(one, about.review) for one in replayed), appraise(*sums.comparisons()))


def hands_shown(field: int) -> int:
    """Return the largest number of hands on a page, card by card."""
    return min(HANDS_SHOWN, HANDS_OF_LARGE_FIELD) if field > LARGE_FIELD else HANDS_SHOWN


def _replay(rules: Rules, dealt: DealtRecord) -> PlayedMatch:
    return replay(dealt.record, rules, dealt.seed)


def _count(
    records: Iterable[tuple[int, MatchRecord]], builder: ReportBuilder, on_pair: Callable[[Pair], None]
) -> Iterator[MatchRecord]:
    """Yield each record after it was counted; ``on_pair`` receives each pair as soon as it is complete."""
    for place, record in records:
        if pair := builder.add(record, place):
            on_pair(pair)
        yield record


def _of_run(found: AnswerCard, about: About, models: Sequence[ModelPlay]) -> AnswerCard:
    """Return an answer with what is known of its run; the command that plays on a stopped tournament is all that makes it surer."""
    surer = "" if about.resume and not about.comparison else found.surer
    return replace(found, models=sentence(models), grown=about.grown, surer=surer, command=about.resume or found.command)


def _summary(about: About, answer: AnswerCard) -> str:
    if about.comparison is None:
        return " ".join(answer.lines)
    return " ".join(f"{part}." for part in (verdict(about.comparison), answer.models, answer.grown) if part)


def _answer(about: About, rows: list[Standing], tally: Tally, models: Sequence[ModelPlay]) -> AnswerCard:
    """Return the answer: the comparison's, the format's own, or that of the standings."""
    if about.comparison:
        return answer_of_comparison(about.comparison, finished=about.finished, further=about.further)
    if not any(row.counts.hands for row in rows):
        return replace(NOTHING_PLAYED, how=f"between {names(about.field)}" if about.field else "")
    if "imported" in about.provenance:
        how = "how its bots were isolated is not known, so they are not ranked"
        return AnswerCard(finished=about.finished, who="The run was imported", how=how)
    if about.isolation.profile == "none" and (reason := why_not_judged(models)):
        return AnswerCard(finished=about.finished, who="Nobody is ranked", how=reason)
    return _answer_of_tournament(about, rows, tally)


def _answer_of_tournament(about: About, rows: list[Standing], tally: Tally) -> AnswerCard:
    if about.details and about.details.answer:
        who, _, how = about.details.answer.removesuffix(".").partition(": ")
        sure = "" if about.details.settled is None else str(SETTLED) if about.details.settled else OPEN
        rivals = about.details.rivals if about.finished else None
        surer, command = about.duels.advice(*rivals) if rivals else (about.details.surer, "")
        return AnswerCard(
            finished=about.finished,
            who=who,
            how=how,
            sure=sure,
            why=about.details.why,
            unit=about.details.unit,
            strips=tuple(strips_of(about.details.intervals)),
            surer=surer,
            command=command,
        )
    if about.isolation.profile == "none":
        return AnswerCard(finished=about.finished, who="The bots played without a sandbox, so nobody is ranked")
    form = about.details or BY_WINNINGS
    return answer_of_standings(
        rows, tally, about.rated_by, form, finished=about.finished, duels=about.duels, is_league=about.is_league
    )


def _faults(record: MatchRecord) -> list[ShownFault]:
    faults = (*record.excused, *record.faults)
    return [ShownFault(record.fixture.id, record.fixture.seats[fault.seat], fault) for fault in faults]
