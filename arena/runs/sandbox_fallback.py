"""The sandbox `standard` in place of the default, for bots that come with arena.

Some machines cannot prove the sandbox `strict`: old kernels, containers without Landlock and user namespaces. A first run must
work there too, and the bots of arena's own distribution need no protection from each other. So where no sandbox is named, and
every bot comes with arena, they run under `standard`; console and report say so. With any other bot such a run is refused.
"""

from collections.abc import Iterable
from pathlib import Path

from arena import distribution
from arena.confinement.profiles import Sandbox
from arena.disk import real
from arena.errors import SandboxError
from arena.players.sandboxes import StandardSandbox
from arena.roster.entrant import Launch


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
