"""The command line: its commands, and the one place that catches the errors of the user and of the operating system.

A command's module is imported when the command runs. Until then a placeholder with a line of help stands for it, so that
``arena --help`` and the completion of a shell import nothing of the application.
"""

import os
import platform
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any, Literal

import typer
from typer import completion

from arena import signals
from arena.cli import terminal
from arena.cli.options import HELP_OPTIONS, OneLineErrors, plain_app
from arena.cli.owed import writing_owed
from arena.errors import ArenaError, PluginError, RunStoppedError, WorkerLostError, of_system
from arena.suggestions import nearest

# in the order of the help
GROUPS = {
    "Play": {
        "init": "Write a first league and a first bot.",
        "run": "Play a tournament, or resume one, and show its report.",
        "plan": "Show what a spec will play, how long it takes and what it can resolve.",
        "match": "Play single hands between two bots, and show points a hand.",
        "play": "Play against a bot, in the terminal or in a browser.",
        "seat": "Serve a seat at a table, at which a program plays.",
    },
    "Compare": {
        "duel": "Play two bots until it is known which is stronger.",
        "regress": "Test whether a bot has become weaker.",
        "race": "Find the best of several versions of a bot.",
        "rate": "Rate a bot on a scale that is the same everywhere.",
        "tune": "Find the best values of a bot's parameters.",
        "exploit": "Find how many points a hand a bot can lose.",
        "diff": "Show the decisions that a change of a bot changed.",
        "strength": "Sequential tests and ratings from counts alone.",
    },
    "Understand": {
        "report": "Show the report of a run, and write its files again.",
        "replay": "Show the matches, hands and turns of a run.",
        "review": "Show where bots lose their points.",
        "models": "Rank language models by points and cost a hand.",
        "debug": "Show a hand as a bot sees it, turn by turn.",
        "verify": "Judge every hand of a run again, and name what differs.",
    },
    "Results as data": {
        "cite": "Show a result with all that is needed to check it, as one small document.",
        "export": "Write every hand of a run as JSON lines, CSV or Parquet.",
        "import": "Make a run of hands from a file.",
    },
    "Leagues and pages": {
        "league": "Play a league that bots join, improve in and leave.",
        "serve": "Show runs in a browser, while they are played.",
        "join": "Play a bot that runs here at the tables of a server elsewhere.",
        "invite": "Give an author a token for the tables of a server.",
        "close": "End the games of a server's tables, and reveal their seed.",
    },
    "Bots and plugins": {
        "bots": "List bots, check one, write one.",
        "plugins": "List the parts that plugins add, write a plugin.",
    },
    "Tools": {
        "docs": "Show a page of the manual.",
        "doctor": "Prove which sandboxes this machine supports.",
        "judge": "Judge hands from JSON lines by the referee's engine.",
        "melds": "Show the melds of cards that leave least deadwood.",
        "schema": "Show the JSON Schema of what commands print with --json.",
    },
}
AT_ONCE, UNTIL_STOPPED = "about a second", "until it is stopped"
# how long each takes, for quick bots as the house's; ``arena plan`` measures it for a spec
TAKES = {
    "run": "as long as its matches: the quickstart 20 s, a league of ten bots minutes to hours; `arena plan` says",
    "plan": "`--seconds`, and a second for each bot",
    "match": "200 hands: seconds; 10,000: a minute",
    "play": "as long as you play",
    "seat": "as long as the match",
    "duel": "until it is decided: a minute for bots far apart, an hour for close ones; at most `--hands`",
    "regress": "as a duel",
    "race": "minutes, up to `--hands`",
    "rate": "minutes: a few hundred hands against each bot of the scale",
    "tune": "minutes to an hour, by `--hands`",
    "exploit": "minutes to an hour, by `--hands`",
    "diff": "seconds",
    "report": "a second; a minute for 100,000 matches",
    "replay": AT_ONCE,
    "review": "ten hands a second on each core",
    "models": AT_ONCE,
    "debug": "seconds",
    "verify": "thousands of hands a second; with --replay as long as the run",
    "export": "thousands of hands a second",
    "import": "thousands of hands a second",
    "league submit": "ten seconds: the bot plays 200 hands",
    "league backup": "seconds",
    "league run": "as long as its rounds, or `--for`",
    "league diff": "seconds",
    "league debug": "seconds",
    "league event": "as long as its matches",
    "league practice": "as long as its matches",
    "serve": UNTIL_STOPPED,
    "join": UNTIL_STOPPED,
    "bots check": "ten seconds: the bot plays 200 hands several times",
    "doctor": "ten seconds",
    "judge": "thousands of hands a second",
}
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}
OTHERS = "From plugins"
MODULES = {  # the modules of the commands that are not in a module of their own name
    **dict.fromkeys(("init", "plugins"), "new"),
    "debug": "bots",
    "plan": "run",
    **dict.fromkeys(("match", "duel", "regress", "race", "rate", "tune", "exploit", "diff"), "compare"),
    **dict.fromkeys(("report", "replay", "review", "verify", "cite", "models", "export", "import"), "results"),
    **dict.fromkeys(("judge", "melds", "strength", "doctor"), "tools"),
    "seat": "play",
    "schema": "docs",
    **dict.fromkeys(("join", "invite", "close"), "serve"),
}
FUNCTIONS = {"import": "import_", "league": "app"}  # the functions of the commands that have another name

