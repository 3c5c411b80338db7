"""Converts the values of a YAML document to the types of a spec.

What an unquoted word means depends on the expected type: ``7`` can be a number of pairs or a title. Where YAML gives a value
another type than the expected one, its source text is read again as that type.
"""

import re
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct, ValidationError

from arena.tournament.spec_problems import message_and_path
from arena.yaml import KeyPath

MAX_REREAD = 1000  # values that are read again, which bounds the work on a hostile document
BOOLEANS = {"yes": True, "on": True, "no": False, "off": False}  # words of YAML 1.1, where a boolean is expected

Source = Callable[[KeyPath], str | None]  # returns the source text of a value; None: it is a list or a mapping
FromName = Callable[[type, Any], object]  # returns the object, as a tie-break, for which a spec has only a name


def convert(values: dict[str, Any], outline: type[Struct], source: Source, from_name: FromName | None = None) -> Any:  # noqa: ANN401 - a struct made at run time
    """Return ``values`` as an ``outline``; values that are read again are replaced in place. Raises: ValidationError."""
    for _ in range(MAX_REREAD):
        try:
            return msgspec.convert(values, outline, dec_hook=from_name)
        except ValidationError as error:
            what, path = message_and_path(error)
            wrong = re.fullmatch(r"Expected `([a-z |]+)`.*, got `(int|float|bool|str)`", what)
            if not (wrong and _replace(values, path, source(path), set(wrong[1].split(" | ")))):
                raise
    return msgspec.convert(values, outline, dec_hook=from_name)


def _replace(values: Any, path: KeyPath, text: str | None, wanted: set[str]) -> bool:  # noqa: ANN401 - YAML is anything
    """Replace the value at ``path`` by its text read as one of the wanted types; return whether that is possible."""
    *around, last = path
    try:
        for step in around:
            values = values[step]
        read = _read(text, values[last], wanted)
    except (KeyError, IndexError, TypeError):
        return False
    if read is None:
        return False
    values[last] = read
    return True


def _read(text: str | None, value: object, wanted: set[str]) -> str | int | bool | None:
    """Return a value as one of the wanted types; None if it cannot be read as any of them."""
    if "str" in wanted and not isinstance(value, str):
        return text
    if "int" in wanted and isinstance(value, float) and value.is_integer():
        return int(value)
    if "bool" in wanted and isinstance(value, str):
        return BOOLEANS.get(value.lower())
    return None
