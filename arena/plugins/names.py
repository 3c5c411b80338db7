"""The names that plugins give to parts, commands and files."""

import re
from typing import Any

from arena.plugins.source import UnexpectedError
from arena.plugins.typed import shown

NAME = re.compile(r"\w[\w.-]{0,99}")  # of a part, a command, a file


def check_name(name: Any, what: str) -> None:  # noqa: ANN401 - of a plugin
    """Raise UnexpectedError for what is not the name of ``what``."""
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        raise UnexpectedError(f"{shown(name)} as the name of {what}", "letters, digits and _.-")
