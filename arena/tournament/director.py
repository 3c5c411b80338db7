"""The main loop of a tournament: asks the format for fixtures, has a pool play them, and yields the records.

A format is a pure function of the results, and the director keeps no list of finished fixtures: it passes the stored results to
the format. Resuming a run is therefore just asking the format again.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent import futures
from concurrent.futures import Future

from arena.records import Fixture, MatchRecord, Result, lost_record
from arena.referee import job
from arena.referee.job import Job
from arena.tournament.executors import tell_nobody
from arena.tournament.in_play import TRIES, InPlay
from arena.tournament.order import by_coin
from arena.tournament.plan import Plan
from arena.tournament.void import VoidFixtures, VoidStreak


def conduct(
    plan: Plan,
    played: Callable[[], Sequence[Result]],
    open_pool: Callable[[], futures.Executor],
    ahead: int,
    work: Callable[[Job], MatchRecord] = job.play,
    prepare_job: Callable[[Fixture], Job] | None = None,
    warn: Callable[[str], None] = tell_nobody,
    streak: VoidStreak | None = None,
) -> Generator[tuple[MatchRecord, ...], None, None]:
    """Yield the records of all fixtures that the format still asks for, in groups, as ``InPlay.groups`` does.

    ``played`` returns the stored results; ``open_pool`` opens a pool, and another one if its workers are lost; ``ahead`` is the
    number of fixtures submitted at a time; ``work`` plays one of them, in a worker, as the job that ``prepare_job`` returns for
    it, by default the plan's; ``warn`` receives who is suspended, and each try that was lost, with the reason; ``streak`` continues
    that of an earlier call. The caller must store records before it takes the next. Raises: WorkerLostError, if more than ten
    fixtures in a row are void.
    """
    prepared, void = prepare_job or plan.job, VoidFixtures(warn)
    counts_lost = plan.spec.format.counts_lost  # then a bot gains nothing by a lost fixture

    def submit(pool: futures.Executor, fixture: Fixture) -> Future[MatchRecord]:
        task = prepared(fixture)
        return pool.submit(work, task if counts_lost else void.without_suspects(task))

    with InPlay(open_pool, ahead, submit, lost_record, 1 if counts_lost else TRIES, warn, streak) as in_play:
        more = True
        while more:
            more = False
            results = played()
            void.count(one.fixture for one in results if one.lost)
            for records in in_play.groups(_fixtures(plan, results)):
                more = True
                void.count(one.fixture for one in records if one.lost is not None)
                yield records


def _fixtures(plan: Plan, played: Sequence[Result]) -> Iterator[Fixture]:
    """Yield the fixtures that the format asks for, in the order of play."""
    asked = plan.spec.format.fixtures(plan.names, played)
    if not plan.coin:
        return iter(asked)
    assert plan.seed is not None
    return by_coin(asked, plan.seed)
