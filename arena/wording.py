"""What msgspec finds wrong with a document, in the words of who wrote it in YAML."""

import re
from collections.abc import Mapping

from msgspec import ValidationError

WORDS = {
    "object": "a mapping",
    "array": "a list",
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
}


def told(error: ValidationError) -> str:
    """Return ``KEY: what is wrong``."""
    what, where = parted(error)
    expected, _, got = plain(what).partition(", got ")
    said = f"{expected}; found {got}" if got else expected
    return f"{where.lstrip('.')}: {said}" if where else said


def parted(error: ValidationError) -> tuple[str, str]:
    """Return what is wrong, and where: ``.reports[0].name``; nothing, for the whole."""
    what, _, where = str(error).partition(" - at `$")
    return what, where.removesuffix("`")


def plain(what: str, words: Mapping[str, str] = WORDS) -> str:
    """Return what is wrong, with the types that msgspec names as people name them."""
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", what):
        return f"unknown key {unknown[1]!r}"
    if missing := re.fullmatch(r"Object missing required field `(.*)`", what):
        return f"{missing[1]!r} is missing"
    said = re.sub(r"`([^`]*)`", lambda types: " or ".join(words.get(kind, kind) for kind in types[1].split(" | ")), what)
    said = re.sub(r"matching regex '\^?(.*?)(?:\\+Z)?'", r"of the form \1", said)
    return said[:1].lower() + said[1:]
