"""Holds what plugins return to the contracts of the hooks.

Each function of a plugin that arena calls is wrapped when the plugin is registered: its hooks and, of each part, the methods and
properties that a part may override. An exception, an exit or a wrong value then becomes a PluginError of one line, with the
plugin, its distribution, the hook, what was found and what was expected.

The expected type is the annotation in the base class, so a new method is checked as soon as it has one; ``MEANINGS`` adds what a
type cannot say.

The class of a part is changed, not replaced by a subclass, because a worker finds a class by its name. Arena's own parts are left
as they are: its tests hold them, and some are called for each card.

Nothing limits how long a plugin may take, which depends on the run; the log names a call that took long or was interrupted.
"""

import inspect
import logging
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from functools import cache, partial, wraps
from itertools import islice
from math import isfinite
from pathlib import Path
from time import monotonic
from types import FunctionType
from typing import Any, Self, get_type_hints

from msgspec import Struct, defstruct
from msgspec.inspect import type_info

from arena.confinement.profiles import Sandbox
from arena.errors import PluginError
from arena.gin.rules import Rules
from arena.plugins.command import Command
from arena.plugins.options import hidden_option
from arena.plugins.pool import HeldPool
from arena.plugins.source import Source, UnexpectedError
from arena.plugins.typed import data, fit, shown
from arena.records import Fixture, MatchRecord
from arena.reports.base import Renderer
from arena.roster.distributions import parse_target
from arena.roster.entrant import Launch
from arena.stats.estimate import Estimate, Rating
from arena.stats.standings import Details, TieBreak
from arena.store.folder import is_own
from arena.tournament.executors import Executor
from arena.tournament.formats.base import Format

log = logging.getLogger(__name__)

SLOW = 10.0  # seconds of a call that is logged
NAME = re.compile(r"\w[\w.-]{0,99}")  # of a part, a command, a file
HELD = "_arena_held"  # marks a function that is wrapped already: a plugin may be registered by several managers
REFUSAL = "_arena_refusal"  # the attribute of a refused part that says why
OVERRIDABLE = ("terms", "score", "ended_by", "totals")  # the functions of ``Rules`` that a ruleset may override
FORMER = ("may_knock_with",)  # those that a ruleset could override once

Given = dict[str, Any]  # the arguments of a call, by the names in the base class
Meaning = Callable[[Any, Given], Any]  # checks a value further, and returns it


def hold_hook(name: str, hook: Callable[..., Any], source: Source) -> Callable[..., Any]:
    """Return the function of a hook, wrapped; one that ``HOOKS`` lacks is returned as it is, and refused by pluggy."""
    here = source.at(f"hook {name}")
    check = HOOKS.get(name)
    return _wrap(hook, here, lambda value, _: check(value, here)) if check else hook


def _wrap(function: Callable[..., Any], source: Source, check: Callable[[Any, Given], Any], base: Any = None) -> Callable[..., Any]:  # noqa: ANN401 - a function or None
    """Return a function whose values are those that ``check`` returns.

    ``base``: the function whose names of arguments ``check`` knows; None: it needs none.
    """
    signature = inspect.signature(base) if base else None

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - any function
        began = monotonic()
        with source.naming():
            given: Given = {}
            if signature:
                bound = signature.bind(*args, **kwargs)
                given = bound.arguments
                if "records" in given:
                    given["records"] = _Records(given["records"])
                args, kwargs = bound.args, bound.kwargs
            value = check(function(*args, **kwargs), given)
        if (taken := monotonic() - began) > SLOW:
            log.warning("%s: %s: took %.1f s", source.plugin, source.where, taken)
        return _named(value, source) if isinstance(value, Iterator) else value

    setattr(call, HELD, True)
    return call


def _named(values: Iterator[Any], source: Source) -> Iterator[Any]:
    """Yield the values of an iterator, whose errors are named."""
    end = object()
    while True:
        with source.naming():
            value = next(values, end)
        if value is end:
            return
        yield value


# What hooks return.


def _parts(base: type[Struct], value: Any, source: Source) -> list[type[Struct]]:  # noqa: ANN401 - of a plugin
    """Return the parts that a hook adds, each wrapped."""
    expected = f"a list of subclasses of {base.__module__}.{base.__qualname__}"
    parts = _listed(value, expected)
    for part in parts:
        if not (isinstance(part, type) and issubclass(part, base)):
            raise UnexpectedError(shown(part), expected)
        _check_name(part.__struct_config__.tag, "a part")
    return [_held_or_refused(part, base, source.at(f"part {part.__struct_config__.tag!r}")) for part in parts]


