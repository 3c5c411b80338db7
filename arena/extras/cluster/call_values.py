"""Values inside the argument of a call, which consists of structs and tuples: a job, a hand to be reviewed."""

from collections.abc import Callable, Iterable, Iterator
from operator import is_
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

Kind = TypeVar("Kind")


def find_all(argument: object, kind: type[Kind]) -> Iterator[Kind]:
    """Yield every value of a type in an argument, itself included."""
    if isinstance(argument, kind):
        yield argument
    for part in _parts(argument):
        yield from find_all(part, kind)


def map_structs(argument: Any, change: Callable[[Struct], Struct]) -> Any:  # noqa: ANN401 - calls are generic
    """Return an argument with what ``change`` returns in place of each struct, the innermost first."""
    if type(argument) is tuple:
        parts = tuple(map_structs(part, change) for part in argument)
        return argument if all(map(is_, parts, argument)) else parts
    if not isinstance(argument, Struct):
        return argument
    fields = {
        name: (part, map_structs(part, change)) for name, part in zip(argument.__struct_fields__, _parts(argument), strict=True)
    }
    others = {name: after for name, (before, after) in fields.items() if after is not before}
    return change(replace(argument, **others) if others else argument)


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, Struct):
        return [getattr(value, name) for name in value.__struct_fields__]
    return value if isinstance(value, tuple) else ()
