"""What a terminal is sent: nothing that its encoding lacks, no colour where none is wanted, and help with an example."""

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from rich.console import Console
from support.commands.calls import arena, command
from support.commands.runs import finished_run, league

from arena.cli import progress, terminal
from arena.cli.progress import Leaders
from arena.cli.terminal import print_game
from arena.records import Fixture, Result
from arena.reports.answer_card import OPEN, WEAK
from arena.stats.statements import LIKELY, SETTLED
from arena.store.folder import Folder
from arena.tournament.formats.base import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.round_robin import Batches, RoundRobin

if TYPE_CHECKING:
    from arena.tournament.plan import Plan


def in_shell(*arguments: object, streams: str) -> "subprocess.CompletedProcess[str]":
    """Run a command whose standard streams a shell has changed."""
    line = f"{shlex.join(command(*arguments))} {streams}"
    return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("word", [OPEN, WEAK, str(SETTLED), str(LIKELY)])
def test_how_sure_an_answer_is_stands_out_on_a_terminal(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = StringIO()
    monkeypatch.setattr(terminal, "is_screen", lambda: True)
    monkeypatch.setattr(terminal, "console", lambda _: Console(file=written, force_terminal=True, color_system="standard"))
    terminal.print_report(f"a won\n{word}: for a reason.\n")
    assert re.search(rf"\x1b\[1;3[23]m{word}\x1b\[0m: for", written.getvalue())


@pytest.mark.process
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_stream_that_the_caller_has_closed_is_no_error(closed: str) -> None:
    done = in_shell("melds", "3c", "4c", "5c", streams=closed)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("" if ">&-" in closed.split() else "deadwood 0\n  3c 4c 5c\n")


@pytest.mark.process
def test_a_run_without_any_stream_is_stored_whole(tmp_path: Path) -> None:
    """Otherwise the database would be what is written to standard error."""
    assert in_shell("run", league(tmp_path), "--results", tmp_path / "run", streams="<&- >&- 2>&-").returncode == 0
    assert arena("verify", tmp_path / "run").returncode == 0


@pytest.mark.process
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(("stream", "code", "said"), [(">", 2, "arena: standard output: No space left on device\n"), ("2>", 0, "")])
@pytest.mark.parametrize("called", [("melds", "7h"), ("--help",), ("judge", "x" * 300)], ids=" ".join)
def test_output_that_cannot_be_delivered_is_one_line_and_no_success(
    called: tuple[str, ...], stream: str, code: int, said: str
) -> None:
    done = in_shell(*called, streams=f"{stream}/dev/full")
    if called[0] == "judge":  # an error of its own
        code, said = 2, "" if stream == "2>" else f"arena: {'x' * 120}…{'x' * 120}: File name too long\n"
    assert (done.returncode, done.stderr) == (code, said)


def played_by_keys(folder: Path, typed: str, encoding: str) -> str:
    done = arena("play", "greedy", "--seed", "s", "--results", folder / "match", typed=typed, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.process
def test_a_person_is_shown_suits_and_asked_again_for_what_cannot_be_done(tmp_path: Path) -> None:
    shown = played_by_keys(tmp_path, "nonsense\n?\nq\n", "utf-8")
    assert "discard 2♠, stock 31" in shown
    assert "'nonsense' cannot be done now; you may: take, pass" in shown
    assert re.search(r"pass: .*; take \S+: \d+\.\d ± \d+\.\d points a hand less", shown)


@pytest.mark.process
@pytest.mark.parametrize("sandbox", ["standard", "none"])
def test_a_bot_at_the_table_has_the_threads_that_it_asks_for(tmp_path: Path, sandbox: str) -> None:
    shutil.copytree(Path(__file__).parents[2] / "bots" / "awk_counter", tmp_path / "counter")
    manifest = tmp_path / "counter" / "bot.yaml"
    manifest.write_text(manifest.read_text() + "threads: 8\n")
    done = arena("play", manifest, "--sandbox", sandbox, "--results", tmp_path / "match", typed="q\n")
    assert done.returncode == 0, done.stderr


@pytest.mark.process
def test_a_terminal_without_suits_is_sent_letters_and_dashes_of_its_own(tmp_path: Path) -> None:
    assert "discard 2s, stock 31" in played_by_keys(tmp_path, "q\n", "cp1252")
    report = subprocess.run(
        command("report", tmp_path / "match"),
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "COLUMNS": "80"},
        capture_output=True,
        check=True,
    )
    shown = report.stdout.replace(b"\xd7", b"x").replace(b"\xb1", b"+-")  # signs that Latin-1 has
    assert shown.isascii()
    assert b"0-1" in report.stdout
    assert b"?" not in report.stdout


@pytest.mark.process
def test_a_quiet_run_says_nothing_but_its_report(tmp_path: Path) -> None:
    done = arena("run", league(tmp_path), "--results", tmp_path / "run", "--quiet")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "Standings" in done.stdout


@pytest.mark.process
def test_progress_names_the_leaders(tmp_path: Path) -> None:
    done = arena("run", league(tmp_path), "--results", tmp_path / "run")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("2 of 2 matches played")
    assert "; one " in last or "; two " in last


def test_a_count_is_a_plain_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with progress.count_bar("judged") as show:
        show(1, 10)
        monkeypatch.setattr(progress, "INTERVAL", 0.0)
        show(2, 10)
    assert re.fullmatch(r"2 of 10 matches judged, [0-9.]+ a second, about \d+ s left\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("form", "total"),
    [(RoundRobin(pairs=1), "2 matches"), (Knockout(pairs=1), "at least 2 matches"), (Batches(hands=20, leg=10), "2 batches")],
)
def test_a_count_of_matches_to_which_results_may_add_is_a_least_one_and_batches_are_no_matches(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, form: Format, total: str
) -> None:
    plan = cast("Plan", SimpleNamespace(spec=SimpleNamespace(format=form), names=("a", "b"), seed=""))
    with progress.of(plan, quiet=False) as observer:
        observer.start(plan, Folder(tmp_path))
        observer.results([])
    assert f"0 of {total} played" in capsys.readouterr().err


def on_screen(monkeypatch: pytest.MonkeyPatch, stream: str, term: str) -> StringIO:
    """Return what a terminal of a kind shows in place of a standard stream."""
    screen = StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, stream, screen)
    monkeypatch.setenv("TERM", term)
    return screen


