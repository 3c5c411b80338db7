"""Estimates what changed decisions cost or gain: ``--explain`` of ``arena diff`` and ``arena regress``.

For each decision that differs, the old and the new answer are tried in the same sampled worlds, as ``arena review`` tries
alternatives. After it both seats go on by the policy of the reviewer, so the new bot is judged only at decisions that the old bot
reached. The opponent's habits are those of the old bot, fitted to hands of the other half of the deals.
"""

import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from msgspec import UNSET, Struct, UnsetType

from arena.gin.actions import Action, word
from arena.gin.rules import Rules
from arena.referee.asking import AskedDecision
from arena.reports.numbers import error
from arena.reports.priced_turns import action_words
from arena.results.review_tasks import HabitFit, RunHand, fit
from arena.results.reviews import hands_to_fit, run_hands
from arena.review.prices import Price
from arena.review.pricing import Reviewer
from arena.review.summary import Mean, mean
from arena.review.worlds import Habits
from arena.runs import differences
from arena.runs.debugging import fold_command
from arena.runs.runner import Runner
from arena.stats.statements import TWO_ERRORS
from arena.tournament.tasks import in_order

SEED = "explain"
AT_ONCE = 40  # decisions that a worker prices together
LISTED = 10  # decisions as text, of those that cost and of those that gain

Progress = Callable[[int, int], None]  # receives the number of priced decisions, and that of all


class ChangedDecision(Struct, frozen=True):
    """A decision to which two bots give different answers."""

    seed: str  # of the leg
    hand: RunHand
    asked: AskedDecision
    new: Action


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


class GainTask(Struct, frozen=True):
    """Some changed decisions, in hands of one half of the deals."""

    changes: tuple[ChangedDecision, ...]
    opponent: Habits


def explain(found: differences.FoundDifference, runner: Runner, progress: Progress) -> Explanation:
    """Return the gains of the changed decisions of a difference. Raises: WorkerLostError, for a task that is lost three times."""
    hands = [[*run_hands([leg.record], found.rules, {leg.record.fixture.id: leg.seed}.get)] for leg in found.legs]
    changes = [one for leg, played in zip(found.legs, hands, strict=True) for one in _changes(leg, played)]
    priced: list[ExplainedDecision] = []
    done = 0
    progress(done, len(changes))
    for task, prices in _in_workers(changes, [*chain(*hands)], found.rules, runner):
        pairs = zip(task.changes, prices, strict=True)
        priced += [_explain_decision(one, gain, found.command) for one, gain in pairs if gain]
        done += len(prices)
        progress(done, len(changes))
    return explanation(priced, sum(map(len, hands)), found.difference.differ)


def _changes(leg: differences.AskedLeg, hands: Sequence[RunHand]) -> Iterator[ChangedDecision]:
    for one in leg.asked:
        if one.answer is not None and not one.same:
            yield ChangedDecision(leg.seed, hands[one.hand], one, one.answer)


# --- in workers


def _in_workers(
    changes: Sequence[ChangedDecision], hands: Sequence[RunHand], rules: Rules, runner: Runner
) -> Iterator[tuple[GainTask, list[Price | None]]]:
    """Yield each task with the gains of its changed decisions. Raises: WorkerLostError."""
    if not changes:
        return
    old = changes[0].hand.seats[0]  # it plays itself
    with runner.open_pool() as pool:
        fits = [HabitFit(old, hands_to_fit(hands, old, half)) for half in (0, 1)]
        habits = [*in_order(pool, partial(fit, rules=rules), fits)]
        tasks = [*_tasks(changes, habits)]
        yield from zip(tasks, in_order(pool, partial(gains, rules=rules), tasks), strict=True)


def _tasks(changes: Sequence[ChangedDecision], habits: Sequence[Habits]) -> Iterator[GainTask]:
    for half, opponent in enumerate(habits):
        in_half = [one for one in changes if one.hand.half == half]
        yield from (GainTask(tuple(in_half[first : first + AT_ONCE]), opponent) for first in range(0, len(in_half), AT_ONCE))


def gains(task: GainTask, rules: Rules) -> list[Price | None]:
    """Return the gain of the new answer of each changed decision; None: it cannot be priced. Raises: DamagedError."""
    several = [(one.hand.steps(rules)[one.asked.turn], one.new) for one in task.changes]
    return Reviewer(rules, SEED).gains(several, task.opponent)


# --- the result


def _explain_decision(one: ChangedDecision, gain: Price, command: differences.HandCommand) -> ExplainedDecision:
    asked = one.asked
    return ExplainedDecision(
        kind=differences.kind_of(asked),
        seed=one.seed,
        hand=asked.hand,
        turn=asked.turn + 1,
        seat=asked.seat,
        old=word(asked.recorded),
        new=word(one.new),
        gain=round(gain.points, 3),
        se=round(gain.se, 3),
        replay=command.of(asked.hand, asked.seat, one.seed),
    )


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
    yield f"the changed decisions {does} {abs(found.gain):.2f}{error(found.se)} points a hand, over {found.hands} hands"
    for kind, one in found.kinds.items():
        if one.decisions:
            yield f"  {differences.KIND_NAMES[kind]:14}{one.gain:+.2f}{error(one.se)}, {one.decisions} decisions"
    if found.unpriced:
        yield f"  without a price: {found.unpriced}"
    yield f"  {TWO_ERRORS}"
    yield "  judged from what the seat knew; after each decision both seats go on by the reviewer's policy, not as the bots do"


def _list_lines(title: str, several: Sequence[ExplainedDecision], old: str, new: str, width: int) -> Iterator[str]:
    if several:
        yield f"{title} changes:"
    for one in several:
        actions = f"{old} {action_words(one.old)}, {new} {action_words(one.new)}"
        yield f"  {one.gain:+6.1f} ± {2 * one.se:.1f}  {differences.KIND_NAMES[one.kind]}: {actions}"
        yield from fold_command(shlex.split(one.replay), f"           turn {one.turn}: ", width)
