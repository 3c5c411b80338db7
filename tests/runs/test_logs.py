"""One log file for every process of a run."""

import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty

import pytest

from arena import disk
from arena.players.traffic_log import LOGGED_BYTES, TrafficLog, stderr_log
from arena.runs.logs import logging_to
from arena.runs.record_pipe import RecordPipe
from arena.runs.run_files import STDERR_BYTES, RunFiles

MANY = """
import logging, os, random, signal, sys, time
from multiprocessing import get_context
from pathlib import Path
from arena.runs.logs import logging_to

EACH = 12_500

def work(number, prepare):
    prepare()
    for count in range(EACH):
        long = 9000 if count % 100 == 0 else count % 200
        logging.getLogger("work").info("worker %d record %d %s end", number, count, "x" * long)

if __name__ == "__main__":
    with logging_to(Path(sys.argv[1]), "INFO") as prepare:
        workers = [get_context("fork").Process(target=work, args=(number, prepare)) for number in range(8)]
        for worker in workers:
            worker.start()
        chance = random.Random(sys.argv[2])
        for worker in chance.sample(workers, int(sys.argv[3])):
            time.sleep(chance.random() / 5)
            worker.kill()
        for worker in workers:
            worker.join()
        logging.getLogger("work").info("killed %s", [n for n, worker in enumerate(workers) if worker.exitcode])
"""

FORM = re.compile(r"[-\d]+ [:,\d]+ INFO ForkProcess-\d work: worker (\d) record (\d+) (x*) end")
LAST = re.compile(r"[-\d]+ [:,\d]+ INFO MainProcess work: killed \[([\d, ]*)\]")


def run(code: str, log: Path, *arguments: str) -> list[str]:
    subprocess.run([sys.executable, "-c", code, str(log), *arguments], check=True)
    return log.read_text().splitlines()


@pytest.mark.process
@pytest.mark.parametrize(("chance", "kills"), [("a", 0), ("b", 3), ("c", 6)])
def test_a_hundred_thousand_records_of_eight_workers_arrive_whole_when_some_of_them_are_killed(
    tmp_path: Path, chance: str, kills: int
) -> None:
    *lines, last = run(MANY, tmp_path / "arena.log", chance, str(kills))
    message = LAST.fullmatch(last)
    assert message
    killed = {int(number) for number in message[1].split(",") if number.strip()}
    seen: dict[int, list[int]] = {number: [] for number in range(8)}
    for line in lines:
        found = FORM.fullmatch(line)
        assert found, line[:200]
        number, count = int(found[1]), int(found[2])
        assert len(found[3]) == (9000 if count % 100 == 0 else count % 200)
        seen[number].append(count)
    for number, counts in seen.items():
        assert counts == list(range(len(counts))), "what was logged before a kill has arrived, in order"
        assert number in killed or len(counts) == 12_500


def test_a_record_that_was_cut_short_by_a_kill_is_dropped_and_holds_up_nobody() -> None:
    pipe = RecordPipe()
    whole = logging.LogRecord("work", logging.INFO, "", 1, "whole", None, None)
    long = logging.LogRecord("work", logging.INFO, "", 1, "x" * 10_000, None, None)
    with pytest.raises(RuntimeError), killed_after(1):
        pipe.put_nowait(long)
    pipe.put_nowait(whole)
    assert pipe.qsize() == 1
    assert pipe.get(1.0).msg == "whole"
    assert pipe.qsize() == 0
    with pytest.raises(Empty):
        pipe.get(0.01)
    pipe.put_nowait(long)
    assert pipe.get(1.0).msg == "x" * 10_000
    pipe.close()


def test_who_writes_to_a_reader_that_is_gone_goes_on() -> None:
    pipe = RecordPipe()
    pipe.write_only()
    pipe.put_nowait(logging.LogRecord("work", logging.INFO, "", 1, "unheard", None, None))


