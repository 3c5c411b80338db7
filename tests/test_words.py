"""The language of the tree: plain words, one name for one thing, exceptions that end in ``Error``.

``PHRASES`` are searched in every tracked text. ``NAMES`` are searched among the identifiers of Python files, each part of a name
on its own (``_told_once`` has the part ``told``), and among the names of files. ``KEPT`` lists what remains on purpose, and why.
"""

import builtins
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from support.repository.files import ROOT, tracked

SUFFIXES = {".py", ".md", ".js", ".html", ".yaml", ".yml", ".toml", ".css"}
PHRASES = {  # what is searched, as a regular expression: what to write
    r"noughts?": "zero",
    r"naught|aught": "nothing, anything",
    r"who(m|so)?ever": "anyone who",
    r"told of": "describe, report, or the thing itself",
    r"tell(s|ing)? of": "describe, report, list",
    r"told in (one|a) line": "reported in one line",
    r"(gone|went|goes|going|go) on with": "resume, continue",
    r"goes on": "continues, resumes",
    r"stillborn": "failed to start",
    r"(slept|sleeps|sleep) away": "idle",
    r"whence|thence": "from where",
    r"(there|where)(of|in|by|with|upon)": "of it, in it, by it",
    r"hitherto|henceforth|forthwith|betwixt|whilst|amongst|lest|upon|erst|yonder": "a modern word",
    r"for ever(more)?": "without end",
    r"as ever": "as usual, or nothing",
    r"(that|which|it|undecided) is none|(?<!there )are none": "not a card, not valid, missing",
    r"is no (program|card|bot|number|name|text|file|folder|hook|plugin|action|meld|option|spec)": "is not a valid ..., not found",
    r"sits? down|sat down|sitting down": "starts, joins",
    r"heard enough": "has closed the pipe",
    r"so many (single )?(hands|pairs|bytes|points|seconds|matches|rows|fixtures|workers)": "a given number of",
    r"what there is to": "the thing itself",
    r"who beats whom": "non-transitive",
    r"(on|upon) paper": "a dry run",
    r"call(s|ed|ing)? the roll|roll call|roll is called": "preflight",
    r"the minutes of": "the traffic log of",
    r"(?<![\"'`])walls(?![\"'`])": "the sandbox, its profile or its layers",  # in quotes it is a fact of the database
    r"walled": "confined, sandboxed",
    r"of old|those who|he who|she who": "a modern construction",
    r"not (understood|to be); each": 'invalid; see "error" in each answer',
    r"accuses?": "report",
}
NAMES = {  # parts of identifiers: the field's term
    "told": "format, describe, lines, summary",
    "heard": "received, on_signal",
    "nought": "zero",
    "overhear": "log_stderr",
    "minutes": "traffic_log",
    "leftovers": "orphans",
    "clues": "hints",
    "birth": "launch_status",
    "born": "wait_ready",
    "stillborn": "LaunchFailedError",
    "venue": "runner",
    "filed": "stored",
    "contenders": "resolved bots",
    "slip": "problem",
    "slips": "problems",
    "sitting": "player",
    "parting": "divergence",
    "soundness": "integrity",
    "damage": "problems",
    "walls": "profiles, assurance",
    "walled": "confined",
}
WHOLE = {  # whole identifiers, whose parts are plain words
    "on_paper": "dry_run",
    "roll_call": "preflight",
    "Spread": "Interval",
    "Course": "Judgement",
    "NotYaml": "NotYamlError",
    "OutOfTurn": "OutOfTurnError",
    "Malformed": "MalformedError",
}
FILES = NAMES.keys() | {"on_paper", "roll_call", "inside", "grants", "words"}
KEPT = {  # a file and what it may say: why
    ("tests/test_words.py", "*"): "lists them",
    ("arena/store/folder.py", "whence"): "a field of struct flock in fcntl(2)",
}
CLASS = re.compile(r"^[ \t]*class (\w+)(?:\(([^)]*)\))?:", re.MULTILINE)
EXCEPTIONS = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)}


@cache
def texts() -> list[Path]:
    return [path for path in tracked() if path.suffix in SUFFIXES and "vendor" not in path.parts and not kept(path, "*")]


@cache
def programs() -> list[Path]:
    return [path for path in texts() if path.suffix == ".py"]


def kept(path: Path, word: str) -> bool:
    return (str(path), word) in KEPT


@cache
def read(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def lines_with(pattern: re.Pattern[str], path: Path) -> Iterator[str]:
    for number, line in enumerate(read(path).splitlines(), 1):
        for found in pattern.finditer(line):
            if not kept(path, found.group().lower()):
                yield f"{path}:{number}: {found.group()}"


@cache
def identifiers() -> dict[str, list[str]]:
    """Return where each identifier is used in the Python files that have one of the words in a name; to read tokens takes long."""
    places = defaultdict(list)
    for path in filter(has_a_word, programs()):
        for token in tokenize.generate_tokens(io.StringIO(read(path)).readline):
            if token.type == tokenize.NAME and not kept(path, token.string):
                places[token.string].append(f"{path}:{token.start[0]}: {token.string}")
    return places


def has_a_word(path: Path) -> bool:
    """Tell whether a word is in a name of a file, or in its strings and comments."""
    found = set(re.findall(r"[^\W\d]\w*", read(path)))
    return any(one.strip("_") in WHOLE or parts(one) & NAMES.keys() for one in found)


def parts(identifier: str) -> set[str]:
    """Return the words of a name: ``_told_once`` and ``ToldOnce`` have the same."""
    return {part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", identifier)}


class ClassLine(NamedTuple):
    """The line that begins a class: its name, and the last words of its bases' names."""

    name: str
    bases: frozenset[str]


@cache
def classes(path: Path) -> list[ClassLine]:
    return [ClassLine(name, frozenset(re.findall(r"(\w+)\s*(?:,|$)", bases))) for name, bases in CLASS.findall(read(path))]


def test_no_text_has_a_phrase_for_which_there_are_plain_words() -> None:
    phrases = "|".join(rf"\b(?:{phrase})\b" for phrase in PHRASES)
    quick, pattern = re.compile(phrases), re.compile(phrases, re.IGNORECASE)
    found = [line for path in texts() if quick.search(read(path).lower()) for line in lines_with(pattern, path)]
    assert found == [], f"write, in this order: {PHRASES}"


def test_no_identifier_has_a_word_that_the_field_has_a_term_for() -> None:
    found = [
        place
        for identifier, places in identifiers().items()
        if parts(identifier) & NAMES.keys() or identifier.strip("_") in WHOLE
        for place in places
    ]
    assert found == [], f"write: {NAMES | WHOLE}"


def test_no_file_has_the_name() -> None:
    assert [str(path) for path in texts() if path.stem.removeprefix("test_") in FILES and not kept(path, path.stem)] == []


def test_every_exception_ends_in_error() -> None:
    defined = [(path, one) for path in programs() for one in classes(path)]
    exceptions = set(EXCEPTIONS)
    while more := {one.name for _, one in defined if one.bases & exceptions} - exceptions:
        exceptions |= more
    odd = [f"{path}: {one.name}" for path, one in defined if one.name in exceptions and not one.name.endswith("Error")]
    assert odd == []


def test_a_class_name_stands_for_one_thing() -> None:
    places = defaultdict(list)
    for path in programs():
        if path.parts[0] == "arena" and "templates" not in path.parts:  # which are copied under other names
            for one in classes(path):
                places[one.name].append(str(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
