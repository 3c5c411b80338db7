"""Standard input, output and error: all output passes here, so that no text can control the terminal.

Untrusted text is everywhere: names of bots and files, a bot's answers, values of a database, messages of errors. So it is not left
to each command to escape it. ``guard`` puts a ``Guarded`` stream before standard output and error, for typer, ``print``,
tracebacks and plugins alike; whatever is not printable is escaped there (see ``arena.text``). Colours and the progress bar need
escapes of their own: ``console`` writes past the guard, and escapes the text in what it draws.

A character that an encoding lacks is replaced by a similar one (``PLAIN``), else by ``?``.

Output that cannot be delivered ends the command: quietly if its reader has ended, as ``head`` does, otherwise with a line that says
why. What cannot be written to standard error is lost.
"""

import codecs
import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, TextIO, cast

import typer
from msgspec import Struct
from msgspec.json import format

from arena.text import document_text, in_one_line, printable

if TYPE_CHECKING:
    from rich.console import Console

STDERR = 2  # its descriptor
PLAIN = {
    **dict(zip("♣♦♥♠", "cdhs", strict=True)),
    **dict(zip("–—−×·•", "---x..", strict=True)),
    "…": "...",
    **dict.fromkeys("─━═╌╴╶╸╺", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("┼├┤┐┘┌└", "+"),
    "●": "o",
    "±": "+/-",
    "\N{NARROW NO-BREAK SPACE}": " ",
    **dict(zip("▁▂▃▄▅▆▇", "_.-=+*%", strict=True)),
    **dict.fromkeys("█▓▒░", "#"),
    "µ": "u",
}


class ReaderGoneError(Exception):
    """The reader of standard output has closed the pipe."""


class Output(io.TextIOBase):
    """A standard stream. It has no ``buffer``, so that no code writes past it by mistake."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text, and return its length. Raises: ReaderGoneError, OSError."""
        if not text:  # click writes it to test the kind of stream, and ignores all errors
            return 0
        try:
            self.stream.write(text)
        except OSError as error:
            self._give_up(error)
        return len(text)

    def flush(self) -> None:
        """Flush the stream. Raises: ReaderGoneError, OSError."""
        try:
            self.stream.flush()
        except OSError as error:
            self._give_up(error)

    def isatty(self) -> bool:
        """Tell whether the stream is a terminal."""
        return self.stream.isatty()

    def fileno(self) -> int:
        """Return the stream's file descriptor."""
        return self.stream.fileno()

    def writable(self) -> bool:
        """Return True."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override] # read only, as a file's
        """Return the stream's encoding."""
        return self.stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override] # likewise
        """Return the stream's handler of encoding errors."""
        return self.stream.errors

    def _give_up(self, error: OSError) -> None:
        """Discard all further output, also what Python flushes at exit. Raises, unless it is stderr: ReaderGoneError, OSError."""
        number = self.stream.fileno()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)
        if number == STDERR:
            return
        if isinstance(error, BrokenPipeError):
            raise ReaderGoneError from None
        error.filename = "standard output"
        raise error


class Guarded(Output):
    """A stream that escapes what is not printable."""

    def write(self, text: str) -> int:
        """Write a text, escaped; return its length as it was given. Raises: ReaderGoneError, OSError."""
        super().write(printable(text))
        return len(text)


def open_streams() -> None:
    """Open on /dev/null the standard streams that the caller has closed; otherwise the next opened file would become one."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)  # it gets the lowest number that is free
            os.set_inheritable(null, True)  # noqa: FBT003 - programs that are started need it too
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - as long as the process


def guard() -> None:
    """Guard standard output and error from here on, unless they are guarded already."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, Guarded):
            setattr(sys, name, Guarded(stream))


def without_guard(stream: TextIO) -> TextIO:
    """Return a guarded stream without its guard, for text that is escaped already and styled."""
    return cast("TextIO", Output(stream.stream)) if isinstance(stream, Guarded) else stream


