"""The JSON objects in the reply of a language model: where they are, and what they hold."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from arena.text import in_one_line, shorten

MOST_OBJECTS = 100  # of a reply; with more it is no answer
SHOWN = 60  # characters of what was found
_THOUGHTS = re.compile(r"<(/?)(?:think|thinking|thought|thoughts|reasoning|reflection)>", re.IGNORECASE)
_SIGN = re.compile(r"""[{}"]|(?<=[{\[,:\s])'""")
_DOUBLE, _SINGLE = r'"[^"\\]*(?:\\.[^"\\]*)*"', r"'[^'\\]*(?:\\.[^'\\]*)*'"
_STRINGS = {'"': re.compile(_DOUBLE, re.DOTALL), "'": re.compile(_SINGLE, re.DOTALL)}
_TOKEN = re.compile(rf"""{_DOUBLE}|//[^\n]*|{_SINGLE}|[{{}}\[\]:,]|[^\s{{}}\[\]:,"']+""", re.DOTALL)
_TRAILING = {(",", "}"), (",", "]")}
_LITERAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|true|false|null")
_OF_PYTHON = {"True": "true", "False": "false", "None": "null"}
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'"})  # noqa: RUF001 - what models write


class UnclearReplyError(Exception):
    """A reply that has no answer, or could have several; the text is for the model."""


class ReplyObject(Struct, frozen=True):
    """An outermost object of a reply."""

    start: int  # its place in the text
    members: dict[str, Any]


def is_json(text: str) -> bool:
    """Tell whether a text is JSON: then what looks like a tag is in a string."""
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def without_thoughts(reply: str) -> str:
    """Return a reply without what stands between tags of thoughts; the first tag may be missing, as prompts often end with it."""
    kept: list[str] = []
    last, thinking = 0, False
    for tag in _THOUGHTS.finditer(reply):
        if not thinking:
            kept.append(reply[last : tag.start()])
        if tag[1] and not thinking:
            kept.clear()
        last, thinking = tag.end(), not tag[1]
    return "".join(kept) if thinking else "".join([*kept, reply[last:]])


def outermost_objects(text: str) -> Iterator[ReplyObject]:
    """Yield the outermost objects of a text, in their order. Raises: UnclearReplyError, for a broken one that may be an answer."""
    for number, (start, end) in enumerate(object_spans(text)):
        if number == MOST_OBJECTS:
            raise UnclearReplyError(f"found more than {MOST_OBJECTS} JSON objects; expected one")
        members = _members(text[start:end])
        if members is not None:
            yield ReplyObject(start, members)
        elif re.search(r"\bmove\b", text[start:end], re.IGNORECASE):
            raise UnclearReplyError(f"expected a JSON object; found one that is not valid: {quoted(text[start:end])}")


def object_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each outermost pair of braces; braces in strings do not count. Raises: UnclearReplyError."""
    depth = start = at = 0
    while found := _SIGN.search(text, at):
        at = found.end()
        if found[0] == "{":
            start, depth = (start if depth else found.start()), depth + 1
        elif found[0] == "}" and depth:
            depth -= 1
            if not depth:
                yield start, at
        elif found[0] in _STRINGS and depth:
            string = _STRINGS[found[0]].match(text, found.start())
            if string is None:
                break
            at = string.end()
    if depth:
        raise UnclearReplyError(f"found a JSON object that is not closed: {quoted(text[start:])}")


def _members(text: str) -> dict[str, Any] | None:
    """Return the members of an object by their keys in lower case; None: it cannot be read. Raises: UnclearReplyError.

    Besides JSON it may have a trailing comma, single or curly quotes, and keys without quotes.
    """
    with suppress(ValueError, RecursionError):
        return _by_key(json.loads(text, strict=False, object_pairs_hook=_Pairs))
    with suppress(ValueError, RecursionError):
        return _by_key(json.loads(_as_json(text), object_pairs_hook=_Pairs))
    return None


def _as_json(text: str) -> str:
    """Return an object as JSON, without trailing commas and comments, and with double quotes around strings, keys and words."""
    tokens = [token for token in _TOKEN.findall(text.translate(_QUOTES)) if not token.startswith("//")]
    following = [*tokens[1:], ""]
    return "".join(_json_token(token) for token, after in zip(tokens, following, strict=True) if (token, after) not in _TRAILING)


def _json_token(token: str) -> str:
    if token.startswith("'"):
        return json.dumps(token[1:-1].replace("\\'", "'"))
    if token[0] in '"{}[]:,' or _LITERAL.fullmatch(token):
        return token
    return _OF_PYTHON.get(token) or json.dumps(token)


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, of which two may have the same key."""


def _by_key(pairs: _Pairs) -> dict[str, Any]:
    """Return the members by their keys in lower case. Raises: UnclearReplyError, if the move is given twice."""
    members: dict[str, Any] = {}
    for key, value in pairs:
        plain = key.strip().casefold()
        if plain == "move" and members.get(plain, value) != value:
            raise UnclearReplyError(f"move is given twice: {several([members[plain], value])}; expected one")
        members[plain] = value
    return members


def text_of(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return a value as text: a string itself, nothing for none, and JSON of any other."""
    return value if isinstance(value, str) else json_of(value) if value is not None else ""


def json_of(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return a value as JSON."""
    return json.dumps(_plain(value))


def _plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value whose objects are dictionaries, for JSON."""
    if isinstance(value, _Pairs):
        return {key: _plain(inner) for key, inner in value}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def several(values: Sequence[Any]) -> str:
    """Return the first values as JSON, joined by "and"."""
    return " and ".join(shorten(in_one_line(json_of(value)), 40) for value in values[:3])


def quoted(text: str) -> str:
    """Return the beginning of a text in quotes, in one line."""
    return repr(shorten(in_one_line(text.strip()), SHOWN))
