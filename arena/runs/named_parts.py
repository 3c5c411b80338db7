"""The rules, time limits, sandbox and audition that a text of a command names or spells out as a spec does."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from arena.confinement.profiles import Sandbox
from arena.gin.rules import Rules
from arena.limits import TimeLimits
from arena.plugins.held_parts import refusal
from arena.plugins.manager import installed_kinds
from arena.roster.entrant import Launch
from arena.roster.finder import find
from arena.runs.confined_reading import confined_reader
from arena.runs.sandbox_fallback import usable
from arena.runs.sections import make_part, read_mapping, read_section
from arena.tournament.audition import Audition
from arena.tournament.conversion import Source
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
