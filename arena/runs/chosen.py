"""Parts and bots that the user names."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import InputError
from arena.roster.entrant import Entrant
from arena.roster.finder import find
from arena.suggestions import did_you_mean

Thing = TypeVar("Thing")


def choose(things: Mapping[str, Thing], name: str, where: str) -> Thing:
    """Return the thing of that name; ``where`` begins the error. Raises: InputError, with the nearest valid name."""
    if name in things:
        return things[name]
    expected = f"expected one of {', '.join(sorted(things))}" if things else "there is none to choose from"
    raise InputError(f"{where}: found {name!r}; {did_you_mean(name, things)}{expected}")


class ResolvedBot(Struct, frozen=True):
    """A bot, and the text by which the user named it."""

    asked: str
    entrant: Entrant

    @property
    def name(self) -> str:
        """Return its name."""
        return self.entrant.name


def resolve(asked: Sequence[str], suffixes: Sequence[str], folder: Path = Path()) -> tuple[ResolvedBot, ...]:
    """Return the bots of the texts ``asked``, whose paths are relative to ``folder``. Raises: RosterError.

    A bot with the name of an earlier one is called NAME-SUFFIX, with the suffix at its place in ``suffixes``.
    """
    resolved: list[ResolvedBot] = []
    for bot, suffix in zip(asked, suffixes, strict=True):
        entrant = find(bot, folder=folder)
        taken = {other.name for other in resolved}
        resolved.append(ResolvedBot(bot, replace(entrant, name=f"{entrant.name}-{suffix}") if entrant.name in taken else entrant))
    return tuple(resolved)
