"""The command line: its commands, and the one place that catches the errors of the user and of the operating system.

A command's module is imported when the command runs. Until then a placeholder with a line of help stands for it, so that
``arena --help`` and the completion of a shell import nothing of the application.
"""

import os
import platform
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import completion

from arena import signals
from arena.cli import terminal
from arena.cli.checked_app import HELP_OPTIONS, OneLineErrors, plain_app
from arena.cli.commands import COMMANDS, PLAYING_INSIDE
from arena.cli.owed import writing_owed
from arena.errors import ArenaError, PluginError, RunStoppedError, WorkerLostError, of_system
from arena.plugins.command import OTHERS, Command
from arena.suggestions import nearest

if TYPE_CHECKING:
    from arena.plugins.door import Addition
    from arena.plugins.source import Source

CALLERS = ("typer", "click", "__main__")  # the packages that call a command
BISECT = "--bisect"
SKIP = 125
WEAKER = 4  # the exit code of ``arena regress`` for a verdict
Shell = Literal["bash", "zsh", "fish"]


class LazyCommands(OneLineErrors):
    """The commands of arena, each imported when it is called."""

    def sections(self, ctx: Any) -> Mapping[str, Mapping[str, str]]:  # noqa: ANN401 - Typer's context
        """Return the lines of the commands by their groups; the functions of plugins are in the last."""
        found: dict[str, dict[str, str]] = {}
        for name, line in super().sections(ctx)["Commands"].items():
            described = ctx.obj.get(name)
            found.setdefault(described.group if described else OTHERS, {})[name] = line
        return found

    def likely_commands(self, name: str, group: str) -> Sequence[str]:
        """Return the commands, as "bots check", whose help begins with a name as its verb, or whose last word is nearest to it.

        An equal word comes before a verb, and a near word of the same group before those of others. All commands are imported.
        """
        own = own_commands()
        lines = {top: str(command.help or "") for top, command in self.commands.items() if top not in own}
        for top, described in own.items():
            inside = getattr(load(top, described), "commands", {})
            lines |= {top: described.line} | {f"{top} {word}": command.help or "" for word, command in inside.items()}
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
        described = ctx.obj.get(name)
        if name is None or described is None:
            return name, command, rest
        if described.resumes and BISECT not in rest:  # to git, exit code 3 would be a verdict
            signals.set_stop_code(signals.RESUMABLE)
        if name != "doctor":  # which shows what is missing
            from arena.runs import needs  # noqa: PLC0415 - not for the help

            plays = described.plays or " ".join([name, *rest[:1]]) in PLAYING_INSIDE
            needs.check(1 if plays else 0, bots=plays)  # for one worker, or none
        return name, load(name, described), rest


def build() -> typer.Typer:
    """Return the application: arena's own commands, and those of plugins. Raises: PluginError."""
    added = _added_commands()
    described = {**COMMANDS, **{name: command for name, command in added.items() if isinstance(command, Command)}}
    app = typer.Typer(
        name="arena",
        cls=LazyCommands,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,  # it detects the shell, and takes an unknown one for bash
        rich_markup_mode=None,  # plain help, in half the time
        context_settings={**HELP_OPTIONS, "obj": described},
    )
    app.callback()(options)
    if "_ARENA_COMPLETE" in os.environ:  # a shell asks for words
        completion.get_completion_inspect_parameters()  # registers Typer's classes for zsh and fish
    for name, lazy in described.items():
        app.command(name, help=lazy.line)(_placeholder)
    for name, command in added.items():
        if not isinstance(command, Command):
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
        _print_stop(error)
        sys.exit(3)
    except Exception as error:
        line, code = _failure(error)
        if not line or sys.flags.dev_mode:
            raise
        if signals.stop_requested():
            raise KeyboardInterrupt from None
        terminal.print_error(line)
        sys.exit(code)


def _print_stop(stopped: RunStoppedError) -> None:
    """Print who leads a run that was stopped, how sure that is, and how it is resumed."""
    from arena.results.so_far import answer_so_far  # noqa: PLC0415 - for this end alone
    from arena.store.folder import Folder  # noqa: PLC0415 - likewise

    try:
        with suppress(ArenaError, OSError):  # a later command tells it
            for line in answer_so_far(Folder(Path(stopped.folder))) if stopped.folder else []:
                terminal.print_note(line)
    finally:
        terminal.print_note(str(stopped))


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
    return _called() in own_commands()


