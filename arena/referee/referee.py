"""The referee plays one fixture between two players and enforces the rules."""

import logging
from typing import NamedTuple

from arena.gin.actions import Action, BigGin, IllegalAction, Knock, LayOff
from arena.gin.deal import Seat
from arena.gin.hand import Hand, Laid
from arena.gin.match import Contest, Standing
from arena.gin.rules import Rules
from arena.gin.score import HandResult
from arena.gin.transcript import word, write
from arena.gin.view import disclose, see
from arena.players.base import Player, PlayerFault, Reply
from arena.protocol.codec import quoted
from arena.records import Fault, Fixture, GameRecord, HandRecord, MatchRecord, Usage
from arena.referee.faults import FaultCosts, forfeit, forfeited, settle

log = logging.getLogger(__name__)


class _Played(NamedTuple):
    action: Action
    spent: int  # microseconds


class Referee:
    """Plays one fixture. A fault of a bot becomes a value in the record; nothing else is caught."""

    def __init__(self, fixture: Fixture, rules: Rules, contest: Contest, players: tuple[Player, Player], costs: FaultCosts) -> None:
        self._fixture = fixture
        self._rules = rules
        self._contest = contest
        self._players = players
        self._costs = costs
        self._seated = [False, False]
        self._out: Seat | None = None  # who has forfeited
        self._hands: list[HandRecord] = []
        self._faults: list[Fault] = []
        self._usage = [Usage(), Usage()]

    def play(self) -> MatchRecord:
        """Return the fixture's record. Raises: WorkerLost, if the machine could not play it fairly."""
        try:
            self._start_players()
            while not self._contest.over and not self._lost_at_once():
                self._play_hand()
            self._tell_match_over()
        finally:
            for player in self._players:
                player.close()
        return self._record()

    # --- a hand

    def _play_hand(self) -> None:
        before = self._contest.standing
        hand = Hand.start(self._contest.deal(), self._rules)
        dealt = hand.dealer
        hand, result, played = self._play_out(hand, before)
        self._hands.append(_hand_record(before, dealt, played, result, scored=self._fixture.scored))
        self._contest = settle(self._contest, result, self._costs)
        self._tell_hand_over(hand, result, before)

    def _play_out(self, hand: Hand, before: Standing) -> tuple[Hand, HandResult, list[_Played]]:
        """Return the hand at its end, its result and what was done."""
        played: list[_Played] = []
        if self._out is not None:
            return hand, forfeited(hand, self._out, self._costs), played
        fault = self._seat_players(before)
        while fault is None and hand.result is None:
            after = self._turn(hand, before)
            if isinstance(after, Fault):
                fault = after
            else:
                hand, action = after
                played.append(action)
        if fault:
            self._punish(fault)
            return hand, forfeited(hand, fault.seat, self._costs), played
        assert hand.result
        return hand, hand.result, played

    def _turn(self, hand: Hand, standing: Standing) -> tuple[Hand, _Played] | Fault:
        """Ask the seat that is to act, and play what it answers."""
        seat = hand.seat
        try:
            reply = self._players[seat].ask(see(hand, standing))
        except PlayerFault as error:
            return self._fault(seat, standing, error)
        self._usage[seat] = _add(self._usage[seat], reply)
        try:
            after = hand.play(reply.action)
        except IllegalAction as error:
            return _illegal(seat, standing, error, hand, reply, self._players[seat].log())
        return after, _Played(_as_laid(reply.action, after.laid[seat]), round(1e6 * reply.cpu))

    # --- players

    def _start_players(self) -> None:
        """Start both at once; one that cannot be started is found out when it is to sit down."""
        for player in self._players:
            try:
                player.start()
            except PlayerFault:
                player.close()

    def _seat_players(self, standing: Standing) -> Fault | None:
        """Have everybody sit down who does not yet, or no longer."""
        for seat, player in enumerate(self._players):
            if not self._seated[seat]:
                try:
                    player.begin(seat, self._fixture.hands)
                except PlayerFault as error:
                    return self._fault(seat, standing, error)
                self._seated[seat] = True
        return None

    def _fault(self, seat: Seat, standing: Standing, error: PlayerFault) -> Fault:
        """Return a fault after which the conversation is lost: the player has to be started anew."""
        self._players[seat].close()
        self._seated[seat] = False
        self._usage[seat] = _add(self._usage[seat], error)
        return Fault(
            seat=seat,
            kind=error.kind,
            game=standing.game,
            hand=standing.hand,
            detail=error.detail,
            turn=error.question.decode(),
            answer=quoted(error.answer),
            stderr=error.stderr,
        )

    def _punish(self, fault: Fault) -> None:
        self._faults.append(fault)
        log.warning(
            "%s game %d hand %d: seat %d: %s: %s", self._fixture.id, fault.game, fault.hand, fault.seat, fault.kind, fault.detail
        )
        self._out = forfeit(self._faults, self._costs)

    def _lost_at_once(self) -> bool:
        """Tell whether a forfeit ends the fixture; in a batch of hands it goes on, and every hand left is lost."""
        return self._out is not None and self._fixture.hands is None

    # --- what is told and filed

    def _tell_hand_over(self, hand: Hand, result: HandResult, before: Standing) -> None:
        for seat, player in enumerate(self._players):
            if self._seated[seat]:
                player.hand_over(disclose(hand, result, before, self._contest.standing.games, seat))

    def _tell_match_over(self) -> None:
        winner, games = self._winner(), self._contest.standing.games
        for seat, player in enumerate(self._players):
            if self._seated[seat]:
                player.match_over(won=None if winner is None else winner == seat, games=(games[seat], games[1 - seat]))

    def _winner(self) -> Seat | None:
        if self._out is not None and self._fixture.hands is None:
            return 1 - self._out
        return self._contest.winner

    def _record(self) -> MatchRecord:
        record = MatchRecord(
            fixture=self._fixture,
            winner=self._winner(),
            hands=tuple(self._hands),
            games=tuple(GameRecord(game.winner, game.totals) for game in self._contest.games),
            faults=tuple(self._faults),
            forfeit=self._out,
            usage=(self._usage[0], self._usage[1]),
        )
        log.info("%s: winner %s, %d hands, %d faults", self._fixture.id, record.winner, len(record.hands), len(record.faults))
        return record


