r"""Makes untrusted text safe to show: names, titles, answers and errors of bots, specs, databases and files.

Control characters could control the terminal, bidirectional overrides could reorder a line, and a line break could forge one. What
``str.isprintable`` refuses is therefore replaced by its escape, as ``\x1b``: control characters (C0, C1, DEL), format characters
(bidirectional, zero width), line and paragraph separators, surrogates, and spaces other than U+0020, which make names look alike.
A backslash is not escaped, so that Windows paths stay readable.

All output passes through this module at the point of output, so that no command or plugin can forget it: streams in
``arena.cli.terminal``, logs in ``arena.runs.logs.files``, reports in their renderers. Records keep the original text.
"""

from typing import Any

from msgspec import to_builtins
from msgspec.json import encode

QUOTED = 200  # characters of a line that are quoted in a message


def printable(text: str) -> str:
    """Return a text with everything but printable characters, newlines and tabs escaped."""
    return text if text.replace("\n", "").replace("\t", "").isprintable() else "".join(map(_escaped_in_lines, text))


def in_one_line(text: str) -> str:
    """Return a text with everything but printable characters escaped, also line breaks."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def quoted(line: bytes) -> str:
    """Return the beginning of a line as printable ASCII, at most ``QUOTED`` characters and an ellipsis."""
    text = line[: QUOTED + 1].decode("utf-8", "backslashreplace").encode("unicode_escape").decode("ascii")
    return text if len(text) <= QUOTED else text[:QUOTED] + "..."


def json_text(document: object) -> str:
    """Return a printable JSON document. Its strings keep their values, because JSON's own escapes are used.

    A lone surrogate, as in a file name that is not UTF-8, cannot be encoded and is escaped as in other texts.
    """
    try:
        text = encode(document).decode()
    except UnicodeEncodeError:
        text = encode(_printable_value(to_builtins(document))).decode()
    return text if text.isprintable() else "".join(map(_escaped_in_json, text))


def _escaped(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def _escaped_in_lines(character: str) -> str:
    return character if character in "\n\t" else _escaped(character)


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