CALLERS = ("typer", "click", "__main__")  # the packages that call a command
BISECT = "--bisect"
SKIP = 125
WEAKER = 4  # the exit code of ``arena regress`` for a verdict
Shell = Literal["bash", "zsh", "fish"]

PLAYING = {  # commands that start bots, or have a confined process read them
    *("run", "plan", "match", "duel", "regress", "race", "rate", "tune", "exploit", "diff", "debug", "play", "seat"),
    *("bots check", "league new", "league submit", "league run", "league diff", "league debug", "league backup"),
    *("league reinstate", "league challenge", "league event", "league practice", "join"),
}


class LazyCommands(OneLineErrors):
    """The commands of arena, each imported when it is called."""

    def sections(self, ctx: Any) -> Mapping[str, Mapping[str, str]]:  # noqa: ANN401 - Typer's context
        """Return the lines of arena's own commands by their groups, and those of plugins."""
        lines = super().sections(ctx)["Commands"]
        return {**GROUPS, OTHERS: {name: line for name, line in lines.items() if name not in COMMANDS}}

    def likely_commands(self, name: str, group: str) -> Sequence[str]:
        """Return the commands, as "bots check", whose help begins with a name as its verb, or whose last word is nearest to it.

        An equal word comes before a verb, and a near word of the same group before those of others. All commands are imported.
        """
        lines = {top: str(command.help or "") for top, command in self.commands.items() if top not in COMMANDS}
        for top, line in COMMANDS.items():
            inside = getattr(load(top), "commands", {})
            lines |= {top: line} | {f"{top} {word}": command.help or "" for word, command in inside.items()}
        last = {command: command.rpartition(" ") for command in lines}
        near = nearest(name.lower(), {word for *_, word in last.values()})
        verbs = [command for command, line in lines.items() if line.lower().startswith(f"{name.lower()} ")]
        if verbs and near != name.lower():
            return verbs
        found = [command for command, (*_, word) in last.items() if word == near]
        return [command for command in found if last[command][0] == group] or found

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - Typer's signature, passed on
        """Return the command in place of its placeholder."""
        name, command, rest = super().resolve_command(ctx, args)
        if name not in COMMANDS:
            return name, command, rest
        if name != "doctor":  # which shows what is missing
            from arena.runs import needs  # noqa: PLC0415 - not for the help

            plays = bool({name, " ".join([name, *rest[:1]])} & PLAYING)
            needs.check(1 if plays else 0, bots=plays)  # for one worker, or none
        return name, load(name), rest


def build() -> typer.Typer:
    """Return the application: arena's own commands, and those of plugins."""
    app = typer.Typer(
        name="arena",
        cls=LazyCommands,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,  # it detects the shell, and takes an unknown one for bash
        rich_markup_mode=None,  # plain help, in half the time
        context_settings=HELP_OPTIONS,
    )
    app.callback()(options)
    if "_ARENA_COMPLETE" in os.environ:  # a shell asks for words
        completion.get_completion_inspect_parameters()  # registers Typer's classes for zsh and fish
    for name, line in COMMANDS.items():
        app.command(name, help=line)(_placeholder)
    for name, command in _plugin_commands():
        app.command(name)(command)
    return app


def _show_version(value: bool) -> None:  # noqa: FBT001 - Typer's signature
    """Print the installed version, the engine's core and Python's version, and exit."""
    if value:
        from arena import distribution  # noqa: PLC0415 - for this option alone
        from arena.runs.installed import CORE  # noqa: PLC0415 - likewise

        typer.echo(f"{distribution.NAME} {distribution.version()}, core {CORE}, Python {platform.python_version()}")
        raise typer.Exit


def options(
    *,
    no_color: Annotated[bool, typer.Option("--no-color", help="Colour nothing; so does NO_COLOR in the environment.")] = False,
    version: Annotated[  # noqa: ARG001 - its callback acts on it
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_show_version)
    ] = False,
    install_completion: Annotated[  # noqa: ARG001 - likewise
        Shell | None,
        typer.Option(
            help="Have bash, zsh or fish complete words, and exit.", metavar="SHELL", callback=completion.install_callback
        ),
    ] = None,
    show_completion: Annotated[  # noqa: ARG001 - likewise
        Shell | None,
        typer.Option(help="Show what that installs, and exit.", metavar="SHELL", callback=completion.show_callback),
    ] = None,
) -> None:
    """Gin rummy tournaments between bots that nobody has to trust.

    Example: arena duel greedy cautious
    """
    if no_color:
        os.environ["NO_COLOR"] = "1"  # of no-color.org


