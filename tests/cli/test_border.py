"""Text from outside, given to every command: nothing of it but printable characters comes out."""

import io
import json
import logging
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast
from xml.etree import ElementTree as ET

import pytest
from support.commands.runs import finished_run
from support.matches.comparisons import compared
from support.repository.distributions import install

from arena.cli import app, progress, terminal
from arena.compare import junit
from arena.compare.regression import Part, Regression
from arena.runs.run_files import RunFiles
from arena.store.folder import Folder
from arena.testing import match_record
from arena.tournament.formats.round_robin import RoundRobin

if TYPE_CHECKING:
    from arena.tournament.plan import Plan

TITLE, CLEAR = "\x1b]0;x\x07", "\x1b[2J"  # sets the title of a terminal's window; clears its screen
IN_A_LINE = f"{TITLE}{CLEAR}\x9b2J\x7f\u202e\u2066\u200b[red]<b>"
HOSTILE = f"{IN_A_LINE}\r\u2028\u2029\x85\nforged"
SHOWN = r"\u202e\u2066\u200b[red]<b>"  # what is left to see of it, whether colours are stripped before or not

Printed = Callable[..., str]


def unprintable(text: str) -> set[str]:
    return {one for one in text if one not in "\n\xa0" and not one.isprintable()}


@pytest.fixture
def message(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Printed:
    """Return what runs a command in this process to its end, as the program does, and returns all that it printed."""

    def run(*arguments: object) -> str:
        monkeypatch.setattr("sys.argv", ["arena", *map(str, arguments)])
        capsys.readouterr()
        try:
            app.main()
        except SystemExit:
            pass
        except Exception:  # noqa: BLE001 - a bug of ours, which Python tells by this hook
            sys.excepthook(*sys.exc_info())
        return "".join(capsys.readouterr())

    monkeypatch.setenv("COLUMNS", "200")
    return run


@pytest.mark.parametrize(
    "arguments",
    [
        (HOSTILE,),
        (f"--{HOSTILE}",),
        ("bots", HOSTILE),
        ("bots", "check", HOSTILE),
        ("bots", "check", f"{HOSTILE}.py:Mine"),
        ("bots", "new", HOSTILE),
        ("run", f"{HOSTILE}.yaml"),
        ("run", "x.yaml", "--log-level", HOSTILE),
        ("plan", f"{HOSTILE}.yaml"),
        ("match", "greedy", HOSTILE),
        ("match", "greedy", "greedy", "--rules", HOSTILE),
        ("match", "greedy", "greedy", "--sandbox", HOSTILE),
        ("match", "greedy", "greedy", "--hands", HOSTILE),
        ("duel", "greedy", f"{HOSTILE}.yaml"),
        ("regress", HOSTILE, "--against", "greedy"),
        ("debug", "greedy", "--against", HOSTILE),
        ("play", HOSTILE),
        ("report", HOSTILE),
        ("replay", HOSTILE),
        ("verify", HOSTILE),
        ("serve", HOSTILE),
        ("melds", HOSTILE),
        ("judge", HOSTILE),
        ("strength", "ratings", HOSTILE),
    ],
    ids=lambda arguments: "-".join(re.findall(r"\w{3,}", " ".join(arguments[:2]))[:2]),
)
@pytest.mark.parametrize("more", ["", "\udcff"], ids=["text", "surrogate"])
def test_an_argument_is_repeated_in_one_printable_line(message: Printed, arguments: tuple[str, ...], more: str) -> None:
    said = message(*(one.replace("forged", f"forged{more}") for one in arguments))
    assert not unprintable(said)
    assert "\nforged" not in said
    assert len(said.splitlines()) == 1
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "line",
    [
        {"title": "t", "bots": ["greedy", "greedy"], HOSTILE: 1},
        {"title": "t", "bots": ["greedy", HOSTILE]},
        {"title": "t", "bots": ["greedy", f"{HOSTILE}.py:Mine"]},
        {"title": "t", "bots": ["greedy", {"bot": "greedy", "name": HOSTILE}]},
        {"title": "t", "bots": ["greedy", "cautious"], "rules": HOSTILE},
        {"title": "t", "bots": ["greedy", "cautious"], "rules": {HOSTILE: 1}},
        {"title": "t", "bots": ["greedy", "cautious"], "format": {"name": HOSTILE}},
        {"title": "t", "bots": ["greedy", "cautious"], "sandbox": {"memory_mb": HOSTILE}},
        {"title": [HOSTILE], "bots": ["greedy", "cautious"]},
    ],
    ids=["key", "bot", "path", "name", "rules", "option", "format", "value", "title"],
)
def test_what_is_wrong_with_a_spec_is_shown_in_one_printable_line(
    message: Printed, tmp_path: Path, line: dict[str, object]
) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(json.dumps(line))
    said = message("plan", spec)
    assert not unprintable(said)
    assert said.startswith("arena: ")
    assert said.count("\n") == 1


