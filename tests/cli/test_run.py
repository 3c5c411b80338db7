"""``arena run``: played, stopped, killed, resumed and refused."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from support.commands.calls import arena, command
from support.commands.runs import finished_run, league, matches_stored, stored
from support.processes.marked import alive, left, parent
from support.processes.waiting import until

from arena.cli.progress import Status
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import core_use
from arena.tournament.seeds import run_seed

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="leftovers are read from Linux's /proc"),
    pytest.mark.usefixtures("nothing_left_behind"),
]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a league and its finished run."""
    folder = tmp_path_factory.mktemp("finished")
    finished_run(folder)
    return folder


@contextmanager
def running(spec: Path, results: Path, *options: str, at_least: int = 2) -> Iterator["subprocess.Popen[str]"]:
    """Give a run of which some matches are on record already."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command("run", spec, "--results", results, *options), stdout=pipe, stderr=pipe, text=True) as run:
        try:
            until(lambda: matches_stored(results) >= at_least or run.poll() is not None)
            yield run
        finally:
            run.kill()


LONG = "format: {pairs: 200}"


@pytest.mark.process
def test_a_league_is_played_and_shown(tmp_path: Path) -> None:
    done = arena("run", league(tmp_path), "--results", tmp_path / "run", "--seed", "s")
    assert done.returncode == 0
    assert re.search(r"^ *1 (one|two) ", done.stdout, re.MULTILINE)
    assert "2 of 2 matches played" in done.stderr
    assert f"workers: {len(core_use.cores())}, one for each core\n" in done.stderr
    commitment = re.search(r"seed committed as ([0-9a-f]{64})", done.stderr)
    assert commitment
    files = {path.name for path in (tmp_path / "run").iterdir()}
    assert files >= {"arena.log", "arena.sqlite", "spec.yaml", "report.md", "results.json", "standings.csv"}
    assert "INFO" in (tmp_path / "run" / "arena.log").read_text()


FAILS_TO_START = """
import sys
import time
from pathlib import Path

from arena.sdk import Bot

starts = Path(__file__).with_suffix(".starts")
starts.open("a").write("|")
start = starts.stat().st_size  # the first is that before the run
if start in (2, 5):
    sys.exit("licence server not reached")
if start == 3:
    time.sleep(1000)

class Mine(Bot):
    def draw(self, view):
        return super().draw(view) if start > 5 else 1 / 0
"""


@pytest.mark.process
def test_faults_at_a_start_are_described_as_such(tmp_path: Path) -> None:
    more = "rules: {target: 300, best_of: 1}", "time: {start: 3}", "faults: {at_most: 9}", "sandbox: none"
    spec = league(tmp_path, *more)
    (tmp_path / "one.py").write_text(FAILS_TO_START, encoding="utf-8")
    done = arena("run", spec, "--results", tmp_path / "run", "--seed", "s", "--workers", "1")
    assert done.returncode == 0, done
    shown = arena("replay", tmp_path / "run", "one:two/0/0").stdout
    places = re.findall(r"(\d+ × crash|timeout|Zero\w+).*, hand (\S+), (.*)", shown)
    assert places == [
        ("2 × crash", "0.0", "while it started"),
        ("timeout", "0.1", "while it started"),
        ("ZeroDivisionError", "0.2", "asked to draw or take"),
    ]
    assert "cannot be read" not in done.stdout + (tmp_path / "run" / "results.json").read_text(encoding="utf-8")


TALKS = """
import sys
from arena.sdk import Bot

class Mine(Bot):
    def draw(self, view):
        print("thinking", chr(27), file=sys.stderr, flush=True)
        return super().draw(view)
