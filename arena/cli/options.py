"""Arguments and options that several commands share, and usage errors in one line."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import Parameter, Signature, signature
from itertools import chain, pairwise
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_type_hints

import typer
from msgspec import Struct
from typer.core import TyperCommand, TyperGroup

from arena import distribution
from arena.errors import InputError
from arena.stats.statements import ALPHA, BETA
from arena.suggestions import did_you_mean, nearest
from arena.tournament.seeds import check_seed

MOST_HANDS = 1_000_000  # of a bot that is tested, reviewed or compared with itself; ``MostHands`` is an option of comparisons
LEAST_CHANCE, MOST_CHANCE = 1e-9, 0.999  # of a wrong verdict

Bot = Annotated[str, typer.Argument(help="An installed bot's name, path/to/bot.py or path/to/bot.yaml.")]

SpecPath = Annotated[
    Path,
    typer.Argument(metavar="SPEC", help="The tournament's YAML file, whose keys `arena docs specs` lists; or a folder of bots."),
]

RunDir = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]


def checked_seed(typed: str | None) -> str | None:
    """Return a typed seed unchanged. Raises: InputError, if it is empty, too long or not UTF-8 text."""
    return None if typed is None else check_seed(typed)


def checked_sandbox(name: str | None) -> str | None:
    """Return a typed sandbox unchanged, even if the command then does not use it. Raises: InputError, with the nearest name."""
    if name is not None:
        from arena.runs import plans  # noqa: PLC0415 - loads the plugins, which few commands need

        plans.check_sandbox(name)
    return name


def checked_level(name: str) -> str:
    """Return a log level in capitals. Raises: InputError, with the nearest valid one."""
    from arena.runs.chosen import choose  # noqa: PLC0415 - loads the plugins, which few commands need
    from arena.runs.logs import LEVELS  # noqa: PLC0415 - likewise

    return choose(LEVELS, name.upper(), "--log-level")


Seed = Annotated[str | None, typer.Option(callback=checked_seed, help="Seed of the deals; by default one is drawn, and shown.")]
RulesName = Annotated[str, typer.Option("--rules", help="The ruleset, by name or as in a spec: '{name: standard, target: 30}'.")]
SandboxName = Annotated[
    str | None,
    typer.Option(
        "--sandbox",
        callback=checked_sandbox,
        help="The sandbox, by name or as in a spec: '{memory_mb: 2048}'; by default strict on Linux, else standard.",
    ),
]
TimeText = Annotated[
    str, typer.Option("--time", help="Time limits as in a spec: '{per_turn: 0.5}'; by default those of specs.", show_default=False)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, only warnings and the outcome.")]
LogLevel = Annotated[
    str, typer.Option("--log-level", callback=checked_level, help="DEBUG, INFO, WARNING or ERROR; DEBUG shows every message.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Workers = Annotated[int | None, typer.Option(min=1, max=1024, help="Matches played at a time; by default one for each core.")]
Where = Annotated[str, typer.Option(help="The executor: local, serial or a plugin's, by name or as '{name: dask, scheduler: …}'.")]
Alpha = Annotated[float, typer.Option(min=LEAST_CHANCE, max=MOST_CHANCE, help=str(ALPHA))]
Beta = Annotated[float, typer.Option(min=LEAST_CHANCE, max=MOST_CHANCE, help=str(BETA))]
MostHands = Annotated[
    int, typer.Option(min=2, max=10_000_000, help="Undecided after this many hands; legs that have begun are played to their end.")
]
Leg = Annotated[int, typer.Option(min=1, max=10_000, help="Hands that a process plays.")]
Legs = Annotated[int | None, typer.Option("--workers", min=1, max=1024, help="Worker processes; by default one for each core.")]
AskedLegs = Annotated[
    int | None, typer.Option("--workers", min=1, max=1024, help="Legs of 25 hands at a time; by default one for each core.")
]
ShownHand = Annotated[
    int, typer.Option("--hand", min=0, max=MOST_HANDS - 1, help="Which hand is shown, from 0; those before it are played unseen.")
]
SecretSeed = Annotated[
    str | None, typer.Option("--seed", callback=checked_seed, help="Seed of the deals; by default one drawn in secret.")
]


# Groups of options that several commands have: a command takes a group as one parameter (``spread``).


class Conditions(Struct, frozen=True):
    """The rules, time limits and sandbox under which bots play, as in a spec."""

    rules: RulesName = "tournament"
    time: TimeText = "{}"
    sandbox: SandboxName = None


class Execution(Struct, frozen=True, kw_only=True):
    """Where matches are played."""

    executor: Where = "local"
    workers: Workers = None

    def runner(self, warn: Callable[[str], None] | None = None) -> "Runner":
        """Return the executor with its workers. Raises: InputError, MachineError, PluginError."""
        return runner_of(self.executor, self.workers, warn)


class LegExecution(Execution, frozen=True, kw_only=True):
    """Where the legs of a comparison are played."""

    workers: Legs = None


class Presentation(Struct, frozen=True):
    """The seed of a comparison, and how much is printed and logged."""

    seed: SecretSeed = None
    quiet: Quiet = False
    log_level: LogLevel = "INFO"
    json: AsJson = False


def runner_of(executor: str, workers: int | None, warn: Callable[[str], None] | None = None) -> "Runner":
    """Return the executor that a text names, with its workers. Raises: InputError, MachineError, PluginError."""
    from arena.plugins import manager  # noqa: PLC0415 - not for the help
    from arena.runs.runner import Runner  # noqa: PLC0415 - likewise

    return Runner(manager.load(), executor, workers, warn=warn or (lambda _: None))


def spread(function: Callable[..., None]) -> Callable[..., None]:
    """Return a command in which each parameter whose type is a Struct is replaced by an option for each field of the Struct."""
    parameters: dict[str, list[Parameter]] = {}
    groups: dict[str, type[Struct]] = {}
    for name, parameter in signature(function).parameters.items():
        parameters[name] = [parameter]
        if isinstance(parameter.annotation, type) and issubclass(parameter.annotation, Struct):
            group = groups[name] = parameter.annotation
            hints, defaults = get_type_hints(group, include_extras=True), group.__struct_defaults__
            parameters[name] = [
                Parameter(field, Parameter.KEYWORD_ONLY, default=default, annotation=hints[field])
                for field, default in zip(group.__struct_fields__, defaults, strict=True)
            ]

    def command(*arguments: Any, **given: Any) -> None:  # noqa: ANN401 - those of any command
        values = {
            name: group(**{field: given.pop(field) for field in group.__struct_fields__ if field in given})
            for name, group in groups.items()
        }
        function(*arguments, **given, **values)

    every = list(chain.from_iterable(parameters.values()))
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__annotations__ = {one.name: one.annotation for one in every}
    vars(command)["__signature__"] = Signature(every)
    return command


# The extras, which are not always installed.


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Turn a failed import of a package of an extra into an error that says how to install it. Raises: InputError."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] not in distribution.PACKAGES:  # else it is a bug
            raise InputError(f"{error.name} is not installed; {distribution.install(extra)} brings it") from None
        raise


if TYPE_CHECKING:
    from arena.runs.runner import Runner

UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)  # click's or Typer's own, as the version has it


LONGEST = 40  # characters of a wrong value that are shown
_NUMBERS = {  # pydantic's errors about numbers: the key of the bound in the error's context; empty: it is about no bound
    **dict.fromkeys(("int_parsing", "int_parsing_size", "int_from_float", "int_type", "float_parsing", "float_type"), ""),
    "greater_than_equal": "ge",
    "less_than_equal": "le",
}
HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}


class CheckedCommand(TyperCommand):
    """A command that takes no empty value and no number that is not finite.

    An empty value is nearly always a variable of the shell that is not set: ``--for "$TIME"`` must not mean to play without end.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - Typer's signature, passed on
        """Read options and arguments. Raises: InputError."""
        if not ctx.resilient_parsing:  # True while a shell completes a word
            _check_not_empty(args)
        rest: list[str] = super().parse_args(ctx, args)
        for param in self.params:
            _check_finite(param.opts[0], ctx.params.get(str(param.name)))
        return rest

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - Typer's signature
        """Return the words after the command as error messages write them: ``[OPTIONS] A B``; Typer writes ``{a} {b}``."""
        options = [self.options_metavar] if self.options_metavar else []
        return [*options, *argument_words(self)]


