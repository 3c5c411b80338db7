"""The one loop of a tournament: what is played, played again, and given up."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest
from matches import SHORT, match
from msgspec.structs import replace

from arena.errors import WorkerLost
from arena.plugins import manager
from arena.records import Fixture, MatchRecord, Result, result
from arena.referee.job import Job
from arena.roster.entrant import Entrant, Launch
from arena.tournament import plan, spec
from arena.tournament.director import conduct
from arena.tournament.formats.base import Format

KINDS = manager.kinds(manager.load(entry_points=False))


def entrant(bot: str, name: str | None) -> Entrant:
    return Entrant(name=name or bot, version="1", source=bot, digest="0" * 64, launch=Launch(command=(bot,), folder="/"))


def planned(bots: str = "[a, b, c]", format_: Format | None = None) -> plan.Plan:
    made = plan.make(spec.parse(f"bots: {bots}\n", KINDS, "league.yaml"), "seed", entrant)
    return made if format_ is None else replace(made, spec=replace(made.spec, format=format_))


RECORD = match(rules=SHORT)


class Flaky(Executor):
    """Plays nothing: gives a record, or loses its worker as often as is said for a fixture."""

    def __init__(self, losses: dict[str, int] | None = None, error: type[Exception] = WorkerLost) -> None:
        self.losses = losses or {}
        self.error = error
        self.asked: list[str] = []
        self.open = 0
        self.cancelled = False

    def submit(self, work: Callable[..., Any], /, *args: Any, **_: Any) -> "Future[Any]":
        job = args[0]
        assert isinstance(job, Job)
        future: Future[MatchRecord] = Future()
        self.asked.append(job.fixture.id)
        if self.losses.get(job.fixture.id, 0):
            self.losses[job.fixture.id] -= 1
            future.set_exception(self.error("the worker is gone"))
        else:
            future.set_result(replace(RECORD, fixture=job.fixture))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's signature
        self.open -= 1
        self.cancelled |= cancel_futures


def conducted(made: plan.Plan, pool: Flaky, ahead: int = 2, before: Sequence[Result] = ()) -> list[MatchRecord]:
    filed: list[Result] = list(before)
    records = []

    def opened() -> Executor:
        pool.open += 1
        return pool

    for record in conduct(made, lambda: filed, opened, ahead):
        filed.append(result(record))
        records.append(record)
    return records


def ids(records: list[MatchRecord]) -> set[str]:
    return {record.fixture.id for record in records}


ALL = {fixture.id for fixture in planned().spec.format.fixtures(["a", "b", "c"], [])}


@pytest.mark.parametrize("ahead", [1, 2, 100])
def test_every_fixture_is_played_once_however_many_are_in_play(ahead: int) -> None:
    pool = Flaky()
    records = conducted(planned(), pool, ahead)
    assert ids(records) == ALL
    assert len(records) == len(pool.asked) == 6
    assert pool.open == 0


def test_what_is_on_record_is_not_played_again() -> None:
    pool = Flaky()
    before = [result(record) for record in conducted(planned(), Flaky())[:4]]
    assert len(conducted(planned(), pool, before=before)) == 2
    assert len(pool.asked) == 2


def test_a_format_is_asked_again_when_all_that_it_answered_is_played() -> None:
    class Rounds(Format, frozen=True, tag="rounds"):
        def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> list[Fixture]:
            done = len(played)
            return [Fixture(f"{done}/{leg}", ("a", "b"), str(done)) for leg in (0, 1)] if done < 6 else []

    assert ids(conducted(planned("[a, b]", Rounds()), Flaky())) == {f"{done}/{leg}" for done in (0, 2, 4) for leg in (0, 1)}


@pytest.mark.parametrize("error", [WorkerLost, BrokenProcessPool])
def test_a_fixture_whose_worker_was_lost_is_played_again(error: type[Exception]) -> None:
    pool = Flaky({"a:b/0/0": 2, "b:c/0/1": 1}, error)
    records = conducted(planned(), pool)
    assert ids(records) == ALL
    assert len(records) == 6
    assert pool.asked.count("a:b/0/0") == 3
    assert pool.open == 0


@pytest.mark.parametrize("error", [WorkerLost, BrokenProcessPool])
def test_at_the_third_loss_the_run_stops_and_says_where(error: type[Exception]) -> None:
    pool = Flaky({"a:c/0/0": 3}, error)
    with pytest.raises(WorkerLost, match=r"fixture a:c/0/0 could not be played in 3 tries: the worker is gone"):
        conducted(planned(), pool)
    assert pool.open == 0


def test_a_fixture_is_played_three_times_though_another_broke_the_pool_under_it() -> None:
    pool = Flaky({"a:b/0/0": 2}, BrokenProcessPool)
    assert ids(conducted(planned(), pool, ahead=6)) == ALL


def test_whoever_stops_taking_records_ends_the_pool_at_once() -> None:
    pool = Flaky()

    def opened() -> Executor:
        pool.open += 1
        return pool

    records = conduct(planned(), list, opened, 2)
    next(records)
    records.close()
    assert (pool.open, pool.cancelled) == (0, True)


def test_a_bug_of_ours_is_not_taken_for_a_lost_worker() -> None:
    with pytest.raises(ZeroDivisionError):
        conducted(planned(), Flaky({"a:b/0/0": 1}, ZeroDivisionError))
