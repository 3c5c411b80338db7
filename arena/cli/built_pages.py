"""The pages of the manual as they are shown: a written part, and for some a part that is built from the code that it describes.

A built part is a list that the program knows: the commands with their help, the statements of ``arena.stats.statements``, and the
fields of results. So it is in no file that would have to be kept equal.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from arena.cli import app
from arena.cli.checked_app import argument_words
from arena.cli.commands import TAKES_INSIDE
from arena.plugins.command import AT_ONCE
from arena.runs import manual
from arena.stats import statements


def markdown(name: str) -> str:
    """Return the text of a page, with the part of it that is built. Raises: InputError, if this installation lacks it."""
    written = manual.markdown(name)
    return f"{written}\n{BUILT[name]()}" if name in BUILT else written


def commands() -> str:
    """Return a table of all commands, then each with its arguments and options."""
    known = leaves()
    usages = {name: usage(name, command) for name, command in known.items()}
    takes = {**{name: described.takes for name, described in app.own_commands().items()}, **TAKES_INSIDE}
    rows = [f"| `{usages[name]}` | {_paragraphs(command)[0]} | {takes.get(name, AT_ONCE)} |" for name, command in known.items()]
    sections = (line for name, command in known.items() for line in _section(usages[name], command))
    return "\n".join(
        ["## Every command\n", "| command | what it does | how long it takes |", "| --- | --- | --- |", *rows, *sections, ""]
    )


def leaves() -> dict[str, Any]:
    """Return each command that can be called, by its whole name."""
    return dict(leaf for name, described in app.own_commands().items() for leaf in _below(name, app.load(name, described)))


def usage(name: str, command: Any) -> str:  # noqa: ANN401 - a command of click, or of Typer's copy of it
    """Return how a command is called, with its arguments in capitals; an optional one stands in brackets."""
    return " ".join(["arena", name, *argument_words(command)])


def _below(name: str, command: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - likewise
    inside = getattr(command, "commands", None)
    if inside is None:
        yield name, command
    else:
        for word, one in inside.items():
            yield from _below(f"{name} {word}", one)


def _section(called: str, command: Any) -> Iterator[str]:  # noqa: ANN401 - likewise
    """Yield the lines of one command."""
    yield f"\n### `{called}`"
    for paragraph in _paragraphs(command):
        example = paragraph.removeprefix("Example: ")
        yield f"\n{paragraph}" if example == paragraph else f"\nExample: `{example}`"
    records = [record for param in command.params if (record := param.get_help_record(_context(command)))]
    yield ""
    yield from (f"- `{' '.join(words.split())}`: {' '.join(text.split())}" for words, text in records)


def _paragraphs(command: Any) -> list[str]:  # noqa: ANN401 - likewise
    """Return the paragraphs of a command's help, each in one line."""
    return [" ".join(paragraph.split()) for paragraph in (command.help or "").split("\n\n")]


def _context(command: Any) -> Any:  # noqa: ANN401 - likewise
    return command.context_class(command)


def statement_table() -> str:
    """Return the table of all statements."""
    known = [value for value in vars(statements).values() if isinstance(value, statements.Statement)]
    rows = [f"| {one.text} | {one.computed} | `{one.command}` |" for one in known]
    return "\n".join(["| statement | what is computed | what shows its truth |", "| --- | --- | --- |", *rows, ""])


def _fields(page: str) -> str:
    from arena.cli import field_lists  # noqa: PLC0415 - loads far more than the other pages need

    return {"python": field_lists.of_results, "plugins": field_lists.of_parts, "data": field_lists.of_hands}[page]()


BUILT: Mapping[str, Callable[[], str]] = {
    "commands": commands,
    "stats": statement_table,
    **{page: partial(_fields, page) for page in ("python", "plugins", "data")},
}
