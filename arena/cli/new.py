"""The commands that write files to start from: ``init``, ``bots new`` and ``plugins new``; and ``plugins list``.

The files are renamed copies of the packages in arena/runs/templates, or of a bot that comes with arena, as those in C and awk.
"""

import importlib.util
import keyword
import os
import re
import shlex
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec import Struct

from arena import distribution, publishing
from arena.cli.checked_app import plain_app
from arena.cli.option_groups import AsJson
from arena.cli.terminal import print_result
from arena.disk import real
from arena.errors import InputError
from arena.plugins import consent
from arena.roster.finder import names
from arena.runs.challenge.given import Files
from arena.runs.challenge.players import adopt
from arena.runs.manual import pages

SOURCES = (
    ".py",
    ".toml",
    ".md",
    ".yaml",
    ".js",
    ".c",
    ".awk",
    ".java",
    ".rs",
)  # copied with the new name; compiled programs are not
DATA = (".npz",)  # copied as they are
FOLDER = Path(__file__).parents[1] / "runs" / "templates"


class Written(Struct, frozen=True, kw_only=True):
    """The files that were written, and the commands that come next."""

    did: list[str]  # what else was done, and seen, of files that were given
    wrote: list[str]
    next: list[str]


def files(folder: str, old: str, new: str) -> dict[str, str | bytes]:
    """Return a template's files, with the bot ``old`` called ``new`` in names and texts. Raises: InputError."""
    source, found = _source(folder), dict[str, str | bytes]()
    for path in sorted(source.rglob("*")):
        name = rename(path.relative_to(source).as_posix(), old, new)
        if name in found:
            raise InputError(f"{new!r}: {name} is a file of the template; expected another name, as my-{new}")
        if path.is_file() and path.suffix in DATA:
            found[name] = path.read_bytes()
        elif path.is_file() and (path.suffix in SOURCES or path.name == "Makefile"):
            found[name] = rename(path.read_text(encoding="utf-8"), old, new)
    return found


def rename(text: str, old: str, new: str) -> str:
    """Return a text in which a bot, its module and its class have another name."""
    forms = {form(old): form(new) for form in (class_name, module_name, str)}
    whole = rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, forms))})"  # not within pyspiel's make_simple_gin_rummy_bot
    return re.sub(whole, lambda found: forms[found[0]], text)  # in one pass: a new name may contain an old one


def module_name(bot: str) -> str:
    """Return the module name of a bot: ``my_bot`` for ``my-bot``."""
    return bot.replace("-", "_")


def class_name(bot: str) -> str:
    """Return the class name of a bot: ``MyBot`` for ``my-bot``."""
    return "".join(part.capitalize() for part in re.split("[-_]", bot))


def _source(folder: str) -> Path:
    if (FOLDER / folder).is_dir():
        return FOLDER / folder
    return distribution.folders("arena_bots")[0] / folder


def check_writable(path: Path) -> None:
    """Make sure that a file can be written there, before hours are played for it. Raises: InputError."""
    try:
        is_new = not path.exists()
        if not is_new and not path.is_file():
            raise InputError(f"{path}: cannot be written: not a regular file; expected a file in a folder that exists")
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o666))
        if is_new:
            real(path).unlink()  # ``path`` may be a link to a file that does not exist yet
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}; expected a file in a folder that exists") from None


BOT = "my-bot"


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write it; created if it does not exist.")] = Path(),
    *,
    json: AsJson = False,
) -> None:
    """Write a first league, league.yaml, and a first bot, my_bot.py, and show what to run. Existing files are not overwritten.

    Example: arena init my-league
    """
    bot = files("python", BOT, BOT)["my_bot.py"]
    enter = [] if real(folder) == Path.cwd() else [f"cd {shlex.quote(str(folder))}"]
    steps = [*enter, "arena run league.yaml", "arena bots check my_bot.py:MyBot", "arena debug my_bot.py:MyBot"]
    write_and_print(folder, {**files("league", BOT, BOT), "my_bot.py": bot}, steps, json=json)


