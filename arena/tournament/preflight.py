"""The preflight check: every entrant is started once before a tournament, so that a mistake in one bot does not cost a league.

It costs about as much as the start of the first fixture. A bot is only started here; ``arena.tournament.audition`` tests its play.
"""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from arena.errors import RosterError
from arena.players.base import PlayerFaultError
from arena.players.remote import RemotePlayer
from arena.records import Fixture
from arena.roster.entrant import Entrant
from arena.sdk.checks import WARNING
from arena.tournament.plan import Plan

PARALLEL = 8  # bots started in parallel
MOST_WARNINGS = 10  # of a bot


def check_starts(plan: Plan) -> list[str]:
    """Start every entrant once, and return what the SDK warns of, as a method with a misspelt name.

    Raises: RosterError, with a reason for each that fails; WorkerLostError, SandboxError.
    """
    warned: list[str] = []
    failures = list(_failures(plan, warned.append))
    if failures:
        count = "a bot" if len(failures) == 1 else f"{len(failures)} bots"
        raise RosterError(f"{count} cannot be started: {'; '.join(failures)}")
    return warned


def warnings(player: RemotePlayer) -> list[str]:
    """Return the first lines in which the SDK warns of a mistake in the bot's class, before the bot has played."""
    return [line for line in player.log().splitlines() if line.startswith(WARNING)][:MOST_WARNINGS]


def _failures(plan: Plan, warn: Callable[[str], None]) -> Iterator[str]:
    """Yield a line for every bot that is not ready in time; ``warn`` receives the warnings on the others."""
    players = [(entrant.name, _player(plan, entrant)) for entrant in plan.programs]
    for start in range(0, len(players), PARALLEL):
        batch = players[start : start + PARALLEL]
        try:
            not_started = {name: line for name, player in batch if (line := _start(player))}
            for name, player in batch:
                if line := not_started.get(name) or _begin(player):
                    yield f"{name!r}: {line}"
                else:
                    for text in warnings(player):
                        warn(f"bot {name!r}: {text}")
        finally:
            for _, player in batch:
                player.close()


def _player(plan: Plan, entrant: Entrant) -> RemotePlayer:
    fixture = Fixture("preflight", (entrant.name, entrant.name), entrant.name)
    return replace(plan, seed="preflight").job(fixture).player(0)


def _start(player: RemotePlayer) -> str | None:
    """Start a bot's process; return the reason if that fails."""
    try:
        player.start()
    except PlayerFaultError as fault:
        return fault.detail
    return None


def _begin(player: RemotePlayer) -> str | None:
    """Wait until a bot is ready; return the reason if it fails."""
    try:
        player.begin(0, None)
    except PlayerFaultError as fault:
        return _describe(fault)
    return None


def _describe(fault: PlayerFaultError) -> str:
    """Return a fault in one line, with the last line that the bot wrote to stderr."""
    last = fault.stderr.strip().rpartition("\n")[2].strip()
    return f"{fault.detail}: {last}" if last else fault.detail