def console(stream: TextIO) -> "Console":
    """Return a console that writes past the guard: its styles are kept, and the text that it draws is escaped."""
    from rich.console import Console, ConsoleOptions  # noqa: PLC0415 - 60 ms, for a bar or a table alone
    from rich.segment import Segment  # noqa: PLC0415 - 60 ms, for a bar or a table alone

    class Escaping(Console):
        def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Any:  # noqa: ANN401 - rich's signature
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else printable(text), style, control)

    return Escaping(file=without_guard(stream), force_jupyter=False)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines; a line break in one, as in a name, is escaped. For a person they are broken between words."""
    for line in lines:
        text = in_one_line(line)
        typer.echo(wrapped(text, width()) if is_screen() else text)


COPIED = re.compile(r"`[^`]*`|(?<=: )arena .*|^(seed|link) \S+$")  # to be copied in one piece


def wrapped(line: str, columns: int) -> str:
    """Return a line broken between words at some columns, but not in what is copied, or in a row of a table, which has columns."""
    if line.startswith(" ") or "  " in line:
        return line
    whole = COPIED.sub(lambda found: found[0].replace(" ", "\0"), line)
    indent = "  " if line.startswith("- ") else ""  # of an item of a list
    return textwrap.fill(whole, columns, break_long_words=False, break_on_hyphens=False, subsequent_indent=indent).replace(
        "\0", " "
    )


def is_screen() -> bool:
    """Tell whether standard output is read by a person, on a terminal."""
    return sys.stdout.isatty()


def print_report(text: str) -> None:
    """Print a report; on a terminal that has colours the answer, its certainty and the titles stand out."""
    if not is_screen() or text.startswith("{"):  # JSON
        typer.echo(text)
        return
    from rich.text import Text  # noqa: PLC0415 - 60 ms, for a person at a terminal alone

    shown = Text("\n".join(wrapped(line, width()) for line in text.split("\n")))
    shown.highlight_regex(r"\A[^\n]+", "bold")
    shown.highlight_regex(r"(?m)^(Settled|Likely)(?=:)", "bold green")
    shown.highlight_regex(r"(?m)^(Not settled|Weak as evidence of strength)(?=:)|^NOT ISOLATED", "bold yellow")
    shown.highlight_regex(r"(?<=\n\n)\S[^\n.:]*(?=\n\n)", "bold")
    shown.highlight_regex(r"[\N{BOX DRAWINGS LIGHT HORIZONTAL}\N{BLACK CIRCLE}]+", "cyan")
    console(sys.stdout).print(shown, soft_wrap=True)


def width() -> int:
    """Return the columns of the terminal, or what COLUMNS says; 80, if neither is known."""
    return shutil.get_terminal_size().columns


def print_game(line: str) -> None:
    """Print a line of a game, with its red suits in red on a terminal that has colours."""
    from rich.text import Text  # noqa: PLC0415 - 60 ms, for a person at a table alone

    from arena.gin.cards import RED  # noqa: PLC0415 - which few commands need

    text = Text(line)
    text.highlight_regex(RED, "red")
    console(sys.stdout).print(text, soft_wrap=True)


def print_error(error: object) -> None:
    """Print an error or a warning on one line of standard error; on a terminal, where it is broken between words, on several."""
    print_note(f"arena: {error}")


def print_note(line: str) -> None:
    """Print a line on standard error, as errors are printed."""
    text = in_one_line(line)
    typer.echo(wrapped(text, width()) if sys.stderr.isatty() else text, err=True)


def fall_back() -> None:
    """Make stdout and stderr replace characters that their encoding lacks; call this before ``guard``."""
    codecs.register_error("arena", _replacement)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="arena")


def _replacement(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(PLAIN.get(sign, "?") for sign in lacking), error.end


def print_json(name: str, document: Struct) -> None:
    """Print the JSON document of that name (`arena schema` lists them)."""
    typer.echo(format(document_text(name, document), indent=2))


def print_result(name: str, document: Struct, lines: Iterable[str], *, json: bool) -> None:
    """Print the outcome of a command: with ``json`` the document of that name, else the lines."""
    if json:
        print_json(name, document)
    else:
        print_lines(lines)
