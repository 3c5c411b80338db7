"""A regression test: has a bot become weaker than its baseline? Asked head to head, then against the field on common deals.

Both parts are one question: "not weaker" takes both of them, "weaker" the average of their evidence. arena/stats/README.md has the
reasons, for bisections too, with measurements. Asked again, a question continues its records (``compare/dueling.py``).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arena import disk
from arena.compare import continued, dueling, explanation
from arena.compare.bisection import error_share
from arena.compare.dueling import DuelTerms, Finished
from arena.compare.explanation import Explanation
from arena.reports.verdict import decision_words
from arena.runs.chosen import ResolvedBot
from arena.runs.difference_words import summary
from arena.runs.differences import DecisionKind, Difference
from arena.runs.starts import RunStart
from arena.stats.duels import ComparisonOutcome, Verdict
from arena.tournament.plan import Plan

WEAKER, UNDECIDED = 4, 5  # exit codes
FIELD_WITHIN = 1.0  # points a hand; a difference has twice the range of a score, so a margin of 0.5 would take twice as many deals


class Part(Struct, frozen=True, kw_only=True):
    """The answer of one of the two parts of the question."""

    question: str  # "head to head", or "against the field"
    outcome: ComparisonOutcome
    answer: str  # what was decided, as ``not weaker by 0.5 or more``, in the outcome's unit
    results: str | None  # the folder of its records; None: nothing was played, because both are the same program
    seed: str


class ChangedDecisions(Struct, frozen=True, kw_only=True):
    """How many of the baseline's decisions the candidate makes differently, in hands of the baseline against itself."""

    asked: int  # decisions
    differ: int  # decisions
    kinds: dict[DecisionKind, int]

    @staticmethod
    def of(found: Difference) -> "ChangedDecisions":
        """Return the numbers of decisions in a difference."""
        return ChangedDecisions(asked=found.decisions, differ=found.differ, kinds=found.kinds)


class Regression(Struct, frozen=True, kw_only=True):
    """The outcome of a regression test."""

    candidate: str
    baseline: str
    asked: str  # "not weaker" or "stronger"
    verdict: str  # "not weaker" or "stronger", "weaker" or "not stronger", or "undecided"
    exit_code: int
    parts: tuple[Part, ...]
    levels: tuple[float, float]  # alpha of "not weaker" in each part, beta of "weaker" in both together
    notes: tuple[str, ...] = ()  # on the levels, and on a part that was not played
    decisions: ChangedDecisions | UnsetType = UNSET  # UNSET, which JSON leaves out: neither played nor explained
    explanation: Explanation | UnsetType = UNSET  # of the decisions that differ; UNSET, which JSON leaves out: not asked for


class PlannedPart(Struct, frozen=True, kw_only=True):
    """One part of the question, before it is played."""

    name: str  # "head to head", or "against the field"
    number: str = ""  # as ", part 1 of 2": its verdict alone does not answer the question; empty: it is the only one
    folder: Path | None  # of its records; None: one in ``results/``
    field: tuple[ResolvedBot, ...]
    terms: DuelTerms
    seed: str | None

    def plan(self, terms: DuelTerms) -> Plan:
        """Return the plan on some terms, without a seed. Raises: InputError, for invalid terms."""
        found = (dueling.gauntlet if len(self.field) > 2 else dueling.duel)(self.field, terms)
        title = f"Regression test of {self.field[0].name} against {self.field[1].name}: {self.name}{self.number}"
        return replace(found, spec=replace(found.spec, title=title))

    def start(self, terms: DuelTerms) -> RunStart:
        """Return the run to play: a new one, or one that continues the records. Raises: InputError, StoreError."""
        return continued.start_or_continue(self.plan, terms, self.seed, self.folder)


def plan_parts(
    field: Sequence[ResolvedBot], terms: DuelTerms, seed: str | None, field_within: float, results: Path | None = None
) -> list[PlannedPart]:
    """Return the parts: candidate against baseline by ``terms``, and "not weaker" against the opponents of a longer field.

    ``field``: candidate, baseline, opponents; ``field_within``: points a hand.
    """
    head, gauntlet = (disk.inside(results, name) if results else None for name in ("head-to-head", "gauntlet"))
    duel_alone = PlannedPart(name="head to head", folder=head, field=tuple(field[:2]), terms=terms, seed=seed)
    if len(field) == 2:
        return [duel_alone]
    terms = replace(terms, bounds=(-field_within, 0.0))
    against = PlannedPart(
        name="against the field", number=", part 2 of 2", folder=gauntlet, field=tuple(field), terms=terms, seed=seed
    )
    return [replace(duel_alone, number=", part 1 of 2"), against]