def main() -> None:
    """Run a command. Exit codes: 0 done, 1 a bug or a difference found, 2 the user's mistake, 3 stopped with results stored.

    A command's help names its other codes. An error of the operating system, or in a plugin's code, is a line too, and exit code 2;
    in Python's development mode (``python -X dev -m arena``) a traceback. Raises: KeyboardInterrupt, for an error that follows from
    a signal.
    """
    terminal.open_streams()
    terminal.fall_back()
    terminal.guard()
    with writing_owed(sys.argv[1:]), bisect_codes(sys.argv):
        _run()


def _run() -> None:
    try:
        _run_and_flush(build())
    except terminal.ReaderGoneError:
        sys.exit(0)
    except RunStoppedError as error:
        typer.echo(str(error), err=True)
        sys.exit(3)
    except Exception as error:
        line, code = _failure(error)
        if not line or sys.flags.dev_mode:
            raise
        if signals.stop_requested():
            raise KeyboardInterrupt from None
        terminal.print_error(line)
        sys.exit(code)


def _run_and_flush(app: typer.Typer) -> None:
    """Run a command, and flush its output. Raises: SystemExit, with its exit code; PluginError, if a plugin raised it instead."""
    try:
        app()
    except SystemExit as error:
        sys.stdout.flush()
        if _is_own_command() and (line := _fault_of_plugin(error)):
            raise PluginError(line) from error
        raise


def _is_own_command() -> bool:
    """Tell whether a command of arena's own is called."""
    return next((word for word in sys.argv[1:] if not word.startswith("-")), "") in COMMANDS


def _fault_of_plugin(error: BaseException) -> str:
    """Return the line for an error that the code of a plugin has raised; empty: another one has."""
    here = {frame.f_globals.get("__name__", "").partition(".")[0] for frame, _ in traceback.walk_tb(error.__traceback__)}
    if isinstance(error, SystemExit) and here <= {"arena", *CALLERS}:  # the usual end of a command
        return ""
    from arena.plugins import manager  # noqa: PLC0415 - slow, and rarely needed

    return manager.fault_of_plugin(error)


def _placeholder() -> None:
    """Stand for a command that is not imported yet."""


def load(name: str) -> Any:  # noqa: ANN401 - a command of click, or of Typer's copy of it
    """Return the command of a name."""
    found = function(name)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    app = plain_app()
    app.command(name)(found)
    return typer.main.get_command(app)


def function(name: str) -> Any:  # noqa: ANN401 - a function of any signature, or a group of commands
    """Return the function of a command, or the group of commands of that name."""
    return getattr(import_module(f"arena.cli.{MODULES.get(name, name)}"), FUNCTIONS.get(name, name))


def _plugin_commands() -> Iterator[tuple[str, Callable[..., None]]]:
    """Yield the commands of plugins, unless a command of arena's own is called, for which no plugin need be imported."""
    if _is_own_command():
        return
    from arena.plugins import consent  # noqa: PLC0415 - not for a command of arena's own

    if consent.allowed_plugins():
        from arena.plugins import manager  # noqa: PLC0415 - not for a command of arena's own

        for name, command in manager.commands(manager.load()).items():
            _check_command(name, command)
            yield name, command


def _check_command(name: str, command: Callable[..., None]) -> None:
    """Raise PluginError for a plugin's command that is called as one of arena's own, or whose parameters Typer cannot read."""
    where = f"hook arena_commands, command {name!r} of {command.__module__}"
    if name in COMMANDS:
        raise PluginError(f"{where}: found the name of a command of arena; expected another one")
    app = plain_app()
    app.command(name)(command)
    try:
        typer.main.get_command(app)
    except Exception as error:
        raise PluginError(f"{where}: {' '.join(str(error).split())}; expected parameters annotated for Typer") from error


def _failure(error: Exception) -> tuple[str, int]:
    """Return the line for an error that ended a command, and the exit code; an empty line: a bug of arena."""
    if isinstance(error, WorkerLostError):
        return f"stopped: {error}; the same command tries again, and resumes a run that is stored", 3
    if line := str(error) if isinstance(error, ArenaError) else of_system(error):
        return line, 2
    return _fault_of_plugin(error), 2


@contextmanager
def bisect_codes(arguments: Sequence[str]) -> Iterator[None]:
    """Change the exit codes of a command for ``git bisect run``, if ``--bisect`` is among its arguments.

    0 is good, 1 to 124 is bad, 125 skips a commit, and above 127 ends the search. A wrong answer would name the wrong commit, so
    only a verdict is good or bad; anything else that ends the command, a bug and a wrong option included, skips the commit, and a
    signal ends the search. Source: git-bisect(1).
    """
    if BISECT not in arguments:
        yield
        return
    try:
        yield
    except SystemExit as ended:
        sys.exit(_bisect_code(ended.code))
    except Exception:  # noqa: BLE001 - a bug of ours says nothing about the commit
        traceback.print_exc()
        sys.exit(_bisect_code(1))


def _bisect_code(code: str | int | None) -> str | int | None:
    if code in (None, 0, WEAKER):
        return code
    return signals.STOPPED if signals.stop_requested() else SKIP
