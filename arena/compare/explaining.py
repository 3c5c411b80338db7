"""Estimates what changed decisions cost or gain: ``--explain`` of ``arena diff`` and ``arena regress``.

For each decision that differs, the old and the new answer are tried in the same sampled worlds, as ``arena review`` tries
alternatives. After it both seats go on by the policy of the reviewer, so the new bot is judged only at decisions that the old bot
reached. The opponent's habits are those of the old bot, fitted to hands of the other half of the deals.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

from msgspec import Struct

from arena.compare.explanation import ExplainedDecision, Explanation, explanation
from arena.gin.actions import Action, word
from arena.gin.rules import Rules
from arena.referee.asking import AskedDecision
from arena.results.review_tasks import HabitFit, RunHand, fit
from arena.results.reviews import hands_to_fit, run_hands
from arena.review.habits import Habits
from arena.review.prices import Price
from arena.review.reviewer import Reviewer
from arena.runs import differences
from arena.runs.asked_batches import AskedBatch
from arena.runs.runner import Runner
from arena.tournament.tasks import in_order

SEED = "explain"
AT_ONCE = 40  # decisions that a worker prices together

Progress = Callable[[int, int], None]  # receives the number of priced decisions, and that of all


class ChangedDecision(Struct, frozen=True):
    """A decision to which two bots give different answers."""

    seed: str  # of the batch
    hand: RunHand
    asked: AskedDecision
    new: Action


class GainTask(Struct, frozen=True):
    """Some changed decisions, in hands of one half of the deals."""

    changes: tuple[ChangedDecision, ...]
    opponent: Habits


def explain(found: differences.FoundDifference, runner: Runner, progress: Progress) -> Explanation:
    """Return the gains of the changed decisions of a difference. Raises: WorkerLostError, for a task that is lost three times."""
    hands = [[*run_hands([batch.record], found.rules, {batch.record.fixture.id: batch.seed}.get)] for batch in found.batches]
    changes = [one for batch, played in zip(found.batches, hands, strict=True) for one in _changes(batch, played)]
    priced: list[ExplainedDecision] = []
    done = 0
    progress(done, len(changes))
    for task, prices in _in_workers(changes, [*chain(*hands)], found.rules, runner):
        pairs = zip(task.changes, prices, strict=True)
        priced += [_explain_decision(one, gain, found.command) for one, gain in pairs if gain]
        done += len(prices)
        progress(done, len(changes))
    return explanation(priced, sum(map(len, hands)), found.difference.differ)


def _changes(batch: AskedBatch, hands: Sequence[RunHand]) -> Iterator[ChangedDecision]:
    for one in batch.asked:
        if one.answer is not None and not one.same:
            yield ChangedDecision(batch.seed, hands[one.hand], one, one.answer)


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
