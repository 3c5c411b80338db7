"""A YAML text as plain values, with the line of each of them, so that a slip can be told with its place."""

from collections.abc import Iterator
from typing import Any

import yaml
from msgspec import Struct

LARGEST = 1 << 20  # bytes
Path = tuple[str | int, ...]  # keys and positions, from the top


class NotYaml(ValueError):  # noqa: N818 - it is what the text is
    """A text that is no YAML document of plain values."""

    def __init__(self, detail: str, line: int) -> None:
        super().__init__(detail)
        self.line = line


class Document(Struct, frozen=True):
    """A mapping, and the line on which each value in it stands, counted from 1."""

    values: dict[str, Any]
    lines: dict[Path, int]

    def line(self, path: Path) -> int:
        """Return the line of a value, or of the nearest one around it."""
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]


def read(text: str) -> Document:
    """Return the mapping that a YAML text holds. Raises: NotYaml."""
    if len(text) > LARGEST:
        raise NotYaml(f"longer than {LARGEST} characters", 1)
    try:
        root = yaml.compose(text, yaml.SafeLoader)
        values = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotYaml(error.problem or "no YAML", mark.line + 1 if mark else 1) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise NotYaml(" ".join(str(error).split()), 1) from None
    if not isinstance(root, yaml.MappingNode):
        raise NotYaml("expected a mapping of keys to values", 1)
    return Document(values, {(): 1} | dict(_lines(root, ())))


def _lines(node: yaml.Node, path: Path) -> Iterator[tuple[Path, int]]:
    """Yield each value's line. Raises: NotYaml, for a key that is given twice or refers back."""
    yield path, node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield from _lines(item, (*path, number))
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                raise NotYaml(f"key {key.value!r} is given twice", key.start_mark.line + 1)
            seen.add(key.value)
            yield from _lines(value, (*path, key.value))
