"""Finds every bot, by entry point, path or manifest; imports none."""

import importlib.util
import shutil
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from msgspec.structs import replace

from arena.errors import RosterError
from arena.roster import content, manifest, requirements
from arena.roster.entrant import Entrant, Launch, digest

SDK = ("-s", "-P", "-m", "arena.sdk")


def names() -> list[str]:
    """Return the names of the installed bots, in order. Whether each can be entered here, ``find`` tells."""
    return sorted({point.name for point in entry_points(group=requirements.BOTS)})


def find(bot: str, name: str | None = None, folder: Path = Path()) -> Entrant:
    """Return the bot that is called, or stands at, ``bot``. Raises: RosterError.

    A path is sought from ``folder``, then from the working directory. ``name`` is what the entrant is to be called.
    """
    entrant = _find(bot, folder)
    return replace(entrant, name=name) if name else entrant


def _find(bot: str, folder: Path) -> Entrant:
    where, colon, attribute = bot.rpartition(":")
    if colon and where.endswith(".py") and attribute:
        return _from_file(_sought(where, folder), attribute)
    if bot.endswith((".yaml", ".yml")):
        return _from_manifest(_sought(bot, folder))
    points = tuple(entry_points(group=requirements.BOTS, name=bot))
    if len(points) > 1:
        packages = " and ".join(sorted(point.dist.name if point.dist else point.value for point in points))
        raise RosterError(f"bot {bot!r} is brought by two packages, {packages}; uninstall one, or name a file, as my/bot.py:Class")
    for point in points:
        return _from_entry_point(point)
    raise RosterError(_unknown(bot, folder))


def _unknown(bot: str, folder: Path) -> str:
    from difflib import get_close_matches

    if (folder / bot / "bot.yaml").is_file():
        return f"{bot!r} is a folder; name the manifest in it: {Path(bot, 'bot.yaml')}"
    if bot and (folder / bot / "pyproject.toml").is_file():
        return f"{bot!r} is a folder with a package; install it (pip install -e {folder / bot}), and call the bot by its name"
    file = bot.removesuffix(":")
    if file.endswith(".py") and any(path.is_file() for path in (folder / file, Path(file))):
        return f"{bot!r} is a file; name the class in it too, as {file}:Class"
    near = get_close_matches(bot, names(), n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return f"no bot {bot!r}; {meant}installed: {', '.join(names())}; or name a file, as my/bot.py:Class or my/bot.yaml"


def _sought(where: str, folder: Path) -> Path:
    for path in (folder / where, Path(where)):
        if path.is_file():
            return path.resolve()
    sought = dict.fromkeys(str(place.resolve()) for place in (folder, Path()))
    raise RosterError(f"no file {where!r} in {' nor in '.join(sought)}")


def _from_entry_point(point: EntryPoint) -> Entrant:
    """Return the bot of an entry point: ``module:Class``, or a package alone, which holds a manifest."""
    if not point.attr:
        return replace(_from_manifest(_standing(point, ("{}/bot.yaml",))), name=point.name)
    for name in requirements.missing(point):
        dist = point.dist.name if point.dist else ""
        raise RosterError(
            f"bot {point.name!r} needs {name}, which is not installed: pip install '{dist}[{','.join(point.extras)}]'"
        )
    module = _standing(point, ("{}.py", "{}/__init__.py"))
    own = content.files(module)
    return Entrant(
        name=point.name,
        version=point.dist.version if point.dist else "0",
        source=f"{point.dist.name} {point.value}" if point.dist else point.value,
        digest=digest(own),
        launch=_python(f"{point.module}:{point.attr}", module.parent, own),
    )


def _from_file(path: Path, attribute: str) -> Entrant:
    own = content.files(path)
    return Entrant(
        name=attribute,
        version="0",
        source=f"{path}:{attribute}",
        digest=digest(own),
        launch=_python(f"{path}:{attribute}", path.parent, own),
    )


def _from_manifest(path: Path) -> Entrant:
    bot = manifest.read(path)
    program, *arguments = bot.command
    return Entrant(
        name=bot.name,
        version=str(bot.version),
        source=str(path),
        digest=digest(file for file in path.parent.rglob("*") if file.is_file() and "__pycache__" not in file.parts),
        launch=Launch(
            command=(_program(program, path), *arguments),
            folder=str(path.parent),
            environment=(("PATH", "/usr/local/bin:/usr/bin:/bin"), ("LANG", "C.UTF-8")),
            threads=bot.threads,
            scratch_mb=bot.scratch_mb,
        ),
    )


def _program(program: str, path: Path) -> str:
    """Return where a program is: beside the manifest, or on the PATH. Raises: RosterError."""
    beside = path.parent / program
    found = str(beside) if beside.is_file() else shutil.which(program)
    if not found:
        made = f"; compile it first: make -C {path.parent}" if (path.parent / "Makefile").is_file() else ""
        raise RosterError(f"{path}: command {program!r} is neither in the bot's folder nor installed{made}")
    return found


def _python(target: str, folder: Path, own: list[Path]) -> Launch:
    """Return the launch of a bot on the SDK: this very interpreter, a fixed hash seed, and nothing of the user's environment."""
    return Launch(
        command=(sys.executable, *SDK, target),
        folder=str(folder),
        files=tuple(str(file) for file in own),
        environment=(("PYTHONHASHSEED", "0"), ("LANG", "C.UTF-8")),
        reads=requirements.packages(own),
    )


def _standing(point: EntryPoint, forms: tuple[str, ...]) -> Path:
    """Return the file that an entry point's module stands in, found without running any of its packages. Raises: RosterError."""
    top, *inner = point.module.split(".")
    try:
        spec = importlib.util.find_spec(top)  # of a top-level name: imports nothing
    except (ImportError, ValueError) as error:
        raise RosterError(f"bot {point.name!r}: module {top!r}: {error}") from None
    within = [Path(folder) for folder in (spec.submodule_search_locations or () if spec else ())]
    whole = [folder.joinpath(*inner) for folder in within] if inner else [Path(spec.origin or "").with_suffix("")] if spec else []
    for path in whole:
        for form in forms:
            if (file := path.parent / form.format(path.name)).is_file():
                return file
    raise RosterError(f"bot {point.name!r}: found no {' or '.join(form.format(inner[-1] if inner else top) for form in forms)}")
