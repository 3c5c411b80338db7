"""Rows as data frames. Each is made from an Arrow table, which pandas and polars both read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar, get_type_hints

from msgspec import Struct

from arena.errors import InputError
from arena.results import hands
from arena.results.hands import ExportedHeader, TableColumn

Row = TypeVar("Row", bound=Struct)
KINDS: dict[Any, Any] = {str: "text", int: "int", float: "real", bool: "bool", tuple[str, ...]: "words"}  # of columns, by type
KINDS |= {kind | None: name for kind, name in KINDS.items()}


def columns_of(kind: type[Struct]) -> tuple[TableColumn, ...]:
    """Return the columns of typed rows."""
    typed, described = get_type_hints(kind), get_type_hints(kind, include_extras=True)
    return tuple(
        TableColumn(name, KINDS[typed[name]], described[name].__metadata__[0].description, attrgetter(name))
        for name in kind.__struct_fields__
    )


class Rows(Generic[Row]):
    """Rows of a run. Every iteration and conversion reads the database again."""

    def __init__(
        self, columns: Sequence[TableColumn], read: Callable[[], Iterable[Row]], header: Callable[[], ExportedHeader] | None = None
    ) -> None:
        """``header`` returns what a table of hands has among its metadata; None: rows of another kind."""
        self._columns = columns
        self._read = read
        self._header = header

    def __iter__(self) -> Iterator[Row]:
        """Yield each row. Raises: StoreError, DamagedError."""
        return iter(self._read())

    @property
    def columns(self) -> dict[str, str]:
        """Return a description of each column, with its unit."""
        return {column.name: column.description for column in self._columns}

    def to_arrow(self) -> Any:  # noqa: ANN401 - pyarrow is an extra
        """Return a ``pyarrow.Table``; each field has its description. Raises: InputError, StoreError, DamagedError."""
        pa = _library("pyarrow")
        schema = hands.schema(self._columns, self._header() if self._header else None)
        return pa.Table.from_batches(hands.batches(self._columns, schema, self), schema)

    def to_pandas(self) -> Any:  # noqa: ANN401 - likewise
        """Return a ``pandas.DataFrame``. Raises: as ``to_arrow``."""
        _library("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:  # noqa: ANN401 - likewise
        """Return a ``polars.DataFrame``. Raises: as ``to_arrow``."""
        return _library("polars").from_arrow(self.to_arrow())


def _library(name: str) -> Any:  # noqa: ANN401 - a module
    from importlib import import_module  # noqa: PLC0415 - only for data frames

    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"{name} is not installed: pip install {name} 'ginrummy-arena[data]'") from None
