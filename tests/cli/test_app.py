"""The commands as a whole: their help, their exit codes, and the line for a mistake."""

import os
import signal
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
import typer
from support.commands.calls import arena, command
from support.commands.every_command import registered
from typer.testing import CliRunner

from arena.cli import app
from arena.cli.commands import COMMANDS
from arena.errors import NOT_UTF8, PluginError, StoreError, WorkerLostError
from arena.plugins import consent, door
from arena.roster.distributions import EntryPoint


@pytest.mark.process
@pytest.mark.parametrize("columns", ["60", "80"])
def test_the_help_has_every_line_in_full_in_groups(columns: str) -> None:
    done = arena("--help", COLUMNS=columns)
    assert done.returncode == 0
    words = " ".join(done.stdout.split())
    for name, described in app.own_commands().items():
        assert f"{described.group}: " in words
        assert f"{name} {described.line}" in words
    assert max(map(len, done.stdout.splitlines())) <= int(columns)


@pytest.mark.parametrize("name", ["league", "bots", "plugins"])
def test_the_help_of_a_group_has_the_first_line_of_each_command_in_full(name: str) -> None:
    shown = CliRunner().invoke(app.build(), [name, "--help"], prog_name="arena", env={"COLUMNS": "60"}).stdout
    words = " ".join(shown.split())
    lines = [f"{each.name} {each.help.splitlines()[0]}" for each in app.load(name, COMMANDS[name]).commands.values()]
    assert len(lines) > 1
    assert [line for line in lines if line not in words] == []


def strange(values: tuple[list[int], int]) -> None:
    """Have a parameter that no command can have."""


@pytest.mark.parametrize(
    ("added", "problem"),
    [
        (
            {"run": print},
            "'builtins': hook arena_commands, command 'run': found the name of a command of arena; expected another one",
        ),
        (
            {"odd": strange},
            f"{__name__!r}: hook arena_commands, command 'odd': Tuple types with complex sub-types",
        ),
    ],
)
def test_a_command_of_a_plugin_that_arena_cannot_run_is_an_error(
    monkeypatch: pytest.MonkeyPatch, added: dict[str, object], problem: str
) -> None:
    monkeypatch.setattr("sys.argv", ["arena", "odd"])
    monkeypatch.setattr(consent, "allowed_plugins", lambda: [EntryPoint("odd", "", distribution("pytest"))])
    monkeypatch.setattr(door, "load", lambda *, entry_points=True: entry_points)
    monkeypatch.setattr(door, "commands", lambda with_plugins: added if with_plugins else {})
    with pytest.raises(PluginError) as caught:
        app.build()
    assert str(caught.value).startswith(f"the plugin that names {problem}")


SCRIPTS = {"bash": "complete -o default -F _arena_completion arena", "zsh": "#compdef arena", "fish": "complete --command arena"}


@pytest.mark.parametrize("shell", SCRIPTS)
def test_each_shell_has_a_completion_of_its_own(shell: str) -> None:
    assert SCRIPTS[shell] in CliRunner().invoke(app.build(), ["--show-completion", shell], prog_name="arena").stdout


@pytest.mark.process
def test_another_shell_is_one_line() -> None:
    refused = arena("--show-completion", "tcsh")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "--show-completion: found 'tcsh'; expected one of bash, zsh, fish; see " in refused.stderr


@pytest.mark.process
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"_ARENA_COMPLETE": "complete_bash", "COMP_WORDS": "arena league wit", "COMP_CWORD": "2"}, "withdraw"),
        ({"_ARENA_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "arena du"}, '"duel":"Play two bots until'),
        (
            {
                "_ARENA_COMPLETE": "complete_fish",
                "_TYPER_COMPLETE_ARGS": "arena duel --ha",
                "_TYPER_COMPLETE_FISH_ACTION": "get-args",
            },
            "--hands\tUndecided after",
        ),
    ],
    ids=lambda asked: asked["_ARENA_COMPLETE"] if isinstance(asked, dict) else "",
)
def test_words_are_completed(asked: dict[str, str], found: str) -> None:
    script = Path(sys.executable).parent / "arena"  # its name is in those of the variables
    done = subprocess.run([script], env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert found in done.stdout


@pytest.mark.parametrize("name", registered())
def test_every_command_has_help_with_an_example(name: str) -> None:
    done = CliRunner().invoke(app.build(), [*name.split(), "-h"])
    assert done.exit_code == 0
    assert "Usage: " in done.stdout
    assert f"arena {name}" in " ".join(done.stdout.split()).partition("Example: ")[2]


@pytest.mark.parametrize("arguments", [(), ("nothing",), ("run",), ("run", "x.yaml", "--nothing"), ("bots",)])
def test_a_command_that_is_none_is_the_users_fault(arguments: tuple[str, ...]) -> None:
    done = arena(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


ONE_KIND = "expected one of ruleset, format, rating, tiebreak, report, sandbox, executor, command, hooks, extra"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing",), "no such command 'nothing'; see arena --help"),
        (("rnu",), "no such command 'rnu'; did you mean `arena run`? See arena --help"),
        (("check", "mine.py"), "no such command 'check'; did you mean `arena bots check`? See arena --help"),
        (("league", "check"), "no such command 'check'; did you mean `arena bots check`? See arena league --help"),
        (("league", "shwo"), "no such command 'shwo'; did you mean `arena league show`? See arena league --help"),
        (("run",), "missing argument 'SPEC'; expected arena run SPEC; see arena run --help"),
        (("run", "x.yaml", "--nothing"), "no such option: --nothing; see arena run --help"),
        (("run", "x.yaml", "--result", "y"), "no such option: --result; did you mean '--results'? See arena run --help"),
        (("run", "x.yaml", "--rules", "y"), "no such option: --rules; see arena run --help"),
        (
            ("run", "greedy", "cautious"),
            (
                "got more than was expected: 'cautious'; expected arena run SPEC, and quotes around a value with spaces or braces; "
                "see arena run --help"
            ),
        ),
        (
            ("plugins", "new", "x", "--kind", "formt"),
            f"--kind: found 'formt'; did you mean 'format'? {ONE_KIND}; see arena plugins new --help",
        ),
        (("plugins", "new", "x"), f"missing option '--kind'; {ONE_KIND}; see arena plugins new --help"),
        (("bots", "check"), "missing argument 'bot'; expected arena bots check BOT; see arena bots check --help"),
        (("play", "greedy", "--port", "8123"), "--port: expected with --web, because the terminal needs none"),
        (
            ("serve", ".", "--an-hour", "3"),
            "--upload-mib, --an-hour, --waiting and --disk-mib limit what authors send; expected --submit with them",
        ),
    ],
)
def test_a_command_that_is_called_wrongly_is_shown_so_in_one_line(arguments: tuple[str, ...], message: str) -> None:
    assert arena(*arguments).stderr.replace("python -m arena", "arena") == f"arena: {message}\n"


