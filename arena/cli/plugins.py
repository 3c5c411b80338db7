"""``arena plugins``: the parts that plugins add, those that are not loaded, and a plugin to begin with."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec import Struct

from arena.cli.lines import print_json
from arena.cli.new import check_empty, check_name, print_written
from arena.cli.options import AsJson
from arena.cli.terminal import print_lines
from arena.cli.usage import plain_app
from arena.plugins import consent, manager
from arena.runs import scaffold
from arena.runs.scaffold import File, Written

app = plain_app("Plugins: list the parts that there are, write a plugin.\n\nExample: arena plugins new my-format --kind format")

Kind = Literal["ruleset", "format", "rating", "tiebreak", "report", "executor", "command"]
PART = "my-part"  # what the part is called in the templates


def lines() -> list[str]:
    """Return a line for each distribution whose plugins are not loaded."""
    return [
        f"plugin of {name}: not loaded; {consent.VARIABLE}={name} loads it, if you trust it" for name in consent.refused_plugins()
    ]


class InstalledParts(Struct, frozen=True, kw_only=True):
    """The parts that a spec may name."""

    parts: dict[str, list[str]]  # the names of each kind
    not_loaded: list[str]  # a line for each distribution whose plugins are not loaded


@app.command(name="list")
def show(*, json: AsJson = False) -> None:
    """List the parts that a spec may name, and the plugins that are not loaded.

    Example: arena plugins list
    """
    plugins = manager.load()
    known = manager.kinds(plugins)
    parts = {
        kind: sorted(manager.by_name(getattr(known, kind))) for kind in ("rules", "formats", "sandboxes", "ratings", "reports")
    }
    parts["tie-breaks"] = sorted(one.name for one in known.tie_breaks)
    parts["executors"] = sorted(manager.executors(plugins))
    if json:
        print_json("plugins-list", InstalledParts(parts=parts, not_loaded=lines()))
    else:
        print_lines([*(f"{kind:10}  {', '.join(names)}" for kind, names in parts.items()), *lines()])


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="What the part is to be called, as my-format.", show_default=False)],
    *,
    kind: Annotated[Kind, typer.Option(help="What the plugin adds.", show_default=False)],
    folder: Annotated[Path | None, typer.Option(help="Where to write it; by default a new folder of the part's name.")] = None,
    json: AsJson = False,
) -> None:
    """Write a plugin that works: a distribution with one part and its test. Tell what to do next.

    Example: arena plugins new my-format --kind format
    """
    check_name(name, "part")
    there = folder or Path(name)
    check_empty(there)
    written = scaffold.write(there, _files(name, kind, there))
    steps = [f"pip install -e {there}", "arena plugins list", f"python -m pytest {there}"]
    print_written(Written(wrote=list(map(str, written)), next=steps), json=json)


def _files(name: str, kind: Kind, there: Path) -> list[File]:
    module = scaffold.module_name(name)
    places = {"pyproject.toml": "pyproject.toml", f"{kind}.py": f"{module}.py", f"test_{kind}.py": f"tests/test_{module}.py"}
    found = scaffold.files("plugin", PART, name, there)
    return [File(there / places[file.path.name], file.content) for file in found if file.path.name in places]
