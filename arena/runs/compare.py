"""Two bots compared by a duel or a gauntlet, for ``arena duel``, ``arena regress`` and the pytest plugin."""

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from msgspec import Struct

from arena.errors import InputError
from arena.records import Result
from arena.reports import faults
from arena.roster.sameness import same_program
from arena.runs import parts, plans, session
from arena.runs import play as playing
from arena.runs.evidence import UNITS, Comparison
from arena.runs.observer import Observer
from arena.runs.play import Run
from arena.runs.resolve import ResolvedBot
from arena.runs.runner import Runner
from arena.stats.sequential import outcome
from arena.stats.sequential.betting import METHOD, Until
from arena.stats.sequential.outcome import ComparisonOutcome
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.tested import LEG
from arena.tournament.plan import Plan, PlayedPart


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

    comparison: Comparison

    def begun(self, plan: Plan, folder: Folder) -> None:
        """Begin to follow the comparison."""
        super().begun(plan, folder)
        self.comparison = Comparison(plan.spec, plan.names)

    def asked(self, results: Sequence[Result]) -> None:
        """Work out how the comparison stands."""
        self.outcome(self.comparison.outcome(results))

    def outcome(self, outcome: ComparisonOutcome) -> None:
        """Receive how the comparison stands, after each round."""


def play_comparison(
    plan: Plan, folder: Folder, runner: Runner, observer: ComparisonObserver, log_level: str | None = "INFO"
) -> Finished:
    """Play a comparison in its folder, and return its outcome; faults are warned of. Raises: as ``arena.runs.play.play``.

    Of two bots that are the same program the difference is exactly 0, so nothing is played and no folder is made.
    """
    if same_program(*plan.field[:2]):
        return Finished(_of_same_program(plan), None, plan.seed or "")

    def conclude(run: Run) -> Finished:
        for text in fault_warnings(run.store):
            observer.warning(text)
        before = run.plan.earlier
        found = observer.comparison.outcome([*before.results, *run.store.results()], final=True)
        return Finished(found, str(run.folder.path), run.plan.seed or "", before.parts)

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