"""
SPAWNED = "import multiprocessing; multiprocessing.set_start_method('spawn'); from arena.__main__ import main; main()"


@pytest.mark.process
def test_what_bots_write_to_stderr_has_files_of_its_own_and_debug_shows_every_message(tmp_path: Path) -> None:
    done = arena("run", league(tmp_path, text=TALKS), "--results", tmp_path / "run", "--seed", "s", "--log-level", "debug")
    assert done.returncode == 0
    for name in ("one", "two"):
        lines = (tmp_path / "run" / "bots" / f"{name}.stderr").read_text().splitlines()
        assert all(re.fullmatch(r"[-\d]+ [:,\d]+ one:two/0/[01]: thinking \\x1b", line) for line in lines), lines
    log = (tmp_path / "run" / "arena.log").read_text()
    assert re.search(r"DEBUG .* one:two/0/0 one < \{\"type\":\"hello\",", log)
    assert re.search(r"DEBUG .* one:two/0/1 two < \{\"type\":\"turn\",", log)
    assert re.search(r"DEBUG .* one:two/0/0 one > \{\"kind\":\"draw\"\}", log)
    assert re.search(r"DEBUG .* one:two/0/0 two < \{\"type\":\"bye\"\}", log)
    assert "thinking" not in log


@pytest.mark.process
def test_where_workers_are_spawned_each_writes_files_of_its_own(tmp_path: Path) -> None:
    spec = league(tmp_path, text=TALKS)
    command = [sys.executable, "-c", SPAWNED, "run", str(spec), "--results", str(tmp_path / "run"), "--seed", "s", "--workers", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    logs = list((tmp_path / "run").glob("arena.*.log"))
    assert logs
    message = "".join(log.read_text() for log in logs)
    assert message.count(": winner ") == 2
    assert "worker-" in message
    assert {path.name.split(".")[0] for path in (tmp_path / "run" / "bots").iterdir()} == {"one", "two"}


@pytest.mark.process
def test_the_seed_is_hidden_until_all_is_played(tmp_path: Path) -> None:
    spec = league(tmp_path, LONG)
    with running(spec, tmp_path / "run", "--seed", "a very secret seed") as run:
        run.send_signal(signal.SIGINT)
        run.wait()
    arena("report", tmp_path / "run")
    message = (tmp_path / "run" / "report.md").read_text() + (tmp_path / "run" / "results.json").read_text()
    assert "a very secret seed" not in message
    assert run_seed("a very secret seed") not in message


@pytest.mark.process
@pytest.mark.parametrize("executor", ["serial", "local"])
def test_a_run_that_was_killed_goes_on_to_the_same_end(tmp_path: Path, executor: str) -> None:
    spec = league(tmp_path, "format: {pairs: 5}")
    options = ("--seed", "s", "--executor", executor)
    with running(spec, tmp_path / "killed", *options, at_least=3) as run:
        run.kill()
    assert left(str(tmp_path)) == []
    before = stored(tmp_path / "killed")
    assert len(before) >= 3
    done = arena("run", spec, "--results", tmp_path / "killed", *options)
    assert done.returncode == 0
    assert f"{len(before)} of 10 matches played" in done.stderr
    arena("run", spec, "--results", tmp_path / "whole", *options)
    assert stored(tmp_path / "killed") == stored(tmp_path / "whole")


@pytest.mark.process
def test_a_run_whose_director_was_killed_can_go_on_at_once(tmp_path: Path) -> None:
    spec = league(tmp_path, LONG)
    with running(spec, tmp_path / "run") as run:
        run.kill()
        run.wait()
        with running(spec, tmp_path / "run", at_least=matches_stored(tmp_path / "run") + 1) as again:
            assert again.poll() is None
            again.send_signal(signal.SIGINT)
            assert again.wait() == 3


@pytest.mark.process
@pytest.mark.parametrize(
    ("which", "executor"),
    [(signal.SIGINT, "local"), (signal.SIGTERM, "local"), (signal.SIGHUP, "serial"), (signal.SIGINT, "serial")],
)
def test_a_run_that_is_stopped_says_how_to_go_on(tmp_path: Path, which: signal.Signals, executor: str) -> None:
    with running(league(tmp_path, LONG), tmp_path / "run", "--executor", executor) as run:
        run.send_signal(which)
        _, message = run.communicate(timeout=30)
    assert run.returncode == 3
    line = message.strip().splitlines()[-1]
    assert re.fullmatch(r"stopped; (\d+) matches are stored in .*/run; the same command resumes the run", line)
    assert "Traceback" not in message
    assert f"stopped; {matches_stored(tmp_path / 'run')} matches" in line


@pytest.mark.process
def test_a_closed_terminal_does_not_stop_a_run_under_nohup(tmp_path: Path) -> None:
    spec = league(tmp_path, "format: {pairs: 20}")
    started = ["nohup", *command("run", spec, "--results", tmp_path / "run")]
    with subprocess.Popen(started, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        until(lambda: matches_stored(tmp_path / "run") or run.poll() is not None)
        run.send_signal(signal.SIGHUP)
        assert run.wait() == 0
    assert matches_stored(tmp_path / "run") == 40


@pytest.mark.process
def test_a_second_run_in_a_live_folder_is_refused_with_the_number_of_the_first(tmp_path: Path) -> None:
    spec = league(tmp_path, LONG)
    with running(spec, tmp_path / "run") as run:
        refused = arena("run", spec, "--results", tmp_path / "run")
        assert refused.returncode == 2
        assert refused.stderr == f"arena: {tmp_path}/run: process {run.pid} is playing it already\n"
        run.send_signal(signal.SIGTERM)
        assert run.wait() == 3


@pytest.mark.process
def test_a_live_run_can_be_looked_at(tmp_path: Path) -> None:
    with running(league(tmp_path, LONG), tmp_path / "run") as run:
        assert arena("report", tmp_path / "run").returncode == 0
        assert arena("verify", tmp_path / "run").stdout.endswith(" hands, 0 differences\n")
        run.send_signal(signal.SIGTERM)
        assert run.wait() == 3


WAITS = """
import time
from pathlib import Path
from arena.sdk import Bot