def test_raw_control_characters_in_a_spec_are_shown_in_one_printable_line(message: Printed, tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"title: {HOSTILE}")
    said = message("run", spec)
    assert not unprintable(said)
    assert said.count("\n") == 1


@pytest.mark.parametrize("key", ["name", "version", "description", "command", HOSTILE])
def test_a_manifest_is_shown_of_in_printable_lines(message: Printed, tmp_path: Path, key: str) -> None:
    values = {"name": "mine", "command": ["cat"], key: [HOSTILE] if key == "command" else HOSTILE}
    (tmp_path / "bot.yaml").write_text(json.dumps(values))
    assert not unprintable(message("bots", "check", tmp_path / "bot.yaml", "--hands", "8", "--sandbox", "none"))


@pytest.mark.process
@pytest.mark.parametrize("json_too", [(), ("--json",)], ids=["lines", "json"])
def test_names_and_versions_of_installed_bots_are_listed_in_printable_lines(
    message: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, json_too: tuple[str, ...]
) -> None:
    entry_points = f"[arena.bots]\n{IN_A_LINE} = stranger:Mine\n"
    install(tmp_path, f"stranger{CLEAR}", {"stranger.py": "class Mine: pass\n"}, entry_points, version=f"1{IN_A_LINE}")
    monkeypatch.syspath_prepend(tmp_path)
    said = message("bots", "list", *json_too)
    assert not unprintable(said)
    assert SHOWN in said


RAISES = f"""
import sys
from arena.sdk import Bot

class Mine(Bot):
    def draw(self, view):
        sys.stderr.write({HOSTILE!r})
        raise ValueError({HOSTILE!r})
"""
ANSWERS = f"""
import json, sys
print(json.dumps(dict(type="ready", protocol=1, bot={IN_A_LINE!r})), flush=True)
for line in sys.stdin:
    if '"turn"' in line:
        sys.stdout.buffer.write({HOSTILE.replace(chr(10), "")!r}.encode() + b"\\n")
        sys.stdout.buffer.flush()
"""


