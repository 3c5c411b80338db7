"""Plans and plays comparisons: duels, gauntlets, their continuation, races and short matches."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from msgspec import Struct, json
from msgspec.structs import asdict

from arena.errors import InputError
from arena.records import Assurance, Result
from arena.reports import faults
from arena.reports.fallbacks import ModelPlay, judged, plays_of
from arena.reports.verdict import decision_words
from arena.results.comparison_evidence import UNITS, comparison_outcome
from arena.roster.entrant import same_program
from arena.runs import named_parts, planning
from arena.runs.chosen import ResolvedBot
from arena.runs.open_run import OpenRun
from arena.runs.play import Observer, play_run
from arena.runs.runner import Runner
from arena.runs.starts import RunStart
from arena.stats import duels
from arena.stats.duels import ComparisonOutcome, Until
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.tested import LEG
from arena.tournament.plan import Plan, PlayedPart

STOCK = {"stock": "two-ended"}  # unless the rules say otherwise (R2.4)


class PlayConditions(Struct, frozen=True, kw_only=True):
    """The conditions under which bots play."""

    rules: str = "tournament"  # a ruleset's name, or as in a spec
    time: str = "{}"  # limits, as in a spec
    sandbox: str | None = None  # a name, or as in a spec; None: as specs have it by default

    def plan(self, title: str, form: Mapping[str, Any], field: Sequence[ResolvedBot], seed: str | None, **rules: object) -> Plan:
        """Return the plan of a spec with the format ``form``; ``rules`` are options that replace those of the ruleset.

        Raises: InputError, for an invalid value; SandboxError.
        """
        values = {
            "title": title,
            "rules": named_parts.ruleset(self.rules, STOCK, **rules),
            "time": named_parts.time_limits(self.time),
            "format": form,
            "sandbox": named_parts.sandbox(self.sandbox, [bot.entrant.launch for bot in field]),
        }
        return planning.from_values(values, field, seed)


class DuelTerms(PlayConditions, frozen=True, kw_only=True):
    """The question of a comparison, its levels and its limit."""

    statistic: str = "points"  # points, equity, games or matches
    bounds: tuple[float, float] = (0.0, 0.5)  # in the unit of the statistic
    alpha: float = 0.05
    beta: float = 0.05
    hands: int = 20_000  # at most
    leg: int = LEG  # deals of a leg
    until: Until = "verdict"  # or "limit": judged once, after ``hands``


class Finished(Struct, frozen=True):
    """The outcome of a comparison that is over, and the place of its records."""

    outcome: ComparisonOutcome
    folder: str | None  # where its records are; None: nothing was played, because both are the same program
    seed: str
    parts: tuple[PlayedPart, ...] = ()  # runs that this one continues


class DuelAnswer(ComparisonOutcome, frozen=True, kw_only=True):
    """The outcome of a duel with the names of its bots, as a document."""

    a: str
    b: str
    answer: str  # the verdict in words
    results: str | None  # the folder of its records; None: nothing was played, because both are the same program
    seed: str
    parts: tuple[PlayedPart, ...]  # runs that this one continues


def answer(plan: Plan, finished: Finished) -> DuelAnswer:
    """Return the document of a duel that is over."""
    found = finished.outcome
    return DuelAnswer(
        **asdict(found),
        a=plan.names[0],
        b=plan.names[1],
        answer=decision_words(found.verdict, found.bounds),
        results=finished.folder,
        seed=finished.seed,
        parts=finished.parts,
    )


def usual_bounds(statistic: str) -> tuple[float, float]:
    """Return the default bounds of a statistic, in its unit; of games and matches, normalized Elo."""
    return {"points": (0.0, 0.5), "equity": (0.0, 0.15)}.get(statistic, (0.0, 20.0))


def duel(field: Sequence[ResolvedBot], terms: DuelTerms, seed: str | None = None) -> Plan:
    """Return the plan of a duel between two entrants. Raises: InputError, for invalid terms."""
    form = {"name": "duel", "statistic": "matches" if terms.statistic == "games" else terms.statistic, **_format_options(terms)}
    rules = {"best_of": 1} if terms.statistic == "games" else {}
    return terms.plan(f"Duel of {field[0].name} and {field[1].name}", form, field, seed, **rules)


def gauntlet(field: Sequence[ResolvedBot], terms: DuelTerms) -> Plan:
    """Return the plan of a gauntlet: candidate, baseline, opponents. Raises: InputError, for invalid terms."""
    title = f"Gauntlet of {field[0].name} and {field[1].name}"
    return terms.plan(title, {"name": "gauntlet", **_format_options(terms)}, field, None)


class ComparisonObserver(Observer):
    """An observer that also receives the outcome so far."""

    _plan: Plan

    def start(self, plan: Plan, folder: Folder) -> None:
        """Begin to follow the comparison."""
        super().start(plan, folder)
        self._plan = plan

    def results(self, results: Sequence[Result]) -> None:
        """Compute the outcome so far, and pass it on."""
        self.outcome(comparison_outcome(self._plan.spec, self._plan.names, results))

    def outcome(self, outcome: ComparisonOutcome) -> None:
        """Receive the outcome so far, after each round."""


def play_comparison(start: RunStart, runner: Runner, observer: Observer, log_level: str | None = "INFO") -> Finished:
    """Play a comparison in its folder, and return its outcome; warn of faults. Raises: as ``arena.runs.play.play_run``.

    If both bots are the same program, the difference is 0, so nothing is played and no folder is made.
    """
    if same_program(*start.plan.field[:2]):
        return Finished(_of_same_program(start.plan), None, start.plan.seed or "")

    def conclude(run: OpenRun) -> Finished:
        for text in fault_warnings(run.store):
            observer.warning(text)
        plan = run.plan
        found = comparison_outcome(plan.spec, plan.names, [*plan.earlier.results, *run.store.results()], final=True)
        found = judged(found, model_plays(run.store))
        return Finished(found, str(run.folder.path), plan.seed or "", plan.earlier.parts)

    return play_run(start, runner, observer, conclude, log_level)


def model_plays(store: Store) -> tuple[ModelPlay, ...]:
    """Return the bots of a run that asked a language model, and how often it decided."""
    return plays_of(store.records(), json.decode(store.fact("walls"), type=Assurance))


def fault_warnings(store: Store) -> Iterator[str]:
    """Yield warnings of faults: each costs a hand, although it is no weakness of play."""
    found = list(store.faults())
    if found:
        yield f"{len(found)} fault{'s' * (len(found) > 1)}; `arena bots check` looks for the cause"
    yield from faults.fault_lines(found)


def _of_same_program(plan: Plan) -> ComparisonOutcome:
    form = plan.spec.format
    assert isinstance(form, Duel | Gauntlet)
    statistic = "points" if isinstance(form, Gauntlet) else form.statistic
    return duels.of_same_program(form.bounds, (form.alpha, form.beta), UNITS.get(statistic, "Elo"))


def _format_options(terms: DuelTerms) -> dict[str, Any]:
    """Return the options of a format. Raises: InputError, for NaN and infinity, which a stored spec, JSON, cannot contain."""
    if not all(map(isfinite, (*terms.bounds, terms.alpha, terms.beta))):
        low, high = terms.bounds
        raise InputError(f"bounds: {low:g} and {high:g}, alpha: {terms.alpha:g}, beta: {terms.beta:g}; expected finite numbers")
    return {name: getattr(terms, name) for name in ("bounds", "alpha", "beta", "hands", "leg", "until")}
