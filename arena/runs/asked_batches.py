"""A few hands of a bot against itself, with its answers and those of another version to the decisions in them."""

from collections.abc import Sequence
from functools import partial
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from arena.players.orphans import ending_orphans
from arena.records import MatchRecord
from arena.referee.asking import AskedDecision, RecordedHand, ask, recorded_hands
from arena.referee.job import Job, play
from arena.roster.entrant import Launch


class DiffBatch(Struct, frozen=True, kw_only=True):
    """A few hands of the old bot against itself, with the bot that is asked."""

    job: Job
    new: Launch


class AskedBatch(Struct, frozen=True, kw_only=True):
    """The result of a batch. All answers are to decisions that the old bot made in ``record``."""

    seed: str
    record: MatchRecord
    asked: tuple[AskedDecision, ...]  # the new bot's answers
    old_again: tuple[AskedDecision, ...]  # the old bot's answers, asked once more
    new_again: tuple[AskedDecision, ...]  # the new bot's answers, asked once more


def ask_batch(batch: DiffBatch) -> AskedBatch:
    """Play a batch, and ask both bots for its decisions. Raises: WorkerLostError."""
    job = batch.job
    record = play(job)
    hands = list(recorded_hands(record, job.rules, job.seed))
    answers = partial(_answers, hands, job)
    with ending_orphans():
        return AskedBatch(
            seed=job.seed,
            record=record,
            asked=answers(batch.new),
            old_again=answers(job.launches[0]),
            new_again=answers(batch.new),
        )


def _answers(hands: Sequence[RecordedHand], job: Job, launch: Launch) -> tuple[AskedDecision, ...]:
    asking, batch, at_most = replace(job, launches=(launch, launch)), job.fixture.hands, job.faults.at_most
    by_seat = (ask(asking.player(seat), seat, hands, job.rules, batch=batch, at_most=at_most) for seat in (0, 1))
    return tuple(chain.from_iterable(by_seat))
