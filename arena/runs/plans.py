"""Plans from a spec's file, a folder of bots or the values of a command; and the bots, rules and sandbox that commands name."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from arena import yaml
from arena.confinement.profiles import Sandbox
from arena.disk import real
from arena.errors import InputError, RosterError, SpecError
from arena.gin.rules import Rules
from arena.limits import TimeLimits
from arena.plugins.held_parts import refusal
from arena.plugins.manager import installed_kinds
from arena.roster.entrant import Launch
from arena.roster.finder import find, in_folder, names
from arena.runs.chosen import ResolvedBot
from arena.runs.confined_reading import confined_reader
from arena.runs.sandbox_fallback import usable
from arena.runs.sections import make_part, read_mapping, read_section
from arena.store.folder import DATABASE
from arena.tournament import plan as plans
from arena.tournament import spec as specs
from arena.tournament.audition import Audition
from arena.tournament.conversion import Source
from arena.tournament.plan import EntryError, Plan
from arena.tournament.spec import any_of


def ruleset(text: str, defaults: Mapping[str, Any] = MappingProxyType({}), **changes: Any) -> Rules:  # noqa: ANN401 - options are of many types
    """Return the rules that a text names or spells out as a spec does.

    ``defaults`` are used for options that the text leaves out; ``changes`` replace its options. Raises: InputError, with the
    nearest valid name.
    """
    known = installed_kinds()
    given, source = read_section(text, "rules")
    made: Rules = make_part("rules", {**defaults, **given, **changes}, any_of(known.rules), source, known.not_loaded)
    return made


def time_limits(text: str) -> TimeLimits:
    """Return the time limits that a text spells out as a spec does. Raises: InputError."""
    found = read_mapping(text, "time")
    limits: TimeLimits = make_part("time", found.values, TimeLimits, found.source)
    return limits


def sandbox(text: str | None, launches: Iterable[Launch], limits: Sandbox | None = None) -> Sandbox:
    """Return the sandbox that a text names or spells out as a spec does, or the default of specs.

    Options that the text leaves out are those of ``limits``, another sandbox. Without ``limits``, threads and scratch are as the
    bots' manifests ask for: a tournament needs a spec that grants them, but here the user chose the bot. Raises: InputError;
    SandboxError, if no sandbox is named, this machine cannot prove the default and a bot does not come with arena.
    """
    bots = list(launches)
    given, source = read_section(text or "{}", "sandbox")
    spelled_out = _sandbox(given, source)
    granting = spelled_out.granting(bots) if limits is None else spelled_out.granting(bots).with_limits_of(limits)
    chosen = replace(granting, **{option: getattr(spelled_out, option) for option in given if option != "name"})
    return chosen if "name" in given else usable(chosen, bots)


def check_sandbox(text: str) -> None:
    """Raise InputError, unless a text names or spells out a sandbox."""
    _sandbox(*read_section(text, "sandbox"))


def _sandbox(given: dict[str, Any], source: Source) -> Sandbox:
    known = installed_kinds()
    made: Sandbox = make_part("sandbox", given, any_of(known.sandboxes), source, known.not_loaded)
    return made


def audition(
    bot: str, hands: int, sandbox_text: str | None, folder: Path = Path(), rules: str | None = None, time: str = "{}"
) -> Audition:
    """Return the audition of a bot under ``rules``, or under every ruleset; paths are relative to ``folder``.

    Raises: RosterError, InputError, SandboxError.
    """
    usable = (ruleset for ruleset in installed_kinds().rules if not refusal(ruleset))
    every = sorted(usable, key=lambda ruleset: ruleset is not Rules)  # the default first
    under = tuple(kind() for kind in every) if rules is None else (ruleset(rules),)
    limits = time_limits(time)
    # The bot may be a stranger's. Where `strict` cannot be proved it is read under `standard`, and then refused below.
    with confined_reader(sandbox(sandbox_text, [])) as reader:
        launch = find(bot, folder=folder, reader=reader).launch
    return Audition(launch=launch, rules=under, sandbox=sandbox(sandbox_text, [launch]), time=limits, hands=hands)


def from_file(path: Path, known: specs.Kinds, seed: str | None) -> Plan:
    """Return the plan of a spec's file; ``seed`` replaces the spec's. Raises: SpecError, RosterError, SandboxError."""
    spec = specs.load(path, known)
    try:
        plan = plans.make(spec, spec.seed if seed is None else seed, lambda bot, name: find(bot, name, Path(spec.folder)))
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
    found = in_folder(folder)
    if len(found.taken) < 2:
        left_out = f"; left out: {'; '.join(found.left_out[:5])}" if found.left_out else ""
        bots = " and ".join(bot.name for bot in found.taken) or "no bot"
        raise RosterError(f"{folder}: found {bots}; expected a folder with at least two .py files that have one bot each{left_out}")
    resolved = real(folder)
    values = {"title": resolved.name[:200] or "Tournament", "sandbox": sandbox(None, [bot.launch for bot in found.taken])}
    plan = from_values(values, [ResolvedBot(bot.source, bot) for bot in found.taken], seed)
    for bot in found.taken:
        tell(f"plays: {bot.name}: {bot.source.replace(f'{resolved}/', '')}")
    for line in found.left_out:
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
        spec = specs.from_values({**values, "bots": bots}, installed_kinds())
    except SpecError as error:
        # the format's options are options of the command
        raise InputError(re.sub(r"^format\.(?!name:)", "", error.message)) from None
    return plans.make(spec, seed, lambda _, name: entrants[name or ""])
