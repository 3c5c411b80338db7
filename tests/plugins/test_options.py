"""A part with a class attribute that has the name of an option is refused, with the line to write instead."""

from collections.abc import Iterable
from concurrent.futures import Executor as Pool
from typing import ClassVar

import pytest
from msgspec import Struct, convert

from arena.errors import PluginError
from arena.gin.rules import Points, Rules, Target
from arena.players.sandboxes import StandardSandbox
from arena.plugins import manager
from arena.plugins.hookspecs import hookimpl
from arena.plugins.options import hidden_option
from arena.reports.text import ConsoleText
from arena.stats.ratings import BradleyTerry
from arena.tournament.executors import Executor
from arena.tournament.formats.round_robin import RoundRobin

HERE = __name__


class Bare(Rules, frozen=True, kw_only=True, tag="bare"):
    """Forgets the type."""

    target = 50


class Heir(Bare, frozen=True, kw_only=True, tag="heir"):
    """Declares an option; its base forgot the type of another."""

    best_of: int = 1


class Short:
    """A mixin that is not a Struct, so its annotations are not fields."""

    target: int = 50


class MixedIn(Short, Rules, frozen=True, kw_only=True, tag="mixed-in"):
    """Finds the mixin first."""


class MixedInLast(Rules, Short, frozen=True, kw_only=True, tag="mixed-in-last"):
    """Never finds the mixin."""


class Constant(Rules, frozen=True, kw_only=True, tag="constant"):
    """Declares a class variable."""

    target: ClassVar[int] = 50  # type: ignore[misc]  # that it hides the field is the point


class Computed(Rules, frozen=True, kw_only=True, tag="computed"):
    """Computes the value."""

    @property  # type: ignore[misc]  # that it hides the field is the point
    def target(self) -> int:
        """Return something else."""
        return 50


class Flat(Rules, frozen=True, kw_only=True, tag="flat"):
    """Forgets the type of an option that may be None."""

    tie_bonus = None


class Lenient(Rules, frozen=True, kw_only=True, tag="lenient"):
    """Forgets the type of an option with a fixed set of values."""

    tie = "nothing"


@pytest.mark.parametrize(
    ("part", "found", "line"),
    [
        (Bare, "`target = 50` in class Bare", "target: int = 50"),
        (Heir, "`target = 50` in class Bare", "target: int = 50"),
        (MixedIn, "`target = 50` in class Short", "target: int = 50"),
        (MixedInLast, "`target = 50` in class Short", "target: int = 50"),
        (Constant, "`target = 50` in class Constant", "target: int = 50"),
        (Computed, "`target, a property` in class Computed", "target: int = 250"),
        (Flat, "`tie_bonus = None` in class Flat", "tie_bonus: int | None = None"),
        (Lenient, "`tie = 'nothing'` in class Lenient", "tie: Literal['undercut', 'nothing'] = 'nothing'"),
    ],
)
def test_an_attribute_with_the_name_of_an_option_is_refused_with_the_line_to_write(
    part: type[Struct], found: str, line: str
) -> None:
    assert hidden_option(part) == (
        f"{HERE}.{part.__name__}: {found} hides the option and does not set its default; write in class {part.__name__}: {line}"
    )


def test_defaults_with_a_type_new_options_and_other_attributes_are_allowed() -> None:
    class Sound(Rules, frozen=True, kw_only=True, tag="sound"):
        target: Target = 50
        big_gin_bonus: Points | None = None
        colour: int = 3
        SHADES: ClassVar[int] = 7
        depth = 2

    assert hidden_option(Sound) == ""
    assert Sound().target == 50


# --- a part of every kind


class Rounds(RoundRobin, frozen=True, kw_only=True, tag="rounds"):
    pairs = 3


class Roomy(StandardSandbox, frozen=True, kw_only=True, tag="roomy"):
    memory_mb = 512


class Pools(Executor, frozen=True, kw_only=True, tag="pools"):
    """An executor that declares an option."""

    nodes: int = 1


class Many(Pools, frozen=True, kw_only=True, tag="many"):
    nodes = 4

    def open(self, workers: int, prepare: object, warn: object = None) -> Pool:
        """Return nothing."""
        raise NotImplementedError


class Loose(BradleyTerry, frozen=True, kw_only=True, tag="loose"):
    """A rating."""


class Wide(ConsoleText, frozen=True, kw_only=True, tag="wide"):
    """A renderer."""


def plugin(hook: str, part: type[Struct]) -> object:
    """Return a plugin that adds one part."""

    def add() -> Iterable[type[Struct]]:
        return [part]

    return type("AddsPart", (), {hook: staticmethod(hookimpl(specname=hook)(add))})()


def hidden(part: type[Struct]) -> type[Struct]:
    """Return a part like ``part``, with one more option and an attribute that hides it."""
    known = type(part.__name__, (part,), {"__annotations__": {"colour": int}, "colour": 1}, frozen=True, kw_only=True, tag="known")
    return type("Hides", (known,), {"colour": 2}, frozen=True, kw_only=True, tag="hides")


@pytest.mark.parametrize(
    ("hook", "part"),
    [
        ("arena_rulesets", Bare),
        ("arena_formats", Rounds),
        ("arena_sandboxes", Roomy),
        ("arena_executors", Many),
        ("arena_ratings", hidden(Loose)),
        ("arena_reports", hidden(Wide)),
    ],
)
def test_parts_of_every_kind_are_refused_where_they_are_chosen(hook: str, part: type[Struct]) -> None:
    plugins = manager.load(entry_points=False)
    plugins.register(plugin(hook, part))
    refused = getattr(plugins.hook, hook)()[0][0]
    with pytest.raises(PluginError, match=f"hook {hook}, part '.*': {HERE}.*hides the option and does not set its default"):
        convert({"name": manager.name_of(part)}, refused)
