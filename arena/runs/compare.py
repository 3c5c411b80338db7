"""Two bots compared by a duel or a gauntlet, for ``arena duel``, ``arena regress`` and the pytest plugin."""

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import InputError
from arena.records import Result
from arena.reports import faults
from arena.roster.sameness import same_program
from arena.runs import parts, plans, session
from arena.runs import play as playing
from arena.runs.observer import Observer
from arena.runs.play import Run
from arena.runs.resolve import ResolvedBot
from arena.runs.runner import Runner
from arena.stats import implied
from arena.stats.pairs import CAP
from arena.stats.sequential import confidence, outcome
from arena.stats.sequential.betting import METHOD, Until
from arena.stats.sequential.duels import MatchDuelState
from arena.stats.sequential.outcome import ComparisonOutcome
from arena.stats.sequential.wealth import Observations, bets
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.tested import LEG, LegSet
from arena.tournament.plan import Plan, PlayedPart
from arena.tournament.spec import Spec

UNITS = {"points": "points a hand", "equity": "% of a game a hand"}
CONFIDENCE = 0.05  # of the interval; the verdict has error rates of its own


class Terms(Struct, frozen=True, kw_only=True):
    """What a comparison asks, and how much it may cost."""

    statistic: str = "points"  # points, equity, games or matches
    bounds: tuple[float, float] = (0.0, 0.5)
    alpha: float = 0.05
    beta: float = 0.05
    hands: int = 20_000
    leg: int = LEG
    until: Until = "verdict"  # or until the limit of hands
    method: int = METHOD  # of the verdict
    skip: bool = False  # do not play deals on which both bots make the same decisions, which assumes that bots are deterministic
    sandbox: str | None = None  # None: as specs have it by default


class Finished(Struct, frozen=True):
    """A comparison that is over."""

    outcome: ComparisonOutcome
    folder: str | None  # where its records are; None: nothing was played, because both are the same program
    seed: str
    parts: tuple[PlayedPart, ...] = ()  # runs that this one continues
    carried: tuple[float, float] = (1.0, 1.0)  # evidence for both sides from before, whose records are no longer at hand


def usual_bounds(statistic: str) -> tuple[float, float]:
    """Return the default bounds of a statistic, in its unit."""
    return {"points": (0.0, 0.5), "equity": (0.0, 0.15)}.get(statistic, (0.0, 20.0))


def duel(field: Sequence[ResolvedBot], terms: Terms, seed: str | None = None) -> Plan:
    """Return the plan of a duel between two entrants. Raises: InputError, for terms that make no sense."""
    form = {"name": "duel", "statistic": "matches" if terms.statistic == "games" else terms.statistic, **_form(terms)}
    rules: dict[str, Any] = {"name": "tournament", "stock": "two-ended"}
    if terms.statistic == "games":
        rules["best_of"] = 1
    return _plan(f"Duel of {field[0].name} and {field[1].name}", field, rules, form, terms, seed)


def begun(field: Sequence[ResolvedBot], terms: Terms, seed: str | None, results: Path | None) -> tuple[Plan, Folder]:
    """Return the plan of a duel and its folder, where it begins or resumes. Raises: InputError, StoreError."""
    plan = duel(field, terms, seed)
    return plan, session.folder_of(plan, results)


def gauntlet(field: Sequence[ResolvedBot], terms: Terms, seed: str | None = None) -> Plan:
    """Return the plan of a gauntlet: candidate, baseline, opponents. Raises: InputError, for terms that make no sense."""
    title = f"Gauntlet of {field[0].name} and {field[1].name}"
    return _plan(title, field, {"name": "tournament", "stock": "two-ended"}, {"name": "gauntlet", **_form(terms)}, terms, seed)


class ComparisonObserver(Observer):
    """An observer that also receives how the comparison stands."""

    comparison: "Comparison"

    def begun(self, plan: Plan, folder: Folder) -> None:
        """Begin to follow the comparison."""
        super().begun(plan, folder)
        self.comparison = Comparison(plan.spec, plan.names)

    def asked(self, results: Sequence[Result]) -> None:
        """Work out how the comparison stands."""
        self.outcome(self.comparison.outcome(results))

    def outcome(self, outcome: ComparisonOutcome) -> None:
        """Receive how the comparison stands, after each round."""


