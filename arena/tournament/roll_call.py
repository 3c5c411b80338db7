"""Every entrant is started once before a tournament begins, so that a slip of its author costs nobody a league."""

from collections.abc import Iterator

from arena.errors import RosterError
from arena.players.base import PlayerFault
from arena.players.remote import RemotePlayer
from arena.referee.job import bot_seed
from arena.tournament.plan import Plan

AT_ONCE = 8  # bots that start side by side


def call(plan: Plan) -> None:
    """Make sure that every entrant can be started. Raises: RosterError, that names those that cannot; WorkerLost, SandboxError."""
    silent = list(_silent(plan))
    if silent:
        count = "a bot" if len(silent) == 1 else f"{len(silent)} bots"
        raise RosterError(f"{count} cannot be started: {'; '.join(silent)}")


def _silent(plan: Plan) -> Iterator[str]:
    """Yield a line on every bot that is not ready when it should be."""
    players = [(entrant.name, _player(plan, number)) for number, entrant in enumerate(plan.field)]
    for start in range(0, len(players), AT_ONCE):
        several = players[start : start + AT_ONCE]
        try:
            early = {name: line for name, player in several if (line := _started(player))}
            for name, player in several:
                if line := early.get(name) or _ready(player):
                    yield f"{name!r}: {line}"
        finally:
            for _, player in several:
                player.close()


def _player(plan: Plan, number: int) -> RemotePlayer:
    spec, entrant = plan.spec, plan.field[number]
    launch = spec.sandbox.wrap(entrant.launch)
    return RemotePlayer(launch, spec.rules, spec.time, spec.lines, bot_seed("roll call", entrant.name, 0), bot=entrant.name)


def _started(player: RemotePlayer) -> str | None:
    try:
        player.start()
    except PlayerFault as fault:
        return fault.detail
    return None


def _ready(player: RemotePlayer) -> str | None:
    try:
        player.begin(0, None)
    except PlayerFault as fault:
        return _told(fault)
    return None


def _told(fault: PlayerFault) -> str:
    """Return a fault in one line, with the last one that the bot wrote."""
    last = fault.stderr.strip().rpartition("\n")[2].strip()
    return f"{fault.detail}: {last}" if last else fault.detail
