"""A fixture is played from a job, by bots in processes of their own."""

import os
import pickle
import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.bots.programs import playing, program
from support.matches.in_process import SEED, fixture, greedy, job_of
from support.matches.records import untimed
from support.processes.marked import left

import arena.referee.job
from arena.gin.actions import Action, BigGin
from arena.gin.rules import Rules
from arena.gin.view import View
from arena.limits import FaultCosts, TimeLimits
from arena.players import child
from arena.players.base import InlinePlayer
from arena.players.kept_states import KeptStates
from arena.players.state import digest
from arena.protocol.codec import decode_message
from arena.protocol.messages import Turn
from arena.referee.job import Job, JobStates, SeatState, bot_seed, play
from arena.roster.entrant import Launch, StateLimits

MARK = f"arena-test-of-jobs-{os.getpid()}"  # unique, because the same tests may run in another process


def job(zero: Launch, one: Launch, hands: int | None = 4) -> Job:
    return job_of(fixture(hands=hands), (zero, one), time=TimeLimits(per_turn=0.5, stall=0.5))


def test_a_fixture_is_played_between_two_processes_that_end_with_it() -> None:
    record = play(job(playing(mark=MARK), playing(mark=MARK)))
    assert len(record.hands) == 4
    assert record.faults == ()
    assert all(usage.decisions > 0 and usage.cpu > 0 and usage.slowest <= usage.cpu for usage in record.usage)
    assert left(MARK) == []


def test_the_processor_time_of_every_action_is_recorded() -> None:
    record = play(job(playing(), playing()))
    assert [len(hand.spent) for hand in record.hands] == [len(hand.actions.split()) for hand in record.hands]
    spent = sum(sum(hand.spent) for hand in record.hands)
    assert spent == pytest.approx(
        1e6 * sum(usage.cpu for usage in record.usage), abs=record.usage[0].decisions + record.usage[1].decisions
    )


def test_a_job_can_be_sent_to_another_process() -> None:
    sent = job(playing(), playing())
    assert pickle.loads(pickle.dumps(sent)) == sent  # noqa: S301 - our own bytes


def test_the_same_job_gives_the_same_record_except_for_times() -> None:
    once, again = play(job(playing(), playing())), play(job(playing(), playing()))
    assert untimed(once) == untimed(again)


@pytest.mark.process
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("sys.exit(1)", "crash"),
        ("time.sleep(60)", "timeout"),
        ("print('nonsense', flush=True)", "malformed"),
        ("raise MemoryError", "memory"),
    ],
)
def test_a_bot_that_commits_a_fault_is_restarted_and_continues(code: str, kind: str) -> None:
    odd = playing(f"if turn['game'] == 1 and turn['phase'] == 'discard': {code}", mark=MARK)
    record = play(job(odd, playing(mark=MARK)))
    assert [(fault.seat, fault.kind, fault.game) for fault in record.faults] == [(0, kind, 1)]
    assert record.usage[0].decisions > 5
    assert left(MARK) == []


@pytest.mark.process
@pytest.mark.parametrize(
    ("code", "kind", "answer"),
    [
        ("time.sleep(60)", "timeout", ""),
        ("while True: pass", "timeout", ""),
        ("sys.exit(1)", "crash", ""),
        ("print('\\x1b[2Jnonsense', flush=True); sys.stdin.read()", "malformed", "\\x1b[2Jnonsense"),
        ("print('x' * 60000, flush=True)", "malformed", "x" * 200 + "..."),
        ("turn['may'] = ['lay_off']", "illegal", '{"kind":"lay_off"}'),
        ("raise MemoryError", "memory", ""),
    ],
)
def test_every_fault_records_its_turn_its_answer_and_the_end_of_stderr(code: str, kind: str, answer: str) -> None:
    odd = playing(f"if turn['phase'] == 'discard':\n    print('about to fail', file=sys.stderr, flush=True)\n    {code}", mark=MARK)
    record = play(job(odd, playing(mark=MARK), hands=1))
    (fault,) = record.faults
    assert (fault.kind, fault.answer) == (kind, answer)
    turn = decode_message(fault.turn.encode())
    assert isinstance(turn, Turn)
    assert (turn.phase, turn.game) == ("discard", fault.game)
    assert "about to fail\n" in fault.stderr
    assert (fault.clause is not None) is (kind == "illegal")
    assert record.usage[0].wall > 0


