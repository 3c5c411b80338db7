"""A regression test: has a bot become weaker than its baseline? Asked head to head, then against the field on common deals.

Both parts are one question. It is answered "not weaker" only if each part proves that, so each may use the whole alpha. "Weaker"
may come from either, so it needs the *average* of their evidence to reach 1/beta: an average of evidences, of which one that was
not begun counts as 1, is evidence itself, and reaches 1/beta with a probability of at most beta (Vovk and Wang 2021).

Asked again, a question continues the evidence on file. It is that of the records, where they are at hand (``continuing.py``), else
what the file of baselines keeps: then a new test needs only what is missing, 1/alpha divided by the evidence so far.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arena import distribution
from arena.reports.past_verdicts import PastVerdict
from arena.reports.verdict import decided, interval, rarest_mood
from arena.roster.sameness import same_program
from arena.runs import bisection, compare, continuing, explaining
from arena.runs.agreement import played_by, question
from arena.runs.baselines import Baselines
from arena.runs.compare import Finished, Terms
from arena.runs.difference import NAMES, DecisionKind, Difference
from arena.runs.explaining import Explanation
from arena.runs.resolve import ResolvedBot
from arena.stats.sequential.betting import Verdict
from arena.stats.sequential.outcome import ComparisonOutcome
from arena.store.folder import Folder
from arena.tournament.plan import Plan

WEAKER, UNDECIDED = 4, 5  # exit codes
FIELD_WITHIN = 1.0  # points a hand; a difference reaches twice as far as a score, so within 0.5 would take twice as many deals


class Part(Struct, frozen=True, kw_only=True):
    """One of the two parts of the question, answered."""

    question: str  # "head to head", or "against the field"
    outcome: ComparisonOutcome
    answer: str  # what was decided, as ``not weaker by 0.5 or more``, in the outcome's unit
    results: str | None  # the folder of its records; None: nothing was played, because both are the same program
    seed: str
    known: bool = False  # from the file of baselines: nothing was played


class ChangedDecisions(Struct, frozen=True, kw_only=True):
    """How many decisions of the baseline the candidate makes otherwise, before anything is played."""

    asked: int
    differ: int
    kinds: dict[DecisionKind, int]

    @staticmethod
    def of(found: Difference) -> "ChangedDecisions":
        """Return the counts of a difference."""
        return ChangedDecisions(asked=found.decisions, differ=found.differ, kinds=found.kinds)


class Regression(Struct, frozen=True, kw_only=True):
    """All that a regression test has found."""

    candidate: str
    baseline: str
    asked: str  # "not weaker" or "stronger"
    verdict: str  # "not weaker" or "stronger", "weaker" or "not stronger", or "undecided"
    exit_code: int
    parts: tuple[Part, ...]
    levels: tuple[float, float]  # alpha of each "not weaker", beta of "weaker" in all
    notes: tuple[str, ...] = ()  # on the levels and the baseline
    decisions: ChangedDecisions | UnsetType = UNSET  # UNSET, which JSON leaves out: nothing was played
    explanation: Explanation | UnsetType = UNSET  # of the decisions that differ; UNSET, which JSON leaves out: not asked for


class PlannedPart(Struct, frozen=True, kw_only=True):
    """One part of the question, before it is played."""

    name: str  # "head to head", or "against the field"
    folder: Path | None  # of its records; None: one in ``results/``
    field: tuple[ResolvedBot, ...]
    terms: Terms
    seed: str | None

    @property
    def digests(self) -> tuple[str, ...]:
        """Return the digests of the bots on which the answer depends."""
        return tuple(bot.entrant.digest for bot in self.field)

    @property
    def key(self) -> str:
        """Return what identifies the part: its bots and what is asked, without the levels."""
        return "\n".join([*self.digests, question(played_by(self.plan(self.terms)))])

    def plan(self, terms: Terms) -> Plan:
        """Return its plan on some terms, without a seed. Raises: InputError, for terms that make no sense."""
        make = compare.gauntlet if len(self.field) > 2 else compare.duel
        return make(self.field, terms)

    def run(self, terms: Terms) -> tuple[Plan, Folder]:
        """Return the plan and the folder to be played. Raises: InputError, StoreError."""
        return continuing.asked_again(self.plan, terms, self.seed, self.folder)

    def will_continue(self, before: Finished) -> bool:
        """Tell whether the records that would be continued are those of an answer, and not gone, elsewhere or of another run."""
        first = continuing.on_file(self.plan, self.terms, self.folder)
        return first is not None and before.folder is not None and continuing.holds(first, Path(before.folder), before.seed)


def parts(
    field: Sequence[ResolvedBot], terms: Terms, seed: str | None, field_within: float, results: Path | None = None
) -> list[PlannedPart]:
    """Return what to ask: candidate against baseline by ``terms``, and both against the rest of the field, not weaker."""
    head, gauntlet = (results / name if results else None for name in ("head-to-head", "gauntlet"))
    found = [PlannedPart(name="head to head", folder=head, field=tuple(field[:2]), terms=terms, seed=seed)]
    if len(field) > 2:
        not_weaker = replace(terms, bounds=(-field_within, 0.0))
        found.append(PlannedPart(name="against the field", folder=gauntlet, field=tuple(field), terms=not_weaker, seed=seed))
    return found


def at_levels(
    asked: Sequence[PlannedPart], against: str, pinned: Baselines, test: int | None
) -> tuple[list[PlannedPart], list[str]]:
    """Return the parts at the levels at which they are asked, and what the user should know of levels and baseline.

    ``against`` is the baseline as the user named it; ``test``: its number in a bisection, or None.
    """
    terms, notes = asked[0].terms, list[str]()
    alpha, beta = terms.alpha, terms.beta
    if test:
        alpha, beta = alpha * bisection.share(test), beta * bisection.share(test)
        notes.append(
            f"test {test} of a bisection: not weaker at {alpha:.2g}, weaker at {beta:.2g}, so that all tests share the error"
        )
    trivial = same_program(*(bot.entrant for bot in asked[0].field))
    if not trivial and (question := pinned.question(_key(asked))):
        beta *= question.level
        notes.append(f"question {question.number} of the file of baselines: weaker at {beta:.2g}, by e-LOND")
    if steps := pinned.steps(asked[0].field[1].entrant.digest):
        notes.append(_chain(against, steps, -asked[0].terms.bounds[0]))
    return [replace(part, terms=replace(part.terms, alpha=alpha, beta=beta)) for part in asked], notes


def _key(asked: Sequence[PlannedPart]) -> str:
    return "\n\n".join(part.key for part in asked)


def _chain(against: str, steps: int, within: float) -> str:
    """Return the warning that a baseline was a candidate before."""
    several = f"{steps} tests" if steps > 1 else "a test"
    hidden = f": {steps + 1} steps may hide {(steps + 1) * within:g} points a hand" if within > 0 else ""
    return f"{against} is itself the result of {several} against earlier versions{hidden}; compare with a pinned release"


def answers(
    asked: Sequence[PlannedPart], against: str, pinned: Baselines, play: Callable[[PlannedPart, Terms], Finished]
) -> Iterator[Part]:
    """Yield the answer of each part, until one is not the hoped for: a bot known to be weaker need not meet the field.

    ``against`` is the baseline as the user named it; ``asked`` has the levels of the whole question. ``play`` plays a part on terms
    whose levels are those that it needs.
    """
    worse: list[float] = []
    for place, part in enumerate(asked):
        terms = part.terms
        needed = replace(terms, beta=_share(terms.beta, worse, len(asked) - place - 1))
        before = pinned.known(part.key)
        known = before is not None and (terms.until == "limit" or _verdict(before.outcome, needed) is not Verdict.UNDECIDED)
        answer = before if before and known else _play(part, needed, before, play)
        outcome = answer.outcome
        shown = replace(outcome, verdict=_verdict(outcome, needed), proof=(1 / needed.alpha, 1 / needed.beta))
        if not known:
            pinned.learn(part.key, answer, _past(part, against, shown))
        yield Part(
            question=part.name,
            outcome=shown,
            answer=decided(shown.verdict, shown.bounds),
            results=answer.folder,
            seed=answer.seed,
            known=known,
        )
        if shown.verdict is not Verdict.BETTER:
            return
        worse.append(outcome.worse)


def _share(beta: float, worse: Sequence[float], not_begun: int) -> float:
    """Return the level at which a part proves "weaker" for all: its evidence raises the average of all parts to 1/beta."""
    parts = len(worse) + 1 + not_begun
    return 1 / (parts / beta - sum(worse) - not_begun)


def _play(part: PlannedPart, terms: Terms, before: Finished | None, play: Callable[[PlannedPart, Terms], Finished]) -> Finished:
    """Return the answer of a part with all evidence on it: what is on file ``before``, and what was played.

    Records at hand are continued; evidence whose records are not is carried, so a new test needs only what is missing.
    """
    better, worse = carried = _carried(part, before)
    found = play(part, replace(terms, alpha=min(terms.alpha * better, 0.999), beta=min(terms.beta * worse, 0.999)))
    outcome = replace(found.outcome, better=found.outcome.better * better, worse=found.outcome.worse * worse)
    return replace(found, outcome=outcome, carried=carried)


def _carried(part: PlannedPart, before: Finished | None) -> tuple[float, float]:
    """Return the evidence for both sides that is not in the records that are continued."""
    if before is None:
        return 1.0, 1.0
    return before.carried if part.will_continue(before) else (before.outcome.better, before.outcome.worse)


def _verdict(outcome: ComparisonOutcome, terms: Terms) -> Verdict:
    """Return the verdict at some levels."""
    if outcome.same_program:
        return outcome.verdict
    better, worse = outcome.better * terms.alpha, outcome.worse * terms.beta
    if max(better, worse) < 1 - 1e-9:
        return Verdict.UNDECIDED
    return Verdict.BETTER if better >= worse else Verdict.NOT_AS_GOOD


def concluded(
    asked: Sequence[PlannedPart], answered: tuple[Part, ...], notes: Sequence[str], pinned: Baselines, *, stronger: bool
) -> Regression:
    """Return the verdict, and note it: that of the last answer, because nothing is asked after one that is not the hoped for."""
    hoped, failed = ("stronger", "not stronger") if stronger else ("not weaker", "weaker")
    last, terms = answered[-1], asked[0].terms
    if last.question != "head to head":
        failed = "weaker"
    verdict, code = {
        Verdict.BETTER: (hoped, 0),
        Verdict.NOT_AS_GOOD: (failed, WEAKER),
    }.get(last.outcome.verdict, ("undecided", UNDECIDED))
    pinned.answered(_key(asked), weaker=code == WEAKER)
    candidate, baseline = (bot.name for bot in asked[0].field[:2])
    return Regression(
        candidate=candidate,
        baseline=baseline,
        asked=hoped,
        verdict=verdict,
        exit_code=code,
        parts=answered,
        levels=(terms.alpha, terms.beta),
        notes=tuple(notes),
    )


def lines(found: Regression, reports: Mapping[str, Sequence[str]], width: int) -> Iterator[str]:
    """Yield the findings as lines of text; ``reports`` has the lines of each part that was played.

    ``width`` is that of the terminal, to which a command is folded.
    """
    yield f"{found.candidate} against {found.baseline}: {found.verdict}"
    yield from found.notes
    if found.decisions:
        yield changed(found.decisions)
    for part in found.parts:
        yield ""
        yield f"{part.question}:"
        yield from reports.get(part.question) or _not_played(part)
    if found.explanation:
        yield ""
        yield "decisions that differ:"
        yield from explaining.lines(found.explanation, found.baseline, found.candidate, width)


def changed(found: ChangedDecisions) -> str:
    """Return how many decisions differ, and of which kinds, in one line."""
    kinds = ", ".join(f"{NAMES[kind]} {count}" for kind, count in found.kinds.items())
    return f"{found.differ} of {found.asked} decisions differ" + (f": {kinds}" if found.differ else "")


def _past(part: PlannedPart, against: str, outcome: ComparisonOutcome) -> PastVerdict:
    candidate, baseline = (bot.entrant for bot in part.field[:2])
    return PastVerdict(
        date=f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        arena=distribution.version(),
        question=part.name,
        baseline=against,
        baseline_digest=baseline.digest,
        candidate=candidate.name,
        version=candidate.version,
        digest=candidate.digest,
        verdict=decided(outcome.verdict, outcome.bounds),
        hands=outcome.counted,
        unit=outcome.unit,
        difference=outcome.difference,
    )


def _not_played(part: Part) -> Iterator[str]:
    """Yield why a part was not played, and its answer."""
    if part.outcome.same_program:
        yield "the same program; nothing was played"
        return
    yield _known(part.outcome)
    if rare := rarest_mood(part.outcome):
        yield f"{rare}."


def _known(outcome: ComparisonOutcome) -> str:
    """Return the outcome of a part that was answered before."""
    apart = "" if outcome.difference is None else f"{interval(outcome.difference)} "
    found = decided(outcome.verdict, outcome.bounds)
    return f"{apart}{outcome.unit}: {found}; known from the file of baselines, nothing was played"
