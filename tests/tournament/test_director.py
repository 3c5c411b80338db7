"""The main loop of a tournament: what is played, played again, and given up."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from itertools import chain
from random import Random
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace
from support.matches.in_process import SHORT, match

from arena.errors import WorkerLostError
from arena.plugins import manager
from arena.records import Fixture, MatchRecord, Result, lost_record, result
from arena.referee.job import Job
from arena.roster.entrant import Entrant, Launch
from arena.tournament import plan, spec
from arena.tournament.director import conduct
from arena.tournament.formats.base import Format
from arena.tournament.formats.divisions import Divisions
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.round_robin import Batches, RoundRobin
from arena.tournament.formats.swiss import Swiss
from arena.tournament.order import goes_first

KINDS = manager.kinds(manager.load(entry_points=False))


def entrant(bot: str, name: str | None) -> Entrant:
    return Entrant(name=name or bot, version="1", source=bot, digest="0" * 64, launch=Launch(command=(bot,), folder="/"))


def planned(bots: str = "[a, b, c]", format_: Format | None = None) -> plan.Plan:
    made = plan.make(spec.parse_spec(f"bots: {bots}\n", KINDS, "league.yaml"), "seed", entrant)
    return made if format_ is None else replace(made, spec=replace(made.spec, format=format_))


RECORD = match(rules=SHORT)


class SameDeals(Format, frozen=True, tag="same-deals"):
    """Twelve fixtures, all of them on one key."""

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> list[Fixture]:
        done = {one.fixture.id for one in played}
        return [Fixture(str(number), ("a", "b"), "key") for number in range(12) if str(number) not in done]


class AskedOnce(Format, frozen=True, tag="once"):
    """Six fixtures, asked for once."""

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> list[Fixture]:
        if self._asked:
            return []
        self._asked.append(True)
        return [Fixture(str(number), ("a", "b"), str(number)) for number in range(6)]

    _asked: ClassVar[list[bool]] = []


class Flaky(Executor):
    """Plays nothing: returns a record, or loses its worker a given number of times for a fixture."""

    def __init__(self, losses: dict[str, int] | None = None, error: type[Exception] = WorkerLostError) -> None:
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
            future.set_result(replace(RECORD, fixture=job.fixture, hands=RECORD.hands[: job.fixture.hands]))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's signature
        self.open -= 1
        self.cancelled |= cancel_futures


def play_all(made: plan.Plan, pool: Flaky, ahead: int = 2, before: Sequence[Result] = ()) -> list[MatchRecord]:
    stored: list[Result] = list(before)
    records = []

    def opened() -> Executor:
        pool.open += 1
        return pool

    for record in chain.from_iterable(conduct(made, lambda: stored, opened, ahead)):
        stored.append(result(record))
        records.append(record)
    return records


def ids(records: list[MatchRecord]) -> set[str]:
    return {record.fixture.id for record in records}


ALL = {fixture.id for fixture in planned().spec.format.fixtures(["a", "b", "c"], [])}


@pytest.mark.parametrize("ahead", [1, 2, 100])
def test_every_fixture_is_played_once_for_any_number_in_play(ahead: int) -> None:
    pool = Flaky()
    records = play_all(planned(), pool, ahead)
    assert ids(records) == ALL
    assert len(records) == len(pool.asked) == 6
    assert pool.open == 0


def test_a_fixture_on_record_is_not_played_again() -> None:
    pool = Flaky()
    before = [result(record) for record in play_all(planned(), Flaky())[:4]]
    assert len(play_all(planned(), pool, before=before)) == 2
    assert len(pool.asked) == 2


def test_a_format_is_asked_again_when_all_its_fixtures_are_played() -> None:
    class Rounds(Format, frozen=True, tag="rounds"):
        def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> list[Fixture]:
            done = len(played)
            return [Fixture(f"{done}/{leg}", ("a", "b"), str(done)) for leg in (0, 1)] if done < 6 else []

    assert ids(play_all(planned("[a, b]", Rounds()), Flaky())) == {f"{done}/{leg}" for done in (0, 2, 4) for leg in (0, 1)}


@pytest.mark.parametrize("error", [WorkerLostError, BrokenProcessPool])
def test_a_fixture_whose_worker_was_lost_is_played_again(error: type[Exception]) -> None:
    pool = Flaky({"a:b/0/0": 2, "b:c/0/1": 1}, error)
    records = play_all(planned(), pool)
    assert ids(records) == ALL
    assert len(records) == 6
    assert pool.asked.count("a:b/0/0") == 3
    assert pool.open == 0


@pytest.mark.parametrize(("error", "losses"), [(WorkerLostError, 3), (BrokenProcessPool, 4)])
def test_a_fixture_that_is_lost_three_times_is_void_and_the_others_are_played(error: type[Exception], losses: int) -> None:
    pool = Flaky({"a:c/0/0": losses}, error)
    records = play_all(planned(), pool)
    assert ids(records) == ALL
    assert {record.fixture.id: record.lost for record in records if record.lost} == {"a:c/0/0": "the worker is gone"}
    assert pool.open == 0


def test_more_than_ten_void_fixtures_in_a_row_stop_the_run() -> None:
    pool = Flaky(dict.fromkeys(map(str, range(12)), 3))
    with pytest.raises(WorkerLostError, match=r"more than 10 legs in a row were lost, the last: the worker is gone"):
        play_all(planned("[a, b]", SameDeals()), pool)
    assert len(pool.asked) == 33
    assert pool.open == 0


class Killed(Executor):
    """Plays nothing; a bot ends the worker in whose job it is."""

    def __init__(self, killer: str) -> None:
        self.killer = killer
        self.given: list[Job] = []

    def submit(self, work: Callable[..., Any], /, *args: Any, **_: Any) -> "Future[Any]":
        job, future = args[0], Future[Any]()
        self.given.append(job)
        if (self.killer,) in [launch.command for launch in job.launches]:
            future.set_exception(WorkerLostError("the worker is gone"))
        else:
            future.set_result(replace(RECORD, fixture=job.fixture))
        return future


def test_an_entrant_with_void_fixtures_against_several_opponents_is_suspended_and_loses_the_others_by_faults() -> None:
    pool, warned, stored = Killed("c"), list[str](), list[Result]()
    made = planned(format_=RoundRobin(pairs=2))
    for record in chain.from_iterable(conduct(made, lambda: stored, lambda: pool, 1, warn=warned.append)):
        stored.append(result(record))

    assert [line for line in warned if "lost in try" not in line] == [
        "c is suspended: the process that played it was lost in 3 matches, against 2 opponents"
    ]
    assert sum(one.lost for one in stored) == 3
    assert sorted(one.fixture.id for one in stored) == sorted(one.id for one in made.spec.format.fixtures(made.names, []))
    (failing,) = {launch.command[-1] for launch in pool.given[-1].launches if launch.command != ("b",)}
    assert "suspended: the process that played it was lost" in failing


def test_a_suspension_follows_from_the_stored_results_when_a_run_is_resumed() -> None:
    made = planned(format_=RoundRobin(pairs=2))
    played = {one.id: one for one in made.spec.format.fixtures(made.names, [])}
    void = [result(lost_record(played[name], "the worker is gone")) for name in ("a:c/0/0", "b:c/0/0", "a:c/1/0")]
    pool, stored = Killed("c"), list(void)
    for records in conduct(made, lambda: stored, lambda: pool, 1):
        stored.extend(map(result, records))

    assert sum(one.lost for one in stored) == len(void)


def test_two_entrants_that_cannot_be_distinguished_are_not_suspended() -> None:
    pool, warned, stored = Killed("a"), list[str](), list[Result]()
    made = planned("[a, b]", RoundRobin(pairs=4))
    for record in chain.from_iterable(conduct(made, lambda: stored, lambda: pool, 1, warn=warned.append)):
        stored.append(result(record))

    assert all(one.lost for one in stored)
    assert [line for line in warned if "lost in try" not in line] == []


DUEL = Duel(hands=24)


@pytest.mark.parametrize("error", [WorkerLostError, BrokenProcessPool])
def test_a_lost_leg_of_a_duel_is_on_record_and_is_not_played_again(error: type[Exception]) -> None:
    pool = Flaky({"a:b/0/0": 1, "a:b/3/1": 1}, error)
    records = play_all(planned("[a, b]", DUEL), pool)
    assert len(records) == len(pool.asked) == 12
    assert {record.fixture.id for record in records if record.lost} == {"a:b/0/0", "a:b/3/1"}
    assert [record.hands for record in records if record.lost] == [(), ()]
    assert {record.lost for record in records} == {None, "the worker is gone"}


def test_more_than_ten_lost_legs_in_a_row_stop_a_duel() -> None:
    pool = Flaky({f"a:b/{number}/{leg}": 1 for number in range(6) for leg in (0, 1)})
    with pytest.raises(WorkerLostError, match=r"more than 10 legs in a row were lost, the last: the worker is gone"):
        play_all(planned("[a, b]", DUEL), pool)
    assert pool.open == 0


def test_a_lost_match_of_a_duel_on_matches_is_played_again() -> None:
    pool = Flaky({"a:b/0/0": 1})
    records = play_all(planned("[a, b]", Duel(statistic="matches", bounds=(0, 20), hands=4)), pool)
    assert not any(record.lost for record in records)
    assert pool.asked.count("a:b/0/0") == 2


def test_a_fixture_keeps_its_tries_when_another_one_breaks_the_pool() -> None:
    pool = Flaky({"a:b/0/0": 2}, BrokenProcessPool)
    assert ids(play_all(planned(), pool, ahead=6)) == ALL


class Later(Executor):
    """Plays nothing; ``settle`` completes the submitted jobs in any order."""

    def __init__(self, settle: Callable[[list[tuple[Job, "Future[Any]"]]], None]) -> None:
        self.settle = settle
        self.given: list[tuple[Job, Future[Any]]] = []
        self.most = 0

    def submit(self, work: Callable[..., Any], /, *args: Any, **_: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        self.given.append((args[0], future))
        keys = [job.fixture.deals for job, _ in self.given]
        assert len(keys) == len(set(keys)), "two fixtures on the same deals are in play"
        self.most = max(self.most, len(keys))
        threading.Timer(0.001, self._settle).start()
        return future

    def _settle(self) -> None:
        if self.given:
            self.settle(self.given)


@pytest.mark.parametrize(
    "format_", [RoundRobin(pairs=3), Batches(hands=300), SameDeals()], ids=["round robin", "batches", "one key"]
)
def test_no_two_fixtures_on_the_same_deals_are_in_play_in_any_format(format_: Format) -> None:
    def settle_the_last(given: list[tuple[Job, "Future[Any]"]]) -> None:
        job, future = given.pop()
        future.set_result(replace(RECORD, fixture=job.fixture))

    pool, stored = Later(settle_the_last), list[Result]()
    made = planned(format_=format_)
    for record in chain.from_iterable(conduct(made, lambda: stored, lambda: pool, 5)):
        stored.append(result(record))
    asked = list(format_.fixtures(made.names, []))
    assert sorted(one.fixture.id for one in stored) == sorted(one.id for one in asked)


def test_a_fixture_that_was_lost_is_played_again_with_nothing_else_in_play() -> None:
    lost, beside = list[str](), dict[str, int]()

    def settle(given: list[tuple[Job, "Future[Any]"]]) -> None:
        for job, _ in given:
            beside[job.fixture.id] = len(given)
        job, future = given.pop(0)
        if job.fixture.id not in lost and len(lost) < 2:
            lost.append(job.fixture.id)
            future.set_exception(WorkerLostError("the worker is gone"))
        else:
            future.set_result(replace(RECORD, fixture=job.fixture))

    pool, stored = Later(settle), list[Result]()
    for record in chain.from_iterable(conduct(planned(), lambda: stored, lambda: pool, 3)):
        stored.append(result(record))
    assert {one.fixture.id for one in stored} == ALL
    assert [beside[name] for name in lost] == [1, 1]


def test_legs_of_a_duel_are_played_together_again_after_one_that_was_cancelled_is_lost() -> None:
    settled, errors = list[str](), [CancelledError(), WorkerLostError("the worker is gone")]

    def settle(given: list[tuple[Job, "Future[Any]"]]) -> None:
        job, future = given.pop(0)
        settled.append(job.fixture.id)
        if errors and job.fixture.id == settled[0]:
            pool.most = 0
            future.set_exception(errors.pop(0))
        else:
            future.set_result(replace(RECORD, fixture=job.fixture, hands=RECORD.hands[: job.fixture.hands]))

    pool, stored = Later(settle), list[Result]()
    for record in chain.from_iterable(conduct(planned("[a, b]", DUEL), lambda: stored, lambda: pool, 3)):
        stored.append(result(record))
    assert [one.fixture.id for one in stored if one.lost] == settled[:1]
    assert pool.most == 3


def test_a_pool_that_breaks_under_several_fixtures_charges_none_of_them() -> None:
    def settle(given: list[tuple[Job, "Future[Any]"]]) -> None:
        if len(given) > 1 and len(breaks) < 20:
            breaks.append(len(given))
            for _, future in given:
                future.set_exception(BrokenProcessPool("a worker is gone"))
            given.clear()
        else:
            job, future = given.pop()
            future.set_result(replace(RECORD, fixture=job.fixture))

    breaks = list[int]()
    stored = list[Result]()
    made = planned(format_=RoundRobin(pairs=10))
    for record in chain.from_iterable(conduct(made, lambda: stored, lambda: Later(settle), 4)):
        stored.append(result(record))
    assert len(stored) == 60
    assert len(breaks) > 3


def test_in_one_process_a_record_is_yielded_before_the_next_fixture_is_played() -> None:
    pool, unyielded = Flaky(), list[int]()
    for number, _ in enumerate(conduct(planned(format_=AskedOnce()), list, lambda: pool, 4), 1):
        unyielded.append(len(pool.asked) - number)
    assert unyielded == [0] * 6


def test_closing_the_generator_ends_the_pool_at_once() -> None:
    pool = Flaky()

    def opened() -> Executor:
        pool.open += 1
        return pool

    records = conduct(planned(), list, opened, 2)
    next(records)
    records.close()
    assert (pool.open, pool.cancelled) == (0, True)


def test_the_user_reads_which_fixtures_were_lost() -> None:
    lines, stored = list[str](), list[Result]()
    pool = Flaky({"a:b/0/0": 2})
    for record in chain.from_iterable(conduct(planned(), lambda: stored, lambda: pool, 2, warn=lines.append)):
        stored.append(result(record))
    assert lines == [f"a:b/0/0: lost in try {number} of 3: the worker is gone" for number in (1, 2)]


def test_our_own_bug_is_not_taken_for_a_lost_worker() -> None:
    with pytest.raises(ZeroDivisionError):
        play_all(planned(), Flaky({"a:b/0/0": 1}, ZeroDivisionError))


class SixDeals(Format, frozen=True, tag="six-deals"):
    """Six fixtures, each on deals of its own."""

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> list[Fixture]:
        return [] if played else [Fixture(str(number), ("a", "b"), str(number)) for number in range(6)]


class Held(Executor):
    """Plays nothing; ``settle`` is called when it has six jobs."""

    def __init__(self, settle: Callable[["Held"], None]) -> None:
        self.settle = settle
        self.given: list[tuple[Job, Future[Any]]] = []

    def submit(self, work: Callable[..., Any], /, *args: Any, **_: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        self.given.append((args[0], future))
        if len(self.given) == 6:
            self.settle(self)
        return future

    def play(self, number: int) -> None:
        for job, future in self.given[:number]:
            future.set_result(replace(RECORD, fixture=job.fixture))
        del self.given[:number]


def groups_of(pool: Held, stored: list[Result]) -> Iterator[tuple[MatchRecord, ...]]:
    for group in conduct(planned(format_=SixDeals()), lambda: stored, lambda: pool, 6):
        stored.extend(map(result, group))
        yield group


def test_records_that_arrive_while_others_are_stored_are_given_together() -> None:
    pool = Held(lambda held: held.play(1))
    groups = groups_of(pool, [])
    sizes = [len(next(groups))]
    pool.play(5)
    assert [*sizes, *map(len, groups)] == [1, 5]


def test_what_was_played_is_given_before_the_error_of_another_fixture() -> None:
    def settle(held: Held) -> None:
        held.play(3)
        held.given[0][1].set_exception(ZeroDivisionError())
        del held.given[0]
        held.play(2)

    stored = list[Result]()
    with pytest.raises(ZeroDivisionError):
        list(groups_of(Held(settle), stored))
    assert len(stored) == 3


class Watching(Executor):
    """Plays nothing at once; checks at each submission that the leg which the coin puts first is stored before the other begins."""

    def __init__(self, stored: Sequence[Result], chance: Random, seed: str) -> None:
        self.stored, self.chance, self.seed = stored, chance, seed
        self.given: list[tuple[Job, Future[Any]]] = []

    def submit(self, work: Callable[..., Any], /, *args: Any, **_: Any) -> "Future[Any]":
        job, future = args[0], Future[Any]()
        if not goes_first(job.fixture, self.seed):
            legs = {(one.fixture.deals, one.fixture.seats) for one in self.stored}
            assert (job.fixture.deals, job.fixture.seats[::-1]) in legs
        self.given.append((job, future))
        threading.Timer(0.0005, self._settle).start()
        return future

    def _settle(self) -> None:
        job, future = self.given.pop(self.chance.randrange(len(self.given)))
        future.set_result(replace(RECORD, fixture=job.fixture, winner=self.chance.randrange(2)))


@pytest.mark.parametrize(
    "format_",
    [
        RoundRobin(pairs=2),
        Batches(hands=200),
        Swiss(pairs=2),
        Knockout(elimination="double"),
        Divisions(seasons=1, pairs=2),
        Duel(statistic="matches", hands=60, bounds=(0.0, 100.0)),
    ],
    ids=lambda one: f"{one.__struct_config__.tag} {getattr(one, 'deals', '')}",
)
@pytest.mark.parametrize("ahead", [1, 7])
def test_in_any_format_no_leg_begins_before_the_one_that_the_coin_puts_first_is_stored(format_: Format, ahead: int) -> None:
    made = planned("[a, b]" if isinstance(format_, Duel) else "[a, b, c, d, e]", format_)
    stored, chance, killed = list[Result](), Random(1), 0
    while True:
        pool = Watching(stored, chance, "seed")
        with closing(conduct(made, lambda: stored, lambda pool=pool: pool, ahead)) as records:  # type: ignore[misc]
            for group in records:
                stored.extend(map(result, group))
                if len(stored) > 4 * killed:  # what is in play is lost, as in a run that is killed
                    killed += 1
                    break
            else:
                break
    assert killed > 3
    assert not list(format_.fixtures(made.names, stored))


def test_without_a_coin_the_legs_are_played_as_the_format_lists_them() -> None:
    made, pool = planned(format_=RoundRobin(pairs=3)), Flaky()
    play_all(replace(made, coin=False), pool, ahead=1)
    assert pool.asked == [one.id for one in made.spec.format.fixtures(made.names, [])]
    play_all(made, drawn := Flaky(), ahead=1)
    assert drawn.asked != pool.asked
