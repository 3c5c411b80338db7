"""A regression test: has a bot become weaker than its baseline? Asked head to head, then against the field on common deals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arena import distribution
from arena.reports.past_verdicts import PastVerdict
from arena.reports.verdict import decided, interval
from arena.runs import compare, explaining
from arena.runs.baselines import Baselines
from arena.runs.compare import Finished, Terms
from arena.runs.explaining import Explanation
from arena.runs.resolve import ResolvedBot
from arena.stats.sequential.betting import Verdict
from arena.stats.sequential.outcome import ComparisonOutcome
from arena.tournament.plan import Plan

WEAKER, UNDECIDED = 4, 5  # exit codes


class Part(Struct, frozen=True, kw_only=True):
    """One of the two questions, answered."""

    question: str  # "head to head", or "against the field"
    outcome: ComparisonOutcome
    answer: str  # what was decided, as ``not weaker by 0.5 or more``, in the outcome's unit
    results: str | None  # the folder of its records; None: nothing was played, because both are the same program
    seed: str
    known: bool = False  # from the file of baselines: nothing was played


class Regression(Struct, frozen=True, kw_only=True):
    """All that a regression test has found."""

    candidate: str
    baseline: str
    asked: str  # "not weaker" or "stronger"
    verdict: str  # "not weaker" or "stronger", "weaker" or "not stronger", or "undecided"
    exit_code: int
    parts: tuple[Part, ...]
    explanation: Explanation | UnsetType = UNSET  # of the decisions that differ; UNSET, which JSON leaves out: not asked for


class PlannedQuestion(Struct, frozen=True):
    """One question, as it is to be played."""

    name: str  # "head to head", or "against the field"
    folder: str  # of its records, below a folder that the user names
    plan: Plan
    digests: tuple[str, ...]  # of the bots that it depends on


def questions(field: Sequence[ResolvedBot], terms: Terms, seed: str | None, within: float) -> list[PlannedQuestion]:
    """Return what to ask: candidate against baseline by ``terms``, and both against the rest of the field, not weaker."""
    digests = tuple(bot.entrant.digest for bot in field)
    asked = [PlannedQuestion("head to head", "head-to-head", compare.duel(field[:2], terms, seed), digests[:2])]
    if len(field) > 2:
        not_weaker = replace(terms, bounds=(-within, 0.0))
        asked.append(PlannedQuestion("against the field", "gauntlet", compare.gauntlet(field, not_weaker, seed), digests))
    return asked


def answers(
    asked: Sequence[PlannedQuestion], against: str, pinned: Baselines, play: Callable[[PlannedQuestion], Finished]
) -> Iterator[Part]:
    """Yield an answer to each question, until one is not the hoped for: a bot known to be weaker need not meet the field.

    ``against`` is the baseline as the user named it. ``play`` plays a question that the file of baselines does not answer.
    """
    for question in asked:
        known = pinned.known(question.plan, question.digests)
        answer = known or play(question)
        if known is None:
            pinned.learn(question.plan, question.digests, answer, _past(question, against, answer.outcome))
        yield Part(
            question=question.name,
            outcome=answer.outcome,
            answer=decided(answer.outcome.verdict, answer.outcome.bounds),
            results=answer.folder,
            seed=answer.seed,
            known=known is not None,
        )
        if answer.outcome.verdict is not Verdict.BETTER:
            return


def concluded(candidate: str, baseline: str, parts: tuple[Part, ...], *, stronger: bool) -> Regression:
    """Return the verdict: that of the last answer, because nothing is asked after one that is not the hoped for."""
    asked, failed = ("stronger", "not stronger") if stronger else ("not weaker", "weaker")
    last = parts[-1]
    if last.question != "head to head":
        failed = "weaker"
    verdict, code = {
        Verdict.BETTER: (asked, 0),
        Verdict.NOT_AS_GOOD: (failed, WEAKER),
    }.get(last.outcome.verdict, ("undecided", UNDECIDED))
    return Regression(candidate=candidate, baseline=baseline, asked=asked, verdict=verdict, exit_code=code, parts=parts)


def lines(found: Regression, reports: Mapping[str, Sequence[str]], width: int) -> Iterator[str]:
    """Yield the findings as lines of text; ``reports`` has the lines of each question that was played.

    ``width`` is that of the terminal, to which a command is folded.
    """
    yield f"{found.candidate} against {found.baseline}: {found.verdict}"
    for part in found.parts:
        yield ""
        yield f"{part.question}:"
        yield from reports.get(part.question) or [_not_played(part)]
    if found.explanation:
        yield ""
        yield "decisions that differ:"
        yield from explaining.lines(found.explanation, found.baseline, found.candidate, width)


def _past(question: PlannedQuestion, against: str, outcome: ComparisonOutcome) -> PastVerdict:
    candidate = question.plan.field[0]
    return PastVerdict(
        date=f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        arena=distribution.version(),
        question=question.name,
        baseline=against,
        candidate=candidate.name,
        version=candidate.version,
        digest=candidate.digest,
        verdict=decided(outcome.verdict, outcome.bounds),
        hands=outcome.counted,
        unit=outcome.unit,
        difference=outcome.difference,
    )


def _not_played(part: Part) -> str:
    """Return why a question was not played, and its answer."""
    return "the same program; nothing was played" if part.outcome.same_program else _known(part.outcome)


def _known(outcome: ComparisonOutcome) -> str:
    """Return the outcome of a question that was answered before."""
    apart = "" if outcome.difference is None else f"{interval(outcome.difference)} "
    found = decided(outcome.verdict, outcome.bounds)
    return f"{apart}{outcome.unit}: {found}; known from the file of baselines, nothing was played"
