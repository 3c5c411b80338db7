"""What is installed: whether the compiled core was made from the source beside it, and what else would be imported as ``arena``."""

import hashlib
import sys
from pathlib import Path

import arena.gin
from arena import distribution
from arena.gin.core import CORE
from arena.roster import distributions

LIBRARY, MYPYC = "arena.gin.core_", "__mypyc"  # around the digest in the name of a compiled core: see .packaging/arena_build.py


def core_matches_source() -> bool:
    """Return whether the core that plays is its source, or was compiled from the source that is installed."""
    if CORE == "python":
        return True
    [folder] = arena.gin.__path__
    compiled = sorted({path.name.partition(".")[0] for path in Path(folder).glob("*.*") if path.suffix in (".so", ".pyd")})
    try:
        sources = [Path(folder, f"{name}.py").read_bytes() for name in compiled if not name.endswith(MYPYC)]
    except OSError:
        return False
    return f"{LIBRARY}{hashlib.sha256(b''.join(sources)).hexdigest()[:12]}{MYPYC}" in sys.modules


def rivals() -> list[str]:
    """Return the names and versions of other distributions that are imported as ``arena``, or are called so."""
    return sorted(
        f"{distributions.name_of(one.distribution)} {distributions.version_of(one.distribution)}"
        for one in distributions.everything()
        if _is_rival(distributions.normalized(distributions.name_of(one.distribution)), distributions.top_levels(one))
    )


def _is_rival(name: str, packages: frozenset[str]) -> bool:
    return name != distribution.NAME and (name == distribution.OTHER or not packages.isdisjoint(distribution.PACKAGES))
