"""Plans from a spec's file, and from the values of a command that has no file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from arena.errors import InputError, RosterError, SpecError
from arena.roster.finder import find
from arena.runs.fallback import usable
from arena.runs.parts import kinds
from arena.runs.resolve import ResolvedBot, lookup
from arena.tournament import plan as plans
from arena.tournament import spec as specs
from arena.tournament.plan import Plan


def from_file(path: Path, known: specs.Kinds, seed: str | None) -> Plan:
    """Return the plan of a spec's file; ``seed`` replaces the spec's. Raises: SpecError, RosterError."""
    spec = specs.load(path, known)
    try:
        plan = plans.make(spec, spec.seed if seed is None else seed, lambda bot, name: find(bot, name, Path(spec.folder)))
    except SpecError as error:
        raise SpecError(error.message, path=str(path)) from None
    except RosterError as error:
        raise RosterError(f"{path}: {error}") from None
    if spec.sandbox_named:
        return plan
    return replace(plan, spec=replace(spec, sandbox=usable(spec.sandbox, [bot.launch for bot in plan.programs])))


def from_values(values: Mapping[str, Any], field: Sequence[ResolvedBot], seed: str | None) -> Plan:
    """Return the plan of a spec with these values and bots. Raises: InputError, which names the option; RosterError."""
    bots = [{"bot": bot.asked, "name": bot.name} for bot in field]
    try:
        spec = specs.from_values({**values, "bots": bots}, kinds())
    except SpecError as error:
        raise InputError(error.message.removeprefix("format.")) from None
    return plans.make(spec, seed, lookup(field))