@pytest.mark.process
@pytest.mark.parametrize(
    "command",
    [
        ["match", "BOT", "greedy", "--hands", "4"],
        ["debug", "BOT"],
        ["debug", "BOT", "--raw"],
        ["bots", "check", "BOT", "--hands", "8"],
    ],
    ids=["match", "debug", "raw", "check"],
)
@pytest.mark.parametrize("bot", ["mine.py:Mine", "bot.yaml"])
def test_what_a_bot_writes_is_shown_in_printable_lines(message: Printed, tmp_path: Path, command: list[str], bot: str) -> None:
    (tmp_path / "mine.py").write_text(RAISES)
    (tmp_path / "answers.py").write_text(ANSWERS)
    (tmp_path / "bot.yaml").write_text(json.dumps({"name": "answers", "command": [sys.executable, "answers.py"]}))
    said = message(*(str(tmp_path / bot) if one == "BOT" else one for one in command), "--sandbox", "none")
    assert not unprintable(said)
    assert "u202e" in said or (command[0], bot) == ("match", "bot.yaml")  # which shows no answer that is no JSON
    assert "\nforged" not in said


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished run; not to be changed."""
    return finished_run(tmp_path_factory.mktemp("border"), "sandbox: none")


FAULT = json.dumps(
    {
        "seat": 0, "kind": "crash", "game": 0, "hand": 0, "detail": HOSTILE, "clause": HOSTILE, "turn": HOSTILE, "answer": HOSTILE,
        "stderr": f'Traceback (most recent call last):\n  File "/{HOSTILE}", line 6, in draw\nValueError: {HOSTILE}',
    }
)  # fmt: skip
EDITS = {
    "title": "UPDATE run SET value = :text WHERE key = 'title'",
    "provenance": "UPDATE run SET value = :text WHERE key IN ('platform', 'python', 'arena', 'started', 'commitment')",
    "seed": "UPDATE run SET value = :text WHERE key = 'seed'",
    "spec": "UPDATE run SET value = :text WHERE key = 'spec'",
    "walls": "UPDATE run SET value = json_set(value, '$.missing', json_array(:text)) WHERE key = 'walls'",
    "key": "INSERT INTO run VALUES (:text, :text)",
    "names": "UPDATE entrant SET name = :text WHERE name = 'one'; UPDATE match SET seat0 = :text WHERE seat0 = 'one';"
    " UPDATE match SET seat1 = :text WHERE seat1 = 'one'",
    "entrant": "UPDATE entrant SET version = :text, source = :text, digest = :text",
    "fixture": "UPDATE match SET fixture = :text || id",
    "deals": "UPDATE match SET deals = :text",
    "usage": "UPDATE match SET usage = :text",
    "chain": "UPDATE match SET chain = :text",
    "actions": "UPDATE hand SET actions = :text",
    "ending": "UPDATE hand SET ending = :text",
    "fault": "INSERT INTO fault VALUES (1, 0, :fault)",
    "unreadable fault": "INSERT INTO fault VALUES (1, 0, :text)",
}


@pytest.mark.process
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # what a closed database says is no output
@pytest.mark.parametrize("what", EDITS)
def test_what_a_database_holds_is_shown_in_printable_lines(message: Printed, run: Path, tmp_path: Path, what: str) -> None:
    folder = shutil.copytree(run, tmp_path / "run")
    with closing(sqlite3.connect(folder / "arena.sqlite")) as database, database:
        for statement in EDITS[what].split("; "):
            database.execute(statement, {"text": HOSTILE, "fault": FAULT})
        (fixture,) = database.execute("SELECT fixture FROM match WHERE id = 1").fetchone()
    replays = [("replay", folder, *more) for more in ((), (fixture,), (fixture, "0.0"))]
    for command in (("report", folder), ("verify", folder), *replays):
        said = message(*command)
        assert not unprintable(said), command
        assert "\nforged" not in said or "Traceback" in said, command
    for name in ("report.md", "standings.csv", "results.json"):
        text = (folder / name).read_text(encoding="utf-8")
        assert not unprintable(text), name
        if what != "spec":
            assert "\nforged" not in text, name


@pytest.mark.process
@pytest.mark.parametrize("what", ["title", "provenance", "walls", "names", "entrant", "fixture", "fault"])
def test_a_page_shows_what_a_database_holds_escaped(message: Printed, run: Path, tmp_path: Path, what: str) -> None:
    folder = shutil.copytree(run, tmp_path / "run")
    with closing(sqlite3.connect(folder / "arena.sqlite")) as database, database:
        for statement in EDITS[what].split("; "):
            database.execute(statement, {"text": f"</script>{HOSTILE}", "fault": FAULT})
        database.execute("UPDATE run SET value = value || char(10) || 'reports: [html]' WHERE key = 'spec'")
    message("report", folder)
    page = (folder / "report.html").read_text(encoding="utf-8")
    ours = re.sub(r"<script>.*?</script>|<style>.*?</style>", "", page, flags=re.DOTALL)  # files of arena's own
    assert not unprintable(ours)
    assert "<b>" not in ours
    assert ours.count("</script>") == 2  # of the packed data and scripts


def test_a_result_of_counts_is_shown_in_printable_lines(message: Printed, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(
        json.dumps({"players": [HOSTILE, "b"], "wins": [[0, 3], [2, 0]], "draws": [[0, 0], [0, 0]]})
    )
    for more in ((), ("--json",)):
        said = message("strength", "ratings", tmp_path / "results.json", *more)
        assert not unprintable(said)
        assert "\nforged" not in said


@pytest.mark.parametrize("text", ["a,b,3", '{"a": 1}'])
def test_a_file_without_counts_is_refused_with_what_was_expected(message: Printed, tmp_path: Path, text: str) -> None:
    (tmp_path / "results.csv").write_text(text)
    assert 'expected JSON with "players", "wins" and' in message("strength", "ratings", tmp_path / "results.csv")


@pytest.mark.parametrize("command", ["judge", "melds"])
def test_lines_are_answered_in_printable_json(message: Printed, tmp_path: Path, command: str) -> None:
    case = {"id": HOSTILE, "rules": HOSTILE, "deck": [HOSTILE], "dealer": 0, "actions": [], "cards": [HOSTILE]}
    (tmp_path / "lines").write_text(json.dumps(case) + "\n" + json.dumps({"id": HOSTILE, HOSTILE: HOSTILE}) + "\n" + HOSTILE)
    said = message(command, "--jsonl", tmp_path / "lines")
    assert not unprintable(said)
    answers = [line for line in said.splitlines() if not line.startswith("arena: ")]
    assert all("error" in json.loads(line) for line in answers)


def test_logs_keep_a_record_to_its_line_and_escape_the_rest(tmp_path: Path) -> None:
    files, record = RunFiles(tmp_path / "arena.log"), logging.LogRecord("x", logging.INFO, "f", 1, "%s", (HOSTILE,), None)
    files.emit(record)
    spoken = logging.LogRecord("x", logging.INFO, "f", 1, "%s", (f"{HOSTILE}\udcff",), None)
    spoken.bot, spoken.fixture = "mine", "f"
    files.emit(spoken)
    files.close()
    assert not unprintable((tmp_path / "arena.log").read_text())
    assert (tmp_path / "arena.log").read_text().count("\n") == 1
    assert not unprintable((tmp_path / "bots" / "mine.stderr").read_text())


def test_a_junit_file_is_xml_whatever_the_bots_are_called(tmp_path: Path) -> None:
    part = Part(question=HOSTILE, outcome=compared(unit=HOSTILE), answer="undecided", results=f"{HOSTILE}\udcff", seed="s")
    found = Regression(
        candidate=HOSTILE, baseline=HOSTILE, asked="stronger", verdict="undecided", exit_code=5, parts=(part,), levels=(0.05, 0.05)
    )
    junit.write_junit(tmp_path / "out.xml", found)
    text = "".join(ET.parse(tmp_path / "out.xml").getroot().itertext())
    assert SHOWN in text
    assert not unprintable((tmp_path / "out.xml").read_text())


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_guarded_terminal_is_sent_no_control_character(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    terminal.guard()
    terminal.guard()
    print(HOSTILE)  # noqa: T201 - as a plugin would
    terminal.print_lines([HOSTILE])
    assert not unprintable(screen.getvalue())
    assert screen.getvalue().count("\n") == 3  # the two of print, and one for the line
    assert r"\x1b]0;x\x07\x1b[2J" in screen.getvalue()


def test_a_progress_bar_keeps_its_own_escapes_and_none_of_the_bots_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "300")
    terminal.guard()
    named = cast("Plan", SimpleNamespace(spec=SimpleNamespace(format=RoundRobin()), names=(HOSTILE, "b"), seed=""))
    with progress.of(named, quiet=False) as bar:
        bar.start(named, Folder(tmp_path))
        bar.results([])
        bar.record(match_record(HOSTILE, "b", winner=0))
        print(f"{CLEAR}\x1b]8;;http://x\x1b\\printed", file=sys.stderr)  # noqa: T201 - as a plugin would
    sent = screen.getvalue()
    assert "\x1b[" in sent
    assert r"\x1b[2J" in sent
    without_styles = re.sub(r"\x1b\[[?\d;]*[AKhlm]|\r", "", sent)  # rich moves the cursor, hides it, erases lines
    assert not unprintable(without_styles)
