"""``arena debug``: a bot at play, turn by turn as it happens."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arena.cli.parts import Bot, RulesName, SandboxName

if TYPE_CHECKING:
    from arena.gin.rules import Rules
    from arena.players.base import Player
    from arena.players.remote import RemotePlayer
    from arena.players.sandboxes.base import Sandbox
    from arena.records import MatchRecord
    from arena.roster.entrant import Entrant
    from arena.tournament.sparring import Answer

Phases = Literal["upcard", "first_draw", "draw", "discard", "last_take", "last_knock", "lay_off"]


def debug(
    bot: Bot,
    *,
    against: Annotated[str, typer.Option(help="Another bot, or `sparring`: the partner of `arena bots check`.")] = "greedy",
    hand: Annotated[int, typer.Option(min=0, help="Which hand is shown, from 0; those before it are played unseen.")] = 0,
    seat: Annotated[int, typer.Option(min=0, max=1, help="Where the bot sits.")] = 0,
    rules: RulesName = "tournament",
    seed: Annotated[str, typer.Option(help="Seed of the deals and of the bots' chance.")] = "debug",
    sandbox: SandboxName = None,
    raw: Annotated[bool, typer.Option("--raw", help="Show the messages as they are sent.")] = False,
    late: Annotated[
        Phases | None,
        typer.Option("--from", help="Against sparring: the phase in which the bot joins the hand."),
    ] = None,
) -> None:
    """Show a hand as the bot sees it: each turn, its answer, what that cost, and what the bot writes to stderr meanwhile.

    Example: arena debug ./mine.py:Mine --hand 3

    The same seed shows the same hand again. Exit code 1, if the bot commits a fault.
    """
    from arena.cli import parts
    from arena.cli.log import log_nowhere
    from arena.cli.shown import HandShown, Lines, Messages, Shown
    from arena.roster.finder import find
    from arena.tournament import sparring

    log_nowhere()  # faults are shown below
    entrant, opponent = find(bot), None if against == sparring.NAME else find(against)
    table = parts.ruleset(rules), parts.sandbox(sandbox, [one.launch for one in (entrant, opponent) if one])
    remote = _remote(entrant, table, seat, seed)
    shown = Shown(remote, hand, Messages() if raw else Lines(entrant.name, against))
    player, other = _players(shown, opponent, table, seat, seed, late)
    try:
        record = _play((player, other) if seat == 0 else (other, player), table[0], hand, seed)
    except HandShown:
        if not shown.asked:
            typer.echo(f"the hand never came to {late or 'a turn of the bot'}; another may: --hand {hand + 1}")
        return
    if any(fault.seat == seat for fault in record.faults):
        for line in shown.fault(next(fault for fault in record.faults if fault.seat == seat)):
            typer.echo(line)
        raise typer.Exit(1)


def _remote(bot: "Entrant", table: "tuple[Rules, Sandbox]", seat: int, seed: str) -> "RemotePlayer":
    """Return a bot behind its walls, with the chance of an audition with this seed. Raises: SandboxError."""
    from arena.players.remote import LineLimits, RemotePlayer, TimeLimits
    from arena.referee.job import bot_seed

    rules, sandbox = table
    return RemotePlayer(sandbox.wrap(bot.launch), rules, TimeLimits(), LineLimits(), bot_seed(seed, rules.name, seat))


def _players(
    shown: "Player", opponent: "Entrant | None", table: "tuple[Rules, Sandbox]", seat: int, seed: str, late: Phases | None
) -> "tuple[Player, Player]":
    """Return the bot and its opponent. Raises: InputError, if the bot is to join late and the opponent does not wait for it."""
    from arena.errors import InputError
    from arena.gin.hand import Phase
    from arena.players.inline import InlinePlayer
    from arena.players.watched import Late
    from arena.tournament import sparring

    if opponent:
        if late:
            raise InputError(f"--from {late}: only the partner `sparring` waits; expected --against {sparring.NAME}")
        return shown, _remote(opponent, table, 1 - seat, seed)
    if late is None:
        return shown, InlinePlayer(sparring.partner(seed))
    plays: Answer = sparring.patient(seed)
    return Late(shown, plays, Phase(late)), InlinePlayer(plays)


def _play(players: "tuple[Player, Player]", rules: "Rules", hand: int, seed: str) -> "MatchRecord":
    """Play hands to the one that is shown. Raises: HandShown, when it is over; WorkerLost."""
    from arena.records import Fixture
    from arena.referee.job import contest
    from arena.referee.referee import Referee
    from arena.tournament.audition import AT_ONCE

    fixture = Fixture(f"debug/{rules.name}", ("0", "1"), rules.name, hand + 1)
    return Referee(fixture, rules, contest(fixture, rules, seed), players, AT_ONCE).play()
