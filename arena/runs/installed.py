"""The installation: whether the compiled core was made from the source beside it, and other distributions that have ``arena``."""

from pathlib import Path
from types import FunctionType
from typing import Final, Literal

import arena.gin
from arena import distribution
from arena.gin.melds import deadwood
from arena.roster import distributions

Core = Literal["compiled", "python"]

CORE: Final[Core] = "python" if isinstance(deadwood, FunctionType) else "compiled"


def core_matches_source() -> bool:
    """Tell whether the core that plays is its source, or was compiled from the source that is installed."""
    if CORE == "python":
        return True
    [folder] = arena.gin.__path__
    compiled = [path for path in Path(folder).iterdir() if path.suffix in (".so", ".pyd")]
    sources = [path.with_name(f"{path.name.partition('.')[0]}.py") for path in compiled]
    return any(all(map(installed.matches, [*compiled, *sources])) for installed in distributions.in_folder_of(compiled[0]))


def rivals() -> list[str]:
    """Return the names and versions of other distributions that provide the package ``arena`` or are named so."""
    return sorted(
        f"{distributions.name_of(one.distribution)} {distributions.version_of(one.distribution)}"
        for one in distributions.everything()
        if _is_rival(distributions.normalize(distributions.name_of(one.distribution)), distributions.top_levels(one))
    )


def _is_rival(name: str, packages: frozenset[str]) -> bool:
    return name != distribution.NAME and (name == distribution.OTHER or not packages.isdisjoint(distribution.PACKAGES))
