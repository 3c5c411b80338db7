"""Parts of plugins: what is known when they are registered, and the methods that are wrapped then."""

from collections.abc import Mapping, Sequence
from concurrent import futures
from functools import cache, partial
from types import FunctionType
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

from msgspec import Struct, defstruct
from msgspec.inspect import type_info

from arena.confinement.profiles import Sandbox
from arena.errors import PluginError
from arena.gin.rules import Rules
from arena.plugins.checked_calls import HELD, Given, Meaning, wrap
from arena.plugins.names import NAME
from arena.plugins.options import hidden_option
from arena.plugins.part_meanings import MEANINGS
from arena.plugins.pool import HeldPool
from arena.plugins.source import Source, UnexpectedError
from arena.plugins.typed import data, fit, shown, type_name
from arena.reports.base import Renderer
from arena.stats.estimate import Rating
from arena.store.folder import is_own
from arena.tournament.executors import Executor
from arena.tournament.formats.base import Format

REFUSAL = "_arena_refusal"  # the attribute of a refused part that says why
OVERRIDABLE = ("terms", "score", "ended_by", "totals")  # the functions of ``Rules`` that a ruleset may override
FORMER = ("may_knock_with",)  # those that a ruleset could override once


REQUIRED: Mapping[type[Struct], Sequence[str]] = {
    Format: ("fixtures",),
    Sandbox: ("wrap", "assurance"),
    Executor: ("open",),
    Rating: ("rate",),
    Renderer: ("render",),
}


def held_or_refused(part: type[Struct], base: type[Struct], source: Source) -> type[Struct]:
    """Return a part with the methods that its plugin defines wrapped, or in place of a wrong one a part that nobody can use."""
    try:
        hold(part, base, source, MEANINGS.get(base, {}))
    except PluginError as error:
        return _refused(part, base, str(error))
    return part


def hold(part: type[Struct], base: type[Struct], source: Source, meanings: Mapping[str, Meaning]) -> None:
    """Wrap the methods that a plugin defines in a class; ``meanings``: what the types of their values cannot say, by the method.

    Raises: PluginError, for a class that breaks the contract of its base.
    """
    with source.naming():
        _check_class(part, base, source)
    for name in declared(base):
        owner = next(vars(one) for one in part.__mro__ if name in vars(one))
        if owner["__module__"].partition(".")[0] != "arena":
            _hold(part, base, name, owner[name], source.at(name), meanings.get(name))


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
    if issubclass(part, Renderer) and part.file is not None:
        file = part.file
        if not (isinstance(file, str) and NAME.fullmatch(file)) or is_own(file):
            raise UnexpectedError(f"file = {shown(file)}", "None, or the plain name of a file that a run does not write itself")
    _check_attributes(part, base)


def _check_attributes(part: type[Struct], base: type[Struct]) -> None:
    """Check the attributes of a class by their types in its base class. Raises: UnexpectedError."""
    for name, hint in get_type_hints(base).items():
        if get_origin(hint) is ClassVar and not name.startswith("_"):
            (kind,) = get_args(hint)
            found = getattr(part, name)
            try:
                data(found, kind)
            except UnexpectedError:
                raise UnexpectedError(f"{name} = {shown(found)}", type_name(kind)) from None


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
    return tuple(name for name, value in found if isinstance(value, FunctionType | property | classmethod))


def _hold(
    part: type[Struct],
    base: type[Struct],
    name: str,
    found: Any,  # noqa: ANN401 - an attribute
    source: Source,
    meaning: Meaning | None,
) -> None:
    """Wrap a method or property of a part in place."""
    function = _function(found)
    if isinstance(function, FunctionType) and not getattr(function, HELD, False):
        own = _function(vars(base)[name])
        held = wrap(function, source, partial(_checked, returned(base, name), meaning, source), own if meaning else None)
        setattr(part, name, type(found)(held) if isinstance(found, property | classmethod) else held)


def _function(found: Any) -> Any:  # noqa: ANN401 - an attribute
    """Return the function of a property or of a method of a class; anything else as it is."""
    return found.fget if isinstance(found, property) else found.__func__ if isinstance(found, classmethod) else found


def _checked(hint: Any, meaning: Meaning | None, source: Source, value: Any, given: Given) -> Any:  # noqa: ANN401 - of any type
    """Return a value as its type and its meaning demand."""
    fitted = fit(value, hint)
    if isinstance(fitted, futures.Executor):
        return HeldPool(fitted, source)
    return meaning(fitted, given) if meaning else fitted


@cache
def returned(base: type[Struct], name: str) -> Any:  # noqa: ANN401 - a type hint is anything
    """Return the annotated type of the values of a method or property of a base class."""
    hint = get_type_hints(_function(vars(base)[name]))["return"]
    return base if hint is Self else hint