def test_a_count_is_a_bar_on_a_terminal_and_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch, "stderr", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    with progress.count_bar("judged") as show:
        show(2, 10)
        show(10, 10)
    assert "matches judged" in screen.getvalue()
    assert "10/10" in screen.getvalue()
    assert screen.getvalue().endswith("\x1b[2K")  # the line is erased


def test_a_bar_on_a_narrow_terminal_cuts_the_leaders_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch, "stderr", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    bar = progress.CountBar("matches")
    bar.show(10, 24, "cautious 40, two-way 40, greedy 30")
    bar.stop()
    shown = re.sub(r"\x1b\[[^a-zA-Z]*[a-zA-Z]", "", screen.getvalue())
    assert re.search(r"matches \S+ 10/24 \S+/s \S+ cautious 40, t\S*…", shown)


def test_a_terminal_shows_red_suits_in_red_and_black_ones_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch, "stdout", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    print_game("throw 10♦, 7♥ or 7♣; 24 − 2 = 22")
    assert screen.getvalue() == "throw \x1b[31m10♦\x1b[0m, \x1b[31m7♥\x1b[0m or 7♣; 24 − 2 = 22\n"


def test_leaders_of_batches_are_led_by_points() -> None:
    leaders = Leaders([Result(fixture=Fixture("f", ("a", "b"), "d", 10), winner=None, games=(0, 0), points=(30, 50), hands=10)])
    assert str(leaders) == "b 20, a -20"


def on_terminal(*arguments: object, columns: int) -> str:
    """Return what a command writes to a terminal of so many columns, without colours."""
    ours, theirs = pty.openpty()
    known = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": str(columns)}
    with subprocess.Popen(command(*arguments), stdout=theirs, stderr=subprocess.STDOUT, env=known):
        os.close(theirs)
        sent = read_all(ours)
    return re.sub(r"\x1b\[[\d;]*m", "", sent.decode()).replace("\r", "")


