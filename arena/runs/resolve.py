"""Bots that the command line names, each found once."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.roster.entrant import Entrant
from arena.roster.finder import find


class ResolvedBot(Struct, frozen=True):
    """A bot, and how the user asked for it."""

    asked: str
    entrant: Entrant

    @property
    def name(self) -> str:
        """Return what it is called."""
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
    """Return what finds them again for a plan, by the names that its entries give them."""
    entrants = {bot.name: bot.entrant for bot in field}
    return lambda _, name: entrants[name or ""]
