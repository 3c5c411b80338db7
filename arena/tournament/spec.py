"""A tournament's spec, typed and checked: every mistake is one line with its place and the nearest valid name.

A spec is read from a YAML file, or made from values by a command that needs no file. Both keep a text that reads as the same spec.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct, ValidationError, defstruct, json, to_builtins
from msgspec.inspect import DictType, IntType, LiteralType, StructType, Type, UnionType, VarTupleType, type_info

from arena import suggestions, yaml
from arena import text as wording
from arena.confinement.profiles import Sandbox
from arena.errors import SpecError
from arena.gin.rules import Rules
from arena.limits import FaultCosts, LineLimits, TimeLimits
from arena.reports.base import Renderer
from arena.roster.entrant import Name
from arena.stats.estimate import Rating
from arena.stats.standings import TieBreak
from arena.tournament.formats.base import Format
from arena.tournament.seeds import LONGEST_SEED
from arena.yaml import KeyPath

# Describes what is wrong with a spec in one line: where, what was found, what was expected, and the nearest valid name.
#
# msgspec reports the path of the value and one of a few messages. Each kind of message is completed from the type at that path:
# with the valid keys, the valid names or the value that was found.

NAMED = frozenset({"bots", "rules", "format", "sandbox", "rating", "reports"})  # keys that accept a name instead of a mapping


class SpecProblem(Struct, frozen=True):
    """A problem of a spec, and the path of its value."""

    path: KeyPath
    what: str

    def __str__(self) -> str:
        """Return ``KEY: what is wrong``."""
        return wording.in_one_line(f"{'.'.join(str(step) for step in self.path) or 'the spec'}: {self.what}")


def find_problem(error: ValidationError, values: dict[str, Any], outline: type[Struct]) -> SpecProblem:
    """Return the problem of values that msgspec could not convert to ``outline``."""
    what, path = message_and_path(error)
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", what, re.DOTALL):
        message = f"unknown key; {_nearest(unknown[1], _keys(_type_at(type_info(outline), path, values)))}"
        path = (*path, unknown[1])
    elif wrong := re.fullmatch(r"Invalid (?:enum )?value '(.*)'", what):
        message = f"found {wording.shorten(repr(wrong[1]), 80)}; {_nearest(wrong[1], _valid(type_info(outline), path, values))}"
    # the ValueError of a part's __post_init__, which names one of its options
    elif impossible := re.fullmatch(r"(\w+): (.*)", what):
        path, message = (*path, impossible[1]), impossible[2]
    elif "missing" in what or what.startswith("found "):
        message = wording.in_plain_words(what)
    else:
        expected, _, got = what.partition(", got ")
        found = _value(values, path) or wording.in_plain_words(got)
        is_word = expected == "Expected `array`" and got == "`str`"
        meant = f"; did you mean [{wording.shorten(_at(values, path), 80)}]?" if is_word else ""
        message = f"{_plain(expected, path)}; found {found}{meant}"
    return SpecProblem(path, message)


def message_and_path(error: ValidationError) -> tuple[str, KeyPath]:
    """Return the message of msgspec, and the path of the value, without keys that msgspec does not name."""
    what, where = wording.message_and_path(error)  # as ``$.reports[0].name`` or ``$.parameters[...].low``
    steps = re.findall(r"\.[^.\[]+|\[\d+\]", where.replace("[...]", ""))
    return what, tuple(int(step[1:-1]) if step.startswith("[") else step[1:] for step in steps)


def _plain(what: str, path: KeyPath) -> str:
    """Return the expected kinds, as "a name or a mapping" where both are accepted."""
    words = {**wording.WORDS, "object": "a name or a mapping"} if _takes_a_name(path) else wording.WORDS
    return wording.in_plain_words(what, words)


def _takes_a_name(path: KeyPath) -> bool:
    """Tell whether a value is a part, one of a list of parts, or the format of a stage."""
    in_list = len(path) == 2 and path[0] in NAMED and isinstance(path[1], int)
    return in_list or bool(path and path[-1] in NAMED)


def _at(values: Any, path: KeyPath) -> Any:  # noqa: ANN401 - YAML is anything
    """Return the value at ``path``. Raises: KeyError, IndexError, TypeError."""
    return reduce(lambda found, step: found[step], path, values)


def _value(values: Any, path: KeyPath) -> str:  # noqa: ANN401 - YAML is anything
    """Return the value at ``path`` as text, a list or mapping as its size; "" if there is no such value."""
    try:
        values = _at(values, path)
    except (KeyError, IndexError, TypeError):
        return ""
    if isinstance(values, dict | list | tuple):
        return f"a {'mapping' if isinstance(values, dict) else 'list'} of {len(values)}"
    return "nothing" if values is None else wording.shorten(repr(values), 80)


def _nearest(found: str, valid: list[str]) -> str:
    meant = "title" if found == "name" and "title" in valid else found
    return f"{suggestions.did_you_mean(meant, valid)}expected one of {', '.join(valid)}"


def _type_at(kind: Type, path: KeyPath, values: Any) -> Type:  # noqa: ANN401 - YAML is anything
    """Return the type of the value at ``path``; in a union, the type with the tag of the value."""
    kind = _tagged_type(kind, values)
    if not path:
        return kind
    step, *rest = path
    if isinstance(kind, VarTupleType):
        return _type_at(kind.item_type, tuple(rest), values[step])
    if isinstance(kind, StructType):
        field = next(field for field in kind.fields if field.encode_name == step)
        return _type_at(field.type, tuple(rest), values.get(step))
    return kind


def _tagged_type(kind: Type, value: Any) -> Type:  # noqa: ANN401 - YAML is anything
    if isinstance(kind, UnionType) and isinstance(value, dict):
        return next((one for one in kind.types if isinstance(one, StructType) and one.tag == value.get(one.tag_field)), kind)
    return kind


def _keys(kind: Type) -> list[str]:
    if isinstance(kind, DictType):  # msgspec does not report which of its values
        return _keys(kind.value_type)
    if isinstance(kind, UnionType):
        return [key for one in kind.types for key in _keys(one)]
    if not isinstance(kind, StructType):
        return []
    return ([kind.tag_field] if kind.tag_field else []) + [field.encode_name for field in kind.fields]


def _valid(kind: Type, path: KeyPath, values: Any) -> list[str]:  # noqa: ANN401 - YAML is anything
    """Return the valid values at ``path``: the names of parts, or the values of an option, a mapping as ``{key: …}``."""
    around = _type_at(kind, path[:-1], values)
    # msgspec reports a union of one type as that type
    parts = around.types if isinstance(around, UnionType) else (around,)
    if tags := sorted(str(one.tag) for one in parts if isinstance(one, StructType) and one.tag_field == path[-1]):
        return tags
    here = _type_at(kind, path, values)
    options = here.types if isinstance(here, UnionType) else (here,)
    words = [str(value) for option in options if isinstance(option, LiteralType) for value in option.values]
    words += ["a whole number"] * any(isinstance(option, IntType) for option in options)
    return words + [f"{{{key}: …}}" for option in options for key in _keys(option)[:1]]


# Converts the values of a YAML document to the types of a spec.
#
# What an unquoted word means depends on the expected type: ``7`` can be a number of pairs or a title. Where YAML gives a value
# another type than the expected one, its source text is read again as that type.

MAX_REREAD = 1000  # values that are read again, which bounds the work on a hostile document
BOOLEANS = {"yes": True, "on": True, "no": False, "off": False}  # words of YAML 1.1, where a boolean is expected

Source = Callable[[KeyPath], str | None]  # returns the source text of a value; None: it is a list or a mapping
FromName = Callable[[type, Any], object]  # returns the object, as a tie-break, for which a spec has only a name


def convert(values: dict[str, Any], outline: type[Struct], source: Source, from_name: FromName | None = None) -> Any:  # noqa: ANN401 - a struct made at run time
    """Return ``values`` as an ``outline``; values that are read again are replaced in place. Raises: ValidationError."""
    for _ in range(MAX_REREAD):
        try:
            return msgspec.convert(values, outline, dec_hook=from_name)
        except ValidationError as error:
            what, path = message_and_path(error)
            wrong = re.fullmatch(r"Expected `([a-z |]+)`.*, got `(int|float|bool|str)`", what)
            if not (wrong and _replace(values, path, source(path), set(wrong[1].split(" | ")))):
                raise
    return msgspec.convert(values, outline, dec_hook=from_name)


def _replace(values: Any, path: KeyPath, text: str | None, wanted: set[str]) -> bool:  # noqa: ANN401 - YAML is anything
    """Replace the value at ``path`` by its text read as one of the wanted types; return whether that is possible."""
    *around, last = path
    try:
        for step in around:
            values = values[step]
        read = _read(text, values[last], wanted)
    except (KeyError, IndexError, TypeError):
        return False
    if read is None:
        return False
    values[last] = read
    return True


def _read(text: str | None, value: object, wanted: set[str]) -> str | int | bool | None:
    """Return a value as one of the wanted types; None if it cannot be read as any of them."""
    if "str" in wanted and not isinstance(value, str):
        return text
    if "int" in wanted and isinstance(value, float) and value.is_integer():
        return int(value)
    if "bool" in wanted and isinstance(value, str):
        return BOOLEANS.get(value.lower())
    return None


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


def load(path: Path, kinds: Kinds) -> Spec:
    """Return the spec in a file. Raises: SpecError."""
    return parse(text_of(path), kinds, str(path))


def text_of(path: Path) -> str:
    """Return the text of a spec's file. Raises: SpecError."""
    try:
        return yaml.read_text(path)
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}{suggestions.suggest(path)}", path=str(path)) from None
    except yaml.DocumentError as error:
        raise SpecError(str(error), path=str(path)) from None


def parse(text: str, kinds: Kinds, name: str) -> Spec:
    """Return the spec in a text; ``name`` is the file's, for messages. Raises: SpecError."""
    return read(text, name, lambda plain, source: _make(plain, kinds, source, text, str(Path(name).parent)))


def complete(text: str, kinds: Kinds, name: str, given: Mapping[str, Any], why: str) -> Spec:
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

    return read(text, name, make)


def read(text: str, name: str, make: Callable[[dict[str, Any], Source], T]) -> T:
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

    return read(text_of(path), str(path), make)


# Keys that only the spec of a league has, except ``pairs`` and ``hands``, which here are options of a format.
LEAGUE_KEYS = (
    *("aim", "anchors", "audition", "challenges", "closes", "learning", "level", "likeness", "limits", "opens", "pairing"),
    *("people", "season", "submissions", "suspension", "templates", "versions"),
)
LEAGUE_HINT = "`arena league new DIR --spec FILE` makes a league"


def from_values(values: Mapping[str, Any], kinds: Kinds, folder: str = ".") -> Spec:
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
            raise ValueError(f"found {name!r}; {_nearest(name, sorted(by_name))}{kinds.not_loaded}")
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