def read_all(terminal_end: int) -> bytes:
    sent = b""
    while True:
        try:
            sent += os.read(terminal_end, 65536)
        except OSError:  # the other end is closed
            os.close(terminal_end)
            return sent


@pytest.mark.process
@pytest.mark.parametrize(("option", "environment"), [(["--no-color"], {}), ([], {"NO_COLOR": "1"})])
def test_a_terminal_is_sent_no_colour_if_none_is_wanted(tmp_path: Path, option: list[str], environment: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    run = command(*option, "run", league(tmp_path), "--results", tmp_path / "run")
    done = subprocess.run(
        run,
        stderr=theirs,
        stdout=subprocess.PIPE,
        env={**os.environ, "TERM": "xterm-256color", **environment},
        check=False,
    )
    os.close(theirs)
    sent = read_all(ours)
    assert done.returncode == 0
    assert b"matches" in sent
    assert b"\x1b[3" not in sent


def test_a_program_that_a_command_starts_has_the_streams_that_the_caller_has_closed() -> None:
    start = "import subprocess, sys; from arena.cli.terminal import open_streams; open_streams()"
    opened = "import os; print(os.open(os.devnull, os.O_RDONLY))"
    code = f"{start}; subprocess.run([sys.executable, '-c', {opened!r}])"
    done = subprocess.run(["/bin/sh", "-c", f"{shlex.join([sys.executable, '-c', code])} <&-"], capture_output=True, check=True)
    assert done.stdout == b"3\n"


LINE = "greedy is stronger than two-way by more than half a point; look with `arena replay results/duel 0.3` at each hand"


@pytest.mark.parametrize("columns", [60, 80])
def test_a_line_for_a_person_is_broken_between_words_but_not_in_a_command(columns: int) -> None:
    found = terminal.wrapped(LINE, columns)
    assert all(len(line) <= columns for line in found.splitlines())
    assert "`arena replay results/duel 0.3`" in found
    assert found.split() == LINE.split()


def test_a_command_at_the_end_of_a_line_stays_whole() -> None:
    assert terminal.wrapped("Every hand: arena replay results/a", 20) == "Every hand:\narena replay results/a"


def test_an_item_of_a_list_is_indented_where_it_is_broken() -> None:
    assert terminal.wrapped("- mine@2 was suspended: three faults", 20) == "- mine@2 was\n  suspended: three\n  faults"


@pytest.mark.parametrize("columns", [60, 80])
def test_an_error_is_broken_on_a_terminal_and_one_line_in_a_pipe(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    screen, pipe = StringIO(), StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    for stream in (screen, pipe):
        monkeypatch.setattr(sys, "stderr", stream)
        terminal.print_error(LINE)
    assert pipe.getvalue() == f"arena: {LINE}\n"
    assert max(map(len, screen.getvalue().splitlines())) <= columns
    assert screen.getvalue().split() == ["arena:", *LINE.split()]


def test_the_usage_of_a_command_has_its_arguments_as_messages_write_them() -> None:
    assert arena("duel", "--help").stdout.splitlines()[0].endswith("arena duel [OPTIONS] A B")
    assert arena("race", "--help").stdout.splitlines()[0].endswith("arena race [OPTIONS] FIRST OTHERS...")


@pytest.mark.process
@pytest.mark.parametrize("columns", [60, 80])
def test_a_report_on_a_terminal_is_its_first_screen_and_with_full_everything_and_fits(columns: int, tmp_path: Path) -> None:
    run = finished_run(tmp_path)
    brief, full = (on_terminal("report", run, *more, columns=columns) for more in ([], ["--full"]))
    assert "Hands and faults" not in brief
    assert "Hands and faults" in full
    for shown in (brief, full):
        long = [line for line in shown.splitlines() if len(line) > columns]
        assert all(str(tmp_path) in line or line.startswith(("seed ", "link ")) for line in long), long
