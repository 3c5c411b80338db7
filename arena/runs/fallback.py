"""The sandbox `standard` in place of the default, for bots that come with arena.

Some machines cannot prove the sandbox `strict`: old kernels, containers without Landlock and user namespaces. A first run must
work there too, and the bots of arena's own distribution need no protection from each other. So where strict is only the default,
and every bot comes with arena, they run under `standard`, which the console and the report say. A stranger's bot is refused.
"""

import importlib.util
from collections.abc import Iterable
from pathlib import Path

from arena.errors import SandboxError
from arena.players.sandboxes.base import Sandbox
from arena.players.sandboxes.standard import StandardSandbox
from arena.roster.entrant import Launch


def usable(default: Sandbox, launches: Iterable[Launch]) -> Sandbox:
    """Return the default sandbox, or `standard` with its limits if this machine cannot prove it and all bots are arena's own.

    Raises: SandboxError, if one of them is not.
    """
    try:
        default.assurance()
    except SandboxError:
        if not all(map(comes_with_arena, launches)):
            raise
        return StandardSandbox().with_limits_of(default)
    return default


def comes_with_arena(launch: Launch) -> bool:
    """Return whether all files of a bot lie in arena's own package of bots."""
    return all(any(Path(file).is_relative_to(home) for home in _homes()) for file in launch.files or (launch.folder,))


def _homes() -> list[Path]:
    spec = importlib.util.find_spec("arena_bots")
    return [Path(folder).resolve() for folder in (spec.submodule_search_locations or () if spec else ())]
