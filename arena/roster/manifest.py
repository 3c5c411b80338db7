"""``bot.yaml``: a bot in any language."""

from pathlib import Path
from typing import Annotated

import msgspec
import yaml
from msgspec import Meta, Struct

from arena.errors import RosterError


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a bot says of itself."""

    name: Annotated[str, Meta(pattern="^[A-Za-z0-9][A-Za-z0-9_.-]{0,49}$")]
    command: Annotated[tuple[str, ...], Meta(min_length=1)]  # a program, then its arguments
    version: Annotated[str, Meta(max_length=50)] = "0"
    description: str = ""
    threads: Annotated[int, Meta(ge=1, le=64)] = 1  # how many it wants to run
    scratch_mb: Annotated[int, Meta(ge=0, le=16)] = 0  # size of a private temporary folder, if it wants one


def read(path: Path) -> Manifest:
    """Return the manifest in a file. Raises: RosterError."""
    try:
        return msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), Manifest)
    except (OSError, UnicodeDecodeError) as error:
        raise RosterError(f"{path}: cannot be read: {error}") from None
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        raise RosterError(f"{path}: {' '.join(str(error).split())}") from None
