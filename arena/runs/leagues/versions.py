"""What changed between two versions of a league's bots: ``arena diff`` with the rules, limits and sandbox of the league."""

from pathlib import Path

from msgspec.structs import replace

from arena.league.field import Version
from arena.runs import difference
from arena.runs.difference import DiffRequest, FoundDifference
from arena.runs.leagues import folder as leagues
from arena.runs.leagues.changes import chosen
from arena.runs.leagues.intake import entrant
from arena.runs.resolve import ResolvedBot
from arena.runs.runner import Runner


def compare(path: Path, old: str, new: str, hands: int, runner: Runner) -> FoundDifference:
    """Return how the answers of two versions differ. Raises: InputError, StoreError, SpecError, SandboxError, RosterError."""
    with leagues.opened(path) as league:
        field, spec = leagues.field(league.store), league.spec
    versions = [chosen(field, one) for one in (old, new)]
    bots = [_bot(path, one, name) for one, name in zip(versions, ("old", "new"), strict=True)]
    request = DiffRequest(hands=hands, rules=spec.rules, sandbox=spec.sandbox, time=spec.time)
    return difference.compare(bots[0], bots[1], request, runner)


def _bot(path: Path, version: Version, name: str) -> ResolvedBot:
    """Return a version under a name that a spec may have, which `ann-bot@1` is not."""
    found = entrant(version, path)
    return ResolvedBot(found.source, replace(found, name=name))