class Mine(Bot):
    def draw(self, view):
        while Path({path!r}).exists():
            time.sleep(0.01)
        return super().draw(view)
"""


@pytest.mark.process
def test_a_worker_that_is_killed_in_the_middle_of_a_match_costs_nothing(tmp_path: Path) -> None:
    wait = tmp_path / "wait"
    wait.touch()
    lines = ("format: {pairs: 2}", "time: {stall: 250}", "sandbox: none")
    spec = league(tmp_path, *lines, text=WAITS.format(path=str(wait)))
    with running(spec, tmp_path / "run", "--workers", "2", at_least=0) as run:
        until(lambda: playing(tmp_path, run.pid))
        os.kill(min(playing(tmp_path, run.pid)), signal.SIGKILL)
        wait.unlink()
        assert run.wait() == 0
    assert len(stored(tmp_path / "run")) == 4


def playing(folder: Path, director: int) -> set[int]:
    """Return the workers that have started a bot."""
    return {worker for bot in alive(f"{folder}/one.py:Mine") if parent(worker := parent(bot)) == director}


@pytest.mark.process
def test_a_folder_with_a_run_of_another_spec_is_refused_and_says_what_differs(finished: Path) -> None:
    refused = arena("run", league(finished, "sandbox: {memory_mb: 64}"), "--results", finished / "run")
    assert (refused.returncode, refused.stdout) == (2, "")
    difference = "sandbox.memory_mb was 256, and is 64 now"
    assert refused.stderr == f"arena: {finished}/run: holds a run of another spec: {difference}\n"


@pytest.mark.process
def test_a_bot_that_has_changed_is_refused(finished: Path) -> None:
    spec = league(finished)
    (finished / "two.py").write_text("# changed\nfrom arena.sdk import Bot as Mine\n")
    refused = arena("run", spec, "--results", finished / "run")
    assert refused.returncode == 2
    assert "bot 'two' has changed since this run began" in refused.stderr


@pytest.mark.process
def test_another_seed_is_refused(finished: Path) -> None:
    other = "another seed that is long"
    refused = arena("run", league(finished), "--results", finished / "run", "--seed", other)
    assert (refused.returncode, refused.stderr) == (2, f"arena: {finished}/run: holds a run with another seed\n")


@pytest.mark.process
def test_a_typed_seed_is_stored_and_committed_as_a_run_seed(finished: Path) -> None:
    with Store(Folder(finished / "run").database) as store:
        assert store.fact("seed") == run_seed("s")
        assert store.fact("commitment") == sha256(run_seed("s").encode()).hexdigest()


@pytest.mark.process
def test_a_short_seed_is_warned_of_in_one_line(tmp_path: Path) -> None:
    done = arena("run", league(tmp_path, "seed: 4217"), "--results", tmp_path / "run", "--quiet")
    (line,) = done.stderr.splitlines()
    assert line.startswith("arena: a seed of 4 characters can be guessed")


@pytest.mark.process
@pytest.mark.parametrize(("seed", "message"), [("", "--seed: found an empty value"), (b"\xff", "found a seed that is not UTF-8")])
def test_a_seed_that_cannot_be_used_is_refused(tmp_path: Path, seed: str | bytes, message: str) -> None:
    line = [*command("run", league(tmp_path), "--results", tmp_path / "run", "--seed"), seed]
    refused = subprocess.run(line, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"arena: {message}")
    assert len(refused.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


NEVER_STARTS = """
from arena.sdk import Bot

class Mine(Bot):
    pass

