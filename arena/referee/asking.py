"""Asks a bot for the decisions that another bot has made: each recorded turn of a seat, with the messages that the seat was sent.

An answer is *the same* if it leads to the same state of the hand. So a knock that leaves its melds to the referee is the same as
one that declares those melds; the same melds in another order are another answer, because lay-offs name a meld by its number.

After every answer the hand continues as it was recorded. A bot that faults is asked nothing more in that hand, and is started again
for the next; after ``at_most`` faults it is not asked any more.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from arena.gin.actions import Action, IllegalActionError
from arena.gin.deal import Deal, Seat
from arena.gin.hand import Hand
from arena.gin.match import Contest, Scoreline
from arena.gin.rules import Rules
from arena.gin.score import HandResult
from arena.gin.seeing import disclose, see
from arena.gin.transcript import read, word
from arena.gin.view import View
from arena.players.base import Player, PlayerFaultError
from arena.records import HandRecord, MatchRecord
from arena.referee.referee import FaultCosts, settle


class RecordedHand(Struct, frozen=True, kw_only=True):
    """A hand of a record with what its two seats were sent."""

    number: int  # of the record's hands, counted from 0
    deal: Deal
    before: Scoreline
    games: tuple[int, int]  # won after the hand
    actions: tuple[Action, ...]
    result: HandResult

    @staticmethod
    def of(number: int, hand: HandRecord, deal: Deal, before: Scoreline, games: tuple[int, int]) -> "RecordedHand":
        """Return a hand of a record, with its deal, the score before it, and the games won after it."""
        result = HandResult(hand.ending, hand.winner, hand.points, hand.deadwood)
        return RecordedHand(number=number, deal=deal, before=before, games=games, actions=read(hand.actions), result=result)


class AskedDecision(Struct, frozen=True, kw_only=True):
    """A recorded decision, and the answer of the bot that was asked for it."""

    hand: int  # number of the record's hands, counted from 0
    turn: int  # number of the action in the hand, counted from 0
    seat: Seat
    view: View
    recorded: Action
    answer: Action | None  # None: a fault
    fault: str = ""  # its kind and detail
    same: bool = False


def recorded_hands(record: MatchRecord, contest: Contest, costs: FaultCosts) -> Iterator[RecordedHand]:
    """Yield the hands of a record of ``contest``, which has not begun."""
    for number, hand in enumerate(record.hands):
        result = HandResult(hand.ending, hand.winner, hand.points, hand.deadwood)
        after = settle(contest, result, costs)
        yield RecordedHand.of(number, hand, contest.deal(), contest.standing, after.standing.games)
        contest = after


def ask(
    player: Player, seat: Seat, hands: Iterable[RecordedHand], rules: Rules, *, batch: int | None, at_most: int = 1
) -> Iterator[AskedDecision]:
    """Yield the player's answer to each decision of a seat, and close the player.

    ``batch`` is the number of hands that ``match`` announces, None for a match. Raises: WorkerLostError.
    """
    asking = _Asking(player, seat, rules, batch)
    try:
        for hand in hands:
            yield from asking.through(hand)
            if asking.faults >= at_most:
                return
    finally:
        player.close()


class _Asking:
    """One player that is led through recorded hands."""

    def __init__(self, player: Player, seat: Seat, rules: Rules, batch: int | None) -> None:
        self._player = player
        self._seat = seat
        self._rules = rules
        self._batch = batch
        self._begun = False
        self.faults = 0

    def through(self, recorded: RecordedHand) -> Iterator[AskedDecision]:
        hand = Hand.start(recorded.deal, self._rules)
        for turn, action in enumerate(recorded.actions):
            after = hand.play(action)
            if hand.seat == self._seat:
                asked = self._ask(recorded, turn, hand, after)
                yield asked
                if asked.answer is None:
                    self.faults += 1
                    return
            hand = after
        if self._begun:
            self._player.hand_over(disclose(hand, recorded.result, recorded.before, recorded.games, self._seat))

    def _ask(self, recorded: RecordedHand, turn: int, hand: Hand, after: Hand) -> AskedDecision:
        view, answer, fault, same = see(hand, recorded.before), None, "", False
        try:
            answer = self._answer(view)
            same = hand.play(answer) == after
        except PlayerFaultError as error:
            self._player.close()
            self._begun = False
            fault = f"{error.kind}: {error.detail}"
        except IllegalActionError as error:
            assert answer is not None
            fault, answer = f"illegal: {word(answer)}: {error}", None
        return AskedDecision(
            hand=recorded.number,
            turn=turn,
            seat=self._seat,
            view=view,
            recorded=recorded.actions[turn],
            answer=answer,
            fault=fault,
            same=same,
        )

    def _answer(self, view: View) -> Action:
        """Return the player's answer; it begins before its first. Raises: PlayerFaultError, WorkerLostError."""
        if not self._begun:
            self._player.begin(self._seat, self._batch)
            self._begun = True
        return self._player.ask(view).action
