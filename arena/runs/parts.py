"""Parts that a command names one by one, instead of a spec: a ruleset, a sandbox, an audition."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena.gin.rules import Rules
from arena.players.remote import TimeLimits
from arena.players.sandboxes.base import Sandbox
from arena.plugins import manager
from arena.roster.entrant import Launch
from arena.roster.finder import find
from arena.runs.choice import chosen_part
from arena.runs.fallback import usable
from arena.tournament.audition import Audition
from arena.tournament.spec import DEFAULTS, Kinds


def kinds() -> Kinds:
    """Return every part that arena and the installed plugins have. Raises: PluginError."""
    return manager.kinds(manager.load())


def ruleset(name: str, **changes: Any) -> Rules:  # noqa: ANN401 - the options of a ruleset are of many types
    """Return the ruleset of that name with some options changed. Raises: InputError, with the nearest valid name."""
    return chosen_part(manager.by_name(kinds().rules), name, "--rules")(**changes)


def sandbox(name: str | None, launches: Iterable[Launch]) -> Sandbox:
    """Return the sandbox of that name, or the default of specs, with what the bots' manifests ask for.

    Raises: InputError; SandboxError, if this machine cannot prove the default and a bot does not come with arena.

    A spec has to grant threads and a scratch folder; here the user runs the bot to see it play, so they are granted.
    """
    bots = list(launches)
    part = chosen_part(manager.by_name(kinds().sandboxes), name or str(DEFAULTS["sandbox"]), "--sandbox")
    granting = part().granting(bots)
    return granting if name else usable(granting, bots)


def audition(bot: str, hands: int, sandbox_name: str | None, folder: Path = Path()) -> Audition:
    """Return the audition of a bot under every ruleset; paths are relative to ``folder``. Raises: RosterError, InputError."""
    launch = find(bot, folder=folder).launch
    rules = sorted(kinds().rules, key=lambda ruleset: ruleset is not Rules)  # the default first
    confined = sandbox(sandbox_name, [launch])
    return Audition(launch=launch, rules=tuple(one() for one in rules), sandbox=confined, time=TimeLimits(), hands=hands)