def test_an_unknown_command_suggests_those_with_that_last_word_or_verb() -> None:
    likely = app.LazyCommands().likely_commands
    assert likely("new", "") == ["league new", "bots new", "plugins new"]
    assert "bots check" in likely("test", "")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--rules=gin", "--rules: found 'gin'; expected one of "),
        ("--sandbox=stric", "--sandbox: found 'stric'; did you mean"),
    ],
)
def test_a_mistake_at_the_table_is_not_shown_as_one_in_a_file_that_nobody_wrote(option: str, message: str) -> None:
    done = arena("play", "greedy", option)
    assert done.returncode == 2
    assert done.stderr.startswith(f"arena: {message}")


def ending(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    """Return the exit code of a command that ends with an error."""

    def fails() -> None:
        raise error

    broken = typer.Typer()
    broken.command()(fails)
    monkeypatch.setattr(app, "build", lambda: broken)
    monkeypatch.setattr("sys.argv", ["arena"])
    with pytest.raises(SystemExit) as caught:
        app.main()
    assert isinstance(caught.value.code, int)
    return caught.value.code


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (StoreError("x: no such run"), 2, "arena: x: no such run\n"),
        (
            UnicodeEncodeError("utf-8", "a\udcff", 1, 2, NOT_UTF8),
            2,
            "arena: 'a\\udcff' is not UTF-8 text; expected a name that is\n",
        ),
        (WorkerLostError("x was lost"), 3, "arena: stopped: x was lost; the same command tries again, and resumes a run"),
    ],
    ids=["the user's fault", "a name", "a lost worker, and the results are safe"],
)
def test_an_error_is_one_line_and_has_an_exit_code(
    error: Exception, code: int, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ending(monkeypatch, error) == code
    said = capsys.readouterr().err
    assert said.startswith(line)
    assert said.count("\n") == 1


def test_our_fault_is_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        ending(monkeypatch, ZeroDivisionError())


@pytest.mark.parametrize("name", ["report", "replay", "verify"])
def test_a_folder_without_a_run_is_the_users_fault(tmp_path: Path, name: str) -> None:
    done = arena(name, tmp_path)
    assert (done.returncode, done.stderr) == (2, f"arena: {tmp_path}: not the folder of one run; expected arena.sqlite in it\n")


@pytest.mark.process
def test_a_shell_completes_commands() -> None:
    asked = {**os.environ, "_ARENA_COMPLETE": "complete_bash", "COMP_WORDS": "arena rep", "COMP_CWORD": "1"}
    script = Path(sys.executable).with_name("arena")
    completed = subprocess.run([script], env=asked, capture_output=True, text=True, check=False)
    assert sorted(completed.stdout.split()) == ["replay", "report"]


def listening() -> "subprocess.Popen[bytes]":
    """Return a command that reads lines and answers them, with a pipe at every end."""
    pipe = subprocess.PIPE
    return subprocess.Popen(command("melds", "--jsonl"), stdin=pipe, stdout=pipe, stderr=pipe)


@pytest.mark.process
def test_a_reader_that_has_received_enough_is_no_error() -> None:
    with listening() as run:
        assert run.stdin
        assert run.stdout
        run.stdout.close()
        _, message = run.communicate(b'{"cards": ["7h"]}\n' * 100)
    assert (run.returncode, message) == (0, b"")


@pytest.mark.process
def test_ctrl_c_at_any_other_command_is_no_traceback() -> None:
    with listening() as run:
        assert run.stdin
        assert run.stdout
        run.stdin.write(b'{"cards": ["7h"]}\n' * 1000)  # answers fill a buffer and come: it listens
        run.stdin.flush()
        os.read(run.stdout.fileno(), 1)
        run.send_signal(signal.SIGINT)
        _, message = run.communicate()
    assert b"Traceback" not in message
    assert run.returncode != 0