def argument_words(command: Any) -> list[str]:  # noqa: ANN401 - Typer's command
    """Return the arguments of a command as its usage shows them: ``A``, several ``BOTS...``, an optional one ``[HAND]``."""
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    words = [f"{one.metavar or (one.name or '').upper()}{'...' * (one.nargs != 1)}" for one in arguments]
    return [word if one.required or word.startswith("[") else f"[{word}]" for word, one in zip(words, arguments, strict=True)]


class _CheckedApp(typer.Typer):
    """An app whose commands are checked."""

    def command(self, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - Typer's signature, passed on
        """Add a command."""
        return super().command(*given, cls=CheckedCommand, **more)


class FullLines(TyperGroup):
    """A group of commands whose help has the line of each in full, however narrow the terminal is."""

    def sections(self, ctx: Any) -> Mapping[str, Mapping[str, str]]:  # noqa: ANN401 - Typer's context
        """Return, by the title of each section, the lines of help of its commands by their names."""
        shown = {name: command for name in self.list_commands(ctx) if not (command := self.commands[name]).hidden}
        return {"Commands": {name: str(command.help or "").partition("\n")[0] for name, command in shown.items()}}

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - Typer's signature
        """Write the sections."""
        width = max(map(len, self.list_commands(ctx)), default=0)
        for title, lines in self.sections(ctx).items():
            if lines:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(width), line) for name, line in lines.items()])


def plain_app(text: str | None = None) -> typer.Typer:
    """Return an app for one command; with a ``text``, for a group of commands with this help."""
    return _CheckedApp(
        cls=FullLines,
        help=text,
        no_args_is_help=text is not None,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=HELP_OPTIONS,
    )


