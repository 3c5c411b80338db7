"""Finds bots by entry point, path or manifest, without importing any."""

import hashlib
import importlib.util
import os
import re
import shutil
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from itertools import count, takewhile
from os.path import isfile
from pathlib import Path

from msgspec.structs import replace

from arena import parameters
from arena.disk import real
from arena.errors import RosterError, naming_errors
from arena.interpreter import SANDBOXED
from arena.parameters import Parameter
from arena.path_texts import is_utf8, path_text
from arena.roster import bot_classes, distributions, interpreters, manifest_folder, needed_packages, python_bot
from arena.roster.bot_classes import NotOneBotError
from arena.roster.distributions import EntryPoint, EntryPointTarget
from arena.roster.entrant import NAME_PATTERN, Entrant, Launch, digest
from arena.roster.python_bot import Content, Root
from arena.roster.python_source import Definition
from arena.roster.reader import DIRECT, Reader
from arena.suggestions import did_you_mean, suggest

SDK = (*SANDBOXED, "arena.sdk")
READS_SETTING = (("ARENA_READS_WHILE_PLAYING", "1"),)  # for the SDK, which a manifest's command may run: see arena/sdk/loop.py
# paths at which the file of an entry point can be; {} is the name of its module or package
MODULE_PATHS = ("{}.py", "{}/__init__.py")
MANIFEST_PATHS = ("{}/" + manifest_folder.MANIFEST,)


def names() -> list[str]:
    """Return the sorted names of the installed bots. ``find`` checks whether a bot can be entered."""
    return sorted({point.name for point in _points() if re.match(NAME_PATTERN, point.name)})


def invalid_entry_points() -> list[str]:
    """Return a line for each entry point in the group of bots whose name is not valid."""
    points = [point for point in _points() if not re.match(NAME_PATTERN, point.name)]
    expected = "expected a name of at most 50 letters, digits, _ . or -"
    return [f"{point.owner}: entry point '{point.name[:60]}' = '{point.value[:60]}': {expected}" for point in points]


def _points() -> list[EntryPoint]:
    return distributions.points(needed_packages.BOTS)


def find(bot: str, name: str | None = None, folder: Path = Path(), reader: Reader = DIRECT) -> Entrant:
    """Return the bot with the name or path ``bot``, as an entrant called ``name``. Raises: RosterError.

    A path is relative to ``folder``, else to the working directory. It is a file of Python, with ``:Class`` unless it has only one
    bot, a manifest, or a folder with ``bot.yaml`` or one bot. ``reader`` reads it. A bot may have values of its parameters, as
    ``mine.py:Mine(weight=2.5)``.
    """
    try:
        plain, values = parameters.split_parameters(bot)
    except ValueError as error:
        raise RosterError(str(error)) from None
    entrant = _find(plain, folder, reader)
    if values:
        entrant = _with_values(entrant, values, reader)
    return replace(entrant, name=name) if name else entrant


def parameters_of(entrant: Entrant, reader: Reader = DIRECT) -> dict[str, Parameter[float]]:
    """Return the parameters in a bot's manifest, or those that its class and the bases in its file declare as plain numbers.

    Raises: RosterError, for a file that cannot be read.
    """
    if entrant.launch.command[: len(SDK)] != SDK:
        return reader.manifest(Path(parameters.split_parameters(entrant.source)[0])).parameters
    path, name = module_of(entrant)
    classes = {one.name: one for one in reader.source(path).definitions if one.is_class} if path else {}
    return dict(_inherit(classes, parameters.split_parameters(name)[0], set()))


def module_of(entrant: Entrant) -> tuple[Path | None, str]:
    """Return the file of a Python bot's module, and its class as the command names it; None: all of a folder is the bot."""
    module, _, name = entrant.launch.command[-1].rpartition(":")
    if module.endswith(".py"):
        return Path(module), name
    modules = (path for path in map(Path, entrant.launch.files) if path.suffix == ".py")
    return max(modules, key=partial(_shared_names, module.split(".")), default=None), name


