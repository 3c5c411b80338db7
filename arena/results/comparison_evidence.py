"""What a comparison has found: the outcome, what it means in games, and how the evidence grew.

The evidence over the hands is not stored: the same sequential test, given the same scores in the same order, has the same state
after each of them.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from arena.records import Result
from arena.reports.comparison_report import ComparisonReport, EvidencePoint
from arena.stats import duels, game_chances, games
from arena.stats.duels import ComparisonOutcome
from arena.stats.game_chances import InGames
from arena.stats.pairs import CAP
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.tested import LegSet
from arena.tournament.spec import Spec

POINTS = 40  # of a history; more cannot be distinguished in a chart
UNITS = {"points": "points a hand", "equity": "% of a game a hand"}
MATCH_POINTS = 12  # of the history of a duel on matches, whose test takes longer


def comparison_outcome(spec: Spec, names: tuple[str, ...], results: Sequence[Result], *, final: bool = False) -> ComparisonOutcome:
    """Return the outcome after ``results``; with ``final``, a duel on points also has the chances in games that it implies."""
    form, of_games = spec.format, games.GameForm.of(spec.rules)
    assert isinstance(form, Duel | Gauntlet)
    sets = list(form.sets(names, results))
    legs = [leg for legs in sets for leg in legs]
    found = _outcome(form, sets)
    if final and isinstance(form, Duel) and form.statistic == "points" and found.difference is not None and of_games:
        points, errors = game_chances.net_points(names[0], results), (form.alpha, form.beta)
        implied = game_chances.implied_chances(points, found.difference, form.bounds, errors, of_games)
        found = replace(found, implied=implied)
    lost = [leg for leg in legs if leg.lost]
    return replace(
        found,
        hands=found.hands - sum(leg.fixture.hands or 0 for leg in lost),
        most=(most := CAP * form.multiplier),
        capped=sum(abs(hand.points) > most for leg in legs for hand in leg.singles),
        lost=len(lost),
    )


def _outcome(form: Duel | Gauntlet, sets: Sequence[LegSet]) -> ComparisonOutcome:
    """Return the outcome after some sets of legs."""
    statistic = form.statistic if isinstance(form, Duel) else "points"
    if isinstance(form, Duel) and statistic == "matches":
        return duels.of_matches(form.wins(sets))
    return duels.of_hands(form.test, [form.block(legs) for legs in sets], UNITS[statistic])


def comparison_report(spec: Spec, names: tuple[str, ...], played: Callable[[], Sequence[Result]]) -> ComparisonReport | None:
    """Return the report of the comparison in ``spec``; None if its format is another.

    ``played`` is called only for a comparison, because the results of a long run take time and memory to read.
    """
    form = spec.format
    if not isinstance(form, Duel | Gauntlet):
        return None
    results, outcome_of = played(), partial(comparison_outcome, spec, names)
    points = MATCH_POINTS if isinstance(form, Duel) and form.statistic == "matches" else POINTS
    past = {one.hands: _point(one) for one in map(outcome_of, _past(results, points))}
    outcome = outcome_of(results, final=True)
    return ComparisonReport(
        first=names[0],
        second=names[1],
        opponents=names[2:],
        most_hands=form.hands,
        outcome=outcome,
        in_games=_in_games(spec, names, outcome, results),
        no_games=games.why_unknown(spec.rules),
        history=[*({**past, outcome.hands: _point(outcome)}.values())] if outcome.pairs else [],
    )


def _past(results: Sequence[Result], points: int) -> Iterator[Sequence[Result]]:
    """Yield at most ``points`` growing parts of the results, never all, in the order of the deals."""
    in_order = sorted(results, key=lambda one: int(one.fixture.deals.rpartition("/")[2]))
    step = max(-(-len(in_order) // points), 1)
    return (in_order[:end] for end in range(step, len(in_order), step))


def _point(outcome: ComparisonOutcome) -> EvidencePoint:
    known = outcome.difference
    if known is None:
        return EvidencePoint(outcome.hands, outcome.better, outcome.worse, None, None, None)
    return EvidencePoint(outcome.hands, outcome.better, outcome.worse, known.value, known.low, known.high)


def _in_games(spec: Spec, names: Sequence[str], found: ComparisonOutcome, results: Sequence[Result]) -> InGames | None:
    """Return the chances in games and matches; None if they cannot be computed, or there is no difference in points a hand."""
    if found.implied:
        return InGames(found.implied.games, found.implied.matches)
    of_games = games.GameForm.of(spec.rules)
    if isinstance(spec.format, Duel) or found.difference is None or not of_games:
        return None
    # of a gauntlet, whose two bots need not have met: their hands against the field stand in
    points = game_chances.net_points(names[0], results)
    return game_chances.chances_by_field(points, found.difference, of_games)
