"""How a player in Java is constructed: without arguments, with those of a source, or with zeros."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from arena.errors import InputError
from arena.runs.challenge.class_files import JavaClass, Types
from arena.runs.challenge.given import JavaSource

_LITERAL: Final = r"(?:true|false|-?\d+(?:\.\d+)?|\"[^\"\\]*\")"
_DEFAULTS: Final[Mapping[str, str]] = {  # the types that Bridge.java reads
    **dict.fromkeys(("int", "long", "java.lang.Integer", "java.lang.Long"), "0"),
    **dict.fromkeys(("float", "double", "java.lang.Float", "java.lang.Double"), "0.0"),
    **dict.fromkeys(("boolean", "java.lang.Boolean"), "false"),
    "java.lang.String": "",
}
_FORMS: Final = {"0": r"-?\d+", "0.0": r"-?\d+(\.\d+)?", "false": "true|false", "": ".*"}  # of an argument, by its default


def find_construction(player: JavaClass, sources: Iterable[JavaSource]) -> tuple[tuple[str, ...], str]:
    """Return arguments for one of its constructors, and where they come from.

    None, where it needs none; else those with which a source constructs it; else zeros. Raises: InputError.
    """
    if () in player.constructors:
        return (), "without arguments"
    possible = [types for types in player.constructors if all(one in _DEFAULTS for one in types)]
    if not possible:
        forms = "; ".join(f"({', '.join(types)})" for types in player.constructors) or "none"
        raise InputError(f"has the constructors {forms}; expected one without arguments, or with numbers, booleans and strings")
    for arguments in _written(player, sources):
        if any(_fit(types, arguments) for types in possible):
            return arguments, f"with ({', '.join(arguments)}), as in a source"
    types = possible[0]
    guessed = tuple(_DEFAULTS[one] for one in types)
    return guessed, f"with ({', '.join(guessed)}) for ({', '.join(types)}), which is a guess; bot.yaml ends with these arguments"


def _written(player: JavaClass, sources: Iterable[JavaSource]) -> Iterator[tuple[str, ...]]:
    """Yield the arguments of each call in a source that constructs the player with literals."""
    simple = re.escape(re.split(r"[.$]", player.name)[-1])
    call = re.compile(rf"\bnew\s+{simple}\s*\(\s*({_LITERAL}(?:\s*,\s*{_LITERAL})*)\s*\)")
    for words in chain.from_iterable(call.findall(source.text) for source in sources):
        yield tuple(word.strip('"') for word in re.findall(_LITERAL, words))


def _fit(types: Types, arguments: Sequence[str]) -> bool:
    forms = [_FORMS[_DEFAULTS[one]] for one in types]
    return len(forms) == len(arguments) and all(map(re.fullmatch, forms, arguments))
