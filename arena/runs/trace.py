"""A player whose turns of one hand are shown as they come, in words or as the messages that are sent."""

from collections.abc import Callable, Iterator
from typing import Protocol

from arena.gin.actions import Action
from arena.gin.cards import NAMES, text
from arena.gin.score import Ending
from arena.gin.transcript import word
from arena.gin.view import Outcome, View
from arena.human.describe import opponent_did
from arena.notes import shortened
from arena.players.base import Player, Reply
from arena.players.remote import RemotePlayer
from arena.players.wrappers import ObservedPlayer
from arena.printable import in_one_line
from arena.protocol import notation
from arena.protocol.codec import encode
from arena.records import Fault
from arena.reports.past_tense import DEALT, ENDINGS, scored
from arena.reports.playthrough import format_cards

INDENT = " " * 16


Show = Callable[[Iterator[str]], None]  # prints lines as they come


class HandShownError(Exception):
    """The hand that was to be shown is over; nothing more has to be played."""


class Teller(Protocol):
    """How turns are told."""

    def turn(self, number: int, view: View, before: View | None) -> Iterator[str]:
        """Yield what is asked in a turn; ``before`` is the bot's turn before it in this hand."""

    def answer(self, reply: Reply) -> Iterator[str]:
        """Yield what came back."""

    def over(self, outcome: Outcome) -> Iterator[str]:
        """Yield how the hand ended."""


class HandTurns:
    """The number of the turn that is played: both seats' turns of a hand are counted together from 1, as ``arena replay`` does."""

    def __init__(self) -> None:
        self.number = 0  # 0: the hand has not begun


class CountedPlayer(ObservedPlayer):
    """A player whose turns are counted."""

    def __init__(self, player: Player, turns: HandTurns) -> None:
        super().__init__(player)
        self._turns = turns

    def ask(self, view: View) -> Reply:
        """Count the turn, and ask."""
        self._turns.number += 1
        return super().ask(view)

    def hand_over(self, outcome: Outcome) -> None:
        """Begin to count anew."""
        self._turns.number = 0
        super().hand_over(outcome)


class Shown(ObservedPlayer):
    """Shows one hand of a player, and what it wrote to stderr meanwhile."""

    def __init__(self, player: RemotePlayer, hand: int, turns: HandTurns, teller: Teller, show: Show) -> None:
        super().__init__(player)
        self._turns = turns
        self._show = show
        self._remote = player
        self._hand = hand
        self._teller = teller
        self._log = ""
        self._before: View | None = None  # the turn before, of the hand that is shown

    @property
    def asked(self) -> bool:
        """Return whether the hand that is shown had a turn of the bot's."""
        return self._before is not None

    def ask(self, view: View) -> Reply:
        """Show the turn, ask, and show the answer."""
        if view.game != self._hand:
            return super().ask(view)
        self._show(self._teller.turn(self._turns.number, view, self._before))
        self._before = view
        reply = super().ask(view)
        self._show(self._written(self._remote.log()))
        self._show(self._teller.answer(reply))
        return reply

    def hand_over(self, outcome: Outcome) -> None:
        """Show how the hand ended. Raises: HandShownError, unless a fault ended it, which is told from the record."""
        super().hand_over(outcome)
        if outcome.game == self._hand and outcome.ending is not Ending.FAULT:
            self._show(self._teller.over(outcome))
            raise HandShownError

    def fault(self, fault: Fault) -> Iterator[str]:
        """Yield what went wrong, with the turn where it was not among those shown."""
        if fault.game != self._hand and self.view:
            yield f"before the hand that was to be shown, in hand {fault.game}.{fault.hand}, at the turn"
            yield encode(notation.turn(self.view)).decode().strip()
        yield from self._written(fault.stderr)
        clause = f" ({fault.clause})" if fault.clause else ""
        yield f"fault: {fault.kind}: {fault.detail}{clause}"
        if fault.answer:
            yield f"its answer: {fault.answer}"

    def _written(self, log: str) -> Iterator[str]:
        """Yield the lines that were not in the log before, of which only the end is kept."""
        kept = next(length for length in range(len(self._log), -1, -1) if log.startswith(self._log[len(self._log) - length :]))
        self._log, new = log, log[kept:]
        yield from (f"{INDENT}stderr: {line}" for line in new.splitlines())


class Lines:
    """Turns as a player at the table would tell them."""

    def __init__(self, bot: str, opponent: str) -> None:
        self._bot = bot
        self._opponent = f"{opponent} (opponent)" if opponent == bot else opponent

    def turn(self, number: int, view: View, before: View | None) -> Iterator[str]:
        """Yield the number of the turn, the cards, and what the opponent did since the turn before."""
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
        yield f"{INDENT}-> {said(reply.action)}   ({1e3 * reply.cpu:.2f} ms)"
        if reply.note:
            yield f"{INDENT}note: {in_one_line(shortened(reply.note))}"

    def over(self, outcome: Outcome) -> Iterator[str]:
        """Yield the score and both players' cards."""
        winner = None if outcome.won is None else self._bot if outcome.won else self._opponent
        yield scored(ENDINGS[outcome.ending], winner, outcome.points)
        for name, cards, left in zip((self._bot, self._opponent), outcome.cards, outcome.deadwood, strict=True):
            yield f"{INDENT}{format_cards(cards)}  {left} left to {name}"


class Messages:
    """Turns as they are sent."""

    def turn(self, _: int, view: View, __: View | None) -> Iterator[str]:
        """Yield the question."""
        yield encode(notation.turn(view)).decode().strip()

    def answer(self, reply: Reply) -> Iterator[str]:
        """Yield the line that came back."""
        yield reply.answer.decode(errors="backslashreplace").strip()

    def over(self, outcome: Outcome) -> Iterator[str]:
        """Yield what is told at the end of a hand."""
        yield encode(notation.hand_over(outcome)).decode().strip()


def said(action: Action) -> str:
    """Return an action as the table says it."""
    return word(action).replace(":", " ")
