"""Every command that Typer knows, given paths that cannot be used and wrong values: one line, exit code 2, and nothing is done."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.commands.every_command import Parameter, call_with, leaves, parameters, prepared, right_call
from support.sizes import mostly_nightly

from arena.cli import app
from arena.cli.commands import PLAYING_INSIDE
from arena.players import proofs
from arena.players.child import Child
from arena.tournament.worker_pool import Workers
from arena.web import server

PLAYS_ALONE = {"doctor"}  # without any parameter that can be wrong before they do
PARAMETERS = [one for one in parameters() if one.command not in PLAYS_ALONE]
COMMANDS = [name for name in leaves() if name not in PLAYS_ALONE]
LONG = "x" * 5000
WORDS = ("nonsense or not", "-1", "nan", "\x1b[2J", LONG, "9" * 20)
NUMBERS = ("x", "-1", "nan", "9" * 20, "1.5.2", "inf", "-inf", "1e300")
FEW = 4  # of the numbers and paths, in the tests that are not slow; the slow ones have the rest
ANY_TEXT = {"--seed", "--reason", "--find"}  # of at most a number of characters
RIGHT_AFTER_ALL = {
    ("league token name", "nan"), ("league token name", "9" * 20), ("bots new name", "nan"), ("plugins new name", "nan"),
    *((option, word) for option in ("league cup --name", "play --name") for word in ("nan", "9" * 20)),
    *(("league submit " + option, word) for option in ("--author", "--name") for word in ("nan", "9" * 20)),
    ("verify --expect", "9" * 20),  # a link, though not this run's
    ("strength sprt --elo0", "-1"), ("duel --bounds", "-1"),
}  # fmt: skip
SOME_AND_MORE = pytest.mark.parametrize(
    "more", [pytest.param(False, id="some"), pytest.param(True, id="more", marks=pytest.mark.nightly)]
)
SIDE_FILES = ("-wal", "-shm")  # that SQLite makes for a reader


class DidSomethingError(BaseException):
    """A command has started to play or to serve."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what the right values name; nothing in it may change."""
    folder = prepared(tmp_path_factory, "every")
    proofs.best()  # once, before nothing may be started
    return folder


Call = Callable[[list[str]], tuple[int | str | None, str, str]]


