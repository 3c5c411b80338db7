"""A name that the user chose among some."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

from arena.errors import InputError
from arena.plugins import consent

Thing = TypeVar("Thing")


def chosen(things: Mapping[str, Thing], name: str, where: str) -> Thing:
    """Return the thing of that name. Raises: InputError, with the nearest valid one."""
    if name in things:
        return things[name]
    near = get_close_matches(name, things, n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    expected = f"expected one of {', '.join(sorted(things))}" if things else "there is none to choose from"
    raise InputError(f"{where}: found {name!r}; {meant}{expected}")


def chosen_part(parts: Mapping[str, Thing], name: str, where: str) -> Thing:
    """Return the part of that name. Raises: InputError, with the nearest valid one, and plugins that are not loaded."""
    try:
        return chosen(parts, name, where)
    except InputError as error:
        raise InputError(f"{error}{consent.hint()}") from None
