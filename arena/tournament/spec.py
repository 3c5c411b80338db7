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

from arena import suggestions, yaml
from arena.confinement.profiles import Sandbox
from arena.errors import SpecError
from arena.gin.rules import Rules
from arena.limits import FaultCosts, LineLimits, TimeLimits
from arena.reports.base import Renderer
from arena.roster.entrant import Name
from arena.stats.estimate import Rating
from arena.stats.score_ranking import TieBreak
from arena.tournament.conversion import FromName, Source, convert
from arena.tournament.formats.base import Format
from arena.tournament.seeds import LONGEST_SEED
from arena.tournament.spec_problems import SpecProblem, find_problem, nearest


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot in a spec."""

    bot: str  # a name of the roster, path/to/bot.py, also with :Class, or path/to/bot.yaml
    name: Name | None = None  # its name in this tournament; None: its own


class Kinds(Struct, frozen=True, kw_only=True):
    """The classes of the parts that a spec may name, by kind; and of stored runs."""

    rules: tuple[type[Rules], ...]
    formats: tuple[type[Format], ...]
    sandboxes: tuple[type[Sandbox], ...]
    ratings: tuple[type[Rating], ...]
    reports: tuple[type[Renderer], ...]
    tie_breaks: tuple[TieBreak, ...] = ()
    stored: Mapping[str, str] = {}  # the class that reads a kind of stored runs, as "module:Class"; that of tournaments is known
    not_loaded: str = ""  # end of the message about an unknown part: the plugins that are not loaded


class Spec(Struct, frozen=True, kw_only=True):
    """A tournament's spec, converted: every part is an object, not its name."""

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
    folder: str  # of the spec's file: paths of bots are relative to it


T = TypeVar("T")
AnyStruct = TypeVar("AnyStruct", bound=Struct)
Title = Annotated[str, Meta(min_length=1, max_length=200)]
LIMITS = (("time", TimeLimits, TimeLimits()), ("lines", LineLimits, LineLimits()), ("faults", FaultCosts, FaultCosts()))
DEFAULTS = {  # what a spec need not say
    "rules": "tournament",
    "format": "round-robin",
    "sandbox": "strict" if sys.platform == "linux" else "standard",
    "rating": "bradley-terry",
    "reports": ("console", "markdown", "json", "csv", "html"),
}


def spec_text(path: Path) -> str:
    """Return the text of a spec's file. Raises: SpecError."""
    try:
        return yaml.read_text(path)
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}{suggestions.suggest(path)}", path=str(path)) from None
    except yaml.DocumentError as error:
        raise SpecError(str(error), path=str(path)) from None


def parse_spec(text: str, kinds: Kinds, name: str) -> Spec:
    """Return the spec in a text; ``name`` is the file's, for messages. Raises: SpecError."""
    return read_document(text, name, lambda plain, source: _make(plain, kinds, source, text, str(Path(name).parent)))


def complete_spec(text: str, kinds: Kinds, name: str, given: Mapping[str, Any], why: str) -> Spec:
    """Return the spec of a text and the values that are ``given``; paths of bots are relative to the folder of the file ``name``.

    A value of None only keeps its key out of the text. Raises: SpecError, also for a key that is both in the text and given, with
    the reason ``why`` it may not be in the text.
    """

    def make(plain: dict[str, Any], source: Source) -> Spec:
        if key := next((key for key in plain if key in given), None):
            raise MistakeError(SpecProblem((key,), why))
        whole = {**plain, **{key: value for key, value in to_builtins(given).items() if value is not None}}
        text = json.format(json.encode(whole), indent=2).decode() + "\n"  # JSON is YAML
        return _make(whole, kinds, source, text, str(Path(name).parent))

    return read_document(text, name, make)


def read_document(text: str, name: str, make: Callable[[dict[str, Any], Source], T]) -> T:
    """Return the result of ``make`` for the values of a text; ``name`` is the file's, for messages. Raises: SpecError."""
    try:
        found = yaml.read(text)
    except yaml.DocumentError as error:
        raise SpecError(str(error), path=name, line=error.line) from None
    try:
        return make(found.values, found.source)
    except MistakeError as error:
        raise SpecError(str(error.problem), path=name, line=found.line(error.problem.path)) from None


