"""What a bot has to read: interpreter, libraries, this package, its own files; and nothing else.

Packages are granted one by one, for a folder of installed packages holds other people's bots too.
"""

import glob
import os
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache

import msgspec

import arena
from arena.players.sandboxes.policy import Link, Reads
from arena.roster.entrant import Launch

LIBRARIES = (
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/nix/store",
)
PROGRAMS = (
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/libexec",
    "/usr/share",
    "/usr/local/bin",
    "/usr/local/share",
    "/etc/ssl/openssl.cnf",
)
PACKAGES = ("/usr/lib/python3*/dist-packages", "/usr/local/lib/python3*/dist-packages", "/usr/local/lib/python3*/site-packages")


def reads(launch: Launch, program: str | None, *, expanded: bool) -> Reads:
    """Return all that a bot may read.

    ``program``: the executable that it becomes; None: it stays in the harness's interpreter. ``expanded``: folders with something
    to hide in them are granted entry by entry, as Landlock needs, which cannot take back what a folder above was granted.
    """
    wanted = {*_interpreter(), *launch.reads, *(launch.files or (launch.folder,))}
    if program:
        wanted |= {*_present(PROGRAMS), program, *_environment()}
    real = {os.path.realpath(path) for path in wanted}
    covered = _covered() - real
    paths = _topmost(real, covered)
    return Reads(
        paths=tuple(sorted(_expanded(paths, covered) if expanded else paths)),
        covered=() if expanded else tuple(sorted(folder for folder in covered if _holder(folder, paths))),
        listed=tuple(sorted({*package_folders(), *_import_folders(launch)})),
        links=tuple(
            Link(path, os.path.realpath(path)) for path in sorted({*wanted, launch.folder}) if os.path.realpath(path) != path
        ),
        programs=program is not None,
    )


@cache
def package_folders() -> frozenset[str]:
    """Return the folders of this interpreter's packages."""
    return _present(os.path.realpath(path) for path in site.getsitepackages())


@cache
def _interpreter() -> frozenset[str]:
    """Return what a bot in Python reads: its libraries, this package, and the one that both stand on."""
    library = sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix, "base": sys.base_prefix})
    shared = glob.glob(f"{sys.base_prefix}/lib/libpython*")
    return frozenset({*_present(LIBRARIES), library, *shared, *arena.__path__, *msgspec.__path__})


@cache
def _environment() -> frozenset[str]:
    """Return what a bot needs that starts the harness's interpreter anew, in its virtual environment."""
    programs = {os.path.dirname(os.path.realpath(sys.executable)), os.path.dirname(sys.executable)}
    startup = {f"{sys.prefix}/pyvenv.cfg"}
    finders = {path for home in package_folders() for path in glob.glob(f"{home}/__editable__*")}
    return _present({*programs, *startup, *finders})


@cache
def _covered() -> frozenset[str]:
    """Return every folder of packages that might lie in a folder of libraries."""
    known = {*package_folders(), *(path for pattern in PACKAGES for path in glob.glob(pattern))}
    base = sysconfig.get_path("purelib", vars={"base": sys.base_prefix})
    return frozenset(os.path.realpath(path) for path in (*known, base) if os.path.isdir(path))


def _import_folders(launch: Launch) -> frozenset[str]:
    """Return the folders that an import of the bot's own looks through."""
    path = dict(launch.environment).get("PYTHONPATH", "").split(os.pathsep)
    packages = (os.path.dirname(file) for file in launch.files if file.endswith("/__init__.py"))  # the bot's own, one in another
    return _present(os.path.realpath(folder) for folder in filter(None, (*path, launch.folder, *packages)))


def _present(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(path for path in paths if os.path.exists(path))


def _topmost(paths: set[str], covered: Iterable[str]) -> set[str]:
    """Drop each path that lies in another one, unless a cover lies between them."""
    return {path for path in paths if len(_holder(path, covered)) >= len(_holder(path, paths))}


def _holder(path: str, folders: Iterable[str]) -> str:
    """Return the deepest of some folders that a path lies in; empty: none."""
    return max((folder for folder in folders if path.startswith(folder + "/")), key=len, default="")


def _expanded(paths: set[str], covered: frozenset[str]) -> Iterator[str]:
    """Yield the paths, and for one that holds a cover its entries instead, all but the cover."""
    for path in paths:
        if path in covered:
            continue
        if any(folder.startswith(path + "/") for folder in covered):
            yield from _expanded({os.path.realpath(entry.path) for entry in os.scandir(path)}, covered)
        else:
            yield path
