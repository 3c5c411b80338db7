"""A bot's process: everything that it may write, fail to write, or leave behind."""

import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from programs import IMPORTS, SOON, TOLERANT, alive, left, program

from arena.errors import WorkerLost
from arena.players.base import PlayerFault
from arena.players.minutes import Minutes
from arena.players.process import Allowance, BotProcess
from arena.roster.entrant import Launch

LINE_BYTES = 65536
MARK = f"arena-test-of-processes-{os.getpid()}"  # others may run the same tests
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processor time and leftovers are read from Linux's /proc")


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    yield
    assert left(MARK) == []


@contextmanager
def running(code: str) -> Iterator[BotProcess]:
    process = BotProcess(program(IMPORTS + code, mark=MARK), LINE_BYTES, Minutes())
    try:
        yield process
    finally:
        process.close()


def fault(code: str, allowance: Allowance = TOLERANT) -> PlayerFault:
    """Return the fault of a program that is asked one question."""
    with running(code) as process, pytest.raises(PlayerFault) as caught:
        process.put(b"question\n")
        process.answer(allowance)
    return caught.value


READ = "sys.stdin.readline()\n"


def test_an_answer_comes_back_without_its_newline_and_with_what_it_cost() -> None:
    with running(READ + "print('answer', flush=True); sys.stdin.readline()") as process:
        process.put(b"question\n")
        line = process.answer(TOLERANT)
    assert line.text == b"answer"
    assert 0 < line.cpu < 5
    assert line.wall > 0


def test_what_is_told_goes_out_with_the_next_question() -> None:
    with running("print(repr(sys.stdin.readline() + sys.stdin.readline()), flush=True); sys.stdin.readline()") as process:
        process.tell(b"told\n")
        process.put(b"asked\n")
        assert process.answer(TOLERANT).text == rb"'told\nasked\n'"


def test_a_question_larger_than_the_pipe_reaches_a_bot_that_reads_slowly() -> None:
    code = "time.sleep(0.2); print(len(sys.stdin.readline()), flush=True); sys.stdin.readline()"
    with running(code) as process:
        process.put(b"x" * 1_000_000 + b"\n")
        assert process.answer(TOLERANT).text == b"1000001"


@pytest.mark.parametrize(
    ("code", "kind", "detail"),
    [
        ("sys.exit(0)", "crash", "ended with exit code 0 without an answer"),
        ("sys.exit(7)", "crash", "ended with exit code 7 without an answer"),
        (READ + "os.write(1, b'half an ans'); os._exit(3)", "crash", "ended with exit code 3 without an answer"),
        (READ + "os.kill(os.getpid(), signal.SIGKILL)", "crash", "ended with SIGKILL without an answer"),
        (READ + "os.kill(os.getpid(), 40)", "crash", "ended with signal 40 without an answer"),
        (READ + "os.close(1); time.sleep(60)", "crash", "closed its output without an answer"),
        (READ + "print('one\\ntwo', flush=True); time.sleep(60)", "malformed", "more than one line in answer to one question"),
        (READ + "print('x' * 65536, flush=True); time.sleep(60)", "malformed", "a line of more than 65536 bytes"),
        (READ + "print('x' * 99999, end=''); time.sleep(60)", "malformed", "a line of more than 65536 bytes"),
        (READ + "raise MemoryError", "memory", "ran out of memory"),
    ],
)
def test_whoever_ends_or_says_too_much_is_told_of(code: str, kind: str, detail: str) -> None:
    caught = fault(code)
    assert (caught.kind, caught.detail) == (kind, detail)


def test_a_line_may_have_as_many_bytes_as_the_limit_with_its_newline() -> None:
    with running(READ + "print('x' * 65535, flush=True); sys.stdin.readline()") as process:
        process.put(b"question\n")
        assert len(process.answer(TOLERANT).text) == LINE_BYTES - 1


def test_half_an_answer_is_kept_to_show_it() -> None:
    assert fault(READ + "os.write(1, b'half an ans'); os._exit(3)").answer == b"half an ans"


def test_a_hundred_megabytes_without_a_newline_leave_the_harness_small() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    caught = fault(READ + "[os.write(1, b'x' * 1_000_000) for _ in range(100)]; time.sleep(60)")
    assert caught.kind == "malformed"
    assert len(caught.answer) <= 2 * LINE_BYTES
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # kilobytes


def test_an_answer_before_the_question_is_no_answer() -> None:
    with running("print('early', flush=True); sys.stdin.readline()") as process, pytest.raises(PlayerFault) as caught:
        time.sleep(0.3)
        process.put(b"question\n")
    assert (caught.value.kind, caught.value.detail) == ("malformed", "an answer before the question")
    assert caught.value.answer == b"early\n"


def figure(detail: str) -> float:
    found = re.search(r"([0-9.]+) s", detail)
    assert found
    return float(found[1])


@pytest.mark.parametrize(
    "code",
    [
        "time.sleep(60)",
        READ + "time.sleep(60)",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(60)",
        READ + "while True: os.write(1, b'x'); time.sleep(0.05)",
        READ + "while True: os.write(2, b'x'); time.sleep(0.05)",
    ],
    ids=["sleeps", "reads and sleeps", "ignores SIGTERM and the end of its input", "a byte at a time", "talks to stderr"],
)
def test_whoever_sleeps_instead_is_ended_within_a_second_of_the_limit(code: str) -> None:
    caught = fault(code, SOON)
    assert caught.kind == "timeout"
    assert re.fullmatch(r"no answer, and [0-9.]+ s slept away; allowed: 0\.300 s", caught.detail)
    assert figure(caught.detail) < SOON.stall + 1


