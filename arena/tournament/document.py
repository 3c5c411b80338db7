"""A YAML text as plain values, with the line of each of them, so that a slip can be told with its place."""

from collections.abc import Iterator
from typing import Any

import yaml
from msgspec import Struct
from yaml.reader import ReaderError

LARGEST = 1 << 20  # bytes
MOST_KEYS = 10_000  # of a mapping, with all that is merged into it
MERGE = "tag:yaml.org,2002:merge"
KEYS = ("tag:yaml.org,2002:str", MERGE)
Path = tuple[str | int, ...]  # keys and positions, from the top


class NotYaml(ValueError):  # noqa: N818 - it is what the text is
    """A text that is no YAML document of plain values."""

    def __init__(self, detail: str, line: int) -> None:
        super().__init__(detail)
        self.line = line


class Document(Struct, frozen=True):
    """A mapping, and the nodes that know on which line each value in it stands."""

    values: dict[str, Any]
    root: yaml.MappingNode

    def line(self, path: Path) -> int:
        """Return the line of a value, or of the nearest one around it, counted from 1."""
        node: yaml.Node = self.root
        for step in path:
            inside = _inside(node)
            if step not in inside:
                break
            node = inside[step]
        return _line(node) if path else 1


def read(text: str) -> Document:
    """Return the mapping that a YAML text holds. Raises: NotYaml."""
    if len(text) > LARGEST:
        raise NotYaml(f"longer than {LARGEST} characters", 1)
    try:
        root = yaml.compose(text, yaml.SafeLoader)
        _check_merges(root)
        values = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotYaml(error.problem or "no YAML", mark.line + 1 if mark else 1) from None
    except ReaderError as error:
        raise NotYaml(f"character {chr(error.character)!r} is not allowed", text.count("\n", 0, error.position) + 1) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise NotYaml(" ".join(str(error).split()), 1) from None
    if not isinstance(root, yaml.MappingNode):
        raise NotYaml(f"found {_kind(root)}; expected a mapping of keys to values", 1)
    _check_keys(root)
    return Document(values, root)


def _check_merges(root: yaml.Node | None) -> None:
    """Refuse merges of merges: each line of them can grow tenfold, and a parser copies all. Raises: NotYaml."""
    weighed: dict[int, int] = {}
    for node in _nodes(root):
        if isinstance(node, yaml.MappingNode) and _weight(node, weighed) > MOST_KEYS:
            raise NotYaml(f"merges more than {MOST_KEYS} keys", _line(node))


def _weight(node: yaml.Node, weighed: dict[int, int]) -> int:
    """Return how many keys a mapping, or a list of them, has with those that it merges, each as often as it comes."""
    if id(node) not in weighed:
        weighed[id(node)] = 0  # for one that merges itself
        if isinstance(node, yaml.MappingNode):
            weighed[id(node)] = sum(_weight(value, weighed) if key.tag == MERGE else 1 for key, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            weighed[id(node)] = sum(_weight(one, weighed) for one in node.value)
    return weighed[id(node)]


def _kind(node: yaml.Node | None) -> str:
    """Return what stands where a mapping should, in words."""
    if node is None:
        return "nothing"
    return "a list" if isinstance(node, yaml.SequenceNode) else f"{node.value!r:.80}"


def _check_keys(root: yaml.Node) -> None:
    """Raise NotYaml for a key that is given twice, or is no text."""
    for node in _nodes(root):
        if isinstance(node, yaml.MappingNode):
            _check_mapping(node)


def _nodes(root: yaml.Node | None) -> Iterator[yaml.Node]:
    """Yield each node once, however often the text refers back to it."""
    waiting, seen = [root] if root else [], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.MappingNode):
            waiting += (value for _, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value


def _check_mapping(node: yaml.MappingNode) -> None:
    seen = set[str]()
    for key, _ in node.value:
        if key.tag not in KEYS:
            raise NotYaml(f"key {key.value!r} is no text; a text is written as '{key.value}'", _line(key))
        if key.value in seen:
            raise NotYaml(f"key {key.value!r} is given twice", _line(key))
        seen.add(key.value)


def _inside(node: yaml.Node) -> dict[str | int, yaml.Node]:
    """Return the nodes right inside another, by key or position."""
    if isinstance(node, yaml.SequenceNode):
        return dict(enumerate(node.value))
    return {key.value: value for key, value in node.value} if isinstance(node, yaml.MappingNode) else {}


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
