"""The gain of the decisions that two bots make differently: added up by hand and by kind, and as lines of text."""

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import UNSET, Struct, UnsetType

from arena.reports.numbers import error, signed
from arena.reports.priced_turns import action_words
from arena.review.summary import Mean, mean
from arena.runs import differences
from arena.runs.debugging import fold_command
from arena.stats.statements import TWO_ERRORS

LISTED = 10  # decisions as text, of those that cost and of those that gain


class ExplainedDecision(differences.DifferentAnswers, frozen=True, kw_only=True):
    """A changed decision with the gain of the new answer."""

    gain: float  # points; negative: the new answer costs them
    se: float


class ExplainedKind(Struct, frozen=True, kw_only=True):
    """The gain of all changed decisions of a kind."""

    decisions: int
    gain: float  # points a hand
    se: float | None  # None: of a single hand, whose error is not known


class Explanation(Struct, frozen=True, kw_only=True):
    """The gain of the changed decisions, in points a hand of one seat."""

    hands: int
    gain: float
    se: float | None  # None: of a single hand, whose error is not known
    kinds: dict[differences.DecisionKind, ExplainedKind]
    unpriced: int  # changed decisions without a price: faults, and answers that the reviewer does not try
    decisions: tuple[ExplainedDecision, ...]  # the costliest first


class ExplainedDifference(differences.Difference, frozen=True, kw_only=True):
    """A difference with its explanation, as ``arena diff --json`` writes it."""

    explanation: Explanation | UnsetType = UNSET  # UNSET, which JSON leaves out: not asked for


def explanation(priced: Sequence[ExplainedDecision], hands: int, differ: int) -> Explanation:
    """Return the gain of ``priced`` decisions over a number of hands, in which ``differ`` decisions differ, priced or not."""
    total = _mean(priced, hands)
    by_kind = {kind: [one for one in priced if one.kind == kind] for kind in differences.KINDS}
    return Explanation(
        hands=hands,
        gain=total.points,
        se=total.se,
        kinds={kind: _kind(several, hands) for kind, several in by_kind.items()},
        unpriced=differ - len(priced),
        decisions=tuple(sorted(priced, key=lambda one: (one.gain, one.seed, one.hand, one.turn))),
    )


def _kind(priced: Sequence[ExplainedDecision], hands: int) -> ExplainedKind:
    found = _mean(priced, hands)
    return ExplainedKind(decisions=len(priced), gain=found.points, se=found.se)


def _mean(priced: Iterable[ExplainedDecision], hands: int) -> Mean:
    """Return the gain in points a hand of one seat; the old bot has both, so their sum is halved. Hands are independent."""
    by_hand = defaultdict[tuple[str, int], float](float)
    for one in priced:
        by_hand[one.seed, one.hand] += one.gain / 2
    return mean([*by_hand.values(), *[0.0] * (hands - len(by_hand))])


def lines(found: Explanation, old: str, new: str, width: int) -> Iterator[str]:
    """Yield an explanation as lines of text; ``width`` is that of the terminal, to which a command is folded."""
    yield from _list_lines("costliest", [one for one in found.decisions if one.gain < 0][:LISTED], old, new, width)
    yield from _list_lines("most useful", [one for one in reversed(found.decisions) if one.gain > 0][:LISTED], old, new, width)
    does = "cost" if found.gain < 0 else "gain"
    yield f"the changed decisions {does} {abs(found.gain):,.2f}{error(found.se)} points a hand, over {found.hands} hands"
    for kind, one in found.kinds.items():
        if one.decisions:
            yield f"  {differences.KIND_NAMES[kind]:14}{signed(one.gain)}{error(one.se)}, {one.decisions} decisions"
    if found.unpriced:
        yield f"  without a price: {found.unpriced}"
    yield f"  {TWO_ERRORS}"
    yield "  judged from what the seat knew; after each decision both seats go on by the reviewer's policy, not as the bots do"


def _list_lines(title: str, several: Sequence[ExplainedDecision], old: str, new: str, width: int) -> Iterator[str]:
    if several:
        yield f"{title} changes:"
    for one in several:
        actions = f"{old} {action_words(one.old)}, {new} {action_words(one.new)}"
        yield f"  {signed(one.gain, 2 * one.se, 1):>12}  {differences.KIND_NAMES[one.kind]}: {actions}"
        yield from fold_command(shlex.split(one.replay), f"           turn {one.turn}: ", width)
