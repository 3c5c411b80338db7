"""Shows a hand of a bot turn by turn, against another bot, itself or the partner of the audition."""

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from arena.confinement.profiles import Sandbox
from arena.errors import InputError
from arena.gin.actions import Action, word
from arena.gin.cards import NAMES, text
from arena.gin.facts import Seat
from arena.gin.match import Phase
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.view import Outcome, View
from arena.limits import LineLimits, TimeLimits
from arena.players.base import InlinePlayer, LateJoiner, ObservedPlayer, Player, Reply
from arena.players.orphans import ending_orphans
from arena.players.process_player import ProcessPlayer
from arena.protocol import notation
from arena.protocol.codec import encode
from arena.records import Fault, Fixture
from arena.referee.job import Job, play_between
from arena.reports.describe import opponent_did
from arena.reports.playthrough import format_cards
from arena.reports.replay_words import DEALT, ENDINGS, score_words
from arena.roster.entrant import Entrant
from arena.roster.finder import find
from arena.runs import named_parts
from arena.text import in_one_line, shorten
from arena.tournament import sparring
from arena.tournament.audition import END_AT_FAULT

INDENT = " " * 16

Show = Callable[[Iterable[str]], None]  # prints lines as they come


class CountedPlayer(ObservedPlayer):
    """A player whose turns are added to the count of both seats."""

    def __init__(self, player: Player, turns: Counter[int]) -> None:
        super().__init__(player)
        self._turns = turns

    def ask(self, view: View) -> Reply:
        """Count the turn, and ask."""
        self._turns[view.game] += 1
        return super().ask(view)


class NewLines:
    """Yields what is new in the log of a bot, of which only the end is kept."""

    def __init__(self) -> None:
        self._log = ""

    def skip(self, log: str) -> None:
        """Count all of the log as old."""
        self._log = log

    def of(self, log: str) -> Iterator[str]:
        """Yield the lines that were not in the log before."""
        # the length of the longest end of the old log with which the new one begins
        kept = next(length for length in range(len(self._log), -1, -1) if log.startswith(self._log[len(self._log) - length :]))
        self._log, new = log, log[kept:]
        yield from (f"{INDENT}stderr: {line}" for line in new.splitlines())


class ShownPlayer(ObservedPlayer):
    """Shows one hand of a player, and what it writes to stderr meanwhile; for the first hand also what it wrote at its start.

    In a batch each hand is a game of its own, so the number of the hand is ``View.game``. ``turns`` counts those of both seats by
    hand, from 1, as ``arena replay`` does.
    """

    def __init__(self, player: Player, hand: int, turns: Counter[int], teller: "Teller", show: Show) -> None:
        super().__init__(player)
        self._turns = turns
        self._show = show
        self._hand = hand
        self._teller = teller
        self._stderr = NewLines()
        self._before: View | None = None  # at the turn before, in the shown hand

    @property
    def had_turn(self) -> bool:
        """Tell whether the bot had a turn in the shown hand."""
        return self._before is not None

    def ask(self, view: View) -> Reply:
        """Show the turn, ask, and show the answer."""
        if view.game != self._hand:
            return super().ask(view)
        if self._hand and self._before is None:
            self._stderr.skip(self.log())
        self._show(self._teller.turn(self._turns[view.game], view, self._before))
        self._before = view
        reply = super().ask(view)
        self._show(self._stderr.of(self.log()))
        self._show(self._teller.answer(reply))
        return reply

    def hand_over(self, outcome: Outcome) -> None:
        """Show how the hand ended, unless a fault ended it, which is shown from the record."""
        super().hand_over(outcome)
        if outcome.game == self._hand and outcome.ending is not Ending.FAULT:
            self._show(self._teller.over(outcome))

    def fault(self, fault: Fault) -> Iterator[str]:
        """Yield the fault, with its turn if that was in an earlier hand."""
        if fault.game != self._hand and self.view:
            yield f"before the hand that was to be shown, in hand {fault.game}.{fault.hand}, at the turn"
            yield encode(notation.turn(self.view)).decode().strip()
        yield from self._stderr.of(fault.stderr)
        clause = f" ({fault.clause})" if fault.clause else ""
        yield f"fault: {fault.kind}: {fault.detail}{clause}"
        if fault.answer:
            yield f"its answer: {fault.answer}"


class Lines:
    """Formats turns in words."""

    def __init__(self, bot: str, opponent: str) -> None:
        self._bot = bot
        self._opponent = f"{opponent} (opponent)" if opponent == bot else opponent

    def turn(self, number: int, view: View, before: View | None) -> Iterator[str]:
        """Yield the number of the turn, the cards, and what the opponent did.

        ``before`` is the view at the bot's turn before in this hand; None: it is the first.
        """
        if before is None:
            dealt = DEALT.format(name=self._bot if view.dealer else self._opponent)
            yield f"hand {view.game}.{view.hand} under {view.rules.name}: {dealt}"
        if did := opponent_did(before, view):
            yield f"{INDENT}{self._opponent} {', '.join(did)}"
        drew = "" if view.drawn is None else f"  with {NAMES[view.drawn]}"
        yield f"{number:3} {view.phase:10}  {format_cards(view.cards)}{drew}"
        pile = " ".join(NAMES[card] for card in view.pile[-3:])
        more = "… " if len(view.pile) > 3 else ""
        yield f"{INDENT}pile {more}{pile or '-'}, stock {view.stock}, may {', '.join(view.may)}"
        if view.knocker:
            laid = " ".join(text(meld) for meld in view.knocker.melds)
            yield f"{INDENT}{self._opponent} has laid {laid}, with {view.knocker.deadwood} points of deadwood"

    def answer(self, reply: Reply) -> Iterator[str]:
        """Yield the action and its cost."""
        yield f"{INDENT}-> {action_words(reply.action)}   ({1e3 * reply.cpu:.2f} ms)"
        if reply.note:
            yield f"{INDENT}note: {in_one_line(shorten(reply.note))}"

    def over(self, outcome: Outcome) -> Iterator[str]:
        """Yield the score and both players' cards."""
        winner = None if outcome.won is None else self._bot if outcome.won else self._opponent
        yield score_words(ENDINGS[outcome.ending], winner, outcome.points)
        for name, cards, left in zip((self._bot, self._opponent), outcome.cards, outcome.deadwood, strict=True):
            yield f"{INDENT}{format_cards(cards)}  {left} left to {name}"