raise RuntimeError("no start")
"""


@pytest.mark.process
def test_bots_that_cannot_start_leave_nothing_behind(tmp_path: Path) -> None:
    spec = league(tmp_path, text=NEVER_STARTS)
    entries = ", ".join(f"{{bot: 'one.py:Mine', name: b{number}}}" for number in range(5))
    spec.write_text(f"bots: [{entries}]\n")
    refused = arena("run", spec, folder=tmp_path)
    assert refused.returncode == 2
    line = refused.stderr.splitlines()[-1]
    assert line.startswith("arena: 5 bots cannot be started: 'b0': ")
    assert {path.name for path in tmp_path.iterdir()} == {"one.py", "two.py", "league.yaml"}


@pytest.mark.process
def test_a_folder_of_the_user_stays_though_nothing_has_begun_in_it(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    refused = arena("run", league(tmp_path, text=NEVER_STARTS), "--results", tmp_path / "mine")
    assert refused.returncode == 2
    assert (tmp_path / "mine").is_dir()


@pytest.mark.process
def test_another_title_is_shown_and_the_first_one_stays(finished: Path) -> None:
    spec = league(finished)
    spec.write_text(spec.read_text().replace("title: League", "title: A new name"))
    again = arena("run", spec, "--results", finished / "run")
    assert again.returncode == 0
    assert f"arena: {finished}/run: the title is still 'League', as when this run began; found 'A new name'\n" in again.stderr


def test_a_single_match_of_three_is_refused(tmp_path: Path) -> None:
    spec = league(tmp_path, "format: single")
    spec.write_text(spec.read_text().replace("name: two}]", "name: two}, greedy]"))
    refused = arena("run", spec, folder=tmp_path)
    assert (refused.returncode, refused.stderr) == (2, f"arena: {spec}: format single: 3 bots; expected two\n")
    assert not (tmp_path / "results").exists()


@pytest.mark.process
def test_titles_ratings_and_reports_may_change(finished: Path) -> None:
    spec = league(finished, "rating: {name: bradley-terry, prior: 1}", "reports: [csv]")
    again = arena("run", spec, "--results", finished / "run")
    assert again.returncode == 0
    assert "2 of 2 matches played" in again.stderr


@pytest.mark.process
def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    refused = arena("run", league(tmp_path), "--results", tmp_path)
    assert refused.returncode == 2
    assert refused.stderr == f"arena: {tmp_path}: holds no run, but other files; expected a new or empty folder, or that of a run\n"


@pytest.mark.process
def test_without_a_folder_a_run_goes_on_until_it_is_finished_and_then_begins_anew(tmp_path: Path) -> None:
    spec = league(tmp_path)
    for _ in range(2):
        assert arena("run", spec, folder=tmp_path).returncode == 0
    assert len(list((tmp_path / "results").glob("league-????-??-??*"))) == 2


@pytest.mark.process
@pytest.mark.parametrize("left", ["nothing", "lock", "database", "tables"])
def test_a_run_that_was_killed_before_it_began_is_begun(tmp_path: Path, left: str) -> None:
    spec = league(tmp_path)
    day = time.strftime("%Y-%m-%d", time.gmtime())
    folder = tmp_path / "results" / f"league-{day}"
    folder.mkdir(parents=True)
    if left != "nothing":
        (folder / "arena.lock").touch()
    if left == "database":
        (folder / "arena.sqlite").touch()
    if left == "tables":
        Store(folder / "arena.sqlite", write=True).__exit__(None, None, None)
    done = arena("run", spec, folder=tmp_path)
    assert done.returncode == 0
    assert list((tmp_path / "results").iterdir()) == [folder]
    assert len(stored(folder)) == 2


SCRIPT = """
import json, sys, time
print(json.dumps({{"type": "ready", "protocol": 1}}), flush=True) if sys.stdin.readline() else None
for line in sys.stdin:
    if json.loads(line)["type"] == "turn":
        {odd}
