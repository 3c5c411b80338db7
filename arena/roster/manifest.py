"""``bot.yaml``: a bot in any language."""

from pathlib import Path
from typing import Annotated

import msgspec
import yaml
from msgspec import Meta, Struct, ValidationError

from arena import wording
from arena.errors import RosterError
from arena.roster.entrant import Name

Argument = Annotated[str, Meta(pattern=r"^[^\x00]*\Z")]


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a bot says of itself."""

    name: Name
    command: Annotated[tuple[Argument, ...], Meta(min_length=1)]  # a program, then its arguments
    version: Annotated[str, Meta(pattern=r"^[ -~]{1,50}\Z")] | int | float = "0"
    description: str = ""
    threads: Annotated[int, Meta(ge=1, le=64)] = 1  # how many it wants to run
    scratch_mb: Annotated[int, Meta(ge=0, le=16)] = 0  # size of a private temporary folder, if it wants one


def read(path: Path) -> Manifest:
    """Return the manifest in a file. Raises: RosterError."""
    try:
        return msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), Manifest)
    except OSError as error:
        raise RosterError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RosterError(f"{path}: cannot be read: it is not UTF-8") from None
    except ValidationError as error:
        raise RosterError(f"{path}: {wording.told(error)}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # no date there is, as 2001-13-45; [[[...
        raise RosterError(f"{path}: {' '.join(str(error).split())}") from None
