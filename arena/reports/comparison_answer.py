"""The answer of a comparison: which bot is better, and how sure that is."""

from collections.abc import Iterator, Mapping
from math import ceil, floor, isfinite

from arena.reports.answer_card import OPEN, AnswerCard, Proof, Strip
from arena.reports.comparison_report import ComparisonReport
from arena.reports.hands_left import hands_left
from arena.reports.numbers import count, interval
from arena.reports.verdict import against, answers, evidence, few_hands, is_decided, needed, verdict_parts
from arena.stats.duels import ComparisonOutcome, Verdict
from arena.stats.scales import Interval
from arena.stats.statements import DECIDED, DRAWN_BOUNDS, PAIRS_CHOSEN, SETTLED


def answer_of_comparison(shown: ComparisonReport, *, finished: bool, further: str = "") -> AnswerCard:
    """Return the answer of a comparison: its verdict, the difference and the evidence for both verdicts.

    ``further``: the command that plays on after "not decided"; empty: there is none.
    """
    outcome, is_settled = shown.outcome, is_decided(shown.outcome)
    (who, how), (above, below) = verdict_parts(shown), answers(shown)
    if outcome.void:
        return AnswerCard(finished=finished, who=who, how=how)
    found, when = outcome.difference, f"both{against(shown)}, {how}" if shown.opponents else how
    ended, so_far = (_in_a_word(outcome), _least_lead(shown), when), (when, _leader(shown))
    unknown = few_hands(shown).partition(":")[0] or _open(shown)
    return AnswerCard(
        finished=finished,
        who=who,
        how="; ".join(filter(None, ended)) if is_settled else ", ".join(filter(None, so_far)),
        sure=str(SETTLED) if is_settled else OPEN,
        why=_why_settled(outcome) if is_settled else unknown,
        unit=f"lead of {shown.first}, {outcome.unit}",
        strips=tuple(strips_of({"": found} if found else {})),
        marks=tuple(sorted({0.0, *outcome.bounds})),
        reading=f"The dot is the measured difference, {PAIRS_CHOSEN}." if outcome.blocks is None else str(DRAWN_BOUNDS),
        proofs=tuple(map(_proof, (above, below), (outcome.better, outcome.worse), outcome.proof)),
        surer="" if is_settled else _further_play(shown),
        command=further if outcome.verdict is Verdict.UNDECIDED else "",
    )


def strips_of(intervals: Mapping[str, Interval]) -> Iterator[Strip]:
    """Yield the strips of intervals by name, but for those without an end; one of no width is a number alone."""
    for name, found in intervals.items():
        if isfinite(found.low + found.high):
            yield Strip(name, found.value, found.low, found.high, interval(found))


def _in_a_word(outcome: ComparisonOutcome) -> str:
    """Return how a test of "not weaker" ended, whose answer is a double negative; empty: it is open, or asks for "stronger"."""
    found = {Verdict.BETTER: "passed", Verdict.NOT_AS_GOOD: "failed"} if outcome.bounds[0] < 0 else {}
    return found.get(outcome.verdict, "")


def _why_settled(outcome: ComparisonOutcome) -> str:
    """Return what the verdict follows from; how sure that is, where the guarantee of a verdict holds: not of matches."""
    proof = outcome.proof[0 if outcome.verdict is Verdict.BETTER else 1]
    if outcome.blocks is None:
        return f"the evidence has reached {needed(proof)}"
    return DECIDED(chance=f"{ceil(1000 / proof - 1e-9) / 10:g} %")  # rounded up


def _open(shown: ComparisonReport) -> str:
    """Return how far the evidence is that is nearest to deciding, and for which answer."""
    outcome = shown.outcome
    if not outcome.hands:
        return "no hand has been played"
    sides = zip(answers(shown), (outcome.better, outcome.worse), outcome.proof, strict=True)
    claim, found, proof = max(sides, key=lambda side: side[1] / side[2])
    if found >= proof:
        return "it is judged after the last hand"
    return f"the evidence that {shown.first} is {claim} is {evidence(found, proof)}"


def _least_lead(shown: ComparisonReport) -> str:
    """Return by how much the first bot is ahead at least, where a passed test shows more than it asked; empty: it does not."""
    outcome, found = shown.outcome, shown.outcome.difference
    if found is None or outcome.blocks is None or outcome.verdict is not Verdict.BETTER:  # of matches, no bound holds at any look
        return ""
    least = floor(100 * found.low) / 100
    return f"stronger by at least {least:,.2f} {outcome.unit}" if least > max(outcome.bounds[0], 0.0) else ""


def _leader(shown: ComparisonReport) -> str:
    """Return which bot is ahead so far, and by how much; empty: it is not known."""
    found, unit = shown.outcome.difference, shown.outcome.unit
    if found is None or not isfinite(found.value):
        return ""
    first = shown.first if found.value >= 0 else shown.second
    return f"{first} leads by {abs(found.value):,.2f} {unit}" if round(found.value, 2) else "neither leads"


def _proof(claim: str, found: float, needed: float) -> Proof:
    return Proof(claim, evidence(found, needed), min(found / needed, 1.0))


def _further_play(shown: ComparisonReport) -> str:
    """Return the hands still needed for a verdict, in words; after the limit of hands, the advice to play fresh deals."""
    if shown.outcome.verdict is Verdict.UNDECIDED:
        return "more hands, on fresh deals"
    left, is_limit = hands_left(shown.outcome, shown.most_hands)
    return f"{'at most' if is_limit else 'about'} {count(left, 'more hand')} of this test"
