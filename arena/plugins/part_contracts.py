"""Holds the parts and tie-breaks that a hook adds to the contracts of their base classes."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from arena.confinement.profiles import Sandbox
from arena.gin.rules import Rules
from arena.plugins.checked_calls import wrap
from arena.plugins.held_parts import held_or_refused
from arena.plugins.names import check_name
from arena.plugins.source import Source, UnexpectedError
from arena.plugins.typed import data, shown
from arena.reports.base import Renderer
from arena.stats.estimate import Rating
from arena.stats.score_ranking import TieBreak
from arena.tournament.executors import Executor
from arena.tournament.formats.base import Format

TIE_BREAKS = "arena_tie_breaks"
PARTS: Mapping[str, type[Struct]] = {
    "arena_rulesets": Rules,
    "arena_formats": Format,
    "arena_sandboxes": Sandbox,
    "arena_executors": Executor,
    "arena_ratings": Rating,
    "arena_reports": Renderer,
}


def held(hook: str, value: Any, source: Source) -> list[Any]:  # noqa: ANN401 - of a plugin
    """Return what a hook adds, each wrapped. Raises: UnexpectedError."""
    return _tie_breaks(value, source) if hook == TIE_BREAKS else _parts(PARTS[hook], value, source)


def _parts(base: type[Struct], value: Any, source: Source) -> list[type[Struct]]:  # noqa: ANN401 - of a plugin
    """Return the parts that a hook adds, each wrapped."""
    expected = f"a list of subclasses of {base.__module__}.{base.__qualname__}"
    parts = _listed(value, expected)
    for part in parts:
        if not (isinstance(part, type) and issubclass(part, base)):
            raise UnexpectedError(shown(part), expected)
        check_name(part.__struct_config__.tag, "a part")
    return [held_or_refused(part, base, source.at(f"part {part.__struct_config__.tag!r}")) for part in parts]


def _tie_breaks(value: Any, source: Source) -> list[TieBreak]:  # noqa: ANN401 - of a plugin
    """Return the tie-breaks that a hook adds, each with its function wrapped."""
    expected = "a list of TieBreak of arena.stats.score_ranking"
    return [_tie_break(one, expected, source) for one in _listed(value, expected)]


def _tie_break(one: Any, expected: str, source: Source) -> TieBreak:  # noqa: ANN401 - of a plugin
    if not isinstance(one, TieBreak):
        raise UnexpectedError(shown(one), expected)
    check_name(one.name, "a tie-break")
    for text in (one.note, one.heading):
        data(text, str)
    here = source.at(f"tie-break {one.name!r}")
    return one.by(wrap(one.value, here, lambda value, _: data(value, int | None)))


def _listed(value: Any, expected: str) -> list[Any]:  # noqa: ANN401 - of a plugin
    if not isinstance(value, list | tuple):
        raise UnexpectedError(shown(value), expected)
    return list(value)