def _shared_names(steps: Sequence[str], path: Path) -> int:
    """Return how many names of a module, from the last, its file's path ends in: a package may be installed under another name."""
    names = path.parent.parts if path.name == "__init__.py" else path.with_suffix("").parts
    pairs = zip(reversed(steps), reversed(names), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _inherit(classes: Mapping[str, Definition], name: str, seen: set[str]) -> Iterator[tuple[str, Parameter[float]]]:
    """Yield the parameters of a class, after those of its bases."""
    if name not in classes or name in seen:
        return
    seen.add(name)
    for base in reversed(classes[name].bases):
        yield from _inherit(classes, base[-1], seen)
    for parameter, numbers in classes[name].parameters:
        yield parameter, Parameter(*numbers)  # type: ignore[arg-type]  # the outline has checked them


def _with_values(entrant: Entrant, values: Mapping[str, float], reader: Reader) -> Entrant:
    """Return a bot with these values of its parameters, which is another program with another digest. Raises: RosterError."""
    known = parameters_of(entrant, reader)
    if not known:
        raise RosterError(
            f"{entrant.source}: declares no parameters; expected a class of the SDK with attributes `name = Parameter(...)`,"
            " or `parameters:` in a manifest"
        )
    try:
        parameters.check(values, known)
    except ValueError as error:
        raise RosterError(f"{entrant.source}: {error}") from None
    command = entrant.launch.command
    if command[: len(SDK)] == SDK:
        *words, target = command
        command = (*words, parameters.join_parameters(target, values))
    else:
        command = (*command, *(f"{name}={value}" for name, value in values.items()))
    content = f"{entrant.digest} {parameters.join_parameters('', values)}"
    return replace(
        entrant,
        source=parameters.join_parameters(entrant.source, values),
        digest=hashlib.sha256(content.encode()).hexdigest(),
        launch=replace(entrant.launch, command=command),
    )


def in_folder(folder: Path) -> tuple[list[Entrant], list[str]]:
    """Return the bots of a folder, named after their files or folders, and a line for each file and folder that was left out.

    A bot is a ``.py`` file, or a folder with a manifest or ``__init__.py``; each must have one bot.
    Neither taken nor left out are the folder's own ``__init__.py`` and manifest, what is hidden, other files, and folders with
    neither Python files nor a manifest. Raises: OSError.
    """
    taken: dict[str, Entrant] = {}
    left_out = []
    for place in sorted(folder.iterdir()):
        try:
            if place.name.startswith(".") or not (bot := _bot_at(place)):
                continue
            name = _free_name(place.name.removesuffix(".py"), taken)
            taken[name] = find(bot, name)
        except NotOneBotError as error:
            left_out.append(f"{place.name}: {bot_classes.list_names(error.bots)}; expected one")
        except RosterError as error:
            left_out.append(str(error).replace(f"{real(folder)}/", ""))
    return list(taken.values()), left_out


def _bot_at(place: Path) -> str:
    """Return the path of the bot that a file or folder is; empty: it is something else. Raises: RosterError, NotOneBotError."""
    if isfile(place):
        return str(place) if place.suffix == ".py" and place.name != "__init__.py" else ""
    if isfile(place / manifest_folder.MANIFEST):
        return str(place / manifest_folder.MANIFEST)
    modules = sorted(path for path in place.glob("*.py") if isfile(path))
    if modules and place / "__init__.py" not in modules:
        raise RosterError(
            f"{place.name}: found Python files; expected {manifest_folder.MANIFEST} or __init__.py with them in a bot's folder"
        )
    classes = [(path, bot_classes.bots(DIRECT.source(path))) for path in modules]
    found = [f"{path}:{name}" for path, one in classes for name in (*one.certain, *one.possible)]
    if modules and len(found) != 1:
        raise NotOneBotError(str(place), [bot.rpartition(":")[2] for bot in found])
    return "".join(found)


def _free_name(text: str, taken: Container[str]) -> str:
    """Return a valid name for a bot, made from a text, that is not in ``taken``."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", text).lstrip("_.-")[:50] or "bot"
    numbered = (f"{name[:45]}-{number}" for number in count(2))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def find_whole(target: str, name: str, folder: Path, reader: Reader) -> Entrant:
    """Return the bot ``module:Class`` in a folder that holds nothing else, as an entrant called ``name``. Raises: RosterError.

    All files of the folder belong to the bot, and its modules are imported by the names that they have in the folder.
    """
    _check_text(folder)
    dotted, _, attribute = target.rpartition(":")
    module = next(python_bot.module_files(folder, dotted.split(".")), None)
    if module is None:
        raise RosterError(f"bot {name!r}: no module {dotted!r} in its folder")
    files = manifest_folder.contents(folder / manifest_folder.MANIFEST)
    content = python_bot.read(Root(module=module, package=folder, search=folder), reader)
    bot_classes.check(content.main, attribute, str(module))
    launch = _sdk_launch(target, folder, content)
    return Entrant(
        name=name,
        version="0",
        source=f"{folder} {target}",
        digest=digest(file for file in files if "__pycache__" not in file.parts),
        launch=replace(launch, files=(), environment=(*launch.environment, ("PYTHONPATH", str(folder)))),
    )


def _find(bot: str, folder: Path, reader: Reader) -> Entrant:
    where, colon, attribute = bot.rpartition(":")
    if colon and where.endswith(".py") and attribute.isidentifier():
        return _from_file(_existing_file(where, folder), reader, attribute)
    if bot.endswith((".py", ".py:")):
        return _from_file(_existing_file(bot.removesuffix(":"), folder), reader)
    if bot.endswith((".yaml", ".yml")):
        return _from_manifest(_existing_file(bot, folder), reader)
    points = [point for point in _points() if point.name == bot]
    if len(points) > 1:
        packages = " and ".join(sorted(point.owner for point in points))
        raise RosterError(f"bot {bot!r} is in two packages, {packages}; uninstall one, or name a file, as my/bot.py:Class")
    for point in points:
        return _from_point(point)
    if bot and (found := _first_file(Path(bot, manifest_folder.MANIFEST), folder)):
        return _from_manifest(found, reader)
    if bot and (place := next(filter(os.path.isdir, (folder / bot, Path(bot))), None)) and (home := _home(real(place))):
        return (
            _from_manifest(home / manifest_folder.MANIFEST, reader)
            if isfile(home / manifest_folder.MANIFEST)
            else _from_folder(home, reader)
        )
    raise RosterError(_unknown(bot, folder))


def _home(folder: Path) -> Path | None:
    """Return the folder of a bot's files: this one, or the only one in it, as archives have; None: it has none, or is a project."""
    with naming_errors(None, "cannot be read", RosterError):
        while not (isfile(folder / manifest_folder.MANIFEST) or any(folder.glob("*.py"))):
            inside = [path for path in folder.iterdir() if not re.match(r"\.|__", path.name)]
            if len(inside) != 1 or not os.path.isdir(inside[0]):  # noqa: PTH112 - Path.is_dir() raises for some links
                return None
            folder = inside[0]
    return None if isfile(folder / "pyproject.toml") and not isfile(folder / manifest_folder.MANIFEST) else folder


def _from_folder(folder: Path, reader: Reader) -> Entrant:
    """Return the only bot in a folder without a manifest, to which all files of the folder belong. Raises: RosterError.

    A file that is the only one of Python is the bot alone; in a folder that is a package, so is the package.
    """
    sources = [
        path for path in manifest_folder.contents(folder / manifest_folder.MANIFEST) if path.suffix == ".py" and isfile(path)
    ]
    if len(sources) == 1:
        return _from_file(sources[0], reader)
    bots = bot_classes.bots_of_several({str(path): reader.source(path) for path in sorted(sources)})
    if len(bots) != 1:
        raise RosterError(f"{folder}: {bot_classes.list_names(bots)}; expected one bot in it, or the name of one of them")
    path, _, name = bots[0].rpartition(":")
    if isfile(folder / "__init__.py"):
        return _from_file(Path(path), reader, name)
    module = ".".join(Path(path).relative_to(folder).with_suffix("").parts)
    return find_whole(f"{module}:{name}", name, folder, reader)


def _unknown(bot: str, folder: Path) -> str:
    if bot and isfile(folder / bot / "pyproject.toml"):
        return f"{bot!r} is a folder with a package; install it (pip install -e {folder / bot}) and use the bot's name"
    if bot and os.path.isdir(folder / bot):  # noqa: PTH112 - Path.is_dir() raises for a name that is too long
        return f"{bot!r} is a folder without {manifest_folder.MANIFEST} and without a bot; name a file, as my/bot.py or my/bot.yaml"
    if file := _meant_file(bot, folder):
        return f"no bot {bot!r}; did you mean the file {file!r}?"
    if bot and isfile(folder / bot):
        return f"{bot!r} is a file, but not of a bot; expected one as my/bot.py or my/bot.yaml"
    installed = names()
    meant = did_you_mean(bot, installed)
    return f"no bot {bot!r}; {meant}installed: {', '.join(installed)}; or name a file, as my/bot.py or my/bot.yaml"


def _meant_file(bot: str, folder: Path) -> str:
    """Return the file of Python that was probably meant by ``mine``, ``mine:Mine`` or ``mine.Mine``; empty: none."""
    module, _, attribute = bot.partition(":")
    dotted, _, last = module.rpartition(".")
    meant = ((module, attribute), (dotted, last)) if dotted and not attribute else ((module, attribute),)
    for stem, name in meant:
        if stem.isprintable() and _first_file(Path(f"{stem}.py"), folder):
            return f"{stem}.py:{name}" if attribute or name[:1].isupper() else f"{stem}.py"
    return ""


def _existing_file(where: str, folder: Path) -> Path:
    if found := _first_file(Path(where), folder):
        return found
    searched = dict.fromkeys(str(real(place)) for place in (folder, Path()))
    raise RosterError(f"no file {where!r} in {' or '.join(searched)}{suggest(folder / where)}")


def _first_file(path: Path, folder: Path) -> Path | None:
    """Return the existing file at ``path``, relative to ``folder``, else to the working directory; None: there is none."""
    return next((real(found) for found in (folder / path, path) if isfile(found)), None)


def _from_point(point: EntryPoint) -> Entrant:
    """Return the bot of an entry point: ``module:Class``, or a package with a manifest. Raises: RosterError."""
    target = point.target
    if target is None:
        raise RosterError(f"bot {point.name!r}: '{point.value[:80]}' of {point.owner} is neither module:Class nor a package")
    if not target.attribute:
        path = _file_of(point, target, MANIFEST_PATHS)
        _check_folder(point, path.parent)
        return replace(_from_manifest(path, DIRECT, point.name), name=point.name)
    for problem in needed_packages.missing(point, target.extras):
        raise RosterError(f"bot {point.name!r} needs {problem}")
    module = _file_of(point, target, MODULE_PATHS)
    root = python_bot.root_of_point(real(module), target.module, point.distribution, _other_bots(point.name))
    content = python_bot.read(root)
    bot_classes.check(content.main, target.attribute, str(module))
    return Entrant(
        name=point.name,
        version=point.version,
        source=f"{point.owner} {point.value}",
        digest=digest(content.files),
        launch=_sdk_launch(f"{target.module}:{target.attribute}", module.parent, content),
    )


def _check_folder(point: EntryPoint, folder: Path) -> None:
    """Check that no other distribution has files in the folder of a manifest. Raises: RosterError."""
    mine = distributions.read_record(point.distribution)
    if other := distributions.recorded_by(distributions.without(mine, distributions.in_folder_of(folder)), folder):
        raise RosterError(
            f"bot {point.name!r}: {folder} has files of the distribution {other}; expected a folder with nothing but the bot"
        )


def _other_bots(name: str = "") -> Iterator[tuple[Path, str]]:
    """Yield path and name of every installed bot except ``name``; the path is its module or its folder."""
    for point in _points():
        if point.name != name and (target := point.target):
            for path in _files_of(target, MODULE_PATHS if target.attribute else MANIFEST_PATHS):
                yield real(path.parent if path.name in {"__init__.py", manifest_folder.MANIFEST} else path), point.name


def _check_text(path: Path) -> None:
    """Check that the path of a bot, which its digest, its records and its sandbox have as text, is UTF-8. Raises: RosterError."""
    if not is_utf8(path):
        raise RosterError(f"{path_text(path)}: the path of a bot is stored as text, and this one is not UTF-8; rename what is not")


def _from_file(path: Path, reader: Reader, attribute: str = "") -> Entrant:
    """Return the bot of a file; without an ``attribute`` its only one. Raises: RosterError."""
    _check_text(path)
    root = python_bot.root_of_path(path, _other_bots())
    content = python_bot.read(root, reader)
    python_bot.check_alone(content, root)
    attribute = attribute or bot_classes.only_bot(content.main, str(path))
    bot_classes.check(content.main, attribute, str(path))
    return Entrant(
        name=attribute,
        version="0",
        source=f"{path}:{attribute}",
        digest=digest(content.files),
        launch=_sdk_launch(f"{path}:{attribute}", path.parent, content),
    )


def _from_manifest(path: Path, reader: Reader, name: str = "") -> Entrant:
    _check_text(path)
    bot = reader.manifest(path)
    program, *arguments = bot.command
    command = (_program(program, path), *arguments)
    files = manifest_folder.contents(path)
    for place, other in _other_bots(name):
        if path.parent in place.parents:
            raise RosterError(
                f"{place}: the bot {other!r} in the folder of the bot {path}; expected a folder with nothing but the bot"
            )
    return Entrant(
        name=bot.name,
        version=str(bot.version),
        source=str(path),
        digest=digest(file for file in files if "__pycache__" not in file.parts),
        reads_while_playing=bot.reads_while_playing,
        launch=Launch(
            command=command,
            folder=str(path.parent),
            environment=(
                ("PATH", "/usr/local/bin:/usr/bin:/bin"),
                ("LANG", "C.UTF-8"),
                *(READS_SETTING if bot.reads_while_playing else ()),
            ),
            reads=interpreters.reads(Path(command[0]), arguments, path.parent, reader),
            threads=bot.threads,
            scratch_mb=bot.scratch_mb,
            reads_while_playing=bot.reads_while_playing,
        ),
    )


def _program(program: str, path: Path) -> str:
    """Return the path of a program in the manifest's folder or on the PATH. Raises: RosterError."""
    beside = path.parent / program
    found = str(beside) if isfile(beside) else shutil.which(program)
    if not found:
        hint = f"; compile it first: make -C {path.parent}" if isfile(path.parent / "Makefile") else ""
        raise RosterError(f"{path}: command {program!r} not found in the bot's folder or on PATH{hint}")
    for place in (real(Path(found)), real(Path(found).parent) / Path(found).name):  # of the program, and of a link to it
        if not place.is_relative_to(real(path.parent)) and manifest_folder.is_in_a_bot(place):
            raise RosterError(f"{path}: command {program!r} is in the folder of another bot; expected a program that is not")
    return found


def _sdk_launch(target: str, folder: Path, content: Content) -> Launch:
    """Return the launch of a bot on the SDK: this interpreter, a fixed hash seed, and nothing of the user's environment."""
    return Launch(
        command=(*SDK, target),
        folder=str(folder),
        files=tuple(str(file) for file in content.files),
        environment=(("PYTHONHASHSEED", "0"), ("LANG", "C.UTF-8")),
        reads=needed_packages.packages(content.imported),
    )


def _file_of(point: EntryPoint, target: EntryPointTarget, forms: tuple[str, ...]) -> Path:
    """Return the first existing file of an entry point. Raises: RosterError."""
    for path in _files_of(target, forms):
        return path
    last = target.module.rpartition(".")[2]
    raise RosterError(f"bot {point.name!r}: found no {' or '.join(form.format(last) for form in forms)} for {point.value!r}")


def _files_of(target: EntryPointTarget, forms: tuple[str, ...]) -> Iterator[Path]:
    """Yield the existing files of a module or package, found without importing any package around it."""
    top, *inner = target.module.split(".")
    try:
        spec = importlib.util.find_spec(top)  # imports nothing for a top-level name
    except (ImportError, ValueError):
        return
    if spec is None:
        return
    within = [Path(place) for place in spec.submodule_search_locations or ()]
    whole = [place.joinpath(*inner) for place in within]
    if not within and not inner and spec.has_location and spec.origin:
        whole = [Path(spec.origin).with_suffix("")]
    for path in whole:
        for form in forms:
            if isfile(file := path.parent / form.format(path.name)):
                yield file
