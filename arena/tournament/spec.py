"""The YAML file of a tournament, typed and checked: every slip is one line with its place and the nearest valid name."""

import sys
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, ValidationError

from arena.errors import SpecError
from arena.gin.rules import Rules
from arena.players.remote import LineLimits, TimeLimits
from arena.players.sandboxes.base import Sandbox
from arena.referee.faults import FaultCosts
from arena.reports.base import Renderer
from arena.roster.entrant import Name
from arena.stats.ratings.base import Rating
from arena.tournament import document, slips
from arena.tournament.formats.base import Format


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot as a spec enters it."""

    bot: str  # a name of the roster, path/to/bot.py:Class, or path/to/bot.yaml
    name: Name | None = None  # what it is called in this tournament; None: as it calls itself


class Kinds(Struct, frozen=True, kw_only=True):
    """The parts that a spec may name, of each kind."""

    rules: tuple[type[Rules], ...]
    formats: tuple[type[Format], ...]
    sandboxes: tuple[type[Sandbox], ...]
    ratings: tuple[type[Rating], ...]
    reports: tuple[type[Renderer], ...]


class Spec(Struct, frozen=True, kw_only=True):
    """A tournament as it is to be played; every part is the part itself, not its name."""

    title: str
    bots: tuple[Entry, ...]
    rules: Rules
    time: TimeLimits
    lines: LineLimits
    faults: FaultCosts
    format: Format
    sandbox: Sandbox
    rating: Rating
    reports: tuple[Renderer, ...]
    seed: str | None  # None: drawn when the tournament starts
    text: str  # the file itself
    folder: str  # where it stands: paths of bots are sought from here


DEFAULTS = {  # what a spec need not say
    "rules": "tournament",
    "format": "round-robin",
    "sandbox": "strict" if sys.platform == "linux" else "standard",
    "rating": "bradley-terry",
    "reports": ("console", "markdown", "json", "csv", "html"),
}


def load(path: Path, kinds: Kinds) -> Spec:
    """Return the spec in a file. Raises: SpecError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{path}: cannot be read: {_reason(error)}") from None
    return parse(text, kinds, str(path))


def parse(text: str, kinds: Kinds, name: str) -> Spec:
    """Return the spec in a text; ``name`` is the file's, for messages. Raises: SpecError."""
    try:
        found = document.read(text)
    except document.NotYaml as error:
        raise SpecError(f"{name}:{error.line}: {error}") from None
    outline = _outline(kinds)
    values = {key: _spelled_out(key, value) for key, value in {**DEFAULTS, **found.values}.items()}
    try:
        read = msgspec.convert(values, outline)
    except ValidationError as error:
        raise SpecError(f"{name}:{slips.told(error, found, values, outline)}") from None
    fields = {field: getattr(read, field) for field in outline.__struct_fields__}
    _check_once(fields["reports"], f"{name}:{found.line(('reports',))}")
    fields["seed"] = None if fields["seed"] is None else str(fields["seed"])
    return Spec(**fields, text=text, folder=str(Path(name).parent))


def any_of(parts: tuple[type[Struct], ...]) -> Any:  # noqa: ANN401 - a union made at run time has no type of its own
    """Return the tagged union of the parts of one kind."""
    return reduce(or_, parts)


def _outline(kinds: Kinds) -> type[Struct]:
    """Return the type of a spec's document: the tagged union of each kind of part, and the plain fields."""
    reports: Any = any_of(kinds.reports)
    return msgspec.defstruct(
        "Outline",
        [
            ("bots", Annotated[tuple[Entry, ...], Meta(min_length=2)]),
            ("rules", any_of(kinds.rules)),
            ("format", any_of(kinds.formats)),
            ("sandbox", any_of(kinds.sandboxes)),
            ("rating", any_of(kinds.ratings)),
            ("reports", tuple[reports, ...]),
            ("title", Annotated[str, Meta(min_length=1, max_length=200)], "Tournament"),
            ("time", TimeLimits, TimeLimits()),
            ("lines", LineLimits, LineLimits()),
            ("faults", FaultCosts, FaultCosts()),
            ("seed", Annotated[str, Meta(min_length=1, max_length=200)] | int | None, None),
        ],
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )


def _spelled_out(key: str, value: Any) -> Any:  # noqa: ANN401 - YAML is anything
    """Return a section in full: the name of a part, or of a bot, may stand for a part without options."""
    if key == "bots" and isinstance(value, list | tuple):
        return [{"bot": entry} if isinstance(entry, str) else entry for entry in value]
    if key == "reports" and isinstance(value, list | tuple):
        return [{"name": entry} if isinstance(entry, str) else entry for entry in value]
    if key in DEFAULTS and key != "reports" and isinstance(value, str):
        return {"name": value}
    if key in DEFAULTS and isinstance(value, dict):
        return {"name": DEFAULTS[key], **value}
    return value


def _check_once(reports: tuple[Renderer, ...], where: str) -> None:
    """Raise SpecError, if a report is asked for twice: the second would take the place of the first."""
    kinds = [str(report.__struct_config__.tag) for report in reports]
    for kind in kinds:
        if kinds.count(kind) > 1:
            raise SpecError(f"{where}: reports: {kind!r} is named {kinds.count(kind)} times; expected once")


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else "it is not UTF-8"