Language = Literal["python", "numpy", "pettingzoo", "rlcard", "openspiel", "llm", "java", "rust", "node", "c", "awk"]


class Template(Struct, frozen=True):
    """A bot to be copied."""

    folder: str  # below runs/templates, or of a bot that comes with arena
    name: str  # the bot's name in its files
    steps: tuple[str, ...]  # the next commands; {name}, {module} and {folder} are filled in
    programs: Mapping[str, str] = {}  # it needs them on the PATH, and they come with that
    modules: Mapping[str, str] = {}  # it needs them in Python, and they come with that extra
    adapters: tuple[str, ...] = ()  # files of bots/guests that are a part of it


MANIFEST_STEPS = ("arena bots check {folder}/bot.yaml", "arena match {folder}/bot.yaml greedy")
FILE_STEPS = ("arena bots check {folder}/{module}.py", "arena match {folder}/{module}.py greedy")
BUILD_STEPS = ("make -C {folder}", *MANIFEST_STEPS)
MAKE = {"make": "make"}
TEMPLATES: dict[Language, Template] = {
    "python": Template(
        "python",
        "my-bot",
        ("pip install -e {folder}", "arena bots check {name}", "arena match {name} greedy", "arena debug {name}"),
    ),
    "numpy": Template(
        "numpy",
        "my-bot",
        ("python {folder}/train.py", "arena bots check {folder}/{module}.py", "arena duel {folder}/{module}.py greedy"),
    ),
    "pettingzoo": Template("pettingzoo", "my-bot", FILE_STEPS),
    "rlcard": Template(
        "rlcard",
        "my-bot",
        ("python -c 'import rlcard.models'", *FILE_STEPS),
        modules={"rlcard": "rlcard"},
        adapters=("rlcard_agents.py",),
    ),
    "openspiel": Template(
        "openspiel", "my-bot", FILE_STEPS, modules={"pyspiel": "openspiel"}, adapters=("openspiel.py", "events.py")
    ),
    "llm": Template(
        "llm",
        "my-bot",
        (
            "export ARENA_BOT_URL=http://127.0.0.1:11434/v1 ARENA_BOT_MODEL=llama3.2",
            "cd {folder}",
            "arena run models.yaml --results played",
            "arena models played",
        ),
    ),
    "java": Template("guests/java", "guest-java", BUILD_STEPS, {**MAKE, "javac": "a JDK"}),
    "rust": Template("rust_counter", "rust-counter", BUILD_STEPS, {**MAKE, "cargo": "Rust, from https://rustup.rs"}),
    "node": Template("node_counter", "node-counter", MANIFEST_STEPS, {"node": "Node.js, from https://nodejs.org"}),
    "c": Template("c_counter", "c-counter", BUILD_STEPS, {**MAKE, "cc": "a C compiler"}),
    "awk": Template("awk_counter", "awk-counter", MANIFEST_STEPS),
}
NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")


