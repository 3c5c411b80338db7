"""A name that the user chose among some."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import InputError
from arena.plugins import consent
from arena.roster.entrant import Entrant
from arena.roster.finder import find
from arena.text import did_you_mean

Thing = TypeVar("Thing")


def choose(things: Mapping[str, Thing], name: str, where: str) -> Thing:
    """Return the thing of that name. Raises: InputError, with the nearest valid one."""
    if name in things:
        return things[name]
    expected = f"expected one of {', '.join(sorted(things))}" if things else "there is none to choose from"
    raise InputError(f"{where}: found {name!r}; {did_you_mean(name, things)}{expected}")


def chosen_part(parts: Mapping[str, Thing], name: str, where: str) -> Thing:
    """Return the part of that name. Raises: InputError, with the nearest valid one, and plugins that are not loaded."""
    try:
        return choose(parts, name, where)
    except InputError as error:
        raise InputError(f"{error}{consent.hint()}") from None


# Bots that the command line names, each found once.


class ResolvedBot(Struct, frozen=True):
    """A bot, and how the user asked for it."""

    asked: str
    entrant: Entrant

    @property
    def name(self) -> str:
        """Return its name."""
        return self.entrant.name


def resolve(asked: Sequence[str], suffixes: Sequence[str], folder: Path = Path()) -> tuple[ResolvedBot, ...]:
    """Return the bots asked for; of two that have one name, the later gets its suffix. Paths as in a spec. Raises: RosterError."""
    named: list[ResolvedBot] = []
    for bot, suffix in zip(asked, suffixes, strict=True):
        entrant = find(bot, folder=folder)
        taken = {one.name for one in named}
        named.append(ResolvedBot(bot, replace(entrant, name=f"{entrant.name}-{suffix}") if entrant.name in taken else entrant))
    return tuple(named)


def lookup(field: Sequence[ResolvedBot]) -> Callable[[str, str | None], Entrant]:
    """Return a function that finds them for a plan, by the names that its entries give them."""
    entrants = {bot.name: bot.entrant for bot in field}
    return lambda _, name: entrants[name or ""]
