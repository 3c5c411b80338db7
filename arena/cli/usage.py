"""A wrong call of a command is one line, like every other mistake of the user."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import isfinite
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from arena.errors import InputError
from arena.text import did_you_mean

UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)  # click's or Typer's own, as the version has it


LONGEST = 40  # characters of a wrong value that are shown
_NUMBERS = {  # pydantic's errors about numbers: where each has the bound that it is about
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
        if not ctx.resilient_parsing:  # it is not a shell that completes a word
            _check_not_empty(args)
        rest: list[str] = super().parse_args(ctx, args)
        for param in self.params:
            _check_finite(param.opts[0], ctx.params.get(str(param.name)))
        return rest


class _CheckedApp(typer.Typer):
    """An app whose commands are checked."""

    def command(self, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - Typer's signature, passed on
        """Add a command."""
        return super().command(*given, cls=CheckedCommand, **more)


def plain_app(text: str | None = None) -> typer.Typer:
    """Return an app for one command, or for a group of commands with a help text of its own."""
    return _CheckedApp(
        help=text,
        no_args_is_help=text is not None,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=HELP_OPTIONS,
    )


class OneLineErrors(TyperGroup):
    """The commands; whatever is wrong with an option or an argument is an InputError."""

    def make_context(self, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - Typer's signature, passed on
        """Read the options that stand before the command. Raises: InputError."""
        with _in_one_line():
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - likewise
        """Read the command's own, and run it. Raises: InputError."""
        with _in_one_line():
            return super().invoke(ctx)


def _check_not_empty(words: Sequence[str]) -> None:
    """Raise InputError for an empty argument, or for an option with an empty value."""
    for before, word in pairwise(("", *words)):
        option = before if before.startswith("--") and not word else word.removesuffix("=")
        if not word or (word.startswith("--") and word.endswith("=")):
            found = f"{option}: found an empty value" if option else "found an empty argument"
            raise InputError(f"{found}; expected another, or none at all")


def _check_finite(name: str, value: object) -> None:
    """Raise InputError for a number that is not finite, also among several."""
    for one in value if isinstance(value, tuple | list) else (value,):
        if isinstance(one, float) and not isfinite(one):
            raise InputError(f"{name}: found {one}; expected a finite number")


@contextmanager
def _in_one_line() -> Iterator[None]:
    """Turn what Typer would tell in four lines into one. Raises: InputError."""
    try:
        yield
    except UsageError as error:
        if wrong := _wrong_number(error):
            raise InputError(wrong) from None
        message = error.format_message().rstrip(".").replace(": Value error, ", ": ")  # pydantic's prefix
        message = _with_cure(message, _usage(error.ctx))
        if not message or "\n" in message:  # the help, for a group that is called by its name alone
            raise
        if message.startswith("No such command"):
            from arena.plugins import consent  # noqa: PLC0415 - only after a mistake

            message += consent.hint()
        see = " See" if message.rstrip().endswith("?") else "; see"
        where = f"{see} {error.ctx.command_path} --help" if error.ctx else ""
        raise InputError(f"{message[:1].lower()}{message[1:]}{where}") from None


def _with_cure(message: str, usage: str) -> str:
    """Return a message of Typer with what was meant or expected; ``usage``: the command with its arguments."""
    if option := re.fullmatch(r"(No such option: (\S+)) \(Possible options: (.*)\)", message):
        return f"{option[1]}; {did_you_mean(option[2], option[3].split(', '))}".rstrip("; ")
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
    arguments = [param for param in ctx.command.params if param.param_type_name == "argument"]
    words = [(one.metavar or one.name or "").upper() for one in arguments]
    shown = (word if one.required or word.startswith("[") else f"[{word}]" for word, one in zip(words, arguments, strict=True))
    return " ".join((ctx.command_path, *shown))


def _wrong_number(error: Any) -> str:  # noqa: ANN401 - a UsageError, which has a parameter if a value is wrong
    """Return the text found in place of a number, and the expected numbers; empty: the error is about something else.

    A Typer that reads values with pydantic says neither in its message; an older one says both there.
    """
    errors: list[dict[str, Any]] = getattr(error.__cause__, "errors", list)()
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
