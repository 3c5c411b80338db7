"""A bot's process: what it may write, what it may fail to write, and what it may leave running."""

import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.bots.programs import IMPORTS, SOON, TOLERANT, program
from support.processes.marked import alive, left
from support.processes.waiting import until

from arena.players.base import PlayerFaultError
from arena.players.contention import WaitBounds
from arena.players.process import PATIENCE, Allowance, BotProcess
from arena.players.traffic_log import TrafficLog
from arena.roster.entrant import Launch

LINE_BYTES = 65536
MARK = f"arena-test-of-processes-{os.getpid()}"  # unique, since the same tests may run twice at the same time
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processor time and orphans are read from Linux's /proc")


@pytest.fixture(autouse=True)
def _no_process_is_left() -> Iterator[None]:
    yield
    assert left(MARK) == []


@contextmanager
def running(code: str) -> Iterator[BotProcess]:
    process = BotProcess(program(IMPORTS + code, mark=MARK), LINE_BYTES, TrafficLog())
    try:
        yield process
    finally:
        process.close()


def fault(code: str, allowance: Allowance = TOLERANT) -> PlayerFaultError:
    """Return the fault of a program that is asked one question."""
    with running(code) as process, pytest.raises(PlayerFaultError) as caught:
        process.send(b"question\n")
        process.receive(allowance)
    return caught.value


READ = "sys.stdin.readline()\n"


def test_an_answer_is_returned_without_its_newline_and_with_its_cost() -> None:
    with running(READ + "print('answer', flush=True); sys.stdin.readline()") as process:
        process.send(b"question\n")
        line = process.receive(TOLERANT)
    assert line.text == b"answer"
    assert 0 < line.cpu < 5
    assert line.wall > 0


def test_a_queued_line_is_sent_with_the_next_question() -> None:
    with running("print(repr(sys.stdin.readline() + sys.stdin.readline()), flush=True); sys.stdin.readline()") as process:
        process.queue(b"notice\n")
        process.send(b"question\n")
        assert process.receive(TOLERANT).text == rb"'notice\nquestion\n'"


def test_a_question_larger_than_the_pipe_reaches_a_bot_that_reads_slowly() -> None:
    code = "time.sleep(0.2); print(len(sys.stdin.readline()), flush=True); sys.stdin.readline()"
    with running(code) as process:
        process.send(b"x" * 1_000_000 + b"\n")
        assert process.receive(TOLERANT).text == b"1000001"


@pytest.mark.process
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
        (READ + "print('x' * 99999, end='', flush=True); time.sleep(60)", "malformed", "a line of more than 65536 bytes"),
        (READ + "raise MemoryError", "memory", "ran out of memory"),
    ],
)
def test_a_bot_that_ends_or_writes_too_much_is_at_fault(code: str, kind: str, detail: str) -> None:
    caught = fault(code)
    assert (caught.kind, caught.detail) == (kind, detail)


def test_the_limit_of_a_line_includes_its_newline() -> None:
    with running(READ + "print('x' * 65535, flush=True); sys.stdin.readline()") as process:
        process.send(b"question\n")
        assert len(process.receive(TOLERANT).text) == LINE_BYTES - 1


def test_an_incomplete_answer_is_in_the_fault() -> None:
    assert fault(READ + "os.write(1, b'half an ans'); os._exit(3)").answer == b"half an ans"


@pytest.mark.process
def test_a_hundred_megabytes_without_a_newline_use_little_memory_of_the_harness() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    caught = fault(READ + "[os.write(1, b'x' * 1_000_000) for _ in range(100)]; time.sleep(60)")
    assert caught.kind == "malformed"
    assert len(caught.answer) <= 2 * LINE_BYTES
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # kilobytes


def test_an_answer_before_the_question_is_malformed() -> None:
    early = "print('early', flush=True); print('done', file=sys.stderr, flush=True); sys.stdin.readline()"
    with running(early) as process, pytest.raises(PlayerFaultError) as caught:
        until(lambda: "done" in process.log())
        process.send(b"question\n")
    assert (caught.value.kind, caught.value.detail) == ("malformed", "an answer before the question")
    assert caught.value.answer == b"early\n"


def figure(detail: str) -> float:
    found = re.search(r"([0-9.]+) s", detail)
    assert found
    return float(found[1])


@pytest.mark.process
@pytest.mark.parametrize(
    "code",
    [
        "time.sleep(60)",
        READ + "time.sleep(60)",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(60)",
        READ + "while True: os.write(1, b'x'); time.sleep(0.05)",
        READ + "while True: os.write(2, b'x'); time.sleep(0.05)",
        READ + "os.kill(os.getpid(), signal.SIGSTOP); time.sleep(60)",
    ],
    ids=[
        "sleeps",
        "reads and sleeps",
        "ignores SIGTERM and the end of its input",
        "a byte at a time",
        "writes to stderr",
        "stops itself",
    ],
)
def test_a_bot_that_idles_is_ended_within_a_second_of_the_limit(code: str) -> None:
    caught = fault(code, SOON)
    assert caught.kind == "timeout"
    assert re.fullmatch(r"no answer; idle for [0-9.]+ s; allowed: 0\.300 s", caught.detail)
    assert figure(caught.detail) < SOON.stall + 1


