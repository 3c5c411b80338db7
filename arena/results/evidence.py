"""What a comparison has found, from its records: the outcome, what it means in games, and how the evidence grew.

The evidence over the hands is not stored: the same sequential test, given the same scores in the same order, has the same state
after each of them.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from arena.records import Result
from arena.reports.comparison import ComparisonReport, EvidencePoint
from arena.stats import games
from arena.stats.games import InGames
from arena.stats.pairs import CAP
from arena.stats.sequential import duels, wealth
from arena.stats.sequential.duels import ComparisonOutcome, MatchDuelState
from arena.stats.sequential.wealth import Observations, bets
from arena.tournament.formats.tested import Duel, Gauntlet, LegSet
from arena.tournament.spec import Spec

POINTS = 40  # of a history; more cannot be distinguished in a chart
UNITS = {"points": "points a hand", "equity": "% of a game a hand"}
CONFIDENCE = 0.05  # of the interval; the verdict has error rates of its own
MATCH_POINTS = 12  # of the history of a duel on matches, whose test takes longer


class FollowedComparison:
    """Follows what has been played of a comparison."""

    def __init__(self, spec: Spec, names: tuple[str, ...]) -> None:
        self._spec = spec
        self._names = names

    def outcome(self, results: Sequence[Result], *, final: bool = False) -> ComparisonOutcome:
        """Return the outcome so far; what it means in games is only computed at the end."""
        form = self._spec.format
        assert isinstance(form, Duel | Gauntlet)
        sets = list(form.sets(self._names, results))
        legs = [leg for legs in sets for leg in legs]
        found = _outcome(form, sets)
        if final and isinstance(form, Duel):
            found = self._with_games(found, form, results)
        skipped, lost = sum(leg.skipped for leg in legs), [leg for leg in legs if leg.lost]
        return replace(
            found,
            hands=found.hands - skipped - sum(leg.fixture.hands or 0 for leg in lost),
            capped=sum(abs(hand.points) > CAP for leg in legs for hand in leg.singles),
            lost=len(lost),
            skipped=skipped,
            deterministic=form.skip,
        )

    def _with_games(self, found: ComparisonOutcome, form: Duel, results: Sequence[Result]) -> ComparisonOutcome:
        if form.statistic != "points" or found.difference is None:
            return found
        rules, points = self._spec.rules, games.net_points(self._names[0], results)
        errors = (form.alpha, form.beta)
        return replace(
            found, implied=games.implied_chances(points, found.difference, form.bounds, errors, (rules.target, rules.best_of))
        )


def _outcome(form: Duel | Gauntlet, sets: Sequence[LegSet]) -> ComparisonOutcome:
    """Return the outcome after some sets of legs."""
    state = form.conclude(sets)
    if isinstance(state, MatchDuelState):
        return duels.of_matches(state)
    placed = bets(Observations.of([form.block(legs) for legs in sets]), form.scale)
    difference = wealth.estimate(placed, form.scale, CONFIDENCE)
    return duels.of_hands(state, difference, UNITS[form.statistic if isinstance(form, Duel) else "points"])


def report(spec: Spec, names: tuple[str, ...], played: Callable[[], Sequence[Result]]) -> ComparisonReport | None:
    """Return the report of the comparison in ``spec``; None if its format is another.

    ``played`` is called only for a comparison, because the results of a long run take time and memory to read.
    """
    form = spec.format
    if not isinstance(form, Duel | Gauntlet):
        return None
    comparison, results = FollowedComparison(spec, names), played()
    points = MATCH_POINTS if isinstance(form, Duel) and form.statistic == "matches" else POINTS
    past = {one.total_hands: _point(one) for one in _past(comparison, results, points)}
    outcome = comparison.outcome(results, final=True)
    return ComparisonReport(
        first=names[0],
        second=names[1],
        opponents=names[2:],
        most_hands=form.hands,
        outcome=outcome,
        in_games=_in_games(spec, names, outcome, results),
        history=[*({**past, outcome.total_hands: _point(outcome)}.values())] if outcome.pairs else [],
    )


def _past(comparison: FollowedComparison, results: Sequence[Result], points: int) -> Iterator[ComparisonOutcome]:
    """Yield the outcome after some of the deals, before the last; in the order of the deals, whatever the order of play was."""
    in_order = sorted(results, key=lambda one: int(one.fixture.deals.rpartition("/")[2]))
    for end in _shown_numbers(len(in_order), points):
        yield comparison.outcome(in_order[:end])


def _shown_numbers(count: int, shown: int) -> range:
    """Return at most ``shown`` numbers from 1 to below ``count``, evenly spaced."""
    step = max(-(-count // shown), 1)
    return range(step, count, step)


def _point(outcome: ComparisonOutcome) -> EvidencePoint:
    known = outcome.difference
    if known is None:
        return EvidencePoint(outcome.total_hands, outcome.better, outcome.worse, None, None, None)
    return EvidencePoint(outcome.total_hands, outcome.better, outcome.worse, known.value, known.low, known.high)


def _in_games(spec: Spec, names: Sequence[str], found: ComparisonOutcome, results: Sequence[Result]) -> InGames | None:
    """Return the chances in games and matches; None for a duel whose unit is not points a hand."""
    if found.implied:
        return InGames(found.implied.games, found.implied.matches)
    if isinstance(spec.format, Duel) or found.difference is None:
        return None
    points = games.net_points(names[0], results)
    return games.between_equals(points, found.difference, (spec.rules.target, spec.rules.best_of))