class Messages:
    """Formats turns as the messages of the protocol."""

    def turn(self, _: int, view: View, __: View | None) -> Iterator[str]:
        """Yield the question."""
        yield encode(notation.turn(view)).decode().strip()

    def answer(self, reply: Reply) -> Iterator[str]:
        """Yield the line that came back."""
        yield reply.answer.decode(errors="backslashreplace").strip()

    def over(self, outcome: Outcome) -> Iterator[str]:
        """Yield the message at the end of a hand."""
        yield encode(notation.hand_over(outcome)).decode().strip()


Teller = Lines | Messages


def action_words(action: Action) -> str:
    """Return an action in the notation of transcripts, with spaces in place of colons."""
    return word(action).replace(":", " ")


class HandChoice(Struct, frozen=True, kw_only=True):
    """Which hand is shown, and how."""

    hand: int = 0  # those before it are played without being shown
    seat: Seat = 0
    seed: str = "debug"
    raw: bool = False  # messages as they are sent
    late: Phase | None = None  # against the partner: the phase in which the bot joins the hand; None: from its start


class Opponents(Struct, frozen=True, kw_only=True):
    """A bot and its opponent, and the conditions under which they play."""

    bot: Entrant
    opponent: Entrant | None  # None: the partner of the audition
    rules: Rules
    time: TimeLimits
    sandbox: Sandbox


def named_opponents(bot: str, against: str, *, rules: str, time: str, sandbox: str | None) -> Opponents:
    """Return the bots and conditions that a user names, each as in a spec. Raises: InputError, RosterError, SandboxError."""
    found, opponent = find(bot), None if against == sparring.NAME else find(against)
    return Opponents(
        bot=found,
        opponent=opponent,
        rules=named_parts.ruleset(rules),
        time=named_parts.time_limits(time),
        sandbox=named_parts.sandbox(sandbox, [one.launch for one in (found, opponent) if one]),
    )


def show_hand(opponents: Opponents, choice: HandChoice, show: Show) -> bool:
    """Show a hand while it is played; return False if the bot commits a fault. Raises: InputError, SandboxError."""
    against = opponents.opponent.name if opponents.opponent else sparring.NAME
    teller = Messages() if choice.raw else Lines(opponents.bot.name, against)
    turns = Counter[int]()
    shown = ShownPlayer(_remote(opponents.bot, opponents, choice, choice.seat), choice.hand, turns, teller, show)
    player, partner = (CountedPlayer(one, turns) for one in _players(shown, opponents, choice))
    players = (player, partner) if choice.seat == 0 else (partner, player)
    played = fixture(opponents.rules, choice.hand + 1)
    with ending_orphans():
        record = play_between(players, played, opponents.rules, END_AT_FAULT, choice.seed)
    own = [fault for fault in record.faults if fault.seat == choice.seat]
    if own:
        show(shown.fault(own[0]))
        return False
    for fault in record.faults:
        show([f"{against} committed a fault in hand {fault.game}.{fault.hand}, which ended the play: {fault.kind}"])
    if not (record.faults or shown.had_turn):
        show([f"the hand never came to {choice.late or 'a turn of the bot'}; another may: --hand {choice.hand + 1}"])
    return True


def _players(shown: Player, opponents: Opponents, choice: HandChoice) -> tuple[Player, Player]:
    """Return the bot and its opponent. Raises: InputError, if the bot is to join late and the opponent does not wait for it."""
    if opponents.opponent:
        if choice.late:
            raise InputError(f"--from {choice.late}: only the partner `sparring` waits; expected --against {sparring.NAME}")
        return shown, _remote(opponents.opponent, opponents, choice, 1 - choice.seat)
    if choice.late is None:
        return shown, InlinePlayer(sparring.partner(choice.seed))
    answer = sparring.patient_partner(choice.seed)
    return LateJoiner(shown, answer, choice.late), InlinePlayer(answer)


def _remote(bot: Entrant, opponents: Opponents, choice: HandChoice, seat: Seat) -> ProcessPlayer:
    job = Job(
        fixture=fixture(opponents.rules, choice.hand + 1),
        launches=(bot.launch, bot.launch),  # only ``seat`` is started
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


def fold_command(command: Sequence[str], before: str, width: int) -> Iterator[str]:
    """Yield a command in lines of at most ``width`` characters, unless one word is longer; a shell reads them as one command.

    ``before`` begins the first line; the others are indented by four more than it.
    """
    indent = " " * (len(before) - len(before.lstrip()) + 4)
    line = before
    for number, part in enumerate(map(shlex.quote, command)):
        if number and len(line) + len(part) + 2 > width:  # a space and the backslash
            yield f"{line}\\"
            line = indent
        line += f"{part} "
    yield line.rstrip()