def play(plan: Plan, folder: Folder, runner: Runner, observer: ComparisonObserver, log_level: str | None = "INFO") -> Finished:
    """Play a comparison in its folder, and return its outcome; faults are warned of. Raises: as ``arena.runs.play.play``.

    Of two bots that are the same program the difference is exactly 0, so nothing is played and no folder is made.
    """
    if same_program(*plan.field[:2]):
        return Finished(_of_same_program(plan), None, plan.seed or "")

    def conclude(run: Run) -> Finished:
        for text in fault_warnings(run.store):
            observer.warning(text)
        return observer.comparison.finished(run)

    return playing.play(plan, folder, runner, observer, conclude, log_level)


def lines_of_parts(finished: Finished) -> Iterator[str]:
    """Yield where the parts of a continued duel are."""
    for part in finished.parts:
        yield f"{part.hands} of these hands are in {part.results}"


def fault_warnings(store: Store) -> Iterator[str]:
    """Yield what the user should know about faults: each costs a hand, which is no weakness of play."""
    found = list(store.faults())
    if found:
        yield f"{len(found)} fault{'s' * (len(found) > 1)}; `arena bots check` looks for the cause"
    yield from faults.lines(faults.grouped(found), len(found))


def _of_same_program(plan: Plan) -> ComparisonOutcome:
    form = plan.spec.format
    assert isinstance(form, Duel | Gauntlet)
    statistic = "points" if isinstance(form, Gauntlet) else form.statistic
    return outcome.of_same_program(form.bounds, (form.alpha, form.beta), UNITS.get(statistic, "Elo"))


class Comparison:
    """Follows what has been played of a comparison."""

    def __init__(self, spec: Spec, names: tuple[str, ...]) -> None:
        self._spec = spec
        self._names = names

    def finished(self, run: Run) -> Finished:
        """Return the outcome of a run of the plan."""
        before = run.plan.earlier
        outcome = self.outcome([*before.results, *run.store.results()], final=True)
        return Finished(outcome, str(run.folder.path), run.plan.seed or "", before.parts)

    def outcome(self, results: Sequence[Result], *, final: bool = False) -> ComparisonOutcome:
        """Return the outcome so far; what it means in games is only computed at the end."""
        form = self._spec.format
        assert isinstance(form, Duel | Gauntlet)
        sets = list(form.sets(self._names, results))
        legs = [leg for legs in sets for leg in legs]
        found = _found(form, sets)
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
        rules, points = self._spec.rules, implied.net_points(self._names[0], results)
        errors = (form.alpha, form.beta)
        return replace(found, implied=implied.implied(points, found.difference, form.bounds, errors, (rules.target, rules.best_of)))


def _found(form: Duel | Gauntlet, sets: Sequence[LegSet]) -> ComparisonOutcome:
    """Return the outcome after some sets of legs."""
    state = form.concluded(sets)
    if isinstance(state, MatchDuelState):
        return outcome.of_matches(state)
    placed = bets(Observations.of([form.block(legs) for legs in sets]), form.scale)
    difference = confidence.estimate(placed, form.scale, CONFIDENCE)
    return outcome.of_hands(state, difference, UNITS[form.statistic if isinstance(form, Duel) else "points"])


def _form(terms: Terms) -> dict[str, Any]:
    """Return the options of a format. Raises: InputError, for a number that a kept spec, which is JSON, cannot hold."""
    if not all(map(isfinite, (*terms.bounds, terms.alpha, terms.beta))):
        low, high = terms.bounds
        raise InputError(f"bounds: {low:g} and {high:g}, alpha: {terms.alpha:g}, beta: {terms.beta:g}; expected finite numbers")
    return {
        "bounds": terms.bounds,
        "alpha": terms.alpha,
        "beta": terms.beta,
        "hands": terms.hands,
        "leg": terms.leg,
        "until": terms.until,
        "skip": terms.skip,
        "method": terms.method,
    }


def _plan(
    title: str, field: Sequence[ResolvedBot], rules: dict[str, Any], form: dict[str, Any], terms: Terms, seed: str | None
) -> Plan:
    sandbox = parts.sandbox(terms.sandbox, [bot.entrant.launch for bot in field])
    return plans.from_values({"title": title, "rules": rules, "format": form, "sandbox": sandbox}, field, seed)
