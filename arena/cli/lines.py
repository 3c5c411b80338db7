"""JSON lines in and out: each line is answered by one, and a bad one says what is wrong with it and is passed over."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import typer
from msgspec import Struct
from msgspec.json import format

from arena.errors import InputError
from arena.text import document_text, json_text

LONGEST = 1 << 20  # bytes of a line


def answer_lines(source: str, answer: Callable[[bytes], dict[str, Any]]) -> None:
    """Print the answer to every line of a file, or of standard input for ``-``. Exit code 2, if any line was bad.

    ``answer`` raises ValueError for a line it can make nothing of. Raises: InputError, for a line that is too long; OSError.
    """
    bad = 0
    with _open(source) as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST + 1), b""), 1):
            if len(line) > LONGEST:
                raise InputError(f"{source}: line {number} has more than {LONGEST} bytes")
            if not line.strip():
                continue
            try:
                answered = answer(line)
            except ValueError as error:
                bad += 1
                answered = {"line": number, "error": " ".join(str(error).split())}
            sys.stdout.write(json_text(answered) + "\n")
    if bad:
        typer.echo(f'arena: {source}: {bad} invalid lines; see "error" in each answer', err=True)
        raise typer.Exit(2)


@contextmanager
def _open(source: str) -> Iterator[IO[bytes]]:
    if source == "-":
        yield sys.stdin.buffer
        return
    with Path(source).open("rb") as lines:
        yield lines


def print_json(name: str, document: Struct) -> None:
    """Print the JSON document of that name (:mod:`arena.cli.schema`)."""
    typer.echo(format(document_text(name, document), indent=2))
