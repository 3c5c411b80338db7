"""Calls of functions of plugins: their values are checked, their errors name the plugin, and a slow one is logged."""

import inspect
import logging
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import wraps
from time import monotonic
from typing import Any

from arena.plugins.source import Source
from arena.records import MatchRecord

log = logging.getLogger(__name__)

SLOW = 10.0  # seconds of a call that is logged
HELD = "_arena_held"  # marks a function that is wrapped already: a plugin may be registered by several managers

Given = dict[str, Any]  # the arguments of a call, by the names in the base class
Meaning = Callable[[Any, Given], Any]  # checks a value further, and returns it


def wrap(function: Callable[..., Any], source: Source, check: Callable[[Any, Given], Any], base: Any = None) -> Callable[..., Any]:  # noqa: ANN401 - a function or None
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


def _named(values: Iterator[Any], source: Source) -> Generator[Any, None, Any]:
    """Yield the values of an iterator, whose errors are named; return what it returns at its end."""
    while True:
        with source.naming():
            try:
                value = next(values)
            except StopIteration as end:
                return end.value
        yield value


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
