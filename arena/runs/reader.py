"""``python -m arena.runs.reader``: a process in the sandbox that parses what strangers have written.

Parsers of Python, YAML, metadata and requirements are large and have had faults; a text can be made at which they crash or use up
the memory. So they run in this process, which may open no file of the bot or of the league. ``confined_reading.py`` sends it
questions with the text in them, and receives values; each is a line of JSON. Only ``requirement_lines`` runs outside.
"""

import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from email.message import Message
from email.parser import HeaderParser
from os.path import isfile
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct, json

from arena import disk, distribution
from arena.errors import RosterError
from arena.roster import distributions, manifest
from arena.roster.distributions import BOTS, UnreadableError, normalize, outline

# The metadata of a wheel: the version of its format, its requirements, and its entry points.
#
# Source: the binary distribution format (PEP 427), core metadata and entry points on packaging.python.org.


class WheelMetadata(Struct, frozen=True):
    """The metadata of a wheel."""

    version: str  # of the format
    requires: tuple[str, ...]  # unchecked
    groups: tuple[str, ...]  # of its entry points
    bots: tuple[tuple[str, str], ...]  # name and value of each entry point of the group of bots


def parse_wheel(wheel: bytes, metadata: bytes, entry_points: bytes) -> WheelMetadata:
    """Return the metadata in the files ``WHEEL``, ``METADATA`` and ``entry_points.txt``. Raises: UnreadableError."""
    points = _text(entry_points, "entry_points.txt")
    return WheelMetadata(
        version=str(_headers(wheel, "WHEEL")["Wheel-Version"] or ""),
        requires=tuple(map(str, _headers(metadata, "METADATA").get_all("Requires-Dist") or ())),
        groups=tuple(distributions.groups(points)),
        bots=tuple(distributions.lines(points, BOTS)),
    )


def _headers(content: bytes, file: str) -> Message:
    return HeaderParser().parsestr(_text(content, file))


def _text(content: bytes, file: str) -> str:
    try:
        return content.decode()
    except ValueError as error:
        raise UnreadableError(f"{file}: cannot be read: {error}") from None


# The libraries that a bot asks for: names and versions, and nothing that could make a resolver run code or read other places.
#
# Source: the dependency specifiers specification on packaging.python.org (PEP 508), read by the library ``packaging``.

FILE = "requirements.txt"
MOST = 100  # requirements
LARGEST = 64 * 1024  # bytes


def requirement_lines(folder: Path) -> tuple[str, ...]:
    """Return the lines of a folder's ``requirements.txt`` without comments; runs outside the sandbox. Raises: RosterError."""
    path = folder / FILE
    if not isfile(path):
        return ()
    try:
        found = disk.read(path, LARGEST).decode().splitlines()
    except (OSError, ValueError) as error:
        raise RosterError(f"{FILE}: cannot be read: {error}") from None
    texts = (re.split(r"\s#", line, maxsplit=1)[0].strip() for line in found)
    return tuple(text for text in texts if text and not text.startswith("#"))


def applicable_requirements(lines: Sequence[str], extras: Sequence[str], version: str) -> tuple[str, ...]:
    """Return the requirements that apply here, without markers and arena itself, each once and sorted.

    ``extras`` are those that a bot's entry point names, ``version`` is arena's own. Raises: RosterError.
    """
    if len(lines) > MOST:
        raise RosterError(f"{len(lines)} requirements; expected at most {MOST}")
    return tuple(sorted(set(_applicable(lines, ["", *extras], version))))


def _applicable(lines: Sequence[str], extras: Sequence[str], version: str) -> Iterator[str]:
    try:
        from packaging.markers import UndefinedEnvironmentName  # noqa: PLC0415 - an extra
        from packaging.requirements import Requirement  # noqa: PLC0415 - likewise
    except ImportError:
        raise RosterError(f"requirements cannot be read without {distribution.install('libraries')}") from None
    for line in lines:
        try:
            required = Requirement(line)
            applies = required.marker is None or any(required.marker.evaluate({"extra": extra}) for extra in extras)
        except (ValueError, RecursionError, UndefinedEnvironmentName):
            raise RosterError(f"{line[:100]!a} is not a name with versions, as numpy>=2; options are refused") from None
        if required.url:
            raise RosterError(f"{line[:100]!a} names an address; expected a name with versions, from the league's index")
        if not applies:
            continue
        required.marker = None
        name = normalize(required.name)
        if name == distribution.OTHER:
            raise RosterError(f"{line[:100]!a} is another project; expected {distribution.NAME}, which every bot has")
        if name != distribution.NAME:
            yield str(required)
        elif not required.specifier.contains(version, prereleases=True):
            raise RosterError(f"{line[:100]!a}; this is {distribution.NAME} {version}")


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
