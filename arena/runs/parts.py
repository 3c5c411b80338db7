"""Parts that a command names one by one, instead of a spec: a ruleset, a sandbox, an audition."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, ValidationError, convert

from arena import document
from arena.errors import InputError
from arena.gin.rules import Rules
from arena.players.remote import TimeLimits
from arena.players.sandboxes.base import Sandbox
from arena.plugins import manager
from arena.roster.entrant import Launch
from arena.roster.finder import find
from arena.runs.choice import chosen_part
from arena.runs.fallback import usable
from arena.runs.submissions.confined_reader import confined_reader
from arena.tournament.audition import Audition
from arena.tournament.spec import DEFAULTS, Kinds
from arena.wording import explain

Part = TypeVar("Part", bound=Struct)


def kinds() -> Kinds:
    """Return every part that arena and the installed plugins have. Raises: PluginError."""
    return manager.kinds(manager.load())


def ruleset(text: str, **changes: Any) -> Rules:  # noqa: ANN401 - the options of a ruleset are of many types
    """Return the rules that a text names or spells out as a spec does, with some options changed.

    Raises: InputError, with the nearest valid name.
    """
    given = {"name": text} if not text.startswith("{") else {"name": DEFAULTS["rules"], **_mapping(text, "--rules")}
    found = chosen_part(manager.by_name(kinds().rules), str(given.pop("name")), "--rules")
    return _converted({**given, **changes}, found, "--rules")


def time_limits(text: str) -> TimeLimits:
    """Return the time limits that a text spells out as a spec does. Raises: InputError."""
    return _converted(_mapping(text, "--time"), TimeLimits, "--time")


def _mapping(text: str, where: str) -> dict[str, Any]:
    try:
        return document.read(text).values
    except document.DocumentError as error:
        raise InputError(f"{where}: {error}") from None


def _converted(values: dict[str, Any], kind: type[Part], where: str) -> Part:
    try:
        return convert(values, kind)
    except ValidationError as error:
        raise InputError(f"{where}: {explain(error)}") from None


def sandbox(name: str | None, launches: Iterable[Launch]) -> Sandbox:
    """Return the sandbox of that name, or the default of specs, with what the bots' manifests ask for.

    Raises: InputError; SandboxError, if this machine cannot prove the default and a bot does not come with arena.

    A spec has to grant threads and a scratch folder; here the user runs the bot to see it play, so they are granted.
    """
    bots = list(launches)
    granting = _sandbox(str(DEFAULTS["sandbox"]) if name is None else name)().granting(bots)
    return usable(granting, bots) if name is None else granting


def check_sandbox(name: str) -> None:
    """Raise InputError, with the nearest valid name, if there is no such sandbox."""
    _sandbox(name)


def _sandbox(name: str) -> type[Sandbox]:
    return chosen_part(manager.by_name(kinds().sandboxes), name, "--sandbox")


def audition(bot: str, hands: int, sandbox_name: str | None, folder: Path = Path()) -> Audition:
    """Return the audition of a bot under every ruleset; paths are relative to ``folder``. Raises: RosterError, InputError."""
    with confined_reader(sandbox(sandbox_name, [])) as reader:  # it may be a stranger's
        launch = find(bot, folder=folder, reader=reader).launch
    rules = sorted(kinds().rules, key=lambda ruleset: ruleset is not Rules)  # the default first
    confined = sandbox(sandbox_name, [launch])
    return Audition(launch=launch, rules=tuple(one() for one in rules), sandbox=confined, time=TimeLimits(), hands=hands)
