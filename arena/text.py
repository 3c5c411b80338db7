r"""Makes untrusted text safe to show: names, titles, answers and errors of bots, specs, databases and files.

Control characters could control the terminal, bidirectional overrides could reorder a line, and a line break could forge one. What
``str.isprintable`` refuses is therefore replaced by its escape, as ``\x1b``: control characters (C0, C1, DEL), format characters
(bidirectional, zero width), line and paragraph separators, surrogates, and spaces other than U+0020, which make names look alike.
A backslash is not escaped, so that Windows paths stay readable.

All output passes through this module at the point of output, so that no command or plugin can forget it: streams in
``arena.cli.terminal``, logs in ``arena.runs.logs``, reports in their renderers. Records keep the original text.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Meta, Struct, ValidationError, to_builtins
from msgspec.json import encode

VERSION = 1  # of the schemas of all documents: the next number when one loses a key, or gives it another meaning
QUOTED = 200  # characters of a line that are quoted in a message


def printable(text: str) -> str:
    """Return a text with everything but printable characters, newlines and tabs escaped."""
    return text if text.replace("\n", "").replace("\t", "").isprintable() else "".join(map(_escaped_in_lines, text))


def in_one_line(text: str) -> str:
    """Return a text with everything but printable characters escaped, also line breaks."""
    return text if text.isprintable() else "".join(map(_escape, text))


def quote(line: bytes) -> str:
    """Return the beginning of a line as printable ASCII, at most ``QUOTED`` characters and an ellipsis."""
    text = line[: QUOTED + 1].decode("utf-8", "backslashreplace").encode("unicode_escape").decode("ascii")
    return text if len(text) <= QUOTED else text[:QUOTED] + "..."


def json_text(document: object) -> str:
    """Return a printable JSON document. Its strings keep their values, because JSON's own escapes are used.

    A lone surrogate, as in a file name that is not UTF-8, cannot be encoded; all strings are then escaped as other texts are.
    """
    try:
        text = encode(document).decode()
    except UnicodeEncodeError:
        text = encode(_printable_value(to_builtins(document))).decode()
    return text if text.isprintable() else "".join(map(_escaped_in_json, text))


def document_text(name: str, document: Struct) -> str:
    """Return a document as printable JSON; its first key, ``schema``, names the schema that ``arena schema NAME`` shows."""
    text = json_text(document)
    return f'{{"schema":"arena/{name}/{VERSION}"{"," if text != "{}" else ""}{text[1:]}'


def _escape(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def _escaped_in_lines(character: str) -> str:
    return character if character in "\n\t" else _escape(character)


def _escaped_in_json(character: str) -> str:
    r"""Return a character, or its escape: ``\uXXXX`` for each unit of UTF-16. Source: RFC 8259, section 7."""
    if character.isprintable():
        return character
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _printable_value(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a JSON value with every string in it printable."""
    match value:
        case str():
            return printable(value)
        case list() | tuple():
            return [_printable_value(one) for one in value]
        case dict():
            return {_printable_value(key): _printable_value(one) for key, one in value.items()}
        case _:
            return value


# Paths as text. Python keeps the bytes of a name that is not UTF-8 as surrogates, which is right for every system call and wrong
# for a digest, a document or a database. A path is carried as it is as long as it is a path. Where it becomes text that something
# depends on, ``is_utf8`` decides that it is refused; where people alone read it, ``path_text`` shows the bytes.


def is_utf8(path: Path | str) -> bool:
    """Tell whether a path can be text."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def path_text(path: Path | str) -> str:
    r"""Return a path for people: bytes that are not UTF-8 are escaped, as ``\xff``."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


WORDS = {
    "object": "a mapping",
    "array": "a list",
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
}


def explain(error: ValidationError) -> str:
    """Return an error in one line: ``KEY: EXPECTED; found FOUND``."""
    what, where = message_and_path(error)
    expected, _, got = in_plain_words(what).partition(", got ")
    message = f"{expected}; found {got}" if got else expected
    return f"{where.lstrip('.')}: {message}" if where else message


def message_and_path(error: ValidationError) -> tuple[str, str]:
    """Return the message of an error and its path, as ``.reports[0].name``; an empty path is the whole document."""
    what, _, where = str(error).partition(" - at `$")
    return what, where.removesuffix("`")


_FORMS: dict[str, str] = {}  # words for a pattern, as msgspec quotes it


def form(pattern: str, words: str) -> Meta:
    """Return the constraint of a text to a pattern, which messages describe by ``words``."""
    _FORMS[pattern.replace("\\", "\\\\")] = words
    return Meta(pattern=pattern, description=words)


def in_plain_words(what: str, words: Mapping[str, str] = WORDS) -> str:
    """Return an error message with msgspec's names of types replaced by ``words``."""
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", what):
        return f"unknown key {unknown[1]!r}"
    if missing := re.fullmatch(r"Object missing required field `(.*)`", what):
        return f"{missing[1]!r} is missing"
    message = re.sub(r"`([^`]*)`", lambda types: " or ".join(words.get(kind, kind) for kind in types[1].split(" | ")), what)
    message = re.sub(
        r"(a string )matching regex '(.*)'", lambda found: _FORMS.get(found[2]) or f"{found[1]}of the form {found[2]}", message
    )
    return message[:1].lower() + message[1:]


# The limits of a bot's notes. A note explains an answer to readers of the replay; no other bot ever receives it.
#
# A note that is too long is cut and marked, and is no fault: it decides nothing. A bot's notes in a match are bounded in all, so
# that a bot that explains each of thousands of decisions costs the database no more than a fault's stderr does.

LONGEST_NOTE = 200  # characters of one note, with the mark of a cut
NOTES_IN_MATCH = 20_000  # characters of all notes of a seat in one fixture
CUT = "…"  # ends a text that was cut


def shorten(text: str, most: int = LONGEST_NOTE) -> str:
    """Return a text, or its beginning and CUT, in at most ``most`` characters."""
    return text if len(text) <= most else text[: most - 1] + CUT
