"""Options of commands whose text names a part, or spells out its options as a section of a spec does."""

from typing import Any

from arena import yaml
from arena.errors import InputError
from arena.text import in_one_line
from arena.tournament.conversion import Source
from arena.tournament.spec import MistakeError, convert_section


def read_section(text: str, key: str) -> tuple[dict[str, Any], Source]:
    """Return the options, and perhaps the name, that a text names or spells out. Raises: InputError."""
    if not text.startswith("{"):
        return {"name": text}, lambda _: None
    found = read_mapping(text, key)
    return found.values, found.source


def read_mapping(text: str, key: str) -> yaml.Document:
    """Return the options that a text spells out. Raises: InputError."""
    try:
        return yaml.read(text)
    except yaml.DocumentError as error:
        raise InputError(f"--{key}: {error}") from None


def make_part(key: str, values: dict[str, Any], kind: Any, source: Source, not_loaded: str = "") -> Any:  # noqa: ANN401 - as ``convert_section``
    """Return a section by its options. Raises: InputError, which names the option of the command as a spec names the key."""
    try:
        return convert_section(key, values, kind, source, not_loaded)
    except MistakeError as error:
        problem = error.problem
        path = () if problem.path[1:] == ("name",) and problem.what.startswith("found ") else problem.path[1:]
        where = f"{'.'.join(map(str, path))}: " if path else ""
        raise InputError(in_one_line(f"--{key}: {where}{problem.what}")) from None