@contextmanager
def killed_after(frames: int) -> Iterator[None]:
    """End the writer after a number of frames, as if it were killed."""
    wrote, written = os.write, 0

    def write(handle: int, text: bytes) -> int:
        nonlocal written
        if written == frames:
            raise RuntimeError("killed")
        written += 1
        return wrote(handle, text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.runs.logs.os.write", write)
        yield


def test_below_its_level_nothing_is_written_and_afterwards_nothing_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.runs.logs._choose_fork", lambda: False)  # no gatherer in the process of the tests
    root, before = logging.getLogger(), list(logging.getLogger().handlers)
    level = root.level
    with logging_to(tmp_path / "arena.log", "ERROR"):
        root.warning("unheard")
        root.error("heard")
    root.error("too late")
    assert [line.partition("root: ")[2] for line in (tmp_path / "arena.log").read_text().splitlines()] == ["heard"]
    assert (root.handlers, root.level) == (before, level)


CALLER = """
import logging, sys
from pathlib import Path
from arena.runs.logs import logging_to

root, path = logging.getLogger(), Path(sys.argv[1])
root.addHandler(logging.FileHandler(path, mode="w"))
with logging_to(path.with_name("arena.log"), "INFO"):
    root.info("meanwhile")
root.warning("afterwards")
"""


@pytest.mark.process
def test_the_log_of_a_program_that_calls_arena_goes_on_afterwards(tmp_path: Path) -> None:
    assert run(CALLER, tmp_path / "caller.log") == ["meanwhile", "afterwards"]
    assert (tmp_path / "arena.log").read_text().endswith("root: meanwhile\n")


def test_warnings_are_printed_also_after_a_match_that_logs_nowhere() -> None:
    done = subprocess.run([sys.executable, "-c", SERVER], capture_output=True, text=True, check=True)
    assert done.stderr == "before\nafter\n"


SERVER = """
import logging
from pathlib import Path
from arena.runs.logs import log_warnings, logging_to

log_warnings()
log = logging.getLogger("arena.web.club")
log.error("before")
with logging_to(Path("unused.log"), None) as prepare:
    prepare()
log.error("after")
"""

OWN = """
import logging, multiprocessing, sys
from pathlib import Path
from arena.runs import logs as log
from arena.players.traffic_log import TrafficLog

def work(prepare):
    prepare()
    logging.getLogger("work").info("from a worker")
    TrafficLog("mine", "a:b/0/0").add_stderr(b"last words\\n")

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    context = multiprocessing.get_context()
    with log.logging_to(Path(sys.argv[1]), "INFO") as prepare:
        worker = context.Process(target=work, args=(prepare,))
        worker.start()
        worker.join()
"""


def test_where_there_is_no_fork_each_worker_writes_a_file_of_its_own(tmp_path: Path) -> None:
    script = tmp_path / "own.py"
    script.write_text(OWN)
    subprocess.run([sys.executable, script, tmp_path / "arena.log"], check=True)
    own = list(tmp_path.glob("arena.*.log"))
    assert len(own) == 1
    assert own[0].read_text().endswith("INFO SpawnProcess-1 work: from a worker\n")
    (said,) = (tmp_path / "bots").iterdir()
    assert re.fullmatch(r"mine\.\d+\.stderr", said.name)
    assert said.read_text().endswith(" a:b/0/0: last words\n")


# --- what bots write to stderr


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Path]:
    """Return the folder of a run whose log is open."""
    root, before = logging.getLogger(), logging.getLogger().level
    handler = RunFiles(tmp_path / "arena.log")
    root.addHandler(handler)
    stderr_log.setLevel(logging.INFO)
    yield tmp_path
    stderr_log.setLevel(logging.NOTSET)
    root.removeHandler(handler)
    root.setLevel(before)
    handler.close()


def said(folder: Path, bot: str) -> list[str]:
    """Return the lines of a bot's file, without the time."""
    return [line.partition(",")[2].partition(" ")[2] for line in (folder / "bots" / f"{bot}.stderr").read_text().splitlines()]


