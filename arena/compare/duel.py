"""Plans and plays comparisons: duels, gauntlets, their continuation, races and short matches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any

from msgspec import Struct, json
from msgspec.structs import asdict, replace

from arena.errors import InputError, StoreError
from arena.plugins.manager import installed_kinds
from arena.records import Assurance, Result
from arena.reports import faults
from arena.reports.fallbacks import ModelPlay, judged, plays_of, why_not_judged
from arena.reports.verdict import decision_words
from arena.results.publish import UNITS, comparison_outcome
from arena.roster.entrant import same_program
from arena.runs import compared_parts, plans, session
from arena.runs import play as playing
from arena.runs.agreement import check_bots_and_seed, check_same, plan_text, question
from arena.runs.chosen import ResolvedBot
from arena.runs.compared_parts import comparison_parts, earlier_of_parts
from arena.runs.play import Observer, OpenRun
from arena.runs.runner import Runner
from arena.runs.session import RunStart
from arena.runs.stored import stored_run
from arena.stats import duels
from arena.stats.duels import ComparisonOutcome, Until, Verdict
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.formats.duel import Duel, Gauntlet
from arena.tournament.formats.tested import LEG, Tested
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
            "rules": plans.ruleset(self.rules, STOCK, **rules),
            "time": plans.time_limits(self.time),
            "format": form,
            "sandbox": plans.sandbox(self.sandbox, [bot.entrant.launch for bot in field]),
        }
        return plans.from_values(values, field, seed)


class Terms(PlayConditions, frozen=True, kw_only=True):
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


def duel(field: Sequence[ResolvedBot], terms: Terms, seed: str | None = None) -> Plan:
    """Return the plan of a duel between two entrants. Raises: InputError, for invalid terms."""
    form = {"name": "duel", "statistic": "matches" if terms.statistic == "games" else terms.statistic, **_format_options(terms)}
    rules = {"best_of": 1} if terms.statistic == "games" else {}
    return terms.plan(f"Duel of {field[0].name} and {field[1].name}", form, field, seed, **rules)


def gauntlet(field: Sequence[ResolvedBot], terms: Terms) -> Plan:
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
    """Play a comparison in its folder, and return its outcome; warn of faults. Raises: as ``arena.runs.play.play``.

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

    return playing.play(start, runner, observer, conclude, log_level)


def model_plays(store: Store) -> tuple[ModelPlay, ...]:
    """Return the bots of a run that asked a language model, and how often it decided."""
    return plays_of(store.records(), json.decode(store.fact("walls"), type=Assurance))


def lines_of_parts(finished: Finished) -> Iterator[str]:
    """Yield the folders of the earlier parts of a continued duel, with their hands."""
    for part in finished.parts:
        yield f"{part.hands} of these hands are in {part.results}"


def fault_warnings(store: Store) -> Iterator[str]:
    """Yield warnings of faults: each costs a hand, although it is no weakness of play."""
    found = list(store.faults())
    if found:
        yield f"{len(found)} fault{'s' * (len(found) > 1)}; `arena bots check` looks for the cause"
    yield from faults.lines(found)


def _of_same_program(plan: Plan) -> ComparisonOutcome:
    form = plan.spec.format
    assert isinstance(form, Duel | Gauntlet)
    statistic = "points" if isinstance(form, Gauntlet) else form.statistic
    return duels.of_same_program(form.bounds, (form.alpha, form.beta), UNITS.get(statistic, "Elo"))


def _format_options(terms: Terms) -> dict[str, Any]:
    """Return the options of a format. Raises: InputError, for NaN and infinity, which a stored spec, JSON, cannot contain."""
    if not all(map(isfinite, (*terms.bounds, terms.alpha, terms.beta))):
        low, high = terms.bounds
        raise InputError(f"bounds: {low:g} and {high:g}, alpha: {terms.alpha:g}, beta: {terms.beta:g}; expected finite numbers")
    return {name: getattr(terms, name) for name in ("bounds", "alpha", "beta", "hands", "leg", "until")}


# A comparison that is continued with fresh deals.
#
# A run has one seed and one limit of hands, so more hands are another run: a *part*, in the folder ``part-2`` of the first one,
# with its own seed and commitment. Its format is the same with a higher limit, and receives the results of the earlier parts too.
# So it plays the pairs after theirs, and the bettors continue with the wealth that they had: evidence multiplies. A part stores
# the last link of the hash chain of the part before, so a later change of that one is found.

MakePlan = Callable[[Terms], Plan]  # returns the plan of a comparison


class _StoredPart(Struct, frozen=True):
    """The format of a part on file, and whether it is finished."""

    form: Tested
    finished: bool

    def terms(self, terms: Terms) -> Terms:
        """Return ``terms`` with the limit of hands of this part.

        The limit is not changed for a test of fixed length: with another length it is another test.
        """
        return terms if terms.until == "limit" else replace(terms, hands=self.form.hands)


