"""Reads YAML as plain values and keeps the line of each value for error messages.

Specs and manifests are untrusted. Long numbers and mappings with very many merged keys, which take time or memory out of proportion
to the text, are refused before they are evaluated.
"""

import pathlib
import re
from collections.abc import Iterator
from typing import Any

import yaml
from msgspec import Struct
from yaml.reader import ReaderError

from arena import disk
from arena.encoding import as_utf8
from arena.yaml_loader import TAG, Loader

_PROBLEMS = {  # by a part of PyYAML's message
    r"character '\t'": "found a tab; expected spaces, with which YAML indents",
    "found another document": "found a second document; expected one",
    "values are not allowed here": "found ': ' inside a value; expected quotes around it, or a line with its own indentation",
    "could not find expected ':'": "found a line that is neither `key: value` nor `- item`",
    "that cannot start any token": "found a character with which no value begins; expected the value in quotes",
    "expected <block end>, but found '}'": "found a bracket } that was not opened",
    "expected <block end>, but found ']'": "found a bracket ] that was not opened",
    "expected <block end>": "found more than a value; expected one, and the indentation of the lines above",
}
_QUOTED, _FLOW = "while scanning a quoted scalar", ("while parsing a flow sequence", "while parsing a flow mapping")  # its contexts
_KEY = re.compile(r"\s*(?:- )?(?P<key>[A-Za-z_][\w-]*):(?P<value>[^\s/:].*)")  # not of an address, as http://
_ITEM = re.compile(r"\s*-(?P<item>[^\s\d.-].*)")
_EQUALS = re.compile(r"\s*(?:- )?(?P<key>[A-Za-z_][\w-]*) *= *(?P<value>[^\s:].*)")
_DECIMAL = re.compile(r"[0-9]+\Z")
LARGEST = 1 << 20  # bytes of a file, and characters of a text
LONGEST_NUMBER = 400  # characters; the time to parse a number grows with the square of its digits
MOST_KEYS = 10_000  # of a mapping, merged ones included, each as often as it is merged
MERGE = f"{TAG}merge"
SURROGATE = re.compile("[\ud800-\udfff]")
NUMBERS = (f"{TAG}int", f"{TAG}float")
KEYS = (f"{TAG}str", MERGE)
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
        return _line(self._nearest(path)) if path else 1

    def source(self, path: KeyPath) -> str | None:
        """Return the source text of a value, or of the nearest enclosing one that exists; None: that is a list or a mapping."""
        node = self._nearest(path)
        return node.value if isinstance(node, yaml.ScalarNode) else None

    def _nearest(self, path: KeyPath) -> yaml.Node:
        node: yaml.Node = self.root
        for step in path:
            children = _children(node)
            if step not in children:
                break
            node = children[step]
        return node


def read_text(file: pathlib.Path) -> str:
    """Return the text of a file. Raises: DocumentError, if it has more than LARGEST bytes or is not UTF-8; OSError."""
    try:
        return as_utf8(disk.read(file, LARGEST)).decode()
    except disk.TooLargeError as error:
        raise DocumentError(str(error), 1) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DocumentError(f"cannot be read: it is not UTF-8, from line {line} on", line) from None


def read(text: str) -> Document:
    """Return the mapping in a YAML text. Raises: DocumentError."""
    if len(text) > LARGEST:
        raise DocumentError(f"longer than {LARGEST} characters", 1)
    try:
        root = yaml.compose(text, Loader)
        _check_values(root)
        values = yaml.load(text, Loader)  # noqa: S506 - derived from SafeLoader
    except DocumentError:  # a ValueError too, but it has the line
        raise
    except yaml.MarkedYAMLError as error:
        raise _explain(error, text.splitlines()) from None
    except ReaderError as error:
        raise DocumentError(f"character {chr(error.character)!r} is not allowed", text.count("\n", 0, error.position) + 1) from None
    except RecursionError:
        raise DocumentError("nested too deeply", 1) from None
    except (yaml.YAMLError, ValueError) as error:
        raise DocumentError(" ".join(str(error).split()), 1) from None
    if not isinstance(root, yaml.MappingNode):
        if mistake := _line_problem(text.splitlines(), 1):
            raise mistake
        raise DocumentError(f"found {_kind(root)}; expected a mapping of keys to values", 1)
    _check_keys(root)
    return Document(values, root)