class OneLineErrors(FullLines):
    """A group of commands; every usage error is an InputError."""

    def make_context(self, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - Typer's signature, passed on
        """Read the options that stand before the command. Raises: InputError."""
        with _in_one_line(self.likely_commands):
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - likewise
        """Read the options of the command, and run it. Raises: InputError."""
        with _in_one_line(self.likely_commands):
            return super().invoke(ctx)

    def likely_commands(self, name: str, group: str) -> Sequence[str]:  # noqa: ARG002 - for groups that know others
        """Return the commands, as "bots check", that a name unknown in ``group`` may mean; ``group``: empty at the top."""
        return ()


def _check_not_empty(words: Sequence[str]) -> None:
    """Raise InputError for an empty argument, or for an option with an empty value."""
    for before, word in pairwise(("", *words)):
        if not word or (word.startswith("--") and word.endswith("=")):
            option = word.removesuffix("=") or (before if before.startswith("--") else "")
            found = f"{option}: found an empty value" if option else "found an empty argument"
            raise InputError(f"{found}; expected another, or none at all")


def _check_finite(name: str, value: object) -> None:
    """Raise InputError for a number that is not finite, also among several."""
    for one in value if isinstance(value, tuple | list) else (value,):
        if isinstance(one, float) and not isfinite(one):
            raise InputError(f"{name}: found {one}; expected a finite number")


@contextmanager
def _in_one_line(likely_commands: Callable[[str, str], Sequence[str]]) -> Iterator[None]:
    """Turn a usage error, which Typer prints in four lines, into an InputError of one line."""
    try:
        yield
    except UsageError as error:
        if wrong := _wrong_number(error):
            raise InputError(wrong) from None
        message = error.format_message().rstrip(".").replace(": Value error, ", ": ")  # pydantic's prefix
        message = _with_suggestion(message, _usage(error.ctx))
        if not message or "\n" in message:  # the help of a group that is called without a command
            raise
        if unknown := re.match(r"No such command '(.*?)'(?:\. Did you mean |$)", message):
            from arena.plugins import consent  # noqa: PLC0415 - only after a mistake

            group = error.ctx.command_path.removeprefix(error.ctx.find_root().command_path).strip() if error.ctx else ""
            likely = likely_commands(unknown[1], group)
            question = f"; did you mean {' or '.join(f'`arena {one}`' for one in likely)}?" if likely else ""
            message = f"No such command {unknown[1]!r}{consent.hint()}{question}"
        see = " See" if message.rstrip().endswith("?") else "; see"
        where = f"{see} {error.ctx.command_path} --help" if error.ctx else ""
        raise InputError(f"{message[:1].lower()}{message[1:]}{where}") from None


def _with_suggestion(message: str, usage: str) -> str:
    """Return a message of Typer with a suggestion or what was expected; ``usage``: the command with its arguments."""
    if option := re.fullmatch(r"(No such option: (\S+)) \(Possible options: (.*)\)", message):
        known = {one.lstrip("-"): one for one in option[3].split(", ")}  # without dashes, which make every two options alike
        near = nearest(option[2].lstrip("-"), known)
        return f"{option[1]}; did you mean {known[near]!r}?" if near else option[1]
    if choice := re.fullmatch(r"Invalid value for '(\S+)': ('.*') is not one of (.*)", message):
        words = choice[3].replace("'", "").split(", ")
        return f"{choice[1]}: found {choice[2]}; {did_you_mean(choice[2][1:-1], words)}expected one of {', '.join(words)}"
    if extra := re.fullmatch(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message):
        return f"Got more than was expected: {extra[1]!r}; expected {usage}, and quotes around a value with spaces or braces"
    if message.startswith("Missing argument "):
        return f"{message}; expected {usage}"
    if missing := re.fullmatch(r"(Missing option '\S+')\. Choose from:\s*(.*)", message, re.DOTALL):
        return f"{missing[1]}; expected one of {' '.join(missing[2].split())}"
    return message


def _usage(ctx: Any) -> str:  # noqa: ANN401 - click's or Typer's own, as the version has it
    """Return a command with its arguments, as "arena duel A B"."""
    if not ctx:
        return ""
    return " ".join((ctx.command_path, *argument_words(ctx.command)))


def _wrong_number(error: Any) -> str:  # noqa: ANN401 - a UsageError, which has a parameter if a value is wrong
    """Return the text found in place of a number, and the expected numbers; empty: the error is about something else.

    A Typer that reads values with pydantic says neither in its message; an older one says both there.
    """
    errors: list[dict[str, Any]] = getattr(error.__cause__, "errors", list)()  # of pydantic; else an empty list
    limit = _NUMBERS.get(errors[0]["type"]) if errors else None
    if limit is None:
        return ""
    first, param = errors[0], error.param
    bounds = first.get("ctx", {})
    whole = first["type"].startswith("int_") or isinstance(bounds.get(limit), int)
    low, high = param.min, param.max
    span = {(False, False): f" from {low} to {high}", (False, True): f" of at least {low}", (True, False): f" of at most {high}"}
    expected = f"a {'whole ' if whole else ''}number{span.get((low is None, high is None), '')}"
    return f"{param.opts[0]}: found {str(first['input'])[:LONGEST]!r}; expected {expected}"