@pytest.mark.process
def test_a_bot_that_times_out_in_nine_of_ten_matches_takes_no_more_than_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "GRACE", 0.05)  # which none of these bots uses: they sleep until they are killed
    limits, costs = TimeLimits(per_turn=0.1, stall=0.1), FaultCosts(at_most=2)
    jobs = [job(playing("time.sleep(60)" if number else "", mark=MARK), playing(), hands=None) for number in range(10)]
    records = [play(replace(one, rules=Rules(target=200, best_of=1, max_hands=5), time=limits, faults=costs)) for one in jobs]
    assert records[0].faults == ()
    for record in records[1:]:
        assert record.forfeit == 0
        assert len(record.faults) == len(record.hands) == costs.at_most
        assert all(re.match(r"no answer; idle for 0\.\d+ s; allowed: 0\.100 s", fault.detail) for fault in record.faults)
        assert record.usage[0].decisions == 0
    assert left(MARK) == []


class Learner(InlinePlayer):
    """A player that leaves a state."""

    learned: bytes | None = None


@pytest.mark.parametrize("faulty", [None, 0, 1])
def test_what_each_bot_has_learned_is_kept_except_after_its_own_fault(
    faulty: int | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def illegal(_: View) -> Action:
        return BigGin()

    monkeypatch.setattr(arena.referee.job, "ProcessPlayer", Learner)
    zero, one = (Learner(illegal if seat == faulty else greedy(str(seat))) for seat in (0, 1))
    zero.learned, one.learned = b"zero", b"one"
    files = KeptStates(tmp_path / "states", StateLimits())
    states = JobStates(files=files, seats=(SeatState(kept=True), SeatState(kept=True)))
    record = play(replace(job_of(fixture(hands=1)), states=states), (zero, one))
    expected = [None if seat == faulty else digest(left) for seat, left in enumerate([b"zero", b"one"])]
    assert list(record.states) == expected
    assert sorted(path.name for path in (tmp_path / "states").iterdir()) == sorted(name for name in expected if name)


def test_if_neither_bot_can_be_started_the_first_seat_loses_every_hand() -> None:
    gone = Launch(command=("/no/such/bot",), folder="/")
    record = play(job(gone, gone, hands=3))
    assert [fault.seat for fault in record.faults] == [0, 0, 0]
    assert record.forfeit == 0


def test_processes_that_a_bot_leaves_running_are_ended_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    leaves = playing("os.fork() or (os.setsid(), os.close(1), time.sleep(60), os._exit(0))", mark=MARK)
    play(job(playing(mark=MARK), playing(mark=MARK), hands=1))
    assert caplog.messages == []
    play(job(leaves, playing(mark=MARK), hands=1))
    (message,) = caplog.messages
    assert re.fullmatch(r".*: ended \d+ processes that the bots had left running", message)
    assert left(MARK) == []


def test_a_bot_that_exits_after_hello_commits_a_crash_at_its_first_turn() -> None:
    ends = program('input(); print(\'{"type":"ready","protocol":1}\', flush=True)', mark=MARK)
    record = play(job(playing(mark=MARK), ends, hands=1))
    assert [(fault.seat, fault.kind) for fault in record.faults] == [(1, "crash")]


def test_a_bots_seed_depends_on_pair_seat_and_run_and_does_not_contain_the_run_seed() -> None:
    assert bot_seed(SEED, "a-b/0", 0) == bot_seed(SEED, "a-b/0", 0)
    assert len({bot_seed(SEED, "a-b/0", 0), bot_seed(SEED, "a-b/0", 1), bot_seed(SEED, "a-b/1", 0), bot_seed("x", "a-b/0", 0)}) == 4
    assert SEED not in bot_seed(SEED, "a-b/0", 0)
