"""A PyYAML loader with the core schema of YAML 1.2, by which numbers mean what they seem to.

PyYAML follows YAML 1.1, in which ``1e-3`` is a string, ``012`` is ten, ``1:30`` is ninety, ``no`` is false and ``2026-01-31`` is
a date. The core schema has null, true and false, decimal, ``0o`` and ``0x`` integers, and floats with or without a decimal point.
Two features of 1.1 are kept: digits may be grouped with underscores, as in ``20_000``, and ``<<`` merges mappings. Source: YAML
1.2.2, 10.3.2.

Other tags are unknown, and the text after an explicit tag, as ``!!int``, must fit it: PyYAML's constructors raise errors of many
types for ``!!timestamp x`` and ``!!float ""``.
"""

import re
from collections.abc import Callable

import yaml
from yaml.constructor import ConstructorError

TAG = "tag:yaml.org,2002:"
_INT = r"[-+]?[0-9]+(?:_[0-9]+)*|0o[0-7]+|0x[0-9a-fA-F]+"
_FLOAT = (
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_PLAIN = (  # tag, pattern, and the characters that a match can begin with; the first match counts
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", _INT, list("-+0123456789")),
    ("float", _FLOAT, list("-+.0123456789")),
    ("merge", r"<<", ["<"]),
)


class Loader(yaml.SafeLoader):
    """PyYAML's safe loader with the core schema."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - an attribute of PyYAML, filled below
    yaml_constructors = {  # noqa: RUF012 - likewise
        tag: yaml.SafeLoader.yaml_constructors[tag]
        for tag in (TAG + "str", TAG + "seq", TAG + "map", None)  # None: refuses every other tag
    }


def _integer(_: Loader, node: yaml.ScalarNode) -> int:
    """Return an integer. A leading zero does not make it octal."""
    text = node.value.replace("_", "")
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text, base)


def _checked_constructor(
    kind: str, pattern: "re.Pattern[str]", construct: Callable[[Loader, yaml.ScalarNode], object]
) -> Callable[[Loader, yaml.ScalarNode], object]:
    """Return a constructor that refuses a text which does not fit the pattern of its tag."""

    def constructor(loader: Loader, node: yaml.ScalarNode) -> object:
        text = loader.construct_scalar(node)
        if not pattern.match(text):
            raise ConstructorError(None, None, f"found {text!r:.80}; expected a value of the type {kind}", node.start_mark)
        return construct(loader, node)

    return constructor


for _name, _text, _first in _PLAIN:
    _pattern = re.compile(rf"(?:{_text})\Z")
    Loader.add_implicit_resolver(TAG + _name, _pattern, _first)
    if _name != "merge":
        _construct = _integer if _name == "int" else yaml.SafeLoader.yaml_constructors[TAG + _name]
        Loader.add_constructor(TAG + _name, _checked_constructor(_name, _pattern, _construct))
