"""What a comparison has found, from its records: the outcome, what it means in games, and how the evidence grew.

The evidence over the hands is not stored: the same sequential test, given the same scores in the same order, has the same state
after each of them.
"""

from collections.abc import Callable, Iterator, Sequence

from arena.records import Result
from arena.reports.comparison import ComparisonReport, EvidencePoint
from arena.runs.compare import Comparison
from arena.stats import implied
from arena.stats.implied import InGames
from arena.stats.sequential.outcome import ComparisonOutcome
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.spec import Spec

POINTS = 40  # of a history; more cannot be distinguished in a chart
MATCH_POINTS = 12  # of the history of a duel on matches, whose test takes longer


def report(spec: Spec, names: tuple[str, ...], played: Callable[[], Sequence[Result]]) -> ComparisonReport | None:
    """Return what is known about the comparison that ``spec`` asks for; None if its format is another.

    ``played`` is called only for a comparison, because the results of a long run take time and memory to read.
    """
    form = spec.format
    if not isinstance(form, Duel | Gauntlet):
        return None
    comparison, results = Comparison(spec, names), played()
    points = MATCH_POINTS if isinstance(form, Duel) and form.statistic == "matches" else POINTS
    past = {one.counted: _point(one) for one in _past(comparison, results, points)}
    outcome = comparison.outcome(results, final=True)
    return ComparisonReport(
        first=names[0],
        second=names[1],
        opponents=names[2:],
        most_hands=form.hands,
        outcome=outcome,
        in_games=_in_games(spec, names, outcome, results),
        history=[*({**past, outcome.counted: _point(outcome)}.values())] if outcome.pairs else [],
    )


def _past(comparison: Comparison, results: Sequence[Result], points: int) -> Iterator[ComparisonOutcome]:
    """Yield the outcome after some of the deals, before the last; in the order of the deals, whatever the order of play was."""
    in_order = sorted(results, key=lambda one: int(one.fixture.deals.rpartition("/")[2]))
    for end in _thinned(len(in_order), points):
        yield comparison.outcome(in_order[:end])


def _thinned(count: int, shown: int) -> range:
    """Return at most ``shown`` numbers from 1 to below ``count``, evenly spaced."""
    step = max(-(-count // shown), 1)
    return range(step, count, step)


def _point(outcome: ComparisonOutcome) -> EvidencePoint:
    known = outcome.difference
    if known is None:
        return EvidencePoint(outcome.counted, outcome.better, outcome.worse, None, None, None)
    return EvidencePoint(outcome.counted, outcome.better, outcome.worse, known.value, known.low, known.high)


def _in_games(spec: Spec, names: Sequence[str], found: ComparisonOutcome, results: Sequence[Result]) -> InGames | None:
    """Return the chances in games and matches; None for a duel whose unit is not points a hand."""
    if found.implied:
        return InGames(found.implied.games, found.implied.matches)
    if isinstance(spec.format, Duel) or found.difference is None:
        return None
    points = implied.net_points(names[0], results)
    return implied.between_equals(points, found.difference, (spec.rules.target, spec.rules.best_of))
