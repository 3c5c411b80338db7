"""Reads ``bot.yaml``, the manifest of a bot in any language."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, ValidationError

from arena import type_errors, yaml
from arena.encoding import as_utf8
from arena.parameters import Parameter
from arena.roster.entrant import Name
from arena.roster.python_source import UnreadableError
from arena.type_errors import form

Argument = Annotated[str, form(r"^[^\x00]*\Z", "a string without a null character")]


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a ``bot.yaml``; arena/protocol/README.md explains them."""

    name: Name
    command: Annotated[tuple[Argument, ...], Meta(min_length=1)]  # program and arguments
    version: (
        Annotated[str, form(r"^[ -~]{1,50}\Z", "a string of 1 to 50 ASCII characters")]
        | Annotated[int, Meta(ge=0, lt=10**18)]
        | float
    ) = "0"
    description: str = ""
    threads: Annotated[int, Meta(ge=1, le=64)] = 1  # how many the bot needs
    scratch_mb: Annotated[int, Meta(ge=0, le=16)] = 0  # size of the private temporary folder that the bot needs; 0: none
    reads_while_playing: bool = False  # whether the bot opens files after its ``ready``, and so can never be sealed
    # numbers that can be tuned; a value is added to the command as a last argument, ``name=value``
    parameters: dict[Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\Z")], Parameter[Any]] = {}


def parse(content: bytes) -> Manifest:
    """Return the manifest in a text. Raises: UnreadableError."""
    try:
        values = yaml.read(as_utf8(content).decode()).values
        if "bots" in values:
            raise UnreadableError("found the spec of a tournament, which arena run plays; expected the manifest of a bot")
        return msgspec.convert(values, Manifest)
    except UnicodeDecodeError:
        raise UnreadableError("cannot be read: it is not UTF-8", 1) from None
    except yaml.DocumentError as error:
        raise UnreadableError(str(error), error.line) from None
    except ValidationError as error:
        raise UnreadableError(type_errors.explain(error)) from None
