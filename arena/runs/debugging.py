"""A hand of a bot shown turn by turn, against another bot or the partner of the audition."""

from collections.abc import Iterator

from msgspec import Struct

from arena.errors import InputError
from arena.gin.deal import Seat
from arena.gin.hand import Phase
from arena.gin.rules import Rules
from arena.players.base import Player
from arena.players.inline import InlinePlayer
from arena.players.remote import LineLimits, RemotePlayer, TimeLimits
from arena.players.sandboxes.base import Sandbox
from arena.players.wrappers import LateJoiner
from arena.records import Fixture
from arena.referee.job import Job, play_between
from arena.roster.entrant import Entrant
from arena.roster.finder import find
from arena.runs import parts
from arena.runs.trace import CountedPlayer, HandShownError, HandTurns, Lines, Messages, Show, Shown
from arena.tournament import sparring
from arena.tournament.audition import END_AT_FAULT


class Request(Struct, frozen=True, kw_only=True):
    """Which hand is shown, and how."""

    bot: str
    against: str = "greedy"
    hand: int = 0  # those before it are played without being shown
    seat: Seat = 0
    rules: str = "tournament"
    seed: str = "debug"
    sandbox: str | None = None
    raw: bool = False  # messages as they are sent
    late: Phase | None = None  # against the partner: the phase in which the bot joins the hand


def debug(request: Request, show: Show) -> bool:
    """Show a hand while it is played; return whether the bot did not fault. Raises: InputError, RosterError, SandboxError."""
    entrant = find(request.bot)
    opponent = None if request.against == sparring.NAME else find(request.against)
    sandbox = parts.sandbox(request.sandbox, [one.launch for one in (entrant, opponent) if one])
    rules = parts.ruleset(request.rules)
    teller = Messages() if request.raw else Lines(entrant.name, opponent.name if opponent else sparring.NAME)
    turns = HandTurns()
    shown = Shown(_remote(entrant, request, rules, sandbox, request.seat), request.hand, turns, teller, show)
    other = None if opponent is None else _remote(opponent, request, rules, sandbox, 1 - request.seat)
    player, partner = (CountedPlayer(one, turns) for one in _players(shown, other, request))
    players = (player, partner) if request.seat == 0 else (partner, player)
    try:
        record = play_between(players, fixture(rules, request.hand + 1), rules, END_AT_FAULT, request.seed)
    except HandShownError:
        if not shown.asked:
            show(_never_asked(request))
        return True
    faults = [fault for fault in record.faults if fault.seat == request.seat]
    if faults:
        show(shown.fault(faults[0]))
    return not faults


def _players(shown: Player, opponent: RemotePlayer | None, request: Request) -> tuple[Player, Player]:
    """Return the bot and its opponent. Raises: InputError, if the bot is to join late and the opponent does not wait for it."""
    if opponent:
        if request.late:
            raise InputError(f"--from {request.late}: only the partner `sparring` waits; expected --against {sparring.NAME}")
        return shown, opponent
    if request.late is None:
        return shown, InlinePlayer(sparring.partner(request.seed))
    answer = sparring.patient(request.seed)
    return LateJoiner(shown, answer, request.late), InlinePlayer(answer)


def _remote(bot: Entrant, request: Request, rules: Rules, sandbox: Sandbox, seat: Seat) -> RemotePlayer:
    job = Job(
        fixture=fixture(rules, request.hand + 1),
        launches=(bot.launch, bot.launch),
        rules=rules,
        sandbox=sandbox,
        time=TimeLimits(),
        lines=LineLimits(),
        faults=END_AT_FAULT,
        seed=request.seed,
    )
    return job.player(seat)


def fixture(rules: Rules, hands: int) -> Fixture:
    """Return the fixture whose deals ``debug`` shows, with this number of hands."""
    return Fixture(f"debug/{rules.name}", ("0", "1"), rules.name, hands)


def _never_asked(request: Request) -> Iterator[str]:
    yield f"the hand never came to {request.late or 'a turn of the bot'}; another may: --hand {request.hand + 1}"