def new(
    name: Annotated[str, typer.Argument(help="What the bot is to be called, as my-bot.")],
    *,
    lang: Annotated[Language, typer.Option(help="The language.")] = "python",
    source: Annotated[
        list[Path],
        typer.Option(
            "--from",
            metavar="PATH",
            help="A jar, a .java file or a folder of a player of the EAAI challenge; may be repeated. Needs --lang java.",
        ),
    ] = [],  # noqa: B006 - never changed
    folder: Annotated[Path | None, typer.Option(help="Where to write it; by default a new folder of the bot's name.")] = None,
    json: AsJson = False,
) -> None:
    """Write a working bot, by default in Python with tests, and show the next commands.

    Example: arena bots new my-bot
    """
    if source and lang != "java":
        raise InputError(f"--from: found --lang {lang}; expected --lang java, for players of the Gin Rummy EAAI challenge")
    check_name(name, "bot", is_module=TEMPLATES[lang].name == BOT)  # a template of a module
    if name in names():
        raise InputError(f"{name!r} is the name of an installed bot; expected another name, as my-{name}")
    target = folder or Path(name)
    check_empty(target)
    template = TEMPLATES[lang]
    steps = [step.format(name=name, module=module_name(name), folder=shlex.quote(str(target))) for step in template.steps]
    if f"{module_name(name)}.py" in template.adapters:
        raise InputError(f"{name!r} is the name of a file of its adapter; expected another name, as my-{name}")
    guests = distribution.folders("arena_bots")[0] / "guests"
    written = files(template.folder, template.name, name)
    written |= {adapter: (guests / adapter).read_text(encoding="utf-8") for adapter in template.adapters}
    missing = list(missing_lines(template))
    if not source:
        write_and_print(target, written, steps, did=missing, json=json)
        return
    adopted = adopt(written, source)
    write_and_print(target, adopted.files, steps, did=[*adopted.notes, *missing], json=json)


def missing_lines(template: Template) -> Iterator[str]:
    """Yield a line for each thing to be installed before a template's next commands run."""
    for program, comes_with in template.programs.items():
        if shutil.which(program) is None:
            yield f"{program!r} not found on PATH; install {comes_with}"
    for module, extra in template.modules.items():
        if importlib.util.find_spec(module) is None:
            yield f"{module!r} is not installed: {distribution.install(extra)}"


def write_and_print(folder: Path, wanted: Files, steps: list[str], *, did: Sequence[str] = (), json: bool) -> None:
    """Write files into a folder, all or none, and print them and the next commands.

    Raises: InputError, if one of them exists; StoreError.
    """
    paths = [folder / name for name in wanted]
    publishing.complete(folder)  # what a killed process was about to write there
    for path in paths:
        if os.path.lexists(path):
            raise InputError(f"{path}: exists already and is not overwritten; expected a folder without it")
    publishing.write_together(folder, wanted)
    written = Written(did=list(did), wrote=list(map(str, paths)), next=steps)
    lines = [*did, *(f"wrote {path}" for path in written.wrote), "next:", *(f"    {step}" for step in written.next)]
    print_result("written", written, lines, json=json)