def _tie_breaks(value: Any, source: Source) -> list[TieBreak]:  # noqa: ANN401 - of a plugin
    """Return the tie-breaks that a hook adds, each with its function wrapped."""
    expected = "a list of TieBreak of arena.stats.standings"
    return [_tie_break(one, expected, source) for one in _listed(value, expected)]


def _tie_break(one: Any, expected: str, source: Source) -> TieBreak:  # noqa: ANN401 - of a plugin
    if not isinstance(one, TieBreak):
        raise UnexpectedError(shown(one), expected)
    _check_name(one.name, "a tie-break")
    for text in (one.note, one.heading):
        data(text, str)
    here = source.at(f"tie-break {one.name!r}")
    return one.by(_wrap(one.value, here, lambda value, _: data(value, int | None)))


def _commands(value: Any, _: Source) -> dict[str, Command | Callable[..., None]]:  # noqa: ANN401 - of a plugin
    """Return the commands that a hook adds."""
    if not isinstance(value, Mapping):
        raise UnexpectedError(shown(value), "a dict of functions by name")
    for name, command in value.items():
        _check_name(name, "a command")
        if isinstance(command, Command):
            _check_described(name, data(command, Command))
        elif not callable(command):
            raise UnexpectedError(f"{shown(command)} as the command {name!r}", "a function")
    return dict(value)


def _check_described(name: str, command: Command) -> None:
    """Raise UnexpectedError for a command that cannot be found, or shown in a line of the help."""
    _check_place(command.where, f"the command {name!r}", "module:function")
    for text in (command.line, command.group):
        if not (text.strip() and text.isprintable()):
            raise UnexpectedError(f"{shown(text)} in the help of the command {name!r}", "a line of text")


def _check_place(where: Any, what: str, expected: str) -> None:  # noqa: ANN401 - of a plugin
    """Raise UnexpectedError for what names no attribute of a module."""
    target = parse_target(where) if isinstance(where, str) else None
    if not (target and target.attribute):
        raise UnexpectedError(f"{shown(where)} as the place of {what}", repr(expected))


def _places(what: str, kind: str, value: Any, _: Source) -> dict[str, str]:  # noqa: ANN401 - of a plugin
    """Return the places of classes that a hook adds by name; ``what`` they are, and a ``kind`` of class."""
    if not isinstance(value, Mapping):
        raise UnexpectedError(shown(value), f"a dict of 'module:{kind}' by name")
    for name, where in value.items():
        _check_name(name, f"a {what}")
        _check_place(where, f"the {what} {name!r}", f"module:{kind}")
    return dict(value)


def _pages(value: Any, _: Source) -> dict[str, Path]:  # noqa: ANN401 - of a plugin
    """Return the pages that a hook adds."""
    if not isinstance(value, Mapping):
        raise UnexpectedError(shown(value), "a dict of paths by name")
    for name, path in value.items():
        _check_name(name, "a page")
        if not (isinstance(path, Path) and path.is_absolute()):
            raise UnexpectedError(f"{shown(path)} as the page {name!r}", "a Path that begins with /")
    return dict(value)


def _nothing(value: Any, _: Source) -> None:  # noqa: ANN401 - of a plugin
    """Return None, the only value of a reaction: a coroutine, say, would never be awaited."""
    if value is not None:
        raise UnexpectedError(shown(value), "None")


PARTS: Mapping[str, type[Struct]] = {
    "arena_rulesets": Rules,
    "arena_formats": Format,
    "arena_sandboxes": Sandbox,
    "arena_executors": Executor,
    "arena_ratings": Rating,
    "arena_reports": Renderer,
}
HOOKS: Mapping[str, Callable[[Any, Source], Any]] = {
    **{hook: partial(_parts, base) for hook, base in PARTS.items()},
    "arena_tie_breaks": _tie_breaks,
    "arena_commands": _commands,
    "arena_documents": partial(_places, "document", "Struct"),
    "arena_stored_kinds": partial(_places, "kind of runs", "Class"),
    "arena_pages": _pages,
    **dict.fromkeys(("arena_recorded", "arena_event", "arena_round"), _nothing),
}


def _listed(value: Any, expected: str) -> list[Any]:  # noqa: ANN401 - of a plugin
    if not isinstance(value, list | tuple):
        raise UnexpectedError(shown(value), expected)
    return list(value)


def _check_name(name: Any, what: str) -> None:  # noqa: ANN401 - of a plugin
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        raise UnexpectedError(f"{shown(name)} as the name of {what}", "letters, digits and _.-")


# Parts: what is known when they are registered, and the methods that are wrapped then.

