"""A bot may read the interpreter, libraries, this package and its own files; nothing else.

Installed packages are allowed one by one, since their folder may also contain other people's bots. The packages that a bot needs
are found by parsing its import statements, without running them (``arena.roster``); they are in ``Launch.reads``.
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
from arena.confinement.launch_policy import ReadAccess
from arena.interpreter import EXECUTABLE, home_packages
from arena.roster.entrant import Launch

LIBRARIES = "/lib /lib32 /lib64 /usr/lib /usr/lib32 /usr/lib64 /usr/local/lib /etc/ld.so.cache /etc/alternatives /nix/store".split()
PROGRAMS = """
    /bin /sbin /usr/bin /usr/sbin /usr/libexec /usr/share /usr/local/bin /usr/local/share /etc/ssl/openssl.cnf
""".split()
PACKAGES = ("/usr/lib/python3*/dist-packages", "/usr/local/lib/python3*/dist-packages", "/usr/local/lib/python3*/site-packages")


def required_access(launch: Launch, program: str | None, *, expanded: bool) -> ReadAccess:
    """Return the files and folders that a bot may read.

    ``program``: the executable that the bot becomes; None: it stays in the harness's interpreter. ``expanded``: whether a folder
    that contains something hidden is replaced by its entries; Landlock needs that, since it cannot hide part of an allowed folder.
    """
    own = {*launch.reads, *(launch.files or (launch.folder,))}
    if program:
        own |= {*_present(PROGRAMS), program, *_interpreter_programs()}
    real = {**_interpreter(), **{path: os.path.realpath(path) for path in own}}
    hidden = (_folders_to_hide() | _packages_among(launch.reads)) - set(real.values())
    paths = _topmost(set(real.values()), hidden)
    return ReadAccess(
        paths=tuple(sorted(_expand(paths, hidden) if expanded else paths)),
        hidden=() if expanded else tuple(sorted(folder for folder in hidden if _deepest_parent(folder, paths))),
        listed=tuple(sorted({*package_folders(), *_import_folders(launch)})),
        links=tuple(
            (path, target)
            for path, target in sorted({**real, launch.folder: os.path.realpath(launch.folder)}.items())
            if target != path
        ),
        programs=program is not None,
    )


@cache
def package_folders() -> frozenset[str]:
    """Return the folders of this interpreter's packages."""
    return _present(os.path.realpath(path) for path in (*site.getsitepackages(), *home_packages()))


@cache
def _interpreter() -> dict[str, str]:
    """Return the paths that every Python bot needs, each with its real path: standard and shared libraries, arena, msgspec."""
    library = sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix, "base": sys.base_prefix})
    shared = glob.glob(f"{sys.base_prefix}/lib/libpython*")
    paths = {*_present(LIBRARIES), library, *shared, *arena.__path__, *msgspec.__path__}
    return {path: os.path.realpath(path) for path in paths}


@cache
def _interpreter_programs() -> frozenset[str]:
    """Return the paths that a bot needs to start a new process of the harness's interpreter, in its virtual environment."""
    programs = {os.path.dirname(os.path.realpath(EXECUTABLE)), os.path.dirname(EXECUTABLE)}
    startup = {f"{sys.prefix}/pyvenv.cfg"}
    finders = {path for home in package_folders() for path in glob.glob(f"{home}/__editable__*")}
    return _present({*programs, *startup, *finders})


@cache
def _folders_to_hide() -> frozenset[str]:
    """Return every folder of installed packages that may lie inside an allowed folder."""
    found = {*package_folders(), *(path for pattern in PACKAGES for path in glob.glob(pattern))}
    base = sysconfig.get_path("purelib", vars={"base": sys.base_prefix})
    return frozenset(os.path.realpath(path) for path in (*found, base) if os.path.isdir(path))


def _packages_among(reads: Iterable[str]) -> frozenset[str]:
    """Return the folders of packages inside the standard library of another interpreter, which a command names."""
    return _present(os.path.realpath(f"{path}/{name}") for path in reads for name in ("site-packages", "dist-packages"))


def _import_folders(launch: Launch) -> frozenset[str]:
    """Return the folders that the bot's imports search, besides the installed packages."""
    path = dict(launch.environment).get("PYTHONPATH", "").split(os.pathsep)
    packages = (os.path.dirname(file) for file in launch.files if file.endswith("/__init__.py"))  # the bot's own packages
    libraries = (folder for file in launch.reads if (folder := os.path.dirname(file)).endswith("-packages"))
    return _present(os.path.realpath(folder) for folder in filter(None, (*path, launch.folder, *packages, *libraries)))


def _present(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(path for path in paths if os.path.exists(path))


def _topmost(paths: set[str], hidden: Iterable[str]) -> set[str]:
    """Return the paths without those that lie inside another one, unless a hidden folder lies between the two."""
    return {path for path in paths if len(_deepest_parent(path, hidden)) >= len(_deepest_parent(path, paths))}


def _deepest_parent(path: str, folders: Iterable[str]) -> str:
    """Return the deepest of the folders that contain a path; empty: none does."""
    return max((folder for folder in folders if path.startswith(folder + "/")), key=len, default="")


def _expand(paths: set[str], hidden: frozenset[str]) -> Iterator[str]:
    """Yield each path once; one that contains a hidden folder is replaced by its entries other than that folder."""
    waiting, seen = list(paths), set(hidden)
    while waiting:
        path = waiting.pop()
        if path in seen:  # or hidden; a link may lead back to a folder that contains it
            continue
        seen.add(path)
        if any(folder.startswith(path + "/") for folder in hidden):
            waiting += (os.path.realpath(entry.path) for entry in os.scandir(path))
        else:
            yield path
