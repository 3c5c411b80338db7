"""Reads what a Java class file declares, without a Java runtime. Source: The Java Virtual Machine Specification, chapter 4."""

import re
import struct
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

_MAGIC: Final = 0xCAFEBABE
_UTF8, _CLASS = 1, 7
_SIZES: Final = {  # of a constant, in bytes, by its tag
    **dict.fromkeys((7, 8, 16, 19, 20), 2),
    15: 3,
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 4),
    **dict.fromkeys((5, 6), 8),
}
_WIDE: Final = (5, 6)  # long and double take two places of the constant pool
_NO_OBJECTS: Final = 0x0200 | 0x0400 | 0x1000 | 0x4000  # interface, abstract, synthetic, enum
_NAME: Final = re.compile(r"[\w$]+(?:\.[\w$]+)*")  # of a class, as compilers write it; a file may hold any other text
_PARAMETER: Final = re.compile(r"(\[*)(?:([BCDFIJSZ])|L([^;]+);)")
_PRIMITIVES: Final = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "Z": "boolean",
}

Types = tuple[str, ...]  # of parameters, as Java writes them: int, double[], java.lang.String


class JavaClass(Struct, frozen=True, kw_only=True):
    """The declaration of a class; names have dots between packages, and $ before a nested class."""

    name: str
    parent: str  # empty: it is java.lang.Object
    interfaces: tuple[str, ...]
    flags: int
    constructors: tuple[Types, ...]

    @property
    def has_objects(self) -> bool:
        """Tell whether it can be constructed by its name: it is neither abstract, an enum nor anonymous."""
        return not self.flags & _NO_OBJECTS and not self.name.rpartition("$")[2][:1].isdigit()


def parse(content: bytes) -> JavaClass:
    """Return the declaration in a class file. Raises: ValueError."""
    try:
        return _parse(_Reader(content))
    except (struct.error, LookupError, UnicodeDecodeError) as error:
        raise ValueError(f"not a class file: {error}") from None


class _Reader:
    """Reads big-endian numbers of a file from its start."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def number(self, form: str) -> int:
        """Return the next number, in a form of ``struct``. Raises: struct.error, at the end of the file."""
        (number,) = struct.unpack_from(f">{form}", self._content, self._at)
        self._at += struct.calcsize(form)
        return int(number)

    def take(self, size: int) -> bytes:
        """Return the next bytes; fewer at the end of the file."""
        self._at += size
        return self._content[self._at - size : self._at]


def _parse(file: _Reader) -> JavaClass:
    if file.number("I") != _MAGIC:
        raise ValueError("not a class file: found other first bytes")
    file.take(4)  # the version
    texts, classes = _constants(file)
    flags, this, parent = file.number("H"), file.number("H"), file.number("H")

    def name(index: int) -> str:
        return _class_name(texts[classes[index]])

    interfaces = tuple(name(file.number("H")) for _ in range(file.number("H")))
    for _ in range(file.number("H")):
        _member(file)  # a field
    methods = [_member(file) for _ in range(file.number("H"))]
    return JavaClass(
        name=name(this),
        parent=name(parent) if parent else "",
        interfaces=interfaces,
        flags=flags,
        constructors=tuple(tuple(_types(texts[form])) for method, form in methods if texts[method] == "<init>"),
    )


def _constants(file: _Reader) -> tuple[dict[int, str], dict[int, int]]:
    """Return the texts of the constant pool, and for each class the place of its name among them."""
    texts, classes = dict[int, str](), dict[int, int]()
    count, place = file.number("H"), 1
    while place < count:
        tag = file.number("B")
        if tag == _UTF8:
            texts[place] = file.take(file.number("H")).decode(errors="replace")
        elif tag == _CLASS:
            classes[place] = file.number("H")
        else:
            file.take(_SIZES[tag])
        place += 2 if tag in _WIDE else 1
    return texts, classes


def _member(file: _Reader) -> tuple[int, int]:
    """Skip a field or a method, and return the places of its name and of its descriptor."""
    file.take(2)  # its flags
    name, descriptor = file.number("H"), file.number("H")
    for _ in range(file.number("H")):
        file.take(2)  # an attribute's name
        file.take(file.number("I"))
    return name, descriptor


def _types(descriptor: str) -> Iterator[str]:
    for depth, primitive, named in _PARAMETER.findall(descriptor.partition(")")[0]):
        yield (_PRIMITIVES[primitive] if primitive else _class_name(named)) + "[]" * len(depth)


def _class_name(text: str) -> str:
    """Return the name of a class with dots between packages. Raises: ValueError, for a text that names none."""
    found = text.replace("/", ".")
    if not _NAME.fullmatch(found):
        raise ValueError(f"not a class file: found {found[:60]!a} as the name of a class")
    return found