REQUIRED: Mapping[type[Struct], Sequence[str]] = {
    Format: ("fixtures",),
    Sandbox: ("wrap", "assurance"),
    Executor: ("open",),
    Rating: ("rate",),
    Renderer: ("render",),
}


def _held_or_refused(part: type[Struct], base: type[Struct], source: Source) -> type[Struct]:
    """Return a part with the methods that its plugin defines wrapped, or in place of a wrong one a part that nobody can use."""
    try:
        with source.naming():
            _check_class(part, base, source)
    except PluginError as error:
        return _refused(part, base, str(error))
    for name in declared(base):
        owner = next(vars(one) for one in part.__mro__ if name in vars(one))
        if owner["__module__"].partition(".")[0] != "arena":
            _hold(part, base, name, owner[name], source.at(name))
    return part


def _refused(part: type[Struct], base: type[Struct], problem: str) -> type[Struct]:
    """Return a part of the same name that raises PluginError where it is chosen, so that other parts can be used."""

    def refuse(_: Struct) -> None:
        raise PluginError(problem)

    return defstruct(
        part.__name__,
        (),
        bases=(base,),
        module=part.__module__,
        namespace={"__post_init__": refuse, REFUSAL: problem},
        frozen=True,
        kw_only=True,
        tag=part.__struct_config__.tag,
        forbid_unknown_fields=False,
    )


def refusal(part: type[Struct]) -> str:
    """Return why a part was refused; empty: it was not."""
    return str(getattr(part, REFUSAL, ""))


def _check_class(part: type[Struct], base: type[Struct], source: Source) -> None:
    """Check what a class says of itself. Raises: PluginError, UnexpectedError; what msgspec raises for a type of an option."""
    if problem := hidden_option(part):
        raise source.error(problem)
    type_info(part)
    for name in REQUIRED.get(base, ()):
        if getattr(part, name) is getattr(base, name):
            raise UnexpectedError(f"no {name}", f"a method {name}")
    if issubclass(part, Rules):
        _check_functions(part)
    if issubclass(part, Format) and not isinstance(part.grows, bool):
        raise UnexpectedError(f"grows = {shown(part.grows)}", "True or False")
    if issubclass(part, Renderer) and part.file is not None:
        file = part.file
        if not (isinstance(file, str) and NAME.fullmatch(file)) or is_own(file):
            raise UnexpectedError(f"file = {shown(file)}", "None, or the plain name of a file that a run does not write itself")


def _check_functions(ruleset: type[Rules]) -> None:
    """Check that a ruleset overrides no other function of ``Rules`` than it may. Raises: UnexpectedError."""
    own = {name for name in vars(Rules) if not name.startswith("__")} - {*OVERRIDABLE, *ruleset.__struct_fields__}
    expected = f"an override of {', '.join(OVERRIDABLE[:-1])} or {OVERRIDABLE[-1]}"
    for name in sorted(own):
        if getattr(ruleset, name) is not getattr(Rules, name):
            raise UnexpectedError(f"{name}, which is arena's own", expected)
    for name in FORMER:
        if hasattr(ruleset, name):
            raise UnexpectedError(f"{name}, which arena does not ask", expected)


@cache
def declared(base: type[Struct]) -> tuple[str, ...]:
    """Return the names of the methods and properties of a base class that a part may override."""
    if base is Rules:
        return OVERRIDABLE
    found = ((name, value) for name, value in vars(base).items() if not name.startswith("_"))
    return tuple(name for name, value in found if isinstance(value, FunctionType | property))


def _hold(part: type[Struct], base: type[Struct], name: str, found: Any, source: Source) -> None:  # noqa: ANN401 - an attribute
    """Wrap a method or property of a part in place."""
    function = found.fget if isinstance(found, property) else found
    if isinstance(function, FunctionType) and not getattr(function, HELD, False):
        meaning = MEANINGS.get((base, name))
        own = vars(base)[name]
        held = _wrap(function, source, partial(_checked, returned(base, name), meaning, source), own if meaning else None)
        setattr(part, name, property(held) if isinstance(found, property) else held)


def _checked(hint: Any, meaning: Meaning | None, source: Source, value: Any, given: Given) -> Any:  # noqa: ANN401 - of any type
    """Return a value as its type and its meaning demand."""
    fitted = fit(value, hint)
    if isinstance(fitted, futures.Executor):
        return HeldPool(fitted, source)
    return meaning(fitted, given) if meaning else fitted


@cache
def returned(base: type[Struct], name: str) -> Any:  # noqa: ANN401 - a type hint is anything
    """Return the annotated type of the values of a method or property of a base class."""
    own = vars(base)[name]
    hint = get_type_hints(own.fget if isinstance(own, property) else own)["return"]
    return base if hint is Self else hint


