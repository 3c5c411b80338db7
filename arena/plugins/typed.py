"""Converts values of plugins to the types of annotations.

They become Python's and arena's own types: a number of NumPy a float, a dict with a struct's keys the struct.
"""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import cache
from itertools import count
from reprlib import Repr
from typing import Any, get_args, get_origin

from msgspec import ValidationError, convert, to_builtins
from msgspec.inspect import CustomType, StructType, type_info
from msgspec.json import encode

from arena.confinement.profiles import Sandbox
from arena.plugins.source import UnexpectedError
from arena.roster.entrant import Entrant, Launch
from arena.tournament.formats.base import Format
from arena.type_errors import explain

MOST = 1_000_000  # values of one iterable; a format is asked for more fixtures when these have been played
SHOWN = 120  # characters of a value in a message
WITH_PATHS = (Launch, Entrant)  # whose text need not be UTF-8
BYTES = (bytes, bytearray, memoryview)  # never text, as JSON would have them

_shortened = Repr()
_shortened.maxother = _shortened.maxstring = _shortened.maxlong = SHOWN


def fit(value: Any, hint: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a value as its type; an iterable as an iterator that checks each value when it is taken. Raises: UnexpectedError."""
    if (origin := get_origin(hint)) in (Iterable, Iterator, Generator):
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise UnexpectedError(shown(value), type_name(hint))
        kinds = get_args(hint)  # of a generator those of its values, of what is sent, and of what it returns at its end
        return _each(iter(value), kinds[0], kinds[-1] if origin is Generator else Any)
    if isinstance(hint, type) and not get_args(hint) and _is_object(hint):
        if not isinstance(value, hint):
            raise UnexpectedError(shown(value), type_name(hint))
        return value
    return data(value, hint)


def _each(values: Iterator[Any], hint: Any, last: Any) -> Generator[Any, None, Any]:  # noqa: ANN401 - of any type
    """Yield values of a type; return what they return at their end, of the type ``last``."""
    for number in count():
        try:
            value = next(values)
        except StopIteration as end:
            return end.value if last is Any else _last(end.value, last)
        if number == MOST:
            raise UnexpectedError(f"more than {MOST:,} values", "an end before")
        yield fit(value, hint)


def _last(value: Any, hint: Any) -> Any:  # noqa: ANN401 - of any type
    """Return what a generator returns at its end as its type. Raises: UnexpectedError."""
    try:
        return fit(value, hint)
    except UnexpectedError:
        raise UnexpectedError(f"{shown(value)} at its end", f"{type_name(hint)} as the value of the generator") from None


@cache
def _is_object(kind: type) -> bool:
    """Tell whether values of a class have behaviour, or hold such values, so that they are used as they are."""
    if issubclass(kind, Sandbox | Format):
        return True
    info = type_info(kind)
    return isinstance(info, CustomType) or (
        isinstance(info, StructType) and any(isinstance(field.type, CustomType) for field in info.fields)
    )


def data(value: Any, hint: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a value without behaviour as its type. Raises: UnexpectedError."""
    try:
        plain = to_builtins(value, builtin_types=BYTES, enc_hook=_plain)
        fitted = convert(plain, hint)
    except ValidationError as error:
        place = f" ({explain(error)})" if " - at `" in str(error) else ""
        raise UnexpectedError(shown(value), f"{type_name(hint)}{place}") from None
    except (TypeError, NotImplementedError):
        raise UnexpectedError(shown(value), type_name(hint)) from None
    if hint not in WITH_PATHS:
        _check_text(plain)
    return fitted


def _check_text(plain: Any) -> None:  # noqa: ANN401 - of any type
    """Raise UnexpectedError for text that cannot be stored and shown."""
    try:
        encode(plain)
    except UnicodeEncodeError as error:
        raise UnexpectedError(f"text with {error.object[error.start]!a}", "text that UTF-8 can hold") from None


def _plain(value: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a value of a type that extends one of Python's as one of that type. Raises: NotImplementedError, for any other."""
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        return value.item()
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    raise NotImplementedError


def type_name(hint: Any) -> str:  # noqa: ANN401 - a type hint is anything
    """Return the name of a type, without modules."""
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else re.sub(r"\b\w+\.(?=\w)", "", str(hint))


def shown(value: object) -> str:
    """Return the representation of a value, shortened; the plugin's own code may make it."""
    try:
        return _shortened.repr(value)[: 2 * SHOWN]
    except Exception as error:  # noqa: BLE001 - it may raise anything
        return f"a {type(value).__name__} whose representation raises {type(error).__name__}"
