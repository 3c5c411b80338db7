"""``arena bots new``: a bot that works, to be changed into a better one.

The files that are written are copies with another name: of the package in arena/runs/templates/python, of the bot to be trained in
arena/runs/templates/numpy, or of a bot that comes with arena.
"""

import importlib.util
import keyword
import re
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec import Struct

from arena.cli.lines import print_json
from arena.cli.options import AsJson
from arena.cli.terminal import print_lines
from arena.errors import InputError
from arena.roster.finder import names
from arena.runs import scaffold
from arena.runs.scaffold import Written

Language = Literal["python", "numpy", "node", "c", "awk"]


class Template(Struct, frozen=True):
    """A bot to be copied."""

    folder: str  # as arena.runs.scaffold looks for it
    name: str  # what it is called in its files
    steps: tuple[str, ...]  # to be told; {name}, {module} and {folder} are filled in


MANIFEST_STEPS = ("arena bots check {folder}/bot.yaml", "arena match {folder}/bot.yaml greedy")
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
    "node": Template("node_counter", "node-counter", MANIFEST_STEPS),
    "c": Template("c_counter", "c-counter", ("make -C {folder}", *MANIFEST_STEPS)),
    "awk": Template("awk_counter", "awk-counter", MANIFEST_STEPS),
}
NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")


def new(
    name: Annotated[str, typer.Argument(help="What the bot is to be called, as my-bot.", show_default=False)],
    *,
    lang: Annotated[Language, typer.Option(help="The language.")] = "python",
    folder: Annotated[Path | None, typer.Option(help="Where to write it; by default a new folder of the bot's name.")] = None,
    json: AsJson = False,
) -> None:
    """Write a bot that works, tests and all, and tell what to do next.

    Example: arena bots new my-bot
    """
    check_name(name, "bot", is_module=lang in ("python", "numpy"))
    if name in names():
        raise InputError(f"{name!r} is the name of an installed bot; expected another name, as my-{name}")
    there = folder or Path(name)
    check_empty(there)
    template = TEMPLATES[lang]
    written = scaffold.write(there, scaffold.files(template.folder, template.name, name, there))
    steps = [step.format(name=name, module=scaffold.module_name(name), folder=there) for step in template.steps]
    print_written(Written(wrote=list(map(str, written)), next=steps), json=json)


def print_written(written: Written, *, json: bool) -> None:
    """Print which files were written, and what to do next."""
    if json:
        print_json("written", written)
    else:
        print_lines([*(f"wrote {path}" for path in written.wrote), "next:", *(f"    {step}" for step in written.next)])


def check_empty(folder: Path) -> None:
    """Raise InputError for a folder that holds something."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: is there already; expected a new or empty folder")


def check_name(name: str, what: str, *, is_module: bool = True) -> None:
    """Raise InputError for what no bot or part may be called; with ``is_module``, also for what no Python module may be."""
    if not NAME.fullmatch(name) or len(name) > 50:
        raise InputError(
            f"{name!r} is not a valid name of a {what}; expected at most 50 small letters and digits, with - or _ between,"
            f" as my-{what}"
        )
    if not is_module:
        return
    module = scaffold.module_name(name)
    if keyword.iskeyword(module):
        raise InputError(f"{name!r} is a word of Python's own; expected another name, as my-{name}")
    found = importlib.util.find_spec(module)
    if module in sys.stdlib_module_names or (found and found.origin):
        raise InputError(f"{name!r} would hide the Python module {module!r}; expected another name, as my-{name}")
