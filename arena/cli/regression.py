"""What a regression test has found, as values and in words."""

from collections.abc import Iterator

from msgspec import Struct

from arena.cli.outcomes import spread
from arena.stats.outcome import Outcome
from arena.stats.sequential import Verdict

WEAKER, UNDECIDED = 4, 5  # exit codes


class Part(Struct, frozen=True, kw_only=True):
    """One of the two questions, answered."""

    question: str  # "head to head", or "against the field"
    outcome: Outcome
    results: str  # the folder of its records
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


def concluded(candidate: str, baseline: str, parts: tuple[Part, ...], *, stronger: bool) -> Regression:
    """Return what the answers come to: the last decides, for none is sought after one that is not as hoped."""
    asked, failed = ("stronger", "not stronger") if stronger else ("not weaker", "weaker")
    last = parts[-1]
    if last.question != "head to head":
        failed = "weaker"
    verdict, code = {
        Verdict.BETTER: (asked, 0),
        Verdict.NOT_AS_GOOD: (failed, WEAKER),
    }.get(last.outcome.verdict, ("undecided", UNDECIDED))
    return Regression(candidate=candidate, baseline=baseline, asked=asked, verdict=verdict, exit_code=code, parts=parts)


def lines(found: Regression) -> Iterator[str]:
    """Yield what a person is told."""
    for part in found.parts:
        apart = part.outcome.difference
        stood = "nothing was played" if apart is None else f"{spread(apart)} {part.outcome.unit}"
        source = "known from the file of baselines" if part.known else f"{part.outcome.hands} hands"
        yield f"{part.question}: {stood}, {source}: {_said(part.outcome)}"
    yield f"{found.candidate} against {found.baseline}: {found.verdict}"


def _said(outcome: Outcome) -> str:
    low, high = (f"{bound:+g}" for bound in outcome.bounds)
    match outcome.verdict:
        case Verdict.BETTER:
            return f"better than {low}"
        case Verdict.NOT_AS_GOOD:
            return f"not as good as {high}"
        case _:
            return f"undecided between {low} and {high}"
