"""A Typer application whose mistakes are one line each, with the nearest valid name."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import isfinite
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from arena.errors import InputError
from arena.suggestions import did_you_mean, nearest

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