def _called() -> str:
    """Return the name of the command that is called; empty: none is."""
    return next((word for word in sys.argv[1:] if not word.startswith("-")), "")


def _fault_of_plugin(error: BaseException) -> str:
    """Return the line for an error that the code of a plugin has raised; empty: another one has."""
    here = {frame.f_globals.get("__name__", "").partition(".")[0] for frame, _ in traceback.walk_tb(error.__traceback__)}
    if isinstance(error, SystemExit) and here <= {"arena", *CALLERS}:  # the usual end of a command
        return ""
    from arena.plugins import strangers  # noqa: PLC0415 - slow, and rarely needed

    return strangers.fault_of_plugin(error)


def _placeholder() -> None:
    """Stand for a command that is not imported yet."""


def load(name: str, described: Command) -> Any:  # noqa: ANN401 - a command of click, or of Typer's copy of it
    """Import a command. Raises: PluginError, for a plugin's that is not where its description says, or that Typer cannot read."""
    if described.module.partition(".")[0] == "arena":
        return _read(name, function(described))
    from arena.plugins import strangers  # noqa: PLC0415 - not for a command of the core

    source = _source(name, described.where)
    return _read_from(source, name, strangers.attribute_at(described.where, source))


def _read_from(source: "Source", name: str, function: Callable[..., None] | typer.Typer) -> Any:  # noqa: ANN401 - as ``load``
    """Return the command of a plugin. Raises: PluginError, if Typer cannot read it."""
    try:
        return _read(name, function)
    except Exception as error:
        raise source.error(f"{' '.join(str(error).split())}; expected a function with parameters annotated for Typer") from error


def _read(name: str, function: Callable[..., None] | typer.Typer) -> Any:  # noqa: ANN401 - a command of click, or of Typer's copy of it
    """Return the command, or the group of commands, that Typer makes of a function or an app. Raises: what Typer raises."""
    if isinstance(function, typer.Typer):
        return typer.main.get_command(function)
    if iscoroutinefunction(function):
        raise TypeError("found a coroutine, which nobody would await")
    app = plain_app()
    app.command(name)(function)
    return typer.main.get_command(app)


def function(described: Command) -> Any:  # noqa: ANN401 - a function of any signature, or a group of commands
    """Return the function of a command, or its group of commands."""
    module, _, attribute = described.where.partition(":")
    return getattr(import_module(module), attribute)


def own_commands() -> dict[str, Command]:
    """Return arena's own commands with those of its extras, by name."""
    from arena.plugins import door  # noqa: PLC0415 - not for a command of the core

    extras = door.commands(door.load(entry_points=False))
    return {**COMMANDS, **{name: command for name, command in extras.items() if isinstance(command, Command)}}


def _added_commands() -> "dict[str, Addition]":
    """Return the commands of arena's extras and of plugins. For a command of arena's own, no other plugin is imported."""
    called = _called()
    if called in COMMANDS:
        return {}
    from arena.plugins import consent, door  # noqa: PLC0415 - not for a command of the core

    own = door.commands(door.load(entry_points=False))
    if called in own or not consent.allowed_plugins():
        return own
    found = door.commands(door.load())
    for name, command in found.items():
        if name not in own:
            _check_command(name, command)
    return found


def _check_command(name: str, command: "Addition") -> None:
    """Raise PluginError for a plugin's command that is called as one of the core, or whose parameters Typer cannot read."""
    source = _source(name, command.where if isinstance(command, Command) else command.__module__)
    if name in COMMANDS:
        raise source.error("found the name of a command of arena; expected another one")
    if not isinstance(command, Command):  # which is read when it is called
        _read_from(source, name, command)


def _source(name: str, where: str) -> "Source":
    """Return the source of a plugin's command."""
    from arena.plugins import strangers  # noqa: PLC0415 - not for a command of the core

    return strangers.source_at(where, f"hook arena_commands, command {name!r}")


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
