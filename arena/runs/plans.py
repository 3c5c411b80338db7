"""Plans from a spec's file, and from the values of a command that has no file."""

import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from arena import yaml
from arena.confinement.sandbox import Sandbox
from arena.errors import InputError, RosterError, SandboxError, SpecError
from arena.gin.rules import Rules
from arena.players.remote import TimeLimits
from arena.players.sandboxes import StandardSandbox
from arena.plugins import manager
from arena.roster.entrant import Launch
from arena.roster.finder import find, in_folder
from arena.runs.choice import ResolvedBot, chosen_part, lookup
from arena.runs.reading import confined_reader
from arena.system import real
from arena.text import explain
from arena.tournament import plan as plans
from arena.tournament import spec as specs
from arena.tournament.audition import Audition
from arena.tournament.plan import Plan
from arena.tournament.spec import DEFAULTS, Kinds

# The sandbox `standard` in place of the default, for bots that come with arena.
#
# Some machines cannot prove the sandbox `strict`: old kernels, containers without Landlock and user namespaces. A first run must
# work there too, and the bots of arena's own distribution need no protection from each other. So where strict is only the default,
# and every bot comes with arena, they run under `standard`, which the console and the report say. A stranger's bot is refused.


def usable(default: Sandbox, launches: Iterable[Launch]) -> Sandbox:
    """Return the default sandbox, or `standard` with its limits if this machine cannot prove it and all bots are arena's own.

    Raises: SandboxError, if one of them is not.
    """
    try:
        default.assurance()
    except SandboxError:
        if not all(map(comes_with_arena, launches)):
            raise
        return StandardSandbox().with_limits_of(default)
    return default


def comes_with_arena(launch: Launch) -> bool:
    """Tell whether all files of a bot lie in arena's own package of bots."""
    return all(any(Path(file).is_relative_to(home) for home in _homes()) for file in launch.files or (launch.folder,))


def _homes() -> list[Path]:
    spec = importlib.util.find_spec("arena_bots")
    return [real(Path(folder)) for folder in (spec.submodule_search_locations or () if spec else ())]


# Parts that a command names one by one, instead of a spec: a ruleset, a sandbox, an audition.

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
    return _convert({**given, **changes}, found, "--rules")


def time_limits(text: str) -> TimeLimits:
    """Return the time limits that a text spells out as a spec does. Raises: InputError."""
    return _convert(_mapping(text, "--time"), TimeLimits, "--time")


def _mapping(text: str, where: str) -> dict[str, Any]:
    try:
        return yaml.read(text).values
    except yaml.DocumentError as error:
        raise InputError(f"{where}: {error}") from None


def _convert(values: dict[str, Any], kind: type[Part], where: str) -> Part:
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


class FolderPlan(Struct, frozen=True):
    """The round robin of a folder's bots, and what of the folder plays in it."""

    plan: Plan
    taken: tuple[str, ...]  # a line for each bot
    left_out: tuple[str, ...]  # a line for each other file and folder, with the reason


def from_folder(folder: Path, seed: str | None = None) -> FolderPlan:
    """Return the plan of a round robin of the bots in a folder, by the defaults of specs.

    Raises: RosterError, for fewer than two bots; InputError, SandboxError, OSError.
    """
    found = in_folder(folder)
    if len(found.taken) < 2:
        left_out = f"; left out: {'; '.join(found.left_out[:5])}" if found.left_out else ""
        bots = " and ".join(bot.name for bot in found.taken) or "no bot"
        raise RosterError(f"{folder}: found {bots}; expected a folder with at least two .py files that have one bot each{left_out}")
    whole = real(folder)
    values = {"title": whole.name[:200] or "Tournament", "sandbox": sandbox(None, [bot.launch for bot in found.taken])}
    plan = from_values(values, [ResolvedBot(bot.source, bot) for bot in found.taken], seed)
    return FolderPlan(plan, tuple(f"{bot.name}: {bot.source.replace(f'{whole}/', '')}" for bot in found.taken), found.left_out)


def from_path(path: Path, known: specs.Kinds, seed: str | None, tell: Callable[[str], None], warn: Callable[[str], None]) -> Plan:
    """Return the plan of a spec's file or of a folder of bots; ``tell`` receives what of a folder plays, ``warn`` what does not.

    Raises: as ``from_file`` and ``from_folder``.
    """
    if not path.is_dir():
        return from_file(path, known, seed)
    found = from_folder(path, seed)
    for line in found.taken:
        tell(f"plays: {line}")
    for line in found.left_out:
        warn(f"left out: {line}")
    return found.plan


def from_values(values: Mapping[str, Any], field: Sequence[ResolvedBot], seed: str | None) -> Plan:
    """Return the plan of a spec with these values and bots. Raises: InputError, which names the option; RosterError."""
    bots = [{"bot": bot.asked, "name": bot.name} for bot in field]
    try:
        spec = specs.from_values({**values, "bots": bots}, kinds())
    except SpecError as error:
        raise InputError(error.message.removeprefix("format.")) from None
    return plans.make(spec, seed, lookup(field))
