"""The distribution that arena is installed as. The package, and the command, are called ``arena``; the distribution is not.

On the package index ``arena`` is another author's project, so no document and no message may tell anyone to install it.
"""

from pathlib import Path

from arena.errors import InputError

NAME = "ginrummy-arena"
PACKAGES = ("arena", "arena_bots")  # top-level names that it installs
REPOSITORY_ONLY = ("arena_bots.training",)  # the training of the shipped networks: in no wheel
OTHER = "arena"  # the name on the package index that is another author's


def version() -> str:
    """Return the installed version. Raises: InputError, if arena is run from files that are not installed."""
    from importlib import metadata  # noqa: PLC0415 - slow, and every command imports this module

    try:
        return metadata.version(NAME)
    except metadata.PackageNotFoundError:
        raise InputError(f"{NAME} is not installed in this Python; in a checkout: pip install -e .") from None


def folders(package: str) -> tuple[Path, ...]:
    """Return the folders of an installed package, without importing it; none: it is not installed."""
    from importlib.util import find_spec  # noqa: PLC0415 - few commands need it

    spec = find_spec(package)
    return tuple(map(Path, (spec and spec.submodule_search_locations) or ()))


def install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install '{NAME}[{extra}]'"
