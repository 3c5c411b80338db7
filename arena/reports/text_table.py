"""A table, and a drawing, as every format of a report shows them."""

from msgspec import Struct


class TextTable(Struct, frozen=True):
    """A table whose cells are text."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    left: tuple[int, ...]  # numbers of the columns that are aligned left
    note: str = ""  # sentences to show below it


class Drawing(Struct, frozen=True):
    """Lines whose characters stand below each other."""

    title: str
    lines: list[str]