def _illegal(seat: Seat, standing: Standing, error: IllegalAction, hand: Hand, reply: Reply, stderr: str) -> Fault:
    """Return the fault of an action that the rules forbid; the player stays, for it spoke in its turn."""
    return Fault(
        seat=seat,
        kind="illegal",
        game=standing.game,
        hand=standing.hand,
        detail=f"{word(reply.action)}: {error.detail}; allowed: {', '.join(hand.may())}",
        clause=error.clause,
        turn=reply.question.decode(),
        answer=quoted(reply.answer),
        stderr=stderr,
    )


def _as_laid(action: Action, laid: Laid | None) -> Action:
    """Return an action with all that it left to the referee, so that the record needs no rule for ties."""
    match action:
        case Knock(card) if laid:
            return Knock(card, laid.melds)
        case BigGin() if laid:
            return BigGin(laid.melds)
        case LayOff() if laid:
            return LayOff(laid.melds, laid.lay_offs)
        case _:
            return action


def _add(usage: Usage, spent: Reply | PlayerFault) -> Usage:
    """Return the usage with what an answer cost, or the fault that came instead of one: that is no decision."""
    decisions = usage.decisions + isinstance(spent, Reply)
    return Usage(decisions, usage.cpu + spent.cpu, usage.wall + spent.wall, max(usage.slowest, spent.cpu))


def _hand_record(standing: Standing, dealer: Seat, played: list[_Played], result: HandResult, *, scored: bool) -> HandRecord:
    return HandRecord(
        game=standing.game,
        hand=standing.hand,
        dealer=dealer,
        actions=write(tuple(one.action for one in played)),
        ending=result.ending,
        winner=result.winner,
        points=result.points,
        deadwood=result.deadwood,
        score=standing.score if scored else None,
        spent=tuple(one.spent for one in played) if any(one.spent for one in played) else (),
    )
