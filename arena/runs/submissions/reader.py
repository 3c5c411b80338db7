"""``python -m arena.runs.submissions.reader``: parses what strangers have written. It runs inside the sandbox.

Parsers of Python, YAML, metadata and requirements are large and have had faults, and some end in an error or without memory for a
text that was made for it. So this process parses, which may open nothing of the bot or of the league, and sends values;
``confined_reader.py`` asks it. Each question is a line of JSON with the text in it, and so is each answer.
"""

import sys
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

from msgspec import Struct, json

from arena.errors import RosterError
from arena.roster import manifest
from arena.roster.outline import UnreadableError, outline
from arena.runs.submissions import requested, wheel_metadata


class SourceQuestion(Struct, frozen=True, tag=True):
    """A Python source."""

    content: bytes


class ManifestQuestion(Struct, frozen=True, tag=True):
    """A ``bot.yaml``."""

    content: bytes


class WheelQuestion(Struct, frozen=True, tag=True):
    """The metadata of a wheel."""

    wheel: bytes
    metadata: bytes
    entry_points: bytes


class RequirementsQuestion(Struct, frozen=True, tag=True):
    """Lines of requirements."""

    lines: tuple[str, ...]
    extras: tuple[str, ...]  # that are asked for
    version: str  # of arena


Question = SourceQuestion | ManifestQuestion | WheelQuestion | RequirementsQuestion
_QUESTIONS: json.Decoder[Question] = json.Decoder(Question)


class ReaderAnswer(Struct, frozen=True, omit_defaults=True):
    """A value as JSON, or why there is none."""

    value: Any = None
    problem: str = ""  # what is wrong with the text, in a line
    line: int | None = None  # of the text, from 1
    error: str = ""  # the traceback of an error of arena


def answer(question: Question) -> ReaderAnswer:
    """Return what a text says. An error of arena is an answer too."""
    try:
        return ReaderAnswer(value=_value(question))
    except UnreadableError as error:
        return ReaderAnswer(problem=str(error), line=error.line)
    except RosterError as error:
        return ReaderAnswer(problem=str(error))
    except Exception:  # noqa: BLE001 - for a text that nobody has thought of: the director logs it and refuses the bot
        return ReaderAnswer(error=traceback.format_exc(limit=-20))


def _value(question: Question) -> object:
    match question:
        case SourceQuestion():
            return outline(question.content)
        case ManifestQuestion():
            return manifest.parse(question.content)
        case WheelQuestion():
            return wheel_metadata.parse(question.wheel, question.metadata, question.entry_points)
        case RequirementsQuestion():
            return requested.applying(question.lines, question.extras, question.version)


def main(asked: BinaryIO, reply: Callable[[bytes], object]) -> None:
    """ReaderAnswer question after question, until there are no more."""
    for line in asked:
        reply(json.encode(answer(_QUESTIONS.decode(line))) + b"\n")


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, _write)
