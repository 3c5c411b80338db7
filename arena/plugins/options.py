"""Finds class attributes of a part that look like defaults of its options but are not.

``target = 50`` in a ruleset, without a type, is not a new default: msgspec keeps the field unchanged, and whether Python finds the
attribute or the field depends on the order of the bases. The game could be played to one number and the database contain the other.
So such a part is refused when it is registered.
"""

from types import MemberDescriptorType, NoneType, UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields


def hidden_option(part: type[Struct]) -> str:
    """Return what is wrong, with the line to write instead, if an attribute of ``part`` or of a base has the name of an option."""
    for base in part.__mro__:
        for name in part.__struct_fields__:
            found = vars(base).get(name, NODEFAULT)
            if found is not NODEFAULT and not isinstance(found, MemberDescriptorType):
                return _message(part, base, name, found)
    return ""


def _message(part: type[Struct], base: type, name: str, found: object) -> str:
    """Return the message, of one line: the part, the attribute and the expected declaration."""
    field = next(field for field in fields(part) if field.name == name)
    is_value = not hasattr(type(found), "__get__")  # else a property, a method or another descriptor
    attribute = f"{name} = {found!r}" if is_value else f"{name}, a {type(found).__name__}"
    default = found if is_value else field.default
    line = f"{name}: {_annotation(field.type)}{'' if default is NODEFAULT else f' = {default!r}'}"
    return (
        f"{part.__module__}.{part.__qualname__}: `{attribute}` in class {base.__qualname__} "
        f"hides the option and does not set its default; write in class {part.__qualname__}: {line}"
    )


def _annotation(hint: Any) -> str:  # noqa: ANN401 - a type hint is anything
    """Return a type as an author would write it, without bounds."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Annotated, ClassVar):
        return _annotation(arguments[0])
    if origin in (Union, UnionType):
        return " | ".join(map(_annotation, arguments))
    if hint is NoneType:
        return "None"
    return str(hint).replace("typing.", "") if arguments else str(getattr(hint, "__name__", hint))