def read_struct(path: Path, kind: type[AnyStruct]) -> AnyStruct:
    """Return the document in a YAML file that has no parts by name, as a grading scheme. Raises: SpecError."""

    def make(plain: dict[str, Any], source: Source) -> AnyStruct:
        try:
            found: AnyStruct = convert(plain, kind, source)
        except ValidationError as error:
            raise MistakeError(find_problem(error, plain, kind)) from None
        return found

    return read_document(spec_text(path), str(path), make)


# Keys that only the spec of a league has, except ``pairs`` and ``hands``, which here are options of a format.
LEAGUE_KEYS = (
    *("aim", "anchors", "audition", "challenges", "closes", "learning", "level", "likeness", "limits", "opens", "pairing"),
    *("people", "season", "submissions", "suspension", "templates", "versions"),
)
LEAGUE_HINT = "`arena league new DIR --spec FILE` makes a league"


def spec_from_values(values: Mapping[str, Any], kinds: Kinds, folder: str = ".") -> Spec:
    """Return the spec of a document with these values; a part may be an object. Raises: SpecError, without a line.

    Numbers are used as they are: they do not pass through a text. The spec's text is JSON that ``arena run`` reads as YAML.
    """
    plain = to_builtins(values, enc_hook=name_of)
    try:
        text = json.format(json.encode(plain), indent=2).decode() + "\n"  # JSON is YAML
    except UnicodeEncodeError as error:
        raise SpecError(f"{error.object!r}: expected text that UTF-8 can hold") from None
    try:
        return _make(plain, kinds, lambda _: None, text, folder)
    except MistakeError as error:
        raise SpecError(str(error.problem)) from None


class MistakeError(Exception):
    """A mistake in the values of a spec; ``read`` turns it into a SpecError."""

    def __init__(self, problem: SpecProblem) -> None:
        super().__init__()
        self.problem = problem


def _make(plain: dict[str, Any], kinds: Kinds, source: Source, text: str, folder: str) -> Spec:
    """Return the spec of a document's values. Raises: MistakeError."""
    if key := next((key for key in plain if key in LEAGUE_KEYS), None):
        raise MistakeError(SpecProblem((key,), f"only the spec of a league has it; {LEAGUE_HINT}"))
    outline = _outline(kinds)
    is_misspelt = not plain.keys() <= set(outline.__struct_fields__)  # as ``bot``; the unknown key is then the problem
    if not {"bots", "format"} & plain.keys() and not is_misspelt:
        raise MistakeError(SpecProblem(("bots",), f"missing; only the spec of a league has none; {LEAGUE_HINT}"))
    defaults = DEFAULTS | {"rating": _usual_rating(plain.get("format"), kinds)}
    fields = convert_fields(plain, outline, defaults, source, kinds.not_loaded, _tie_breaks(kinds))
    fields["format"] = fields["format"].under(fields["rules"])
    return Spec(**fields, sandbox_named=_is_named(plain.get("sandbox")), text=text, folder=folder)


def _usual_rating(named: object, kinds: Kinds) -> str:
    """Return the rating of a spec that names none: that of its format."""
    name = named.get("name") if isinstance(named, dict) else named
    return next((one.usual_rating for one in kinds.formats if one.__struct_config__.tag == name), str(DEFAULTS["rating"]))


def convert_fields(
    plain: dict[str, Any],
    outline: type[Struct],
    defaults: Mapping[str, Any],
    source: Source,
    not_loaded: str,
    from_name: FromName | None = None,
) -> dict[str, Any]:
    """Return the fields of an outline, each of its type, from a document's values.

    Raises: MistakeError, also for a report that is named twice.
    """
    values = {key: _in_full(key, value, defaults) for key, value in {**defaults, **plain}.items()}
    try:
        found = convert(values, outline, source, from_name)
    except ValidationError as error:
        problem = find_problem(error, values, outline)
        more = not_loaded if str(error).startswith("Invalid value ") else ""  # a name that no part has
        raise MistakeError(SpecProblem(problem.path, problem.what + more)) from None
    fields = {field: getattr(found, field) for field in outline.__struct_fields__}
    check_once("reports", [str(report.__struct_config__.tag) for report in fields.get("reports", ())])
    _check_files([report.file for report in fields.get("reports", ())])
    return fields