@pytest.mark.process
@pytest.mark.parametrize(
    "code", ["while True: pass", READ + "while True: os.write(2, b'x' * 1000)"], ids=["spins", "floods stderr"]
)
def test_a_bot_that_works_too_long_is_ended_at_its_limit_of_processor_time(code: str) -> None:
    caught = fault(code, Allowance(cpu=0.3, stall=30.0, wall=60.0))
    assert (caught.kind, caught.detail) == ("timeout", "no answer within 0.300 s of processor time")


def test_an_answer_that_used_too_much_processor_time_is_a_timeout() -> None:
    busy = "while time.process_time() < 0.2: pass\nprint('late', flush=True); sys.stdin.readline()"
    caught = fault(READ + busy, Allowance(cpu=0.1, stall=30.0, wall=60.0))
    assert caught.kind == "timeout"


def test_the_end_of_a_traceback_is_in_the_fault_after_much_other_output() -> None:
    caught = fault(READ + "os.write(2, b'x' * 60_000)\nraise ValueError('the very end')")
    assert caught.stderr.endswith("ValueError: the very end\n")
    assert len(caught.stderr) <= 4096


def test_the_stderr_of_a_fault_is_safe_to_print() -> None:
    caught = fault(READ + r"os.write(2, b'\x1b[2Jone\ttwo\n\xff\x07\xc2\x9b'); sys.exit(1)")
    assert caught.stderr == r"\x1b[2Jone" + "\ttwo\n" + r"\xff\x07\x9b"


def test_a_missing_program_is_a_crash_with_its_reason() -> None:
    with pytest.raises(PlayerFaultError) as caught:
        BotProcess(Launch(command=("/no/such/program",), folder="/"), LINE_BYTES, TrafficLog())
    assert caught.value.kind == "crash"
    assert caught.value.detail == "could not be started: [Errno 2] No such file or directory: '/no/such/program'"


@pytest.mark.process
def test_a_grandchild_ends_with_the_bot() -> None:
    code = (
        READ
        + "os.fork() or time.sleep(600); print('started', flush=True)\n"
        + "signal.signal(15, signal.SIG_IGN)\nwhile True: time.sleep(600)"
    )
    with running(code) as process:
        process.send(b"question\n")
        process.receive(TOLERANT)
        assert len(alive(MARK)) == 2


def test_a_grandchild_ends_even_if_the_bot_has_ended_before() -> None:
    assert fault(READ + "os.fork() and os._exit(0); os.close(1); time.sleep(600)").kind == "crash"


def test_a_process_may_be_closed_twice_and_after_its_end() -> None:
    process = BotProcess(program("pass", mark=MARK), LINE_BYTES, TrafficLog())
    process.close()
    process.close()


def test_a_bot_gets_the_environment_of_its_launch_and_nothing_else() -> None:
    with running("sys.stdin.readline(); print(sorted(os.environ), flush=True)") as process:
        process.send(b"question\n")
        seen = process.receive(TOLERANT).text.decode()
    assert set(re.findall(r"'(\w+)'", seen)) - {"LC_CTYPE"} == {"MARK"}  # Python sets LC_CTYPE for itself


def test_a_closed_process_leaves_no_descriptor_open() -> None:
    with running("sys.stdin.readline()"):
        pass
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
    with running("sys.stdin.readline()"):
        pass
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


# --- other processes that use the processors


@pytest.fixture
def hogs() -> Iterator[None]:
    """Keep every core busy, for at most twenty seconds."""
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
    """Return, for each of three answers, the seconds that the bot measured itself and those that it was charged."""
    pairs = []
    with running(WORKS) as process:
        for _ in range(4):
            process.send(b"question\n")
            line = process.receive(Allowance(cpu=0.5, stall=0.5, wall=60.0))
            pairs.append((float(line.text), line.cpu))
    return pairs[1:]  # the first pays for the start


@pytest.mark.process
@pytest.mark.parametrize("machine", ["idle", "busy"])
def test_a_bot_is_charged_the_processor_time_that_it_used(machine: str, request: pytest.FixtureRequest) -> None:
    if machine == "busy":
        request.getfixturevalue("hogs")
    for used, cost in charged():
        assert cost == pytest.approx(used, abs=0.02), machine


@pytest.mark.process
@pytest.mark.usefixtures("hogs")
def test_a_bot_that_spins_exceeds_its_limit_on_a_busy_machine_too() -> None:
    caught = fault("while True: pass", Allowance(cpu=0.2, stall=0.5, wall=60.0))
    assert caught.detail == "no answer within 0.200 s of processor time"


