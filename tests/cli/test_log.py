"""One log file for every process of a run."""

import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.log import logging_to

MANY = """
import logging, sys
from multiprocessing import get_context
from pathlib import Path
from arena.cli.log import logging_to

EACH = 3750

def work(number):
    for count in range(EACH):
        logging.getLogger("work").info("worker %d record %d %s end", number, count, "x" * (count % 200))

if __name__ == "__main__":
    with logging_to(Path(sys.argv[1]), "INFO"):
        workers = [get_context("fork").Process(target=work, args=(number,)) for number in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
"""

KILLED = """
import logging, os, sys, time
from multiprocessing import get_context
from pathlib import Path
from arena.cli.log import logging_to

def work():
    logging.getLogger("work").info("arrives")
    time.sleep(0.3)
    for _ in range(int(sys.argv[2])):
        logging.getLogger("work").info("lost")
    os._exit(1)

if __name__ == "__main__":
    with logging_to(Path(sys.argv[1]), "INFO"):
        worker = get_context("fork").Process(target=work)
        worker.start()
        worker.join()
        logging.getLogger("work").info("the last word")
"""


def run(code: str, log: Path, *arguments: str) -> list[str]:
    subprocess.run([sys.executable, "-c", code, str(log), *arguments], check=True, timeout=50)
    return log.read_text().splitlines()


def test_thirty_thousand_records_of_eight_workers_arrive_whole_in_one_file(tmp_path: Path) -> None:
    lines = run(MANY, tmp_path / "arena.log")
    form = re.compile(r"[-\d]+ [:,\d]+ INFO ForkProcess-\d work: worker (\d) record (\d+) (x*) end")
    seen = set()
    for line in lines:
        found = form.fullmatch(line)
        assert found, line
        assert len(found[3]) == int(found[2]) % 200
        seen.add((found[1], found[2]))
    assert len(lines) == len(seen) == 30_000


def test_records_that_died_with_their_worker_are_not_waited_for(tmp_path: Path) -> None:
    lines = run(KILLED, tmp_path / "arena.log", "1")
    assert lines[0].endswith("arrives")
    assert lines[-1].endswith("the last word")


@pytest.mark.slow
def test_a_worker_that_died_as_it_wrote_a_record_holds_up_nobody(tmp_path: Path) -> None:
    assert run(KILLED, tmp_path / "arena.log", "5000")[0].endswith("arrives")


def test_below_its_level_nothing_is_written_and_afterwards_nothing_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.log._fork", lambda: False)  # no gatherer in the process of the tests
    root, before = logging.getLogger(), list(logging.getLogger().handlers)
    level = root.level
    with logging_to(tmp_path / "arena.log", "WARNING"):
        root.info("unheard")
        root.warning("heard")
    root.setLevel(level)
    root.warning("too late")
    assert [line.partition("root: ")[2] for line in (tmp_path / "arena.log").read_text().splitlines()] == ["heard"]
    assert root.handlers == before


OWN = """
import logging, multiprocessing, sys
from pathlib import Path
from arena.cli import log

def work(prepare):
    prepare()
    logging.getLogger("work").info("from a worker")

if __name__ == "__main__":
    log._fork = lambda: False
    context = multiprocessing.get_context("spawn")
    with log.logging_to(Path(sys.argv[1]), "INFO") as prepare:
        worker = context.Process(target=work, args=(prepare,))
        worker.start()
        worker.join()
"""


def test_where_there_is_no_fork_each_worker_writes_a_file_of_its_own(tmp_path: Path) -> None:
    script = tmp_path / "own.py"
    script.write_text(OWN)
    subprocess.run([sys.executable, script, tmp_path / "arena.log"], check=True, timeout=30)
    own = list(tmp_path.glob("arena.*.log"))
    assert len(own) == 1
    assert own[0].read_text().endswith("INFO SpawnProcess-1 work: from a worker\n")
