r"""Makes untrusted text safe to show: names, titles, answers and errors of bots, specs, databases and files.

Control characters could control the terminal, bidirectional overrides could reorder a line, and a line break could forge one. What
``str.isprintable`` refuses is therefore replaced by its escape, as ``\x1b``: control characters (C0, C1, DEL), format characters
(bidirectional, zero width), line and paragraph separators, surrogates, and spaces other than U+0020, which make names look alike.
A backslash is not escaped, so that Windows paths stay readable.

All output passes through this module at the point of output, so that no command or plugin can forget it: streams in
``arena.cli.terminal``, logs in ``arena.runs.logs``, reports in their renderers. Records keep the original text.
"""

from typing import Any

from msgspec import Struct, to_builtins
from msgspec.json import encode

VERSION = 1  # of the schemas of all documents: the next number when one loses a key, or gives it another meaning
QUOTED = 200  # characters of a line that are quoted in a message


def printable(text: str) -> str:
    """Return a text with everything but printable characters, newlines and tabs escaped."""
    return text if text.replace("\n", "").replace("\t", "").isprintable() else "".join(map(_escaped_in_lines, text))


def in_one_line(text: str) -> str:
    """Return a text with everything but printable characters escaped, also line breaks."""
    return text if text.isprintable() else text.translate({ord(one): _escape(one) for one in set(text)})


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
    return text if text.isprintable() else text.translate({ord(one): _escaped_in_json(one) for one in set(text)})


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


LONGEST_NOTE = 200  # characters of one note, with the mark of a cut
NOTES_IN_MATCH = 20_000  # characters of all notes of a seat in one fixture
CUT = "…"  # ends a text that was cut


def shorten(text: str, most: int = LONGEST_NOTE) -> str:
    """Return a text, or its beginning and CUT, in at most ``most`` characters."""
    return text if len(text) <= most else text[: most - 1] + CUT
