"""What is wrong with a spec, in one line: where, what was found, what was expected, and the nearest valid name."""

import re
from difflib import get_close_matches
from typing import Any

from msgspec import Struct, ValidationError
from msgspec.inspect import LiteralType, StructType, Type, UnionType, VarTupleType, type_info

from arena import wording
from arena.tournament.document import Document, Path

NAMED = frozenset({"bots", "rules", "format", "sandbox", "rating", "reports"})  # where a name alone may stand for a mapping


def told(error: ValidationError, found: Document, values: dict[str, Any], outline: type[Struct]) -> str:
    """Return ``LINE: KEY: what is wrong`` for values that are not of the type ``outline``."""
    what, where = wording.parted(error)
    path = _steps(where)
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", what):
        told = f"unknown key; {_nearest(unknown[1], _keys(_type_at(type_info(outline), path, values)))}"
        path = (*path, unknown[1])
    elif wrong := re.fullmatch(r"Invalid (?:enum )?value '(.*)'", what):
        told = f"found {wrong[1]!r}; {_nearest(wrong[1], _words(type_info(outline), path, values))}"
    elif impossible := re.fullmatch(r"(\w+): (.*)", what):  # a part says it of one of its options
        path, told = (*path, impossible[1]), impossible[2]
    elif "missing" in what:
        told = wording.plain(what)
    else:
        expected, _, got = what.partition(", got ")
        told = f"{_plain(expected, path)}; found {_value(values, path) or wording.plain(got)}"
    return f"{found.line(path)}: {'.'.join(str(step) for step in path) or 'the spec'}: {told}"


def _steps(where: str) -> Path:
    """Return the steps of a path as msgspec writes it, ``$.reports[0].name``."""
    return tuple(int(step[1:-1]) if step.startswith("[") else step[1:] for step in re.findall(r"\.[^.\[]+|\[\d+\]", where))


def _plain(what: str, path: Path) -> str:
    """Return what was expected; where a name alone may stand for a mapping, it says so."""
    named = path and path[0] in NAMED
    return wording.plain(what, {**wording.WORDS, "object": "a name or a mapping"} if named else wording.WORDS)


def _value(values: Any, path: Path) -> str:  # noqa: ANN401 - YAML is anything
    """Return a plain value; of a list or a mapping how many it holds, and nothing if there is none."""
    for step in path:
        try:
            values = values[step]
        except (KeyError, IndexError, TypeError):
            return ""
    if isinstance(values, dict | list | tuple):
        return f"a {'mapping' if isinstance(values, dict) else 'list'} of {len(values)}"
    return "nothing" if values is None else shortened(repr(values), 80)


def shortened(text: str, width: int) -> str:
    """Return a text, cut to a width."""
    return text if len(text) <= width else text[: width - 3] + "..."


def _nearest(found: str, valid: list[str]) -> str:
    near = get_close_matches(found, valid, n=1, cutoff=0.5)
    expected = f"expected one of {', '.join(valid)}"
    return f"did you mean {near[0]!r}? {expected}" if near else expected


def _type_at(kind: Type, path: Path, values: Any) -> Type:  # noqa: ANN401 - YAML is anything
    """Return the type of the value at ``path``; of several, the one whose tag the value bears."""
    kind = _tagged(kind, values)
    if not path:
        return kind
    step, *rest = path
    if isinstance(kind, VarTupleType):
        return _type_at(kind.item_type, tuple(rest), values[step])
    if isinstance(kind, StructType):
        field = next(field for field in kind.fields if field.encode_name == step)
        return _type_at(field.type, tuple(rest), values.get(step))
    return kind


def _tagged(kind: Type, value: Any) -> Type:  # noqa: ANN401 - YAML is anything
    if isinstance(kind, UnionType) and isinstance(value, dict):
        return next((one for one in kind.types if isinstance(one, StructType) and one.tag == value.get(one.tag_field)), kind)
    return kind


def _keys(kind: Type) -> list[str]:
    if not isinstance(kind, StructType):
        return []
    return ([kind.tag_field] if kind.tag_field else []) + [field.encode_name for field in kind.fields]


def _words(kind: Type, path: Path, values: Any) -> list[str]:  # noqa: ANN401 - YAML is anything
    """Return the words that may stand at ``path``: the names of parts, or the values of an option."""
    around = _type_at(kind, path[:-1], values)
    parts = around.types if isinstance(around, UnionType) else (around,)  # the union of a single part is that part
    if tags := sorted(str(one.tag) for one in parts if isinstance(one, StructType) and one.tag_field == path[-1]):
        return tags
    here = _type_at(kind, path, values)
    options = here.types if isinstance(here, UnionType) else (here,)
    return [str(value) for option in options if isinstance(option, LiteralType) for value in option.values]