def test_each_bots_stderr_is_a_file_of_its_own_with_the_fixture_before_each_line(files: Path) -> None:
    one, two = TrafficLog("one", "one:two/0/0"), TrafficLog("two", "one:two/0/0")
    one.add_stderr(b"first\nsec")
    two.add_stderr(b"hello\n")
    one.add_stderr(b"ond\nunended")
    one.close()
    assert said(files, "one") == ["one:two/0/0: first", "one:two/0/0: second", "one:two/0/0: unended"]
    assert said(files, "two") == ["one:two/0/0: hello"]
    assert (files / "arena.log").read_text() == ""


def test_what_is_hostile_to_a_terminal_is_escaped(files: Path) -> None:
    traffic = TrafficLog("odd", "f")
    traffic.add_stderr("\x1b[2J \u202egnp.exe \xc3\r\x00 \u2028 é\n".encode() + b"\xff\n")
    assert said(files, "odd") == ["f: \\x1b[2J \\u202egnp.exe Ã\\r\\x00 \\u2028 é", "f: \\xff"]


def test_a_letter_that_comes_in_two_parts_is_one_letter(files: Path) -> None:
    traffic = TrafficLog("slow", "f")
    for byte in "é\n".encode():
        traffic.add_stderr(bytes([byte]))
    assert said(files, "slow") == ["f: é"]


def test_a_part_of_a_letter_at_the_end_is_escaped(files: Path) -> None:
    traffic = TrafficLog("cut", "f")
    traffic.add_stderr("caf\N{LATIN SMALL LETTER E WITH ACUTE}".encode()[:-1])
    traffic.close()
    assert said(files, "cut") == ["f: caf\\xc3"]


def test_a_process_that_writes_exactly_what_is_logged_has_no_note_on_a_rest(files: Path) -> None:
    traffic = TrafficLog("full", "f")
    traffic.add_stderr(b"x" * (LOGGED_BYTES - 1) + b"\n")
    assert len(said(files, "full")) == 1
    traffic.add_stderr(b"x")
    assert said(files, "full")[1:] == ["f: (more than 64 KB; the rest is not logged)"]


def test_a_process_that_floods_its_stderr_is_cut_off_and_its_last_words_are_kept_apart(files: Path) -> None:
    traffic = TrafficLog("floods", "f", tail_bytes=12)
    for _ in range(100):
        traffic.add_stderr(b"x" * 4095 + b"\n")
    traffic.add_stderr(b"last words\n")
    lines = said(files, "floods")
    assert len(lines) == LOGGED_BYTES // 4096 + 1
    assert lines[-1] == "f: (more than 64 KB; the rest is not logged)"
    assert traffic.stderr_tail == "last words\n"


def test_a_bots_file_is_rotated_so_that_there_is_an_end_to_it(files: Path) -> None:
    for number in range(80):
        traffic = TrafficLog("talks", f"f{number}")
        for _ in range(LOGGED_BYTES // 4096):
            traffic.add_stderr(b"y" * 4095 + b"\n")
    sizes = {path.name: path.stat().st_size for path in (files / "bots").iterdir()}
    assert set(sizes) == {"talks.stderr", "talks.stderr.1"}
    assert max(sizes.values()) <= STDERR_BYTES
    assert said(files, "talks")[-1].startswith("f79: ")


def test_a_full_disk_is_shown_once(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if not os.access("/dev/full", os.W_OK):
        pytest.skip("no /dev/full here")
    monkeypatch.setattr(disk, "open_own", lambda *_: os.open("/dev/full", os.O_WRONLY))
    handler = RunFiles(tmp_path / "arena.log")
    for _ in range(3):
        handler.handle(logging.LogRecord("work", logging.INFO, "", 1, "unheard", None, None))
    handler.close()
    message = capsys.readouterr().err
    assert message == "arena: cannot write a log: [Errno 28] No space left on device; from here on records are missing\n"


def test_the_end_of_stderr_that_explains_a_fault_begins_with_a_whole_line() -> None:
    traffic = TrafficLog("mine", "a:b/0/0", tail_bytes=20)
    traffic.add_stderr(b"/a/long/path/of/a/file\n")
    traffic.add_stderr(b"last words\n")
    assert traffic.stderr_tail == "last words\n"
    traffic.add_stderr(30 * b"x")
    assert traffic.stderr_tail == 20 * "x"