"""


def manifest(folder: Path, name: str, odd: str) -> Path:
    own = folder / name
    own.mkdir(0o755)
    (own / "bot.py").write_text(SCRIPT.format(odd=odd))
    (own / "bot.yaml").write_text(f"name: {name}\ncommand: ['{sys.executable}', '-S', bot.py]\n")
    return own / "bot.yaml"


@pytest.mark.process
def test_a_league_with_bots_that_crash_hang_and_talk_nonsense_comes_to_its_end(tmp_path: Path) -> None:
    odd = {"crashes": "raise ValueError", "hangs": "time.sleep(60)", "babbles": "print('nonsense \\x1b[2J', flush=True)"}
    bots = [manifest(tmp_path, name, statement) for name, statement in odd.items()]
    spec = league(tmp_path, "time: {stall: 0.2}\nsandbox: {name: none}\nfaults: {at_most: 2}")
    spec.write_text(spec.read_text().replace("bots: [", f"bots: [{', '.join(map(str, bots))}, "))
    done = arena("run", spec, "--results", tmp_path / "run")
    assert done.returncode == 0
    report = (tmp_path / "run" / "report.md").read_text()
    cells = [row.split("|") for row in report.partition("## Faults")[2].splitlines() if row.startswith("| ")]
    faults = {bot: {row[2] for row in cells if row[1].strip() == bot} for bot in odd}
    assert all("ValueError" in fault for fault in faults["crashes"])
    assert all("timeout" in fault for fault in faults["hangs"])
    assert all("malformed" in fault for fault in faults["babbles"])
    assert all(faults.values())
    assert "\x1b" not in report + done.stdout
    assert arena("verify", tmp_path / "run").stdout.endswith(", 0 differences\n")
    rows = (tmp_path / "run" / "standings.csv").read_text().splitlines()
    assert {row.split(",")[1] for row in rows[1:3]} == {"one", "two"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--executor", "locl"), "arena: --executor: found 'locl'; did you mean 'local'? expected one of "),
        (
            ("--log-level", "DEBG"),
            "arena: --log-level: found 'DEBG'; did you mean 'DEBUG'? expected one of DEBUG, ERROR, INFO, WARNING\n",
        ),
        (("--workers", "0"), "arena: --workers: found '0'; expected a whole number from 1 to 1024\n"),
        (
            ("--executor", "{name: local, scheduler: tcp://127.0.0.1:8786}"),
            "arena: --executor: scheduler: unknown key; expected one of name\n",
        ),
    ],
)
def test_a_mistake_in_the_options_is_shown(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    refused = arena("run", league(tmp_path), "--results", tmp_path / "run", *arguments)
    assert refused.returncode == 2
    assert message in refused.stderr
    assert not (tmp_path / "run").exists()


def test_a_mistake_in_the_spec_is_one_line(tmp_path: Path) -> None:
    refused = arena("run", league(tmp_path, "format: rond-robin"), "--results", tmp_path / "run")
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        f"arena: {tmp_path}/league.yaml:3: format.name: found 'rond-robin'; did you mean 'round-robin'?"
    )
    assert len(refused.stderr.splitlines()) == 1


def test_a_bot_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    spec = league(tmp_path)
    spec.write_text(spec.read_text().replace("'two.py:Mine'", "gredy"))
    refused = arena("run", spec, "--results", tmp_path / "run")
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"arena: {spec}:2: bots.1: no bot 'gredy'; did you mean 'greedy'? installed: ")


@pytest.mark.process
@pytest.mark.parametrize(
    ("options", "line"),
    [(("--workers", 3), "workers: 3, by --workers; cores: "), (("--executor", "serial"), "workers: 1, ")],
)
def test_a_run_says_how_many_workers_play_and_why(options: tuple[object, ...], line: str, tmp_path: Path) -> None:
    done = arena("run", league(tmp_path), "--results", tmp_path / "run", *options)

    assert line in done.stderr
    assert line not in arena("run", league(tmp_path), "--results", tmp_path / "quiet", "--quiet", *options).stderr


def test_a_run_says_that_other_programs_use_the_cores(capsys: pytest.CaptureFixture[str]) -> None:
    shown = Status()

    shown.playing("workers: 2, one for each core", 1.26)
    shown.playing("workers: 2, one for each core", 0.1)

    first, second = "other programs use 1.3 cores: matches take longer; results do not change\n", "workers: 2, one for each core\n"
    assert capsys.readouterr().err == second + first + second


COUNTING = """
import atexit, sys
from arena.store.store import Store
read, reads = Store.facts, []
Store.facts = lambda self: reads.append(1) or read(self)
atexit.register(lambda: print(len(reads), "reads", file=sys.stderr))
"""


@pytest.mark.process
@pytest.mark.parametrize("command", ["verify", "report", "review --hands 1"])
def test_a_command_reads_the_facts_of_a_run_at_most_five_times(finished: Path, command: str) -> None:
    done = arena(*command.split(), finished / "run", first=COUNTING)

    assert done.returncode == 0
    (reads,) = re.findall(r"^(\d+) reads$", done.stderr, re.MULTILINE)
    assert 1 <= int(reads) <= 5


@pytest.mark.process
@pytest.mark.parametrize("folder", ["new", "run"])
def test_a_run_reads_its_facts_at_most_five_times(finished: Path, folder: str) -> None:
    done = arena("run", finished / "league.yaml", "--results", finished / folder, first=COUNTING)

    assert done.returncode == 0
    (reads,) = re.findall(r"^(\d+) reads$", done.stderr, re.MULTILINE)
    assert 1 <= int(reads) <= 5
