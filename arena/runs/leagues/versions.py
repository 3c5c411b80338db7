"""What changed between two versions of a league's bots, and hands of them: with the rules, limits and sandbox of the league."""

from pathlib import Path

from msgspec.structs import replace

from arena.league.field import Version
from arena.roster.reading import Reader
from arena.runs import debugging, difference
from arena.runs.debugging import HandChoice, Opponents
from arena.runs.difference import DiffRequest, FoundDifference, HandCommand
from arena.runs.leagues import folder as leagues
from arena.runs.leagues.changes import chosen
from arena.runs.leagues.intake import entrant
from arena.runs.resolve import ResolvedBot
from arena.runs.runner import Runner
from arena.runs.submissions.confined_reader import confined_reader
from arena.runs.trace import Show


def compare(path: Path, old: str, new: str, hands: int, runner: Runner) -> FoundDifference:
    """Return how the answers of two versions differ. Raises: InputError, StoreError, SpecError, SandboxError, RosterError."""
    with leagues.opened(path) as league:
        field, spec = leagues.field(league.store), league.spec
    versions = [chosen(field, one) for one in (old, new)]
    with confined_reader(spec.sandbox) as reader:
        bots = [_bot(path, one, name, reader) for one, name in zip(versions, ("old", "new"), strict=True)]
    request = DiffRequest(hands=hands, rules=spec.rules, sandbox=spec.sandbox, time=spec.time)
    old_version = versions[0].id
    command = HandCommand(words=("arena", "league", "debug", str(path), old_version), bot=old_version)
    return difference.compare(bots[0], bots[1], request, runner, command)


def show_hand(path: Path, bot: str, against: str | None, choice: HandChoice, show: Show) -> bool:
    """Show a hand of a version against another, while it is played; ``against``: None: against itself.

    Returns whether the bot did not fault. Raises: InputError, StoreError, SpecError, SandboxError, RosterError.
    """
    with leagues.opened(path) as league:
        field, spec = leagues.field(league.store), league.spec
    version = chosen(field, bot)
    opponent = chosen(field, against) if against else version
    with confined_reader(spec.sandbox) as reader:
        found, other = (entrant(one, path, reader) for one in (version, opponent))
    opponents = Opponents(
        bot=found,
        name=version.id,
        opponent=other,
        against=opponent.id,
        rules=spec.rules,
        time=spec.time,
        sandbox=spec.sandbox,
    )
    return debugging.show_hand(opponents, choice, show)


def _bot(path: Path, version: Version, name: str, reader: Reader) -> ResolvedBot:
    """Return a version under a name that a spec may have, which `ann-bot@1` is not."""
    found = entrant(version, path, reader)
    return ResolvedBot(found.source, replace(found, name=name))
