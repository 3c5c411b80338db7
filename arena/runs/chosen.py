"""Parts and bots that the user names."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena import distribution
from arena.confinement.profiles import Sandbox
from arena.disk import real
from arena.errors import InputError, SandboxError
from arena.players.sandboxes import StandardSandbox
from arena.roster.entrant import Entrant, Launch
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


# The sandbox `standard` in place of the default, for bots that come with arena.
#
# Some machines cannot prove the sandbox `strict`: old kernels, containers without Landlock and user namespaces. A first run must
# work there too, and the bots of arena's own distribution need no protection from each other. So where no sandbox is named, and
# every bot comes with arena, they run under `standard`; console and report say so. With any other bot such a run is refused.


def usable(default: Sandbox, launches: Iterable[Launch]) -> Sandbox:
    """Return the default sandbox, or `standard` with its limits if this machine cannot prove it and all bots are arena's own.

    Raises: SandboxError, if this machine cannot prove it and a bot is not arena's own.
    """
    try:
        default.assurance()
    except SandboxError:
        if not all(map(comes_with_arena, launches)):
            raise
        return StandardSandbox().with_limits_of(default)
    return default


def comes_with_arena(launch: Launch) -> bool:
    """Tell whether all files of a bot lie in arena's own package of bots."""
    homes = [real(folder) for folder in distribution.folders("arena_bots")]
    return all(any(Path(file).is_relative_to(home) for home in homes) for file in launch.files or (launch.folder,))