def _explain(error: yaml.MarkedYAMLError, lines: list[str]) -> DocumentError:
    """Return the error in plain words, at the line of the mistake, which is often above that at which the parser noticed it."""
    mark = error.problem_mark or error.context_mark
    noticed = mark.line + 1 if mark else 1
    began = error.context_mark.line + 1 if error.context_mark else noticed
    if error.context == _QUOTED:
        return DocumentError("found a quote that is not closed", began)
    if error.context in _FLOW:
        opened = "[" if error.context == _FLOW[0] else "{"
        mistake = _line_problem(lines, noticed) if noticed == began else None
        return mistake or DocumentError(
            f"found a bracket {opened} that is not closed, or no comma between two of its values", began
        )
    if "<scalar>" in str(error.problem) and (quoted := _open_quote(lines, noticed)):
        return DocumentError("found a quote that is not closed", quoted)
    above = next((number for number in range(noticed - 1, 0, -1) if lines[number - 1].strip()), noticed)
    for number in (began if error.context == "while scanning a simple key" else noticed, noticed, above):
        if mistake := _line_problem(lines, number):
            return mistake
    problem = next((words for part, words in _PROBLEMS.items() if part in str(error.problem)), error.problem)
    return DocumentError(problem or "not valid YAML", began if error.context == "while scanning a simple key" else noticed)


def _line_problem(lines: list[str], number: int) -> DocumentError | None:
    """Return the error of a line with a missing space; None: it has none."""
    line = lines[number - 1] if number <= len(lines) else ""
    if found := _KEY.fullmatch(line):
        return _no_space(found, number)
    if found := _ITEM.fullmatch(line):
        return DocumentError(f"no space after '-' in {found[0].strip()!r:.80}; write `- {found['item']:.60}`", number)
    if found := _EQUALS.fullmatch(line):
        return DocumentError(f"found '=' in {found[0].strip()!r:.80}; write `{found['key']}: {found['value']:.60}`", number)
    return None


def _no_space(found: "re.Match[str]", line: int) -> DocumentError:
    return DocumentError(f"no space after ':' in {found[0].strip()!r:.80}; write `{found['key']}: {found['value']:.60}`", line)


def _open_quote(lines: list[str], before: int) -> int | None:
    """Return the number of the nearest line before another in which a value begins with a quote that the line does not close."""
    opens = re.compile(r"""[^#"']*[:\[{,-]\s*(?P<quote>["'])(?:(?!(?P=quote)).)*""")
    return next((number for number in range(before - 1, 0, -1) if opens.fullmatch(lines[number - 1])), None)


def _check_values(root: yaml.Node | None) -> None:
    """Refuse what may not be evaluated: a long number, a mapping with too many keys, a lone surrogate. Raises: DocumentError."""
    nodes, counts = list(_nodes(root)), dict[int, int]()
    for node in nodes:
        if node.tag in NUMBERS and len(node.value) > LONGEST_NUMBER:
            raise DocumentError(f"a number of {len(node.value)} characters; expected at most {LONGEST_NUMBER}", _line(node))
    for node in nodes:  # merges can be nested: each line can multiply the keys by ten
        if isinstance(node, yaml.MappingNode) and _merged_keys(node, counts) > MOST_KEYS:
            raise DocumentError(f"a mapping with more than {MOST_KEYS} keys, merged ones included", _line(node))
    for node in nodes:  # an escape can write a lone surrogate, but UTF-8 cannot encode it
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
        if isinstance(node, yaml.ScalarNode):
            _check_item(node)
        seen = set[str]()
        for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
            if (
                isinstance(key, yaml.ScalarNode)
                and isinstance(value, yaml.ScalarNode)
                and value.tag == f"{TAG}null"
                and not value.value
            ):
                _check_lone_key(key)
            if key.tag not in KEYS:
                raise DocumentError(f"key {key.value!r} is not a string; write it as '{key.value}'", _line(key))
            if key.value in seen:
                raise DocumentError(f"key {key.value!r} is given twice", _line(key))
            seen.add(key.value)


def _check_lone_key(key: yaml.ScalarNode) -> None:
    """Refuse a key without a value that is the second half of a number, or has its value without a space."""
    if key.tag == f"{TAG}int" and _DECIMAL.match(key.value):
        raise DocumentError(
            f"found ',' before {key.value!r}, which begins another key; a decimal number has a point, as 2.5", _line(key)
        )
    if key.style is None and (found := _KEY.fullmatch(str(key.value))):
        raise _no_space(found, _line(key))


def _check_item(node: yaml.ScalarNode) -> None:
    """Refuse lines that begin with '-' and no space, which together are one text."""
    if node.style is None and node.start_mark.line != node.end_mark.line and (found := _ITEM.match(node.value)):
        raise DocumentError(f"no space after '-' in {found[0].strip()!r:.80}; write `- item` in each line", _line(node))


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


def _children(node: yaml.Node) -> dict[str | int, yaml.Node]:
    """Return the direct children of a node, by key or index."""
    if isinstance(node, yaml.SequenceNode):
        return dict(enumerate(node.value))
    return {key.value: value for key, value in node.value} if isinstance(node, yaml.MappingNode) else {}


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
