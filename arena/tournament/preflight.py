"""The preflight check: every entrant is started once before a tournament, so that a mistake in one bot does not cost a league.

A bot is only started here; ``arena.tournament.audition`` tests its play.
"""

from collections.abc import Callable, Iterator
from functools import partial

from msgspec.structs import replace

from arena.errors import RosterError
from arena.players.base import PlayerFaultError
from arena.players.process_player import ProcessPlayer
from arena.records import Fixture
from arena.sdk.checks import WARNING
from arena.tournament.plan import Plan

PARALLEL = 8  # bots started in parallel
MOST_WARNINGS = 10  # of a bot


def check_starts(plan: Plan) -> list[str]:
    """Start every entrant once, and return the SDK's warnings, as of a method with a misspelt name.

    Raises: RosterError, with a reason for each that fails; WorkerLostError, SandboxError.
    """
    warned: list[str] = []
    failures = list(_failures(plan, warned.append))
    if failures:
        count = "a bot" if len(failures) == 1 else f"{len(failures)} bots"
        raise RosterError(f"{count} cannot be started: {'; '.join(failures)}; `arena bots check` shows where")
    return warned


def warnings(player: ProcessPlayer) -> list[str]:
    """Return the first lines in which the SDK warns of a mistake in the bot's class, before the bot has played."""
    return [line for line in player.log().splitlines() if line.startswith(WARNING)][:MOST_WARNINGS]


def _failures(plan: Plan, warn: Callable[[str], None]) -> Iterator[str]:
    """Yield a line for every bot that is not ready in time; ``warn`` receives the warnings on the others."""
    seeded = replace(plan, seed="preflight")
    fixtures = (Fixture("preflight", (entrant.name, entrant.name), entrant.name) for entrant in plan.programs)
    players = [(fixture.seats[0], seeded.job(fixture).player(0)) for fixture in fixtures]
    for start in range(0, len(players), PARALLEL):
        batch = players[start : start + PARALLEL]
        try:
            not_started = {name: line for name, player in batch if (line := _why_failed(player.start))}
            for name, player in batch:
                if line := not_started.get(name) or _why_failed(partial(player.begin, seat=0, hands=None)):
                    yield f"{name!r}: {line}"
                else:
                    for text in warnings(player):
                        warn(f"bot {name!r}: {text}")
        finally:
            for _, player in batch:
                player.close()


def _why_failed(step: Callable[[], None]) -> str | None:
    """Return the fault in a step of a bot's start, with the last line that the bot wrote to stderr; None: there is none."""
    try:
        step()
    except PlayerFaultError as fault:
        last = fault.stderr.strip().rpartition("\n")[2].strip()
        return f"{fault.detail}: {last}" if last else fault.detail
    return None