def check_empty(folder: Path) -> None:
    """Raise InputError for a folder that holds something."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: exists already; expected a new or empty folder")


def check_name(name: str, what: str, *, is_module: bool = True) -> None:
    """Raise InputError for an invalid name of a bot or part; with ``is_module``, also for a name that no module may have."""
    if not NAME.fullmatch(name) or len(name) > 50:
        raise InputError(
            f"{name!r} is not a valid name of a {what}; expected at most 50 small letters and digits, with - or _ between,"
            f" as my-{what}"
        )
    if not is_module:
        return
    module = module_name(name)
    if keyword.iskeyword(module):
        raise InputError(f"{name!r} is a Python keyword; expected another name, as my-{name}")
    found = importlib.util.find_spec(module)
    if module in sys.stdlib_module_names or (found and found.origin):
        raise InputError(f"{name!r} would hide the Python module {module!r}; expected another name, as my-{name}")


plugins = plain_app("Plugins: list the available parts, write a plugin.\n\nExample: arena plugins new my-format --kind format")

Kind = Literal["ruleset", "format", "rating", "tiebreak", "report", "sandbox", "executor", "command", "hooks", "extra"]
PART = "my-part"  # the part's name in the templates


class InstalledParts(Struct, frozen=True, kw_only=True):
    """The parts that a spec or an option may name, and what else plugins add."""

    parts: dict[str, list[str]]  # the names of each kind
    plugins: list[str]  # each with its distribution and version
    refused: list[str]  # a line for each of the parts that break their contract
    not_loaded: list[str]  # a line for each distribution whose plugins are not loaded


@plugins.command(name="list")
def list_parts(*, json: AsJson = False) -> None:
    """List what plugins add, with arena's own: parts of specs, commands, pages, kinds of runs; and the plugins that are not loaded.

    Example: arena plugins list
    """
    from arena.plugins import door, manager, strangers  # noqa: PLC0415 - loads plugins, which the other commands do not need

    loaded = manager.load()
    known = manager.kinds(loaded)
    parts = {
        kind: sorted(manager.by_name(getattr(known, kind))) for kind in ("rules", "formats", "sandboxes", "ratings", "reports")
    }
    parts["tie-breaks"] = sorted(one.name for one in known.tie_breaks)
    parts["executors"] = sorted(manager.executors(loaded))
    parts |= {
        "commands": sorted(door.commands(loaded)),
        "pages": sorted(door.pages(loaded)),
        "runs": sorted(door.stored_kinds(loaded)),
    }
    names = [strangers.label(point) for point in loaded.installed]
    found = InstalledParts(parts=parts, plugins=names, refused=manager.refused(loaded), not_loaded=consent.refused_lines())
    listed = {**parts, "plugins": names} if names else parts
    lines = [f"{kind:10}  {', '.join(names)}" for kind, names in listed.items()]
    print_result("plugins-list", found, [*lines, *(f"refused: {line}" for line in found.refused), *found.not_loaded], json=json)


@plugins.command(name="new")
def new_plugin(
    name: Annotated[str, typer.Argument(help="What the part is to be called, as my-format.")],
    *,
    kind: Annotated[
        Kind, typer.Option(help="What the plugin adds; an extra: a command, its page of the manual and a kind of stored runs.")
    ],
    folder: Annotated[Path | None, typer.Option(help="Where to write it; by default a new folder of the part's name.")] = None,
    json: AsJson = False,
) -> None:
    """Write a working plugin, a distribution with its tests, and show the next commands.

    Example: arena plugins new my-format --kind format
    """
    check_name(name, "part")
    if name in _names_of_arena(kind):
        what = "command, page or kind of runs" if kind == "extra" else kind
        raise InputError(f"arena has its own {what} {name!r}; expected another name, as my-{name}")
    target = folder or Path(name)
    check_empty(target)
    quoted = shlex.quote(str(target))
    steps = [f"pip install -e {quoted} pytest", "arena plugins list", f"python -m pytest {quoted}"]
    write_and_print(target, _plugin_files(name, kind), steps, json=json)


def _names_of_arena(kind: Kind) -> Collection[str]:
    """Return the names of a kind that a plugin cannot have: with two parts of one name no spec is read."""
    if kind == "command":
        from arena.cli.app import own_commands  # noqa: PLC0415 - which imports this module for its commands

        return own_commands()
    if kind == "hooks":
        return ()
    from arena.plugins import manager  # noqa: PLC0415 - loads all parts, which the other commands do not need

    own = manager.load(entry_points=False)  # a plugin that cannot be loaded is no reason not to write another
    if kind == "executor":
        return manager.executors(own)
    known = manager.kinds(own)
    if kind == "extra":
        return {*_names_of_arena("command"), *pages(), *known.stored}
    if kind == "tiebreak":
        return {one.name for one in known.tie_breaks}
    parts: dict[str, tuple[type[Struct], ...]] = {
        "ruleset": known.rules,
        "format": known.formats,
        "rating": known.ratings,
        "report": known.reports,
        "sandbox": known.sandboxes,
    }
    return manager.by_name(parts[kind])


def _plugin_files(name: str, kind: Kind) -> Files:
    if kind == "extra":
        return files("extra", PART, name)
    module = module_name(name)
    places = {"pyproject.toml": "pyproject.toml", f"{kind}.py": f"{module}.py", f"test_{kind}.py": f"tests/test_{module}.py"}
    return {places[file]: content for file, content in files("plugin", PART, name).items() if file in places}
