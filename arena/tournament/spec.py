"""A tournament's spec, typed and checked: every mistake is one line with its place and the nearest valid name.

A spec is read from a YAML file, or made from values by a command that needs no file. Both keep a text that reads as the same spec.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct, ValidationError, defstruct, json, to_builtins

from arena import document
from arena.errors import SpecError
from arena.gin.rules import Rules
from arena.players.remote import LineLimits, TimeLimits
from arena.players.sandboxes.base import Sandbox
from arena.referee.faults import FaultCosts
from arena.reports.base import Renderer
from arena.roster.entrant import Name
from arena.stats.ratings.base import Rating
from arena.tournament import spec_errors, typed
from arena.tournament.formats.base import Format
from arena.tournament.seeds import MAX_LENGTH


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot as a spec enters it."""

    bot: str  # a name of the roster, path/to/bot.py, also with :Class, or path/to/bot.yaml
    name: Name | None = None  # what it is called in this tournament; None: as it calls itself


class Kinds(Struct, frozen=True, kw_only=True):
    """The parts that a spec may name, of each kind."""

    rules: tuple[type[Rules], ...]
    formats: tuple[type[Format], ...]
    sandboxes: tuple[type[Sandbox], ...]
    ratings: tuple[type[Rating], ...]
    reports: tuple[type[Renderer], ...]
    not_loaded: str = ""  # what to say of plugins that may bring a part which is not among these


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
    sandbox_named: bool  # whether the spec names its sandbox; else it is the default
    rating: Rating
    reports: tuple[Renderer, ...]
    seed: str | None  # None: drawn when the tournament starts
    text: str  # YAML: the file itself, or the values as JSON
    folder: str  # where it stands: paths of bots are sought from here


T = TypeVar("T")
Title = Annotated[str, Meta(min_length=1, max_length=200)]
LIMITS = (("time", TimeLimits, TimeLimits()), ("lines", LineLimits, LineLimits()), ("faults", FaultCosts, FaultCosts()))
DEFAULTS = {  # what a spec need not say
    "rules": "tournament",
    "format": "round-robin",
    "sandbox": "strict" if sys.platform == "linux" else "standard",
    "rating": "bradley-terry",
    "reports": ("console", "markdown", "json", "csv", "html"),
}


def load(path: Path, kinds: Kinds) -> Spec:
    """Return the spec in a file. Raises: SpecError."""
    return parse(text_of(path), kinds, str(path))


def text_of(path: Path) -> str:
    """Return the text of a spec's file. Raises: SpecError."""
    try:
        return document.load(path)
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", path=str(path)) from None
    except document.DocumentError as error:
        raise SpecError(str(error), path=str(path)) from None


def parse(text: str, kinds: Kinds, name: str) -> Spec:
    """Return the spec in a text; ``name`` is the file's, for messages. Raises: SpecError."""
    return read(text, name, lambda plain, source: _made(plain, kinds, source, text, str(Path(name).parent)))


def read(text: str, name: str, make: Callable[[dict[str, Any], typed.Source], T]) -> T:
    """Return what ``make`` makes of the values of a text; ``name`` is the file's, for messages. Raises: SpecError."""
    try:
        found = document.read(text)
    except document.DocumentError as error:
        raise SpecError(str(error), path=name, line=error.line) from None
    try:
        return make(found.values, found.source)
    except _MistakeError as error:
        raise SpecError(str(error.problem), path=name, line=found.line(error.problem.path)) from None


def from_values(values: Mapping[str, Any], kinds: Kinds, folder: str = ".") -> Spec:
    """Return the spec that a document of these values would give; a part may be the part itself. Raises: SpecError, without a line.

    Numbers are used as they are: they do not pass through a text. The spec's text is a file that ``arena run`` reads.
    """
    plain = to_builtins(values)
    try:
        text = json.format(json.encode(plain), indent=2).decode() + "\n"  # JSON is YAML
    except UnicodeEncodeError as error:
        raise SpecError(f"{error.object!r}: expected text that UTF-8 can hold") from None
    try:
        return _made(plain, kinds, lambda _: None, text, folder)
    except _MistakeError as error:
        raise SpecError(str(error.problem)) from None


class _MistakeError(Exception):
    """A value that no spec may have."""

    def __init__(self, problem: spec_errors.SpecProblem) -> None:
        super().__init__()
        self.problem = problem


