"""Plans from a spec's file, a folder of bots or the values of a command."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from arena import yaml
from arena.disk import real
from arena.errors import InputError, RosterError, SpecError
from arena.plugins.manager import installed_kinds
from arena.roster.finder import find, in_folder, names
from arena.runs.chosen import ResolvedBot
from arena.runs.named_parts import sandbox
from arena.runs.sandbox_fallback import usable
from arena.store.folder import DATABASE
from arena.tournament.plan import EntryError, Plan, make
from arena.tournament.spec import Kinds, parse_spec, spec_from_values, spec_text


def from_file(path: Path, kinds: Kinds, seed: str | None) -> Plan:
    """Return the plan of a spec's file; ``seed`` replaces the spec's. Raises: SpecError, RosterError, SandboxError."""
    spec = parse_spec(spec_text(path), kinds, str(path))
    try:
        plan = make(spec, spec.seed if seed is None else seed, lambda bot, name: find(bot, name, Path(spec.folder)))
    except SpecError as error:
        raise SpecError(error.message, path=str(path)) from None
    except EntryError as error:
        raise RosterError(f"{path}:{yaml.read(spec.text).line(('bots', error.place))}: bots.{error.place}: {error}") from None
    if spec.sandbox_named:
        return plan
    return replace(plan, spec=replace(spec, sandbox=usable(spec.sandbox, [bot.launch for bot in plan.programs])))


def from_folder(folder: Path, seed: str | None, tell: Callable[[str], None], warn: Callable[[str], None]) -> Plan:
    """Return the plan of a round robin of the bots in a folder, by the defaults of specs; ``tell`` and ``warn`` as ``from_path``.

    Raises: RosterError, for fewer than two bots; InputError, SandboxError, OSError.
    """
    bots, left_out = in_folder(folder)
    if len(bots) < 2:
        found = " and ".join(bot.name for bot in bots) or "no bot"
        but = f"; left out: {'; '.join(left_out[:5])}" if left_out else ""
        raise RosterError(f"{folder}: found {found}; expected a folder with at least two .py files that have one bot each{but}")
    resolved = real(folder)
    values = {"title": resolved.name[:200] or "Tournament", "sandbox": sandbox(None, [bot.launch for bot in bots])}
    plan = from_values(values, [ResolvedBot(bot.source, bot) for bot in bots], seed)
    for bot in bots:
        tell(f"plays: {bot.name}: {bot.source.replace(f'{resolved}/', '')}")
    for line in left_out:
        warn(f"left out: {line}")
    return plan


def from_path(path: Path, seed: str | None, tell: Callable[[str], None], warn: Callable[[str], None]) -> Plan:
    """Return the plan of a spec or a folder of bots; ``tell`` receives lines about its bots, ``warn`` about its other files.

    Raises: as ``from_file`` and ``from_folder``.
    """
    if not path.is_dir():
        _check_is_spec(path)
        return from_file(path, installed_kinds(), seed)
    if (path / DATABASE).is_file():
        raise InputError(f"{path}: holds a run, which arena report {path} shows; expected its spec, or a folder of bots")
    return from_folder(path, seed, tell, warn)


def _check_is_spec(path: Path) -> None:
    """Raise InputError for a bot in place of a spec, with the commands that take one."""
    is_bot = path.suffix == ".py" or ".py:" in path.name or (str(path) in names() and not path.exists())
    if is_bot:
        raise InputError(
            f"{path}: names a bot; expected a spec, as league.yaml, or a folder of bots; "
            f"arena duel {path} greedy plays it, arena bots check {path} tests it"
        )


def from_values(values: Mapping[str, Any], field: Sequence[ResolvedBot], seed: str | None) -> Plan:
    """Return the plan of a spec with these values and bots. Raises: InputError, which names the option; RosterError."""
    bots, entrants = [{"bot": bot.asked, "name": bot.name} for bot in field], {bot.name: bot.entrant for bot in field}
    try:
        spec = spec_from_values({**values, "bots": bots}, installed_kinds())
    except SpecError as error:
        # the format's options are options of the command
        raise InputError(re.sub(r"^format\.(?!name:)", "", error.message)) from None
    return make(spec, seed, lambda _, name: entrants[name or ""])
