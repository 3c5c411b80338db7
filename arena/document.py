"""Reads YAML as plain values and keeps the line of each value for error messages.

Specs and manifests are untrusted. Long numbers and nested merges, which take time or memory out of proportion to the text, are
refused before they are evaluated.
"""

import pathlib
import re
from collections.abc import Iterator
from typing import Any

import yaml
from msgspec import Struct
from yaml.reader import ReaderError

from arena import bounded
from arena.core_schema import Loader

LARGEST = 1 << 20  # bytes
LONGEST_NUMBER = 400  # characters; the time to parse a number grows with the square of its digits
MOST_KEYS = 10_000  # of a mapping, including merged keys
MERGE = "tag:yaml.org,2002:merge"
SURROGATE = re.compile("[\ud800-\udfff]")
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
KEYS = ("tag:yaml.org,2002:str", MERGE)
KeyPath = tuple[str | int, ...]  # keys and indices, from the root


class DocumentError(ValueError):
    """A text that is not a YAML mapping of plain values; ``line`` counts from 1."""

    def __init__(self, detail: str, line: int) -> None:
        super().__init__(detail)
        self.line = line


class Document(Struct, frozen=True):
    """A mapping with its YAML nodes, which know their lines."""

    values: dict[str, Any]
    root: yaml.MappingNode

    def line(self, path: KeyPath) -> int:
        """Return the line of a value, or of the nearest enclosing one that exists, counted from 1."""
        node: yaml.Node = self.root
        for step in path:
            children = _children(node)
            if step not in children:
                break
            node = children[step]
        return _line(node) if path else 1

    def source(self, path: KeyPath) -> str | None:
        """Return the source text of a scalar value; None: the value is a list or a mapping."""
        node: yaml.Node = self.root
        for step in path:
            node = _children(node).get(step, node)
        return node.value if isinstance(node, yaml.ScalarNode) else None


def load(file: pathlib.Path, largest: int = LARGEST) -> str:
    """Return the text of a file. Raises: DocumentError, if it has more than ``largest`` bytes or is not UTF-8; OSError."""
    try:
        return bounded.read(file, largest).decode()
    except bounded.TooLargeError as error:
        raise DocumentError(str(error), 1) from None
    except UnicodeDecodeError:
        raise DocumentError("cannot be read: it is not UTF-8", 1) from None


def read(text: str) -> Document:
    """Return the mapping in a YAML text. Raises: DocumentError."""
    if len(text) > LARGEST:
        raise DocumentError(f"longer than {LARGEST} characters", 1)
    try:
        root = yaml.compose(text, Loader)
        _check_numbers(root)
        _check_merges(root)
        _check_texts(root)
        values = yaml.load(text, Loader)  # noqa: S506 - derived from SafeLoader
    except DocumentError:  # a ValueError too, but it has the line
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise DocumentError(error.problem or "not valid YAML", mark.line + 1 if mark else 1) from None
    except ReaderError as error:
        raise DocumentError(f"character {chr(error.character)!r} is not allowed", text.count("\n", 0, error.position) + 1) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DocumentError(" ".join(str(error).split()), 1) from None
    if not isinstance(root, yaml.MappingNode):
        raise DocumentError(f"found {_kind(root)}; expected a mapping of keys to values", 1)
    _check_keys(root)
    return Document(values, root)


def _check_numbers(root: yaml.Node | None) -> None:
    """Refuse long numbers. Raises: DocumentError."""
    for node in _nodes(root):
        if node.tag in NUMBERS and len(node.value) > LONGEST_NUMBER:
            raise DocumentError(f"a number of {len(node.value)} characters; expected at most {LONGEST_NUMBER}", _line(node))


def _check_merges(root: yaml.Node | None) -> None:
    """Refuse nested merges, which a parser copies: each line can multiply the keys by ten. Raises: DocumentError."""
    counts: dict[int, int] = {}
    for node in _nodes(root):
        if isinstance(node, yaml.MappingNode) and _merged_keys(node, counts) > MOST_KEYS:
            raise DocumentError(f"merges more than {MOST_KEYS} keys", _line(node))


def _check_texts(root: yaml.Node | None) -> None:
    """Refuse a lone surrogate, which an escape can write but UTF-8 cannot encode. Raises: DocumentError."""
    for node in _nodes(root):
        if isinstance(node, yaml.ScalarNode) and (found := SURROGATE.search(node.value)):
            raise DocumentError(f"character {found[0]!r} is not allowed", _line(node))


def _merged_keys(node: yaml.Node, counts: dict[int, int]) -> int:
    """Return the number of keys of a mapping or a list of mappings, with repeated merges counted each time."""
    if id(node) not in counts:
        counts[id(node)] = 0  # ends the recursion for a mapping that merges itself
        if isinstance(node, yaml.MappingNode):
            counts[id(node)] = sum(_merged_keys(value, counts) if key.tag == MERGE else 1 for key, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            counts[id(node)] = sum(_merged_keys(one, counts) for one in node.value)
    return counts[id(node)]


def _kind(node: yaml.Node | None) -> str:
    """Describe a node that is not a mapping."""
    if node is None:
        return "nothing"
    return "a list" if isinstance(node, yaml.SequenceNode) else f"{node.value!r:.80}"


def _check_keys(root: yaml.Node) -> None:
    """Refuse duplicate keys and keys that are not strings. Raises: DocumentError."""
    for node in _nodes(root):
        if isinstance(node, yaml.MappingNode):
            _check_mapping(node)


def _nodes(root: yaml.Node | None) -> Iterator[yaml.Node]:
    """Yield each node once, also if several aliases refer to it."""
    waiting, seen = [root] if root else [], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.MappingNode):
            waiting += (inner for pair in node.value for inner in pair)
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value


def _check_mapping(node: yaml.MappingNode) -> None:
    seen = set[str]()
    for key, _ in node.value:
        if key.tag not in KEYS:
            raise DocumentError(f"key {key.value!r} is not a string; write it as '{key.value}'", _line(key))
        if key.value in seen:
            raise DocumentError(f"key {key.value!r} is given twice", _line(key))
        seen.add(key.value)


def _children(node: yaml.Node) -> dict[str | int, yaml.Node]:
    """Return the direct children of a node, by key or index."""
    if isinstance(node, yaml.SequenceNode):
        return dict(enumerate(node.value))
    return {key.value: value for key, value in node.value} if isinstance(node, yaml.MappingNode) else {}


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