def at_levels(asked: Sequence[PlannedPart], test: int | None) -> tuple[list[PlannedPart], list[str]]:
    """Return the parts with the levels of this question, and notes for the user on them.

    ``test`` is the number of this test in a bisection, or None.
    """
    if test is None:
        return list(asked), []
    terms, share = asked[0].terms, error_share(test)
    alpha, beta = terms.alpha * share, terms.beta * share
    note = f"test {test} of a bisection: not weaker at {alpha:.2g}, weaker at {beta:.2g}, so that all tests share the error"
    return [replace(part, terms=replace(part.terms, alpha=alpha, beta=beta)) for part in asked], [note]


def answers(asked: Sequence[PlannedPart], play: Callable[[PlannedPart, DuelTerms], Finished]) -> Iterator[Part]:
    """Yield the answer of each part, up to the first that is not "better": a weaker or undecided bot need not meet the field.

    ``asked`` has the levels of the whole question. ``play`` plays a part on terms with the levels that this part needs.
    """
    worse: list[float] = []  # evidence for "weaker" of the parts before
    for place, part in enumerate(asked):
        terms = part.terms
        needed = replace(terms, beta=_level_of_weaker(terms.beta, worse, len(asked) - place - 1))
        answer = play(part, needed)
        outcome = answer.outcome
        shown = replace(outcome, verdict=_verdict_at(needed, outcome), proof=(1 / needed.alpha, 1 / needed.beta))
        yield Part(
            question=part.name,
            outcome=shown,
            answer=decision_words(shown.verdict, shown.bounds),
            results=answer.folder,
            seed=answer.seed,
        )
        if shown.verdict is not Verdict.BETTER:
            return
        worse.append(outcome.worse)


def _level_of_weaker(beta: float, worse: Sequence[float], not_begun: int) -> float:
    """Return the level of one part at which its evidence lifts the average evidence of all parts to 1/beta; at most beta.

    The evidence of a part that has not begun is 1. ``worse`` is the evidence of the parts before. It can be far above 1/beta after
    "better", if a test of fixed length proved both.
    """
    parts = len(worse) + 1 + not_begun
    return 1 / max(parts / beta - sum(worse) - not_begun, 1 / beta)


def _verdict_at(terms: DuelTerms, outcome: ComparisonOutcome) -> Verdict:
    """Return the verdict that the evidence of an outcome gives at the levels of ``terms``."""
    if outcome.same_program:
        return outcome.verdict
    better, worse = outcome.better * terms.alpha, outcome.worse * terms.beta
    if max(better, worse) < 1 - 1e-9:  # rounding errors do not withdraw a verdict
        return Verdict.UNDECIDED
    return Verdict.BETTER if better >= worse else Verdict.NOT_AS_GOOD


def conclude(asked: Sequence[PlannedPart], answered: tuple[Part, ...], notes: Sequence[str], *, stronger: bool) -> Regression:
    """Return the outcome. The last part decides, because the first that is not "better" is last."""
    passed, failed = ("stronger", "not stronger") if stronger else ("not weaker", "weaker")
    last, terms = answered[-1], asked[0].terms
    if last.question != "head to head":  # the field is only asked for "not weaker"
        failed = "weaker"
    verdict, code = {
        Verdict.BETTER: (passed, 0),
        Verdict.NOT_AS_GOOD: (failed, WEAKER),
    }.get(last.outcome.verdict, ("undecided", UNDECIDED))
    candidate, baseline = (bot.name for bot in asked[0].field[:2])
    not_played = [f"{part.name}: not played, because {last.question} already decides" for part in asked[len(answered) :]]
    return Regression(
        candidate=candidate,
        baseline=baseline,
        asked=passed,
        verdict=verdict,
        exit_code=code,
        parts=answered,
        levels=(terms.alpha, terms.beta),
        notes=(*notes, *not_played),
    )


def lines(found: Regression, reports: Mapping[str, Sequence[str]], width: int) -> Iterator[str]:
    """Yield the outcome as text; ``reports`` has the lines of each part that was played, by its question.

    ``width``: columns of the terminal, to which commands are folded.
    """
    yield f"{found.candidate} against {found.baseline}: {found.verdict}"
    yield from found.notes
    if found.decisions:
        yield summary(found.decisions.asked, found.decisions.kinds)
    for part in found.parts:
        yield ""
        yield f"{part.question}:"
        yield from reports.get(part.question, ("the same program; nothing was played",))
    if found.explanation:
        yield ""
        yield "decisions that differ:"
        yield from explanation.lines(found.explanation, found.baseline, found.candidate, width)
