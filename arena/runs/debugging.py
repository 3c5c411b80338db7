"""A hand of a bot shown turn by turn, against another bot, itself or the partner of the audition."""

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


class HandChoice(Struct, frozen=True, kw_only=True):
    """Which hand is shown, and how."""

    hand: int = 0  # those before it are played without being shown
    seat: Seat = 0
    seed: str = "debug"
    raw: bool = False  # messages as they are sent
    late: Phase | None = None  # against the partner: the phase in which the bot joins the hand


class DebugRequest(Struct, frozen=True, kw_only=True):
    """Who plays the hand, and under which conditions, as the user names them."""

    bot: str
    against: str = "greedy"
    rules: str = "tournament"
    time: str = "{}"  # as in a spec
    sandbox: str | None = None


class Opponents(Struct, frozen=True, kw_only=True):
    """A bot and its opponent, and the conditions under which they play."""

    bot: Entrant
    name: str  # of the bot, in what is shown
    opponent: Entrant | None  # None: the partner of the audition
    against: str  # what the opponent is called
    rules: Rules
    time: TimeLimits
    sandbox: Sandbox


def debug(request: DebugRequest, choice: HandChoice, show: Show) -> bool:
    """Show a hand while it is played; return whether the bot did not fault. Raises: InputError, RosterError, SandboxError."""
    bot = find(request.bot)
    opponent = None if request.against == sparring.NAME else find(request.against)
    opponents = Opponents(
        bot=bot,
        name=bot.name,
        opponent=opponent,
        against=opponent.name if opponent else sparring.NAME,
        rules=parts.ruleset(request.rules),
        time=parts.time_limits(request.time),
        sandbox=parts.sandbox(request.sandbox, [one.launch for one in (bot, opponent) if one]),
    )
    return show_hand(opponents, choice, show)


def show_hand(opponents: Opponents, choice: HandChoice, show: Show) -> bool:
    """Show a hand while it is played; return whether the bot did not fault. Raises: InputError, SandboxError."""
    teller = Messages() if choice.raw else Lines(opponents.name, opponents.against)
    turns = HandTurns()
    shown = Shown(_remote(opponents.bot, opponents, choice, choice.seat), choice.hand, turns, teller, show)
    player, partner = (CountedPlayer(one, turns) for one in _players(shown, opponents, choice))
    players = (player, partner) if choice.seat == 0 else (partner, player)
    played = fixture(opponents.rules, choice.hand + 1)
    try:
        record = play_between(players, played, opponents.rules, END_AT_FAULT, choice.seed)
    except HandShownError:
        if not shown.asked:
            show(_never_asked(choice))
        return True
    faults = [fault for fault in record.faults if fault.seat == choice.seat]
    if faults:
        show(shown.fault(faults[0]))
    return not faults


def _players(shown: Player, opponents: Opponents, choice: HandChoice) -> tuple[Player, Player]:
    """Return the bot and its opponent. Raises: InputError, if the bot is to join late and the opponent does not wait for it."""
    if opponents.opponent:
        if choice.late:
            raise InputError(f"--from {choice.late}: only the partner `sparring` waits; expected --against {sparring.NAME}")
        return shown, _remote(opponents.opponent, opponents, choice, 1 - choice.seat)
    if choice.late is None:
        return shown, InlinePlayer(sparring.partner(choice.seed))
    answer = sparring.patient(choice.seed)
    return LateJoiner(shown, answer, choice.late), InlinePlayer(answer)


def _remote(bot: Entrant, opponents: Opponents, choice: HandChoice, seat: Seat) -> RemotePlayer:
    job = Job(
        fixture=fixture(opponents.rules, choice.hand + 1),
        launches=(bot.launch, bot.launch),
        rules=opponents.rules,
        sandbox=opponents.sandbox,
        time=opponents.time,
        lines=LineLimits(),
        faults=END_AT_FAULT,
        seed=choice.seed,
    )
    return job.player(seat)


def fixture(rules: Rules, hands: int) -> Fixture:
    """Return the fixture whose deals ``debug`` shows, with this number of hands."""
    return Fixture(f"debug/{rules.name}", ("0", "1"), rules.name, hands)


def _never_asked(choice: HandChoice) -> Iterator[str]:
    yield f"the hand never came to {choice.late or 'a turn of the bot'}; another may: --hand {choice.hand + 1}"
