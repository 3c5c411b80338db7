"""The main loop of a tournament: asks the format for fixtures, submits them to the executor, and yields the records.

A format is a pure function of the results, and the director keeps no list of finished fixtures: it passes the stored results to the
format. Resuming a run is therefore just asking the format again.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, Future

from arena.records import Fixture, MatchRecord, Result, lost_record
from arena.referee import job
from arena.referee.job import Job
from arena.tournament.in_play import InPlay
from arena.tournament.plan import Plan
from arena.tournament.schedule import by_coin


def conduct(
    plan: Plan,
    played: Callable[[], Sequence[Result]],
    pool: Callable[[], Executor],
    ahead: int,
    work: Callable[[Job], MatchRecord] = job.play,
    prepare_job: Callable[[Fixture], Job] | None = None,
) -> Generator[tuple[MatchRecord, ...], None, None]:
    """Yield the record of every fixture that the format still asks for, together those that arrived meanwhile.

    ``played`` returns the stored results; ``pool`` opens an executor, and another one if its workers are lost; ``ahead`` is the
    number of fixtures submitted at a time; ``work`` plays one of them, in a worker, as the job that ``prepare_job`` returns for
    it, by default the plan's. The caller must store records before it takes the next. Raises: WorkerLostError, if a fixture could
    not be played in three tries, or, in a format that counts lost fixtures, more than ten in a row were lost.
    """
    prepared = prepare_job or plan.job

    def submit(executor: Executor, fixture: Fixture) -> Future[MatchRecord]:
        return executor.submit(work, prepared(fixture))

    with InPlay(pool, ahead, submit, lost_record if plan.spec.format.counts_lost else None) as in_play:
        more = True
        while more:
            more = False
            for records in in_play.groups(_fixtures(plan, played())):
                more = True
                yield records


def _fixtures(plan: Plan, played: Sequence[Result]) -> Iterator[Fixture]:
    """Yield what the format asks for, in the order of play."""
    asked = plan.spec.format.fixtures(plan.names, played)
    if not plan.coin:
        return iter(asked)
    assert plan.seed is not None
    return by_coin(asked, plan.seed)
