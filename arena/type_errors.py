"""Wrong types of values in plain words: the messages of msgspec."""

import re
from collections.abc import Mapping

from msgspec import Meta, ValidationError

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
