"""Describes what is wrong with a spec in one line: where, what was found, what was expected, and the nearest valid name.

msgspec reports the path of the value and one of a few messages. Each kind of message is completed from the type at that path:
with the valid keys, the valid names or the value that was found.
"""

import re
from functools import reduce
from typing import Any

from msgspec import Struct, ValidationError
from msgspec.inspect import DictType, IntType, LiteralType, StructType, Type, UnionType, VarTupleType, type_info

from arena import suggestions, type_errors
from arena.text import in_one_line, shorten
from arena.yaml import KeyPath

NAMED = frozenset({"bots", "rules", "format", "sandbox", "rating", "reports"})  # keys that accept a name instead of a mapping


class SpecProblem(Struct, frozen=True):
    """A problem of a spec, and the path of its value."""

    path: KeyPath
    what: str

    def __str__(self) -> str:
        """Return ``KEY: what is wrong``."""
        return in_one_line(f"{'.'.join(str(step) for step in self.path) or 'the spec'}: {self.what}")


def find_problem(error: ValidationError, values: dict[str, Any], outline: type[Struct]) -> SpecProblem:
    """Return the problem of values that msgspec could not convert to ``outline``."""
    what, path = message_and_path(error)
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", what, re.DOTALL):
        message = f"unknown key; {nearest(unknown[1], _keys(_type_at(type_info(outline), path, values)))}"
        path = (*path, unknown[1])
    elif wrong := re.fullmatch(r"Invalid (?:enum )?value '(.*)'", what):
        message = f"found {shorten(repr(wrong[1]), 80)}; {nearest(wrong[1], _valid(type_info(outline), path, values))}"
    # the ValueError of a part's __post_init__, which names one of its options
    elif impossible := re.fullmatch(r"(\w+): (.*)", what):
        path, message = (*path, impossible[1]), impossible[2]
    elif "missing" in what or what.startswith("found "):
        message = type_errors.in_plain_words(what)
    else:
        expected, _, got = what.partition(", got ")
        found = _value(values, path) or type_errors.in_plain_words(got)
        is_word = expected == "Expected `array`" and got == "`str`"
        meant = f"; did you mean [{shorten(_at(values, path), 80)}]?" if is_word else ""
        message = f"{_plain(expected, path)}; found {found}{meant}"
    return SpecProblem(path, message)


def message_and_path(error: ValidationError) -> tuple[str, KeyPath]:
    """Return the message of msgspec, and the path of the value, without keys that msgspec does not name."""
    what, where = type_errors.message_and_path(error)  # as ``$.reports[0].name`` or ``$.parameters[...].low``
    steps = re.findall(r"\.[^.\[]+|\[\d+\]", where.replace("[...]", ""))
    return what, tuple(int(step[1:-1]) if step.startswith("[") else step[1:] for step in steps)


def _plain(what: str, path: KeyPath) -> str:
    """Return the expected kinds, as "a name or a mapping" where both are accepted."""
    words = {**type_errors.WORDS, "object": "a name or a mapping"} if _takes_a_name(path) else type_errors.WORDS
    return type_errors.in_plain_words(what, words)


def _takes_a_name(path: KeyPath) -> bool:
    """Tell whether a value is a part, one of a list of parts, or the format of a stage."""
    in_list = len(path) == 2 and path[0] in NAMED and isinstance(path[1], int)
    return in_list or bool(path and path[-1] in NAMED)


def _at(values: Any, path: KeyPath) -> Any:  # noqa: ANN401 - YAML is anything
    """Return the value at ``path``. Raises: KeyError, IndexError, TypeError."""
    return reduce(lambda found, step: found[step], path, values)


def _value(values: Any, path: KeyPath) -> str:  # noqa: ANN401 - YAML is anything
    """Return the value at ``path`` as text, a list or mapping as its size; "" if there is no such value."""
    try:
        values = _at(values, path)
    except (KeyError, IndexError, TypeError):
        return ""
    if isinstance(values, dict | list | tuple):
        return f"a {'mapping' if isinstance(values, dict) else 'list'} of {len(values)}"
    return "nothing" if values is None else shorten(repr(values), 80)


def nearest(found: str, valid: list[str]) -> str:
    """Return which names are valid, and the one that was probably meant."""
    meant = "title" if found == "name" and "title" in valid else found
    return f"{suggestions.did_you_mean(meant, valid)}expected one of {', '.join(valid)}"


def _type_at(kind: Type, path: KeyPath, values: Any) -> Type:  # noqa: ANN401 - YAML is anything
    """Return the type of the value at ``path``; in a union, the type with the tag of the value."""
    kind = _tagged_type(kind, values)
    if not path:
        return kind
    step, *rest = path
    if isinstance(kind, VarTupleType):
        return _type_at(kind.item_type, tuple(rest), values[step])
    if isinstance(kind, StructType):
        field = next(field for field in kind.fields if field.encode_name == step)
        return _type_at(field.type, tuple(rest), values.get(step))
    return kind


def _tagged_type(kind: Type, value: Any) -> Type:  # noqa: ANN401 - YAML is anything
    if isinstance(kind, UnionType) and isinstance(value, dict):
        return next((one for one in kind.types if isinstance(one, StructType) and one.tag == value.get(one.tag_field)), kind)
    return kind


def _keys(kind: Type) -> list[str]:
    if isinstance(kind, DictType):  # msgspec does not report which of its values
        return _keys(kind.value_type)
    if isinstance(kind, UnionType):
        return [key for one in kind.types for key in _keys(one)]
    if not isinstance(kind, StructType):
        return []
    return ([kind.tag_field] if kind.tag_field else []) + [field.encode_name for field in kind.fields]


def _valid(kind: Type, path: KeyPath, values: Any) -> list[str]:  # noqa: ANN401 - YAML is anything
    """Return the valid values at ``path``: the names of parts, or the values of an option, a mapping as ``{key: …}``."""
    around = _type_at(kind, path[:-1], values)
    # msgspec reports a union of one type as that type
    parts = around.types if isinstance(around, UnionType) else (around,)
    if tags := sorted(str(one.tag) for one in parts if isinstance(one, StructType) and one.tag_field == path[-1]):
        return tags
    here = _type_at(kind, path, values)
    options = here.types if isinstance(here, UnionType) else (here,)
    words = [str(value) for option in options if isinstance(option, LiteralType) for value in option.values]
    words += ["a whole number"] * any(isinstance(option, IntType) for option in options)
    return words + [f"{{{key}: …}}" for option in options for key in _keys(option)[:1]]
