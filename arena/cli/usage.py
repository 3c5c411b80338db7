"""A wrong call of a command is one line, like every other mistake of the user."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import typer
from typer.core import TyperGroup

from arena.errors import InputError

UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)  # click's or Typer's own, as the version has it


HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}


def plain_app(text: str | None = None) -> typer.Typer:
    """Return an app for one command, or for a group of commands with a help text of its own."""
    return typer.Typer(
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
        """Read the command's own, and run it. Raises: InputError. A closed pipe ends it quietly."""
        with _in_one_line():
            try:
                return super().invoke(ctx)
            except BrokenPipeError:
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the end
                raise typer.Exit from None


@contextmanager
def _in_one_line() -> Iterator[None]:
    """Turn what Typer would tell in four lines into one. Raises: InputError."""
    try:
        yield
    except UsageError as error:
        message = error.format_message().rstrip(".")
        if error.ctx is None or not message or "\n" in message:  # the help, for a group that is called by its name alone
            raise
        if message.startswith("No such command"):
            from arena.plugins import consent  # noqa: PLC0415 - only after a mistake

            message += consent.hint()
        see = " See" if message.endswith("?") else "; see"
        raise InputError(f"{message[:1].lower()}{message[1:]}{see} {error.ctx.command_path} --help") from None