@pytest.mark.parametrize(
    "code", ["while True: pass", READ + "while True: os.write(2, b'x' * 1000)"], ids=["spins", "floods stderr"]
)
def test_whoever_works_too_long_is_ended_at_its_processor_time(code: str) -> None:
    caught = fault(code, Allowance(cpu=0.3, stall=30.0, wall=60.0))
    assert (caught.kind, caught.detail) == ("timeout", "no answer within 0.300 s of processor time")


def test_an_answer_that_cost_too_much_is_none_even_if_it_came() -> None:
    busy = "while time.process_time() < 0.2: pass\nprint('late', flush=True); sys.stdin.readline()"
    caught = fault(READ + busy, Allowance(cpu=0.1, stall=30.0, wall=60.0))
    assert caught.kind == "timeout"


def test_a_machine_too_busy_to_judge_is_not_the_bots_fault() -> None:
    with running("time.sleep(60)") as process, pytest.raises(WorkerLost, match="too busy to be fair"):
        process.put(b"question\n")
        process.answer(Allowance(cpu=5.0, stall=5.0, wall=0.2))


def test_the_end_of_a_traceback_is_in_the_fault_however_much_was_said_before() -> None:
    caught = fault(READ + "os.write(2, b'x' * 60_000)\nraise ValueError('the very end')")
    assert caught.stderr.endswith("ValueError: the very end\n")
    assert len(caught.stderr) <= 4096


def test_what_was_said_on_stderr_is_safe_to_print() -> None:
    caught = fault(READ + r"os.write(2, b'\x1b[2Jone\ttwo\n\xff\x07\xc2\x9b'); sys.exit(1)")
    assert caught.stderr == r"\x1b[2Jone" + "\ttwo\n" + r"\xff\x07\x9b"


def test_a_program_that_is_not_there_is_a_crash_that_says_so() -> None:
    with pytest.raises(PlayerFault) as caught:
        BotProcess(Launch(command=("/no/such/program",), folder="/"), LINE_BYTES, Minutes())
    assert caught.value.kind == "crash"
    assert caught.value.detail == "could not be started: [Errno 2] No such file or directory: '/no/such/program'"


def test_a_grandchild_ends_with_the_bot() -> None:
    code = (
        READ
        + "os.fork() or time.sleep(600); print('born', flush=True); signal.signal(15, signal.SIG_IGN)\nwhile True: time.sleep(600)"
    )
    with running(code) as process:
        process.put(b"question\n")
        process.answer(TOLERANT)
        assert len(alive(MARK)) == 2


def test_a_grandchild_ends_even_if_the_bot_has_ended_before() -> None:
    assert fault(READ + "os.fork() and os._exit(0); os.close(1); time.sleep(600)").kind == "crash"


def test_closing_twice_or_after_the_end_is_harmless() -> None:
    process = BotProcess(program("pass", mark=MARK), LINE_BYTES, Minutes())
    process.close()
    process.close()


def test_a_bot_sees_the_environment_of_its_launch_and_no_other() -> None:
    with running("sys.stdin.readline(); print(sorted(os.environ), flush=True)") as process:
        process.put(b"question\n")
        seen = process.answer(TOLERANT).text.decode()
    assert set(re.findall(r"'(\w+)'", seen)) - {"LC_CTYPE"} == {"MARK"}  # Python sets LC_CTYPE for itself


def test_no_descriptor_is_left_open_by_a_bot_that_came_and_went() -> None:
    with running("sys.stdin.readline()"):
        pass
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
    with running("sys.stdin.readline()"):
        pass
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


# --- other processes that want the processor


@pytest.fixture
def hogs() -> Iterator[None]:
    """Keep every core busy, for twenty seconds at the most."""
    spin = "import time; end = time.monotonic() + 20\nwhile time.monotonic() < end: pass"
    started = [subprocess.Popen([sys.executable, "-I", "-S", "-c", spin]) for _ in range(2 * (os.cpu_count() or 2))]
    yield
    for hog in started:
        hog.kill()
        hog.wait()


WORKS = """
while sys.stdin.readline():
    before = time.process_time()
    while time.process_time() - before < 0.2: pass
    print(time.process_time() - before, flush=True)
"""


def charged() -> list[tuple[float, float]]:
    """Return what a bot says that it used for each of three answers, and what it was charged."""
    pairs = []
    with running(WORKS) as process:
        for _ in range(4):
            process.put(b"question\n")
            line = process.answer(Allowance(cpu=0.5, stall=0.5, wall=60.0))
            pairs.append((float(line.text), line.cpu))
    return pairs[1:]  # the first pays for the start


def test_a_bot_is_charged_what_it_used() -> None:
    for used, cost in charged():
        assert cost == pytest.approx(used, abs=0.02)


@pytest.mark.usefixtures("hogs")
def test_a_bot_within_its_limit_loses_nothing_to_a_busy_machine() -> None:
    for used, cost in charged():
        assert cost == pytest.approx(used, abs=0.02)


@pytest.mark.usefixtures("hogs")
def test_a_bot_that_spins_is_found_out_on_a_busy_machine_too() -> None:
    caught = fault("while True: pass", Allowance(cpu=0.2, stall=0.5, wall=60.0))
    assert caught.detail == "no answer within 0.200 s of processor time"