# What types cannot say, by the method.


class _Records:
    """The records that a rating reads, and the names in them."""

    def __init__(self, records: Iterable[MatchRecord]) -> None:
        self._records = iter(records)
        self.names: set[str] = set()

    def __iter__(self) -> Iterator[MatchRecord]:
        return self

    def __next__(self) -> MatchRecord:
        record = next(self._records)
        self.names.update(record.fixture.seats)
        return record


def _new_fixtures(fixtures: Iterator[Fixture], given: Given) -> Iterator[Fixture]:
    """Yield fixtures of the field, each with an id of its own."""
    field, known = set(given["field"]), {one.fixture.id for one in given["played"]}
    for fixture in fixtures:
        if fixture.id in known:
            raise UnexpectedError(f"fixture {fixture.id!r} again", "an id that is not repeated and was not played")
        if strangers := set(fixture.seats) - field:
            raise UnexpectedError(f"{min(strangers)!r} in fixture {fixture.id!r}", f"one of {_names(given['field'])}")
        if not (fixture.id and fixture.deals):
            raise UnexpectedError(shown(fixture), "an id and a key of the deals")
        _check_hands(fixture)
        known.add(fixture.id)
        yield fixture


def _check_hands(fixture: Fixture) -> None:
    if fixture.hands is not None and fixture.hands < 1:
        raise UnexpectedError(f"{fixture.hands} hands in fixture {fixture.id!r}", "None or at least 1")


def _whole_ranking(places: Sequence[Sequence[str]] | None, given: Given) -> Sequence[Sequence[str]] | None:
    """Return a ranking with each entrant once."""
    if places is not None and sorted(name for place in places for name in place) != sorted(given["field"]):
        found = " > ".join(" = ".join(place) for place in places)
        raise UnexpectedError(f"the ranking {found or 'of nobody'}", f"each of {_names(given['field'])} once")
    return places


def _known_details(found: Details | None, given: Given) -> Details | None:
    """Return details about entrants of the field; each column of a table has a cell for each of its entrants."""
    field = set(given["field"])
    for table in found.tables if found else ():
        if strangers := set(table.order) - field:
            raise UnexpectedError(f"{min(strangers)!r} in table {table.title!r}", f"one of {_names(given['field'])}")
        for column in table.columns:
            if missing := [name for name in table.order if name not in column.cells]:
                raise UnexpectedError(f"no cell for {missing[0]!r} in column {column.name!r}", "one for each entrant of the table")
    for bracket in found.brackets if found else ():
        if not (bracket.rounds and all(one.ties for one in bracket.rounds)):
            raise UnexpectedError(f"bracket {bracket.title!r} without a tie", "at least one in each round")
    return found


def _sound_ratings(ratings: dict[str, Estimate], given: Given) -> dict[str, Estimate]:
    """Return estimates of entrants that played, with finite numbers; an interval may be open on a side."""
    records = given["records"]
    deque(records, maxlen=0)  # those that the rating did not read
    for name, one in ratings.items():
        if name not in records.names:
            raise UnexpectedError(f"an estimate of {name!r}", f"one of the players: {_names(sorted(records.names))}")
        numbers = (one.value, *one.ranks, *(one.first or ()), one.out_after or 0.0)
        if not all(map(isfinite, numbers)):
            raise UnexpectedError(f"{one.value} [{one.low}, {one.high}] for {name!r}", "finite numbers")
        if not one.low <= one.value <= one.high:
            raise UnexpectedError(f"{one.value} [{one.low}, {one.high}] for {name!r}", "a value between its ends")
    return ratings


def _with_command(launch: Launch, given: Given) -> Launch:
    """Return a launch that starts a process."""
    del given
    if not launch.command:
        raise UnexpectedError("a launch without a command", "a launch that starts the same bot")
    return launch


def _at_least(least: int, number: int, given: Given) -> int:
    del given
    if number < least:
        raise UnexpectedError(str(number), f"{least} or more")
    return number


MEANINGS: Mapping[tuple[type[Struct], str], Meaning] = {
    (Format, "fixtures"): _new_fixtures,
    (Format, "ranking"): _whole_ranking,
    (Format, "details"): _known_details,
    (Format, "least"): partial(_at_least, 0),
    (Rating, "rate"): _sound_ratings,
    (Sandbox, "wrap"): _with_command,
    (Executor, "workers"): partial(_at_least, 1),
}


def _names(names: Sequence[str]) -> str:
    return ", ".join((*islice(names, 10), *(["…"] if len(names) > 10 else [])))
