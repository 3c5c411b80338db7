"""Two bots compared: what a duel and a gauntlet play, followed as they go. For ``arena duel``, ``arena regress`` and pytest."""

from collections.abc import Callable, Sequence
from contextlib import closing
from math import isfinite
from typing import Any

from msgspec import Struct, json
from msgspec.structs import replace

from arena.cli import parts
from arena.cli.contenders import Contender, lookup
from arena.cli.venue import Venue, filed
from arena.errors import InputError, SpecError
from arena.plugins import manager
from arena.records import Result
from arena.stats import implied, outcome
from arena.stats.confidence import Follower
from arena.stats.duels import Wins
from arena.stats.outcome import Outcome
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import plan as plans
from arena.tournament import spec as specs
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.plan import Plan

UNITS = {"points": "points a hand", "equity": "% of a game a hand"}
CONFIDENCE = 0.05  # of the interval; the verdict has error rates of its own

Told = Callable[[Outcome], None]  # hears how a comparison stands, after every round


class Terms(Struct, frozen=True, kw_only=True):
    """What a comparison asks, and how much it may cost."""

    statistic: str = "points"  # points, equity, games or matches
    bounds: tuple[float, float] = (0.0, 0.5)
    alpha: float = 0.05
    beta: float = 0.05
    hands: int = 20_000
    leg: int = 20
    sandbox: str | None = None  # None: as specs have it by default


class Finished(Struct, frozen=True):
    """A comparison that is over."""

    outcome: Outcome
    folder: str  # where its records are
    seed: str


def duel(field: Sequence[Contender], terms: Terms, seed: str | None = None) -> Plan:
    """Return the plan of a duel between two entrants. Raises: InputError, for terms that make no sense."""
    form = {"name": "duel", "statistic": "matches" if terms.statistic == "games" else terms.statistic, **_form(terms)}
    rules: dict[str, Any] = {"name": "tournament", "stock": "two-ended"}
    if terms.statistic == "games":
        rules["best_of"] = 1
    return _plan(f"Duel of {field[0].name} and {field[1].name}", field, rules, form, terms, seed)


def gauntlet(field: Sequence[Contender], terms: Terms, seed: str | None = None) -> Plan:
    """Return the plan of a gauntlet: candidate, baseline, opponents. Raises: InputError, for terms that make no sense."""
    title = f"Gauntlet of {field[0].name} and {field[1].name}"
    return _plan(title, field, {"name": "tournament", "stock": "two-ended"}, {"name": "gauntlet", **_form(terms)}, terms, seed)


class Comparison:
    """A plan with its seed, and what follows it."""

    def __init__(self, plan: Plan, told: Told) -> None:
        self._plan = plan
        self._told = told
        self._follower = Follower(CONFIDENCE)

    def play(
        self,
        folder: Folder,
        store: Store,
        venue: Venue,
        prepare: Callable[[], None],
        enough: Callable[[], bool] = lambda: False,
    ) -> Finished:
        """Play what is left, and return what it has come to; ``enough`` breaks it off between two records."""
        with closing(filed(self._plan, store, venue, prepare, lambda results: self._told(self.outcome(results)))) as playing:
            for _ in playing:
                if enough():
                    break
            else:
                store.finish()
        return Finished(self.outcome(store.results(), final=True), str(folder.path), self._plan.seed or "")

    def outcome(self, results: Sequence[Result], *, final: bool = False) -> Outcome:
        """Return how it stands; what it comes to in games is worked out at the end alone."""
        form, names = self._plan.spec.format, self._plan.names
        assert isinstance(form, Duel | Gauntlet)
        course = form.course(names, results)
        if isinstance(course, Wins):
            return outcome.of_matches(course)
        found = self._follower.look(form.scores(names, results))
        interval = (found.low, found.high)
        if isinstance(form, Gauntlet):
            return outcome.of_hands(course, interval, UNITS["points"], 2.0)
        return self._with_games(outcome.of_hands(course, interval, UNITS[form.statistic]), form, results if final else [])

    def _with_games(self, found: Outcome, form: Duel, results: Sequence[Result]) -> Outcome:
        if form.statistic != "points" or not results or found.difference is None:
            return found
        rules, points = self._plan.spec.rules, implied.net_points(self._plan.names[0], results)
        errors = (form.alpha, form.beta)
        return replace(found, implied=implied.implied(points, found.difference, form.bounds, errors, (rules.target, rules.best_of)))


def _form(terms: Terms) -> dict[str, Any]:
    """Return the options of a format. Raises: InputError, for a number that a spec in JSON could not say."""
    if not all(map(isfinite, (*terms.bounds, terms.alpha, terms.beta))):
        low, high = terms.bounds
        raise InputError(f"bounds: {low:g} and {high:g}, alpha: {terms.alpha:g}, beta: {terms.beta:g}; expected finite numbers")
    return {"bounds": terms.bounds, "alpha": terms.alpha, "beta": terms.beta, "hands": terms.hands, "leg": terms.leg}


def _plan(
    title: str, field: Sequence[Contender], rules: dict[str, Any], form: dict[str, Any], terms: Terms, seed: str | None
) -> Plan:
    """Return a plan by way of a spec, so that the folder of a comparison is that of any other run."""
    document = {
        "title": title,
        "bots": [{"bot": bot.asked, "name": bot.name} for bot in field],
        "rules": rules,
        "format": form,
        "sandbox": parts.sandbox(terms.sandbox, [bot.entrant.launch for bot in field]),
    }
    text = json.format(json.encode(document), indent=2).decode() + "\n"  # JSON is YAML
    try:
        spec = specs.parse(text, manager.kinds(manager.load()), "terms")
    except SpecError as error:
        raise InputError(str(error).partition(": ")[2].removeprefix("format.")) from None
    return plans.make(spec, seed, lookup(field))
