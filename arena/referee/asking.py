"""Asks a bot for the decisions that another bot has made: each recorded turn of a seat, with the messages that the seat was sent.

An answer is *the same* if it leads to the same state of the hand. So a knock that leaves its melds to the referee is the same as
one that declares those melds; the same melds in another order are another answer, because lay-offs name a meld by its number.

After every answer the hand continues as it was recorded. A bot that commits a fault is asked nothing more in that hand. After an
illegal action it still receives the end of the hand; after any other fault it is started again for the next hand. After ``at_most``
faults it is not asked any more.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import pairwise

from msgspec import Struct

from arena.gin.actions import Action, IllegalActionError, read_actions, word
from arena.gin.deal import Deal
from arena.gin.facts import Seat
from arena.gin.match import Hand, walk
from arena.gin.rules import Rules
from arena.gin.score import HandResult
from arena.gin.seeing import disclose, see
from arena.gin.view import View
from arena.players.base import Player, PlayerFaultError, repeating_lost
from arena.records import MatchRecord, dealt_hands


class RecordedHand(Struct, frozen=True, kw_only=True):
    """A hand of a record, with all that determines the messages to its two seats."""

    number: int  # of the record's hands, counted from 0
    deal: Deal
    games: tuple[int, int]  # won after the hand
    actions: tuple[Action, ...]
    result: HandResult


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


def recorded_hands(record: MatchRecord, rules: Rules, seed: str | None) -> Iterator[RecordedHand]:
    """Yield the hands of a record; without a ``seed``, of an imported one. Raises: DamagedError, for a deck that is missing."""
    finished_games = (*(hand.game for hand in record.hands[1:]), len(record.games))  # after each hand
    for number, ((hand, deal), games) in enumerate(zip(dealt_hands(record, rules, seed), finished_games, strict=False)):
        won = [game.winner for game in record.games[:games]]
        yield RecordedHand(
            number=number,
            deal=deal,
            games=(won.count(0), won.count(1)),
            actions=read_actions(hand.actions),
            result=hand.result,
        )


def ask(
    player: Player, seat: Seat, hands: Iterable[RecordedHand], rules: Rules, *, batch: int | None, at_most: int = 1
) -> Iterator[AskedDecision]:
    """Yield the player's answer to each decision of a seat, and close the player.

    ``batch`` is the number of hands that ``match`` announces, None for a match. Raises: WorkerLostError.
    """
    asking = _Asking(player, seat, rules, batch)
    with closing(player):
        for hand in hands:
            yield from asking.decisions_in(hand)
            if asking.faults >= at_most:
                return


class _Asking:
    """One player that is asked for the decisions of recorded hands."""

    def __init__(self, player: Player, seat: Seat, rules: Rules, batch: int | None) -> None:
        self._player = player
        self._seat = seat
        self._rules = rules
        self._batch = batch
        self._begun = False  # whether the player has begun and not failed since
        self.faults = 0

    def decisions_in(self, recorded: RecordedHand) -> Iterator[AskedDecision]:
        hand, failed = Hand.start(recorded.deal, self._rules), False
        for turn, (before, hand) in enumerate(pairwise(walk(recorded.deal, self._rules, recorded.actions))):
            if before.seat == self._seat and not failed:
                decision = self._ask(recorded, turn, before, hand)
                yield decision
                failed = decision.answer is None
        self.faults += failed
        if self._begun:
            self._player.hand_over(disclose(hand, recorded.result, recorded.deal.before, recorded.games, self._seat))

    def _ask(self, recorded: RecordedHand, turn: int, hand: Hand, after: Hand) -> AskedDecision:
        view, answer, fault, same = see(hand, recorded.deal.before), None, "", False
        try:
            with repeating_lost():
                answer = self._answer(view)
            same = hand.play(answer) == after
        except PlayerFaultError as error:
            self._player.close()
            fault = f"{error.kind}{'' if self._begun else ' while it started'}: {error.detail}"
            self._begun = False
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
        """Return the player's answer; begin the player first, if that is needed. Raises: PlayerFaultError, WorkerLostError."""
        if not self._begun:
            self._player.begin(self._seat, self._batch)
            self._begun = True
        return self._player.ask(view).action
