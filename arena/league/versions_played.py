"""Compares two versions, and shows their hands, with the rules, limits and sandbox of the league."""

from pathlib import Path

from msgspec.structs import replace

from arena.league import leagues
from arena.league.intake.copies import entrant
from arena.league.membership import find_version
from arena.league.rules.spec import LeagueSpec
from arena.roster.entrant import Entrant
from arena.runs import debugging, differences
from arena.runs.chosen import ResolvedBot
from arena.runs.confined_reading import confined_reader
from arena.runs.debugging import HandChoice, Opponents, Show
from arena.runs.differences import DiffRequest, FoundDifference, HandCommand
from arena.runs.runner import Runner


def compare(path: Path, old: str, new: str, hands: int, runner: Runner) -> FoundDifference:
    """Return the differences of two versions' answers. Raises: InputError, StoreError, SpecError, SandboxError, RosterError."""
    spec, found = _entrants(path, old, new)
    bots = [ResolvedBot(one.source, replace(one, name=name)) for one, name in zip(found, ("old", "new"), strict=True)]
    request = DiffRequest(hands=hands, rules=spec.rules, sandbox=spec.sandbox, time=spec.time)
    command = HandCommand(words=("arena", "league", "debug", str(path), found[0].name), bot=found[0].name)
    return differences.compare(bots[0], bots[1], request, runner, command)


def show_hand(path: Path, bot: str, against: str | None, choice: HandChoice, show: Show) -> bool:
    """Show a hand of a version against another, while it is played; ``against``: None: against itself.

    Returns false if the bot faulted. Raises: InputError, StoreError, SpecError, SandboxError, RosterError.
    """
    spec, (found, other) = _entrants(path, bot, against or bot)
    opponents = Opponents(bot=found, opponent=other, rules=spec.rules, time=spec.time, sandbox=spec.sandbox)
    return debugging.show_hand(opponents, choice, show)


def _entrants(path: Path, *bots: str) -> tuple[LeagueSpec, list[Entrant]]:
    """Return the spec of a league, and the entrants of some bots or versions, each named by the id of its version."""
    with leagues.open_league(path) as league:
        field, spec = leagues.field(league.store), league.spec
    versions = [find_version(field, one) for one in bots]
    with confined_reader(spec.sandbox) as reader:
        return spec, [entrant(version, path, reader) for version in versions]