def next_part(make: MakePlan, terms: Terms, seed: str | None, results: Path | None) -> RunStart:
    """Return the start of the next part of an undecided comparison, or that of its last part, if it was interrupted.

    ``terms.hands`` are played in addition. Raises: InputError, if there is no undecided comparison of these bots and terms in
    ``results`` or below ``results/``; StoreError.
    """
    if results and compared_parts.PART.fullmatch(results.name) and Folder(results.parent).database.is_file():
        raise InputError(f"{results}: one part of a duel; expected the folder of the whole duel, {results.parent}")
    first = Folder(results) if results else _newest(make, terms, _check_same)
    if first is None:
        names = " and ".join(make(terms).names[:2])
        raise InputError(f"--continue: no duel of {names} with these options in {session.RESULTS}/")
    parts = list(comparison_parts(first))
    if not parts:
        raise InputError(f"{first.path}: holds no run; expected the folder of the duel to continue")
    stored = _read_stored(parts[-1])
    last = _plan_of_parts(make, stored.terms(terms), parts[:-1])
    _check_same(last, parts[-1])
    if stored.finished:
        if (verdict := _verdict(last, parts)) is not Verdict.UNDECIDED:
            decided = decision_words(verdict, stored.form.bounds)
            raise InputError(f"{first.path}: this duel is decided: {decided}; only an undecided one is continued")
        return _part_after(make, stored.terms(terms), terms.hands, seed, parts)
    if len(parts) == 1:
        raise InputError(f"{first.path}: this duel has not ended; the same command without --continue resumes it")
    return RunStart(plan=replace(last, seed=seed), folder=parts[-1])


def start_or_continue(make: MakePlan, terms: Terms, seed: str | None, results: Path | None) -> RunStart:
    """Return the start of a new run, of the stored run of the same question, or of its next part, if it has no verdict yet.

    A question that is repeated until the answer suits would be answered wrongly too often. So a repeated question continues the
    evidence on file, and an answered one gets the same answer; a test of fixed length has always been answered. Raises: InputError;
    StoreError, for a folder of another question.
    """
    first = find_stored(make, terms, results)
    parts = list(comparison_parts(first)) if first else []
    if not parts:
        return session.find_start(replace(make(terms), seed=seed), results)
    stored = _read_stored(parts[-1])
    at_levels = replace(terms, alpha=stored.form.alpha, beta=stored.form.beta)
    last = _plan_of_parts(make, stored.terms(at_levels), parts[:-1])
    _check_question(last, parts[-1])
    answered = terms.until == "limit" or (at_levels == terms and _verdict(last, parts) is not Verdict.UNDECIDED)
    unreported = parts[-1].unreported_mark.exists()  # it ended before its answer was shown, which is shown now
    if not stored.finished or unreported or answered:
        return RunStart(plan=replace(last, seed=seed), folder=parts[-1])
    return _part_after(make, stored.terms(terms), terms.hands, seed, parts)


def find_stored(make: MakePlan, terms: Terms, results: Path | None) -> Folder | None:
    """Return the folder ``results``, or by default the newest one of the same question below ``results/``; None: there is none."""
    return Folder(results) if results else _newest(make, terms, _check_question)


def _part_after(make: MakePlan, terms: Terms, more: int, seed: str | None, parts: Sequence[Folder]) -> RunStart:
    """Return the start of the part after the last of ``parts``, which has these terms; ``more`` hands are played in addition.

    Raises: InputError, if a language model has decided too little of that part: no later one would make it evidence.
    """
    with Store(parts[-1].database) as store:
        if reason := why_not_judged(model_plays(store)):
            raise InputError(f"{parts[-1].path}: {reason}, so it cannot be continued; expected a new run, in another --results")
    following = _plan_of_parts(make, replace(terms, hands=terms.hands + more), parts)
    return RunStart(plan=replace(following, seed=seed), folder=Folder(parts[0].inside(f"part-{len(parts) + 1}")))


def _newest(make: MakePlan, terms: Terms, check: Callable[[Plan, Folder], None]) -> Folder | None:
    """Return the newest comparison of these bots and terms below ``results/`` that passes a check; None: there is none."""
    for folder in session.candidate_folders(make(terms).spec.title):
        if folder.database.is_file():
            with suppress(StoreError):
                check(_plan_of_parts(make, _read_stored(folder).terms(terms), ()), folder)
                return folder
    return None


def _check_same(plan: Plan, folder: Folder) -> None:
    """Raise StoreError if a part was played by other bots or under other terms."""
    with Store(folder.database) as store:
        facts = store.begun_facts()
        check_same(plan, folder, facts, store.field(), facts["plan"])


def _check_question(plan: Plan, folder: Folder) -> None:
    """Raise StoreError if a part was played by other bots, or asks another question."""
    with Store(folder.database) as store:
        facts, field = store.begun_facts(), store.field()
        if question(plan_text(plan)) != question(facts["plan"]):
            check_same(plan, folder, facts, field, facts["plan"])
        check_bots_and_seed(plan, folder, facts, field)


def _verdict(plan: Plan, parts: Sequence[Folder]) -> Verdict:
    """Return the verdict of a plan on the results of some parts."""
    assert isinstance(plan.spec.format, Tested)
    form = plan.spec.format
    return form.verdict(form.sets(plan.names, earlier_of_parts(parts).results))


def _read_stored(folder: Folder) -> _StoredPart:
    with Store(folder.database) as store:
        run = stored_run(folder, store, installed_kinds())
        if not isinstance(run.spec.format, Tested):
            raise StoreError(f"{folder.path}: holds no duel")
        return _StoredPart(run.spec.format, run.finished)


def _plan_of_parts(make: MakePlan, terms: Terms, parts: Sequence[Folder]) -> Plan:
    """Return the plan of a comparison that continues some parts, without a seed."""
    return replace(make(terms), earlier=earlier_of_parts(parts))
