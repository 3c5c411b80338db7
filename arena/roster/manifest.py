"""Reads ``bot.yaml``, the manifest of a bot in any language."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct, ValidationError

from arena import document, wording
from arena.roster.entrant import Name
from arena.roster.outline import UnreadableError

LARGEST = 64 * 1024  # bytes
Argument = Annotated[str, Meta(pattern=r"^[^\x00]*\Z")]


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a ``bot.yaml``."""

    name: Name
    command: Annotated[tuple[Argument, ...], Meta(min_length=1)]  # program and arguments
    version: Annotated[str, Meta(pattern=r"^[ -~]{1,50}\Z")] | Annotated[int, Meta(ge=0, lt=10**18)] | float = "0"
    description: str = ""
    threads: Annotated[int, Meta(ge=1, le=64)] = 1  # how many the bot needs
    scratch_mb: Annotated[int, Meta(ge=0, le=16)] = 0  # size of the private temporary folder that the bot needs; 0: none
    reads_while_playing: bool = False  # whether the bot opens files after its ``ready``, and so can never be sealed


def parse(content: bytes) -> Manifest:
    """Return the manifest in a text. Raises: UnreadableError."""
    try:
        return msgspec.convert(document.read(content.decode()).values, Manifest)
    except UnicodeDecodeError:
        raise UnreadableError("cannot be read: it is not UTF-8", 1) from None
    except document.DocumentError as error:
        raise UnreadableError(str(error), error.line) from None
    except ValidationError as error:
        raise UnreadableError(wording.explain(error)) from None
