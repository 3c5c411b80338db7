"""A command that was called wrongly is told in one line, as every other slip of the user's."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import typer
from typer.core import TyperGroup

from arena.errors import InputError

UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)  # click's or Typer's own, as the version has it


class Commands(TyperGroup):
    """The commands; whatever is wrong with an option or an argument is an InputError."""

    def make_context(self, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - Typer's signature, passed on
        """Read the options that stand before the command. Raises: InputError."""
        with _in_one_line():
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - likewise
        """Read the command's own, and run it. Raises: InputError."""
        with _in_one_line():
            return super().invoke(ctx)


@contextmanager
def _in_one_line() -> Iterator[None]:
    """Turn what Typer would tell in four lines into one. Raises: InputError."""
    try:
        yield
    except UsageError as error:
        told = error.format_message().rstrip(".")
        if error.ctx is None or "\n" in told:  # the help, for a group that is called by its name alone
            raise
        see = " See" if told.endswith("?") else "; see"
        raise InputError(f"{told[:1].lower()}{told[1:]}{see} {error.ctx.command_path} --help") from None