@pytest.fixture
def call(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Return what calls a command in this process, and returns its exit code, its output and what it said on standard error."""

    def did_something(*_: Any, **__: Any) -> None:
        raise DidSomethingError

    for owner, name in ((Child, "__init__"), (Workers, "__init__"), (server, "listen")):
        monkeypatch.setattr(owner, name, did_something)
    monkeypatch.chdir(place)

    def run(line: list[str]) -> tuple[int | str | None, str, str]:
        monkeypatch.setattr("sys.argv", ["arena", *line])
        capsys.readouterr()
        code: int | str | None = 0
        try:
            app.main()
        except SystemExit as ended:
            code = ended.code
        except DidSomethingError:
            code = "started"
        except Exception:  # noqa: BLE001 - a bug of ours, which Python tells by this hook
            code = "traceback"
            sys.excepthook(*sys.exc_info())
        return code, *capsys.readouterr()

    return run


def contents(folder: Path) -> dict[str, int]:
    """Return every file and folder of a folder, with the time of a file's last change."""
    return {
        str(path): path.stat().st_mtime_ns if path.is_file() else 0
        for path in folder.rglob("*")
        if not path.name.endswith(SIDE_FILES)
    }


def refused(call: Call, place: Path, line: list[str]) -> str:
    """Return why a call was not refused as it should be; empty: it was."""
    before = contents(place)
    code, output, said = call(line)
    if (code, output) != (2, "") or len(said.splitlines()) != 1 or not said.startswith("arena: "):
        return f"{[word[:40] for word in line]}: {code}, {output[:200]!r}, {said[-300:]!r}"
    changed = contents(place).items() ^ before.items()
    return f"{line}: changed {changed}" if changed else ""


def wrong_values(param: Parameter, *, more: bool) -> Iterator[str]:
    """Yield some of what is not a value of a parameter, or more; the empty text never is."""
    if param.number:
        values: tuple[str, ...] = ("", *NUMBERS)
    elif param.option in ANY_TEXT:
        values = ("", LONG)
    elif param.is_choice or param.kind is str:
        values = ("", *WORDS)
    else:
        values = ("",)
    few = 1 + FEW if param.number else 2
    yield from values[few:] if more else values[:few]


@pytest.mark.process
@SOME_AND_MORE
@pytest.mark.parametrize("command", mostly_nightly(COMMANDS, *COMMANDS[::2]))
def test_a_wrong_value_is_refused_in_one_line_before_anything_is_done(command: str, call: Call, place: Path, *, more: bool) -> None:
    mistaken = [
        failure
        for param in PARAMETERS
        if param.command == command
        for value in wrong_values(param, more=more)
        if (str(param), value) not in RIGHT_AFTER_ALL
        if (failure := refused(call, place, call_with(param, value)))
    ]
    assert not mistaken, "\n".join(mistaken)


@pytest.mark.process
def test_every_command_that_starts_bots_checks_first_what_they_need(call: Call, place: Path, tmp_path: Path) -> None:
    os.chdir(shutil.copytree(place, tmp_path / "copy"))
    started = {command for command in COMMANDS if call(right_call(command))[0] == "started"}
    started.add("league reinstate")  # for a version whose copy was lost
    playing = {name for name, described in app.own_commands().items() if described.plays} | PLAYING_INSIDE
    assert started - {"serve", "tables", "verify", "review"} <= playing, "those have workers or a port, and start bots by an option"
    assert len(started) > 12


def test_every_count_that_an_option_takes_has_bounds() -> None:
    unbounded = [str(one) for one in PARAMETERS if one.number is int and one.values == 1 and None in one.bounds]
    assert not unbounded


@pytest.fixture
def hostile(tmp_path: Path) -> dict[str, str]:
    """Return paths that cannot be read, or not written, each by what it is."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    (folder / "dangling").symlink_to(folder / "nowhere" / "at" / "all")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "file").write_text("no line of a command\n", encoding="utf-8")
    (folder / "empty").mkdir()
    return {
        "a name that is too long": "x" * 300,
        "a file": str(folder / "file"),
        "below a file": str(folder / "file" / "x" / "y"),
        "an endless device": "/dev/zero",
        "a path that is too long": "a/" * 3000 + "x",
        "a file in a name that is too long": "x" * 300 + "/x.py:Mine",
        "a link to nothing": str(folder / "dangling"),
        "a link to itself": str(folder / "loop"),
        "in a folder of the kernel": "/proc/nothing/x",
        "an empty folder": str(folder / "empty"),
        "a name that is not UTF-8": os.fsdecode(b"no\xff\xfeutf"),
    }


NEW_FOLDERS = {
    "init folder",
    "bots new --folder",
    "plugins new --folder",
    "league new league",
    "league export out",
    "league backup place",
    "tables folder",
}
NEW_FOLDERS |= {
    f"{command} --results" for command in ("run", "duel", "regress", "race", "rate", "tune", "exploit", "play", "league practice")
}
MAY_BE = {  # what a parameter may name after all
    "a file": {
        "regress --junit",
        "bots check --gradescope",
        "judge file",
    },  # which is written; whose lines are answered
    "an empty folder": {"serve results_dir", *NEW_FOLDERS},
    "a link to nothing": {"league export out", "league backup place"},  # a new folder where it leads to
    "a name that is not UTF-8": {
        *("bots check --gradescope", "league likeness --html", "regress --junit", "join --key"),
        *(NEW_FOLDERS - {"league new league"}),
    },
}


@pytest.mark.process
@SOME_AND_MORE
@pytest.mark.parametrize("command", mostly_nightly(COMMANDS, *COMMANDS[::2]))
def test_a_path_that_cannot_be_used_is_shown_in_one_line(
    command: str, call: Call, place: Path, hostile: dict[str, str], *, more: bool
) -> None:
    mistaken = [
        f"{what}: {failure}"
        for param in PARAMETERS
        if param.command == command and param.is_path
        for what, value in list(hostile.items())[FEW if more else 0 : None if more else FEW]
        if str(param) not in MAY_BE.get(what, ())
        if (failure := refused(call, place, call_with(param, value)))
    ]
    assert not mistaken, "\n".join(mistaken)
