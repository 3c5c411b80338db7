"""``python -m arena.runs.reader``: a process in the sandbox that parses what strangers have written.

Parsers of Python, YAML, metadata and requirements are large and have had faults; a text can be made at which they crash or use up
the memory. So they run in this process, which may open no file of the bot or of the league. ``confined_reading.py`` sends it
questions with the text in them, and receives values; each is a line of JSON. Only ``requirement_lines`` runs outside.
"""

import sys
import traceback
from typing import Any, BinaryIO

from msgspec import Struct, json

from arena.errors import RosterError
from arena.roster import manifest
from arena.roster.python_source import UnreadableError, outline
from arena.runs.requirements import applicable_requirements
from arena.runs.wheel_metadata import parse_wheel


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
    """A value as JSON, or the reason why there is none."""

    value: Any = None
    problem: str = ""  # what is wrong with the text, in a line
    line: int | None = None  # of the text, from 1
    error: str = ""  # the traceback of an error of arena


def answer_question(question: Question) -> ReaderAnswer:
    """Return the answer to a question, also for an error of arena."""
    try:
        return ReaderAnswer(value=_value(question))
    except UnreadableError as error:
        return ReaderAnswer(problem=str(error), line=error.line)
    except RosterError as error:
        return ReaderAnswer(problem=str(error))
    except Exception:  # noqa: BLE001 - for an unforeseen text: refusing_errors() logs it and refuses the bot
        return ReaderAnswer(error=traceback.format_exc(limit=-20))


def _value(question: Question) -> object:
    match question:
        case SourceQuestion():
            return outline(question.content)
        case ManifestQuestion():
            return manifest.parse(question.content)
        case WheelQuestion():
            return parse_wheel(question.wheel, question.metadata, question.entry_points)
        case RequirementsQuestion():
            return applicable_requirements(question.lines, question.extras, question.version)


def main(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer one question after another, until the input ends."""
    for line in questions:
        answers.write(json.encode(answer_question(_QUESTIONS.decode(line))) + b"\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