def _made(plain: dict[str, Any], kinds: Kinds, source: typed.Source, text: str, folder: str) -> Spec:
    """Return the spec of a document's values. Raises: _MistakeError."""
    if "learning" in plain:
        why = "bots learn from one round to the next, and only a league plays rounds; expected it in the spec of a league"
        raise _MistakeError(spec_errors.SpecProblem(("learning",), why))
    fields = converted(plain, _outline(kinds), DEFAULTS, source, kinds.not_loaded)
    return Spec(**fields, sandbox_named=_is_named(plain.get("sandbox")), text=text, folder=folder)


def converted(
    plain: dict[str, Any], outline: type[Struct], defaults: Mapping[str, Any], source: typed.Source, not_loaded: str
) -> dict[str, Any]:
    """Return the fields of an outline, each of its type, from a document's values. Raises: an error that ``read`` explains."""
    values = {key: _spelled_out(key, value) for key, value in {**defaults, **plain}.items()}
    try:
        found = typed.convert(values, outline, source)
    except ValidationError as error:
        problem = spec_errors.find_problem(error, values, outline)
        more = not_loaded if str(error).startswith("Invalid value ") else ""  # a name that no part has
        raise _MistakeError(spec_errors.SpecProblem(problem.path, problem.what + more)) from None
    fields = {field: getattr(found, field) for field in outline.__struct_fields__}
    check_once("reports", [str(report.__struct_config__.tag) for report in fields["reports"]])
    return fields


def _is_named(section: Any) -> bool:  # noqa: ANN401 - YAML is anything
    """Return whether a section names its part, rather than only setting options of the default."""
    return isinstance(section, str) or (isinstance(section, dict) and "name" in section)


def any_of(parts: tuple[type[Struct], ...]) -> Any:  # noqa: ANN401 - a union made at run time has no type of its own
    """Return the tagged union of the parts of one kind."""
    return reduce(or_, parts)


def _outline(kinds: Kinds) -> type[Struct]:
    """Return the type of a tournament's document: the tagged union of each kind of part, and the plain fields."""
    reports: Any = any_of(kinds.reports)
    return outline(
        ("bots", Annotated[tuple[Entry, ...], Meta(min_length=2)]),
        ("rules", any_of(kinds.rules)),
        ("format", any_of(kinds.formats)),
        ("sandbox", any_of(kinds.sandboxes)),
        ("rating", any_of(kinds.ratings)),
        ("reports", tuple[reports, ...]),
        ("title", Title, "Tournament"),
        *LIMITS,
        ("seed", Annotated[str, Meta(min_length=1, max_length=MAX_LENGTH)] | None, None),
    )


def outline(*fields: tuple[str, Any] | tuple[str, Any, Any]) -> type[Struct]:
    """Return the type of a document with these keys, each with its type and perhaps a default."""
    return defstruct("Outline", fields, frozen=True, kw_only=True, forbid_unknown_fields=True)


def _spelled_out(key: str, value: Any) -> Any:  # noqa: ANN401 - YAML is anything
    """Return a section in full: the name of a part, or of a bot, may stand for a part without options."""
    if key == "bots" and isinstance(value, list | tuple):
        return [entry if isinstance(entry, dict | list) else {"bot": entry} for entry in value]
    if key == "reports" and isinstance(value, list | tuple):
        return [{"name": entry} if isinstance(entry, str) else entry for entry in value]
    if key in DEFAULTS and key != "reports" and isinstance(value, str):
        return {"name": value}
    if key in DEFAULTS and isinstance(value, dict):
        return {"name": DEFAULTS[key], **{option: _stages(one) if option == "stages" else one for option, one in value.items()}}
    return value


def _stages(value: Any) -> Any:  # noqa: ANN401 - YAML is anything
    """Return the stages of a format with the formats in them in full."""
    if not isinstance(value, list | tuple):
        return value
    return [{**stage, "format": _spelled_out("format", stage["format"])} if _has_format(stage) else stage for stage in value]


def _has_format(stage: Any) -> bool:  # noqa: ANN401 - YAML is anything
    return isinstance(stage, dict) and "format" in stage


def check_once(key: str, names: Sequence[str]) -> None:
    """Raise an error that ``read`` explains, if two entries of a list have one name: one would take the place of the other."""
    for place, name in enumerate(names):
        if name in names[:place]:
            raise _MistakeError(
                spec_errors.SpecProblem((key, place), f"{name!r} is named {names.count(name)} times; expected once")
            )
