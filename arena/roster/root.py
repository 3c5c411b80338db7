"""Decides which files may belong to a Python bot: its module, its package, and what its distribution has installed.

A bot's source must not decide what the bot may read: an import statement that never runs could otherwise open an opponent's source.
So the root is fixed before the source is parsed. It is the outermost package around the module, or the module alone; the bot of a
distribution may also have top-level modules that the same distribution owns. Files in the root that belong to another bot or
another distribution are refused.
"""

from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution
from pathlib import Path

from msgspec import Struct

from arena.bounded import is_file
from arena.errors import RosterError
from arena.roster import distributions
from arena.roster.distributions import Recorded


class Root(Struct, frozen=True, kw_only=True):
    """The files that can belong to a bot."""

    module: Path  # with links resolved
    package: Path | None  # the outermost package around the module; None: the module is in no package
    prefix: tuple[str, ...] = ()  # the name by which the package is imported
    search: Path | None = None  # the folder that its absolute imports search for its own modules
    installed: Recorded | None = None  # the distribution that installed the module, if any
    rest: tuple[Recorded, ...] = ()  # the other distributions
    bots: Mapping[Path, str] = {}  # names of other bots, by module or by folder

    def holds(self, path: Path) -> bool:
        """Return whether a file belongs to the bot. Raises: RosterError, for a file in the root that belongs to something else."""
        if not self._encloses(path):
            return False
        target = path.resolve()
        if target != path and not self._encloses(target):
            raise RosterError(f"{path}: a link out of the bot's own files, to {target}; expected a file")
        for file in (path, target):
            self._check_owner(file)
        return True

    def _encloses(self, path: Path) -> bool:
        if self.package is not None and path.is_relative_to(self.package):
            return True
        if self.installed is not None:
            return distributions.owns(self.installed, path, self.rest)
        return self.package is None and (path.parent, path.stem) == (self.module.parent, self.module.stem)

    def _check_owner(self, path: Path) -> None:
        """Raise RosterError for a file of another bot, or of another distribution."""
        for place in (path, *path.parents):
            if place in self.bots:
                owner_text = f"the bot {self.bots[place]!r}; expected shared code in a module that belongs to no bot"
                raise RosterError(f"{self.module}: imports {path}, which is {owner_text}")
        if owner := distributions.recorded_by(self.rest, path):
            raise RosterError(f"{self.module}: imports {path}, which belongs to the distribution {owner}")


def of_path(module: Path, bots: Iterable[tuple[Path, str]]) -> Root:
    """Return the root of a bot that is named by the path of its module; ``bots`` are the installed bots."""
    around = distributions.in_folder_of(module)
    installed = next((one for one in around if one.has(module)), None)
    rest = distributions.without(installed, around)
    package = _outermost(module, installed, rest)
    return Root(
        module=module,
        package=package,
        prefix=(package.name,) if package else (),
        search=module.parent,
        installed=installed,
        rest=rest,
        bots=_others(bots, module),
    )


def of_point(module: Path, name: str, owner: Distribution, bots: Iterable[tuple[Path, str]]) -> Root:
    """Return the root of a distribution's bot, whose module is imported as ``name``; ``bots`` are the installed bots.

    A module that the distribution does not record was installed from a local folder, as by ``pip install -e``.
    """
    installed = distributions.recorded(owner)
    rest = distributions.without(installed, distributions.in_folder_of(module))
    mine = installed if installed.has(module) else None
    package = _outermost(module, mine, rest)
    steps = name.split(".")
    below = len(module.relative_to(package).parts) - (module.name == "__init__.py") if package else 0
    return Root(
        module=module,
        package=package,
        prefix=tuple(steps[: len(steps) - below]),
        search=mine.home if mine else None,
        installed=mine,
        rest=rest,
        bots=_others(bots, module),
    )


def _outermost(module: Path, installed: Recorded | None, rest: tuple[Recorded, ...]) -> Path | None:
    """Return the outermost package around a module, if the module's distribution owns it, else None."""
    package = None
    for folder in module.parents:
        if not is_file(folder / "__init__.py"):
            break
        package = folder
    if package and installed and not distributions.owns(installed, package / "__init__.py", rest):
        return None
    return package


def _others(bots: Iterable[tuple[Path, str]], module: Path) -> dict[Path, str]:
    """Return the bots that are neither in ``module`` nor in a package around it; such a package runs before the module."""
    return {path: name for path, name in bots if path != module and path not in module.parents}