@pytest.mark.process
def test_a_bot_that_uses_the_processor_in_its_opponents_turn_has_overspent() -> None:
    with running(READ + "print('answer', flush=True)\nwhile True: pass") as process:
        process.send(b"question\n")
        process.receive(TOLERANT)
        assert process.overspent(60.0) is None
        while not (caught := process.overspent(0.2)):
            time.sleep(0.01)
    assert caught.kind == "timeout"
    assert re.fullmatch(r"used [0-9.]+ s of processor time in its opponent's turn; allowed: 0\.200 s", caught.detail)
    assert caught.cpu > 0.2


# --- the wall limit: the bot's fault or the machine's


@pytest.fixture
def one_core() -> Iterator[None]:
    """Keep this process and all that it starts on one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    yield
    os.sched_setaffinity(0, cores)


@pytest.fixture
def crowd() -> Iterator[None]:
    """Keep that core busy, for at most a minute; the scheduler gives each session an equal share, so each has its own."""
    spin = "import time; end = time.monotonic() + 60\nwhile time.monotonic() < end: pass"
    command = [sys.executable, "-I", "-S", "-c", spin]
    started = [subprocess.Popen(command, start_new_session=True) for _ in range(10)]
    yield
    for hog in started:
        hog.kill()
        hog.wait()


THREADS = """
import hashlib, threading
def work():
    block = bytes(100_000)
    while True:
        hashlib.sha256(block)  # without the interpreter's lock
        {pause}
sys.stdin.readline()
for _ in range(15): threading.Thread(target=work, daemon=True).start()
time.sleep(60)
"""
TOGETHER = "time.sleep(0.05 - time.monotonic() % 0.05)"


@pytest.mark.process
@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize(
    "code",
    [
        "time.sleep(60)",
        READ + "while True: pass",
        READ + "while True: os.write(2, b'x')",
        THREADS.format(pause="pass"),
        THREADS.format(pause=TOGETHER),
    ],
    ids=["sleeps", "spins", "writes single bytes to stderr", "fifteen threads that spin", "fifteen threads that wake together"],
)
def test_a_bot_cannot_make_the_machine_look_busy(code: str) -> None:
    endings: list[str] = []
    while "timeout" not in endings and len(endings) < 5:  # the machine may really be busy
        with running(code) as process, pytest.raises(PlayerFaultError) as caught:
            process.send(b"question\n")
            process.receive(Allowance(cpu=30.0, stall=30.0, wall=1.0))
        endings.append(caught.value.kind)
    if endings[-1] == "lost" and os.getloadavg()[0] > (os.cpu_count() or 1):
        pytest.skip("other programs keep this machine too busy for this test")
    assert endings[-1] == "timeout"
    assert re.fullmatch(r"no answer within [0-9.]+ s, in [0-9.]+ s of which it could have run", str(caught.value))


@pytest.mark.process
@pytest.mark.usefixtures("one_core", "crowd")
def test_a_busy_machine_is_not_proved_to_be_the_bots_fault() -> None:
    with running(READ + "while True: pass") as process, pytest.raises(PlayerFaultError, match="too busy to be fair") as caught:
        process.send(b"question\n")
        process.receive(Allowance(cpu=1.0, stall=1.0, wall=2.0))
    assert caught.value.kind == "lost"
    assert caught.value.wall >= PATIENCE * 2.0


def test_beyond_the_wall_limit_a_bot_has_time_only_while_others_have_the_processor() -> None:
    def verdict(process: BotProcess, wall: float, lost: float) -> str:
        limits = Allowance(cpu=5.0, stall=5.0, wall=10.0)
        try:
            return "waits" * (process._time_left(time.monotonic() - wall, WaitBounds(lost=lost), limits) > 0)  # noqa: SLF001
        except PlayerFaultError as fault:
            return fault.kind

    with running("sys.stdin.readline()") as process:
        waited = {(wall, lost): verdict(process, wall, lost) for wall, lost in [(9, 0), (11, 3), (20, 15), (20, 9), (31, 28)]}

    assert waited == {(9, 0): "waits", (11, 3): "timeout", (20, 15): "waits", (20, 9): "timeout", (31, 28): "lost"}


@pytest.mark.process
@pytest.mark.usefixtures("one_core", "crowd")
def test_a_bot_that_waits_until_its_stderr_is_read_is_not_idle() -> None:
    code = READ + "for _ in range(300): os.write(2, b'x' * 65536)\nprint('answer', flush=True); sys.stdin.readline()"
    with running(code) as process:
        process.send(b"question\n")
        assert process.receive(Allowance(cpu=5.0, stall=0.5, wall=60.0)).text == b"answer"


def test_the_log_of_a_process_that_has_ended_reads_no_file_that_was_opened_since() -> None:
    with running("sys.stderr.write('last words'); sys.exit(3)") as process:
        with pytest.raises(PlayerFaultError):
            process.send(b"question\n")
            process.receive(TOLERANT)
        process._err, write = os.pipe()  # noqa: SLF001 - a file that is opened later may get this number
        os.write(write, b"of another bot")
        os.close(write)
        log, unread = process.log(), os.read(process._err, 100)  # noqa: SLF001
        os.close(process._err)  # noqa: SLF001
    assert (log, unread) == ("last words", b"of another bot")