def _check_files(files: Sequence[str | None]) -> None:
    """Raise MistakeError if two reports write one file."""
    for place, file in enumerate(files):
        if file and file in files[:place]:
            raise MistakeError(SpecProblem(("reports", place), f"writes {file}, as another report; expected one of them"))


def convert_section(key: str, value: object, kind: Any, source: Source, not_loaded: str = "") -> Any:  # noqa: ANN401 - the kind of the section
    """Return one section of a spec, as the rules, by its name or its options; ``source`` takes paths within it.

    Raises: MistakeError, with the path from the spec.
    """
    defaults = {key: DEFAULTS[key]} if key in DEFAULTS else {}
    return convert_fields({key: value}, outline((key, kind)), defaults, lambda path: source(path[1:]), not_loaded)[key]


def _is_named(section: Any) -> bool:  # noqa: ANN401 - YAML is anything
    """Tell whether a section names its part, rather than only setting options of the default."""
    return isinstance(section, str) or (isinstance(section, dict) and "name" in section)


def _tie_breaks(kinds: Kinds) -> FromName:
    """Return a function that finds a tie-break by its name, and raises ValueError or TypeError for an invalid one."""
    by_name = {one.name: one for one in kinds.tie_breaks}

    def find(_: type, name: Any) -> TieBreak:  # noqa: ANN401 - YAML is anything
        if not isinstance(name, str):
            raise TypeError(f"Expected `str`, got `{type(name).__name__}`")
        if name not in by_name:
            raise ValueError(f"found {name!r}; {nearest(name, sorted(by_name))}{kinds.not_loaded}")
        return by_name[name]

    return find


def name_of(value: object) -> str:
    """Return the name by which a document gives a value. Raises: NotImplementedError, for one that has none."""
    if isinstance(value, TieBreak):
        return value.name
    raise NotImplementedError(type(value).__name__)


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
        ("seed", Annotated[str, Meta(min_length=1, max_length=LONGEST_SEED)] | None, None),
    )


def outline(*fields: tuple[str, Any] | tuple[str, Any, Any]) -> type[Struct]:
    """Return the type of a document with these keys, each with its type and perhaps a default."""
    return defstruct("Outline", fields, frozen=True, kw_only=True, forbid_unknown_fields=True)


def _in_full(key: str, value: Any, defaults: Mapping[str, Any]) -> Any:  # noqa: ANN401 - YAML is anything
    """Return a section in full: a mapping in place of a bare name, and with the name of the default part if it has none."""
    if key == "bots" and isinstance(value, list | tuple):
        return [entry if isinstance(entry, dict | list) else {"bot": entry} for entry in value]
    if key == "reports" and isinstance(value, list | tuple):
        return [{"name": entry} if isinstance(entry, str) else entry for entry in value]
    if key in defaults and key != "reports" and isinstance(value, str):
        return {"name": value}
    if key in defaults and isinstance(value, dict):
        return {"name": defaults[key], **{option: _stages(one) if option == "stages" else one for option, one in value.items()}}
    return value


def _stages(value: Any) -> Any:  # noqa: ANN401 - YAML is anything
    """Return the stages of a format with the formats in them in full."""
    if not isinstance(value, list | tuple):
        return value
    return [
        {**stage, "format": _in_full("format", stage["format"], DEFAULTS)}
        if isinstance(stage, dict) and "format" in stage
        else stage
        for stage in value
    ]


def check_once(key: str, names: Sequence[str]) -> None:
    """Raise MistakeError if two entries of a list have one name: one would take the place of the other."""
    for place, name in enumerate(names):
        if name in names[:place]:
            raise MistakeError(SpecProblem((key, place), f"{name!r} is named {names.count(name)} times; expected once"))
