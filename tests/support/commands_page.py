"""The part of the commands' page that is generated from the help of every command."""

import re
from collections.abc import Iterator
from typing import Any

from every_command import leaves

from arena.cli.app import own_commands
from arena.cli.commands import TAKES_INSIDE
from arena.plugins.command import AT_ONCE

BEGIN = "## Every command\n"


def generated() -> str:
    """Return the generated part, which begins with its heading: a table, then each command with its arguments and options."""
    usages = {name: usage(name, command) for name, command in leaves().items()}
    takes = {**{name: described.takes for name, described in own_commands().items()}, **TAKES_INSIDE}
    rows = [f"| `{usages[name]}` | {paragraphs(command)[0]} | {takes.get(name, AT_ONCE)} |" for name, command in leaves().items()]
    sections = (line for name, command in leaves().items() for line in section(usages[name], command))
    return "\n".join([BEGIN, "| command | what it does | how long it takes |", "| --- | --- | --- |", *rows, *sections, ""])


def usage(name: str, command: Any) -> str:
    """Return how a command is called, with its arguments in capitals; an optional one stands in brackets."""
    pieces = command.collect_usage_pieces(context(command))
    return " ".join(["arena", name, *(re.sub("[{}]", "", piece).upper() for piece in pieces if piece != "[OPTIONS]")])


def section(called: str, command: Any) -> Iterator[str]:
    """Yield the lines of one command."""
    yield f"\n### `{called}`"
    for paragraph in paragraphs(command):
        example = paragraph.removeprefix("Example: ")
        yield f"\n{paragraph}" if example == paragraph else f"\nExample: `{example}`"
    records = [record for param in command.params if (record := param.get_help_record(context(command)))]
    yield ""
    yield from (f"- `{' '.join(words.split())}`: {' '.join(text.split())}" for words, text in records)


def paragraphs(command: Any) -> list[str]:
    """Return the paragraphs of a command's help, each in one line."""
    return [" ".join(paragraph.split()) for paragraph in (command.help or "").split("\n\n")]


def context(command: Any) -> Any:
    return command.context_class(command)
