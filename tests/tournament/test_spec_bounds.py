"""Numbers of a spec: each has bounds, within which the system can be asked for it, and a list of names has each name once."""

from collections.abc import Iterator

import pytest
from msgspec import Struct
from msgspec.inspect import FloatType, IntType, ListType, StructType, TupleType, Type, UnionType, VarTupleType, type_info

from arena.errors import SpecError
from arena.league.rules import spec as league_specs
from arena.plugins import manager
from arena.tournament import spec as specs

MANAGER = manager.load(entry_points=False)
KINDS = manager.kinds(MANAGER)
OUTLINES = (specs._outline(KINDS), league_specs._outline(KINDS), *manager.executors(MANAGER).values())  # noqa: SLF001 - the types of the two documents
CHECKED_TOGETHER = {"Duel.bounds", "Gauntlet.bounds"}  # against each other and the range of scores


def unbounded(kind: Type, place: str, seen: set[type[Struct]]) -> Iterator[str]:
    """Yield the place of every number in a type that may be as large or as small as one likes."""
    if isinstance(kind, IntType | FloatType):
        if (kind.ge is None and kind.gt is None) or (kind.le is None and kind.lt is None):
            yield place
    elif isinstance(kind, StructType) and kind.cls not in seen:
        seen.add(kind.cls)
        for field in kind.fields:
            yield from unbounded(field.type, f"{kind.cls.__name__}.{field.encode_name}", seen)
    elif isinstance(kind, ListType | VarTupleType):
        yield from unbounded(kind.item_type, place, seen)
    elif isinstance(kind, UnionType | TupleType):
        for one in kind.types if isinstance(kind, UnionType) else kind.item_types:
            yield from unbounded(one, place, seen)


@pytest.mark.parametrize("outline", OUTLINES, ids=lambda outline: outline.__name__)
def test_every_number_has_bounds(outline: type[Struct]) -> None:
    assert set(unbounded(type_info(outline), "", set())) <= CHECKED_TOGETHER


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sandbox:\n  cpu_seconds: 1e30\n", "3: sandbox.cpu_seconds: expected a whole number <= 1000000000; found 1000000"),
        ("sandbox:\n  log_kb: 1_000_000_000_000\n", "3: sandbox.log_kb: expected a whole number <= "),
        ("format: {name: duel, bounds: [.nan, 1]}\n", "2: format.bounds: nan and 1; expected the first below the second"),
        ("format: {name: duel, statistic: matches, bounds: [0, .inf]}\n", "2: format.bounds: "),
        ("reports:\n- csv\n- html\n- csv\n", "5: reports.2: 'csv' is named 2 times; expected once"),
    ],
)
def test_what_no_system_can_give_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        specs.parse_spec(f"bots: [a, b]\n{text}", KINDS, "cup.yaml")
    assert str(caught.value).startswith(f"cup.yaml:{message}")
