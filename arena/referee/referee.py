"""Plays one fixture between two players and enforces the rules.

The referee alone knows the whole hand. It asks the seat whose turn it is, plays the answer through ``arena.gin.match``, and records
the result. A fault does not raise: it becomes a value in the record, and ends the hand.

- After an illegal action the player keeps running, because its answer was complete: it is ready for the next message.
- After any other fault the conversation is in an unknown state, so the player is closed and started again before the next hand.
- A fault of kind ``lost`` is one that the machine may have caused as well as the bot. The first EXCUSED of a seat cost nothing:
  the player is started again and asked for the same turn, which needs no memory. Each further one costs what any fault costs.
  Nothing that was played is played again, so a bot gains nothing by losing its process, and its opponent notices nothing.
- If a player was lost, or could not be started, while its opponent used more processor time than allowed, the fault is the
  opponent's.
- A player that the machine cannot start is started again, LAUNCHES times at most; none of its code has run. Then
  ``WorkerLostError`` is raised, and the director plays the fixture again.
"""

import logging
from collections.abc import Callable, Sequence

from arena import records
from arena.errors import DamagedError, WorkerLostError
from arena.gin.actions import IllegalActionError, read_actions, word
from arena.gin.facts import Seat
from arena.gin.match import Contest, Hand, Scoreline, walk
from arena.gin.rules import Rules
from arena.gin.score import HandResult
from arena.gin.seeing import disclose, see, watch
from arena.limits import FaultCosts
from arena.players.base import Player, PlayerFaultError, Reply
from arena.referee.fault_costs import forfeit, lost_hand, settle
from arena.referee.hand_records import as_laid, hand_record
from arena.text import LONGEST_NOTE, NOTES_IN_MATCH, quote, shorten

log = logging.getLogger(__name__)

LAUNCHES = 3  # starts of a seat in a fixture that the machine may fail


class Notebook:
    """Counts the characters that the notes of a seat may still have in its fixture."""

    def __init__(self) -> None:
        self._left = NOTES_IN_MATCH

    def keep(self, note: str) -> str:
        """Return the part of a note to store, and use up its room: all, its beginning, or nothing if no room is left."""
        kept = shorten(note, min(LONGEST_NOTE, self._left)) if self._left else ""
        self._left -= len(kept)
        return kept


class Referee:
    """Plays one fixture. Only faults of bots are caught."""

    def __init__(
        self,
        fixture: records.Fixture,
        rules: Rules,
        contest: Contest,
        players: tuple[Player, Player],
        costs: FaultCosts,
        tell: Callable[[records.HandRecord], None] = lambda _: None,
        so_far: records.MatchSoFar = records.NOT_BEGUN,
        keep: Callable[[records.MatchSoFar], None] | None = None,
    ) -> None:
        """Prepare a fixture.

        ``tell`` receives each hand that was played, before the players learn how it ended. A match continues from ``so_far``;
        ``keep`` receives, after each action and each hand, what it would continue from. Raises: DamagedError, for a stored hand
        with notes whose actions are illegal.
        """
        self._fixture = fixture
        self._rules = rules
        self._contest = contest
        self._players = players
        self._costs = costs
        self._ready = [False, False]  # whether each player has begun and not failed since
        self._failed_launches = [0, 0]
        self._tell = tell
        self._hands: list[records.HandRecord] = []
        self._faults = records.FaultLists(so_far.excused, so_far.faults)
        self._forfeited = forfeit(self._faults.costly, costs)
        self._usage = list(so_far.usage)
        self._notebooks = (Notebook(), Notebook())
        self._keep = keep
        self._actions = so_far.actions  # of the hand with which the match continues
        for hand in so_far.hands:
            self._count_notes(hand)
            self._record_hand(hand)

    def play(self) -> records.MatchRecord:
        """Play the fixture and return its record.

        Raises: WorkerLostError, if the machine could not start a player; OutOfTimeError; DamagedError, for illegal stored actions.
        """
        try:
            self._start_players()
            if self._contest.over:  # the match was stopped after its last hand: its players learn how it ended
                self._begin_players(self._contest.standing)
            while not self._contest.over and not self._ended_by_forfeit():
                self._play_hand()
            self._send_match_over()
        finally:
            for player in self._players:
                player.close()
        return self._record()

    def _count_notes(self, stored: records.HandRecord) -> None:
        """Take the notes of a stored hand from the room of the seats that wrote them. Raises: DamagedError."""
        try:
            notes = {note.turn: note.text for note in stored.notes}
            for turn, hand in enumerate(walk(self._contest.deal(), self._rules, read_actions(stored.actions) if notes else ())):
                self._notebooks[hand.seat].keep(notes.get(turn, ""))
        except (ValueError, IllegalActionError) as error:
            raise DamagedError(f"{self._fixture.id}: hand {stored.game}.{stored.hand}: {error}") from None

    def _record_hand(self, hand: records.HandRecord) -> None:
        self._hands.append(hand)
        self._contest = settle(self._contest, hand.result, self._costs)

    def _play_hand(self) -> None:
        before = self._contest.standing
        hand = Hand.start(self._contest.deal(), self._rules)
        hand, result, played = self._play_out(hand, before)
        self._hands.append(hand_record(before, hand.dealer, played, result, scored=self._fixture.scored))
        self._tell(self._hands[-1])
        self._contest = settle(self._contest, result, self._costs)
        self._keep_so_far([])
        self._send_hand_over(hand, result, before)

    def _play_out(self, hand: Hand, before: Scoreline) -> tuple[Hand, HandResult, list[records.HandAction]]:
        """Return the hand at its end, its result and its actions."""
        hand, played = self._play_stored(hand)
        if self._forfeited is not None:
            return hand, lost_hand(hand, self._forfeited, self._costs), played
        fault = self._begin_players(before)
        if fault is None:
            self._players[1 - hand.seat].watch(watch(hand, before))  # it sees the deal before its opponent acts
        while fault is None and hand.result is None:
            after = self._turn(hand, before)
            if isinstance(after, tuple):
                hand, action = after
                played.append(action)
                if hand.result is None:
                    self._keep_so_far(played)
            elif after is None or self._excuses(after):
                fault = self._begin_players(before)
            else:
                fault = after
        if fault:
            self._forfeited = forfeit(self._faults.costly, self._costs)
            return hand, lost_hand(hand, fault.seat, self._costs), played
        assert hand.result
        return hand, hand.result, played

    def _play_stored(self, hand: Hand) -> tuple[Hand, list[records.HandAction]]:
        """Return a hand after the stored actions of a continued match; later hands have none. Raises: DamagedError."""
        stored_actions, self._actions = self._actions, ()
        played: list[records.HandAction] = []
        for stored in stored_actions:
            seat = hand.seat
            try:
                (action,) = read_actions(stored.word)
                hand = hand.play(action)
            except (ValueError, IllegalActionError) as error:
                raise DamagedError(f"{self._fixture.id}: action {len(played) + 1} of the hand in progress: {error}") from None
            self._notebooks[seat].keep(stored.note)
            played.append(stored)
        return hand, played

    def _keep_so_far(self, played: Sequence[records.HandAction]) -> None:
        """Pass the state of the match to ``keep``, if it was given; ``played`` are the actions of the hand in progress."""
        if self._keep:
            usage = (self._usage[0], self._usage[1])
            excused, faults, hands = self._faults.excused, self._faults.costly, tuple(self._hands)
            self._keep(records.MatchSoFar(hands=hands, faults=faults, excused=excused, usage=usage, actions=tuple(played)))

    def _turn(self, hand: Hand, standing: Scoreline) -> tuple[Hand, records.HandAction] | records.Fault | None:
        """Ask the acting seat, and return the hand after its answer, with the action; or its fault, or its opponent's.

        None: the player must be begun and asked again.
        """
        seat = hand.seat
        try:
            reply = self._players[seat].ask(see(hand, standing))
        except PlayerFaultError as error:
            return self._blame(seat, standing, error)
        except WorkerLostError as error:
            return self._launch_failed(seat, standing, error)
        self._usage[seat] = _add(self._usage[seat], reply)
        try:
            after = hand.play(reply.action)
        except IllegalActionError as error:
            # the player keeps running
            detail = f"{word(reply.action)}: {error.detail}; allowed: {', '.join(hand.may())}"
            stderr = self._players[seat].log()
            illegal = PlayerFaultError("illegal", detail, question=reply.question, answer=reply.answer, stderr=stderr)
            return _fault_record(seat, standing, illegal, error.clause)
        note = self._notebooks[seat].keep(reply.note) if reply.note else ""
        return after, records.HandAction(word(as_laid(reply.action, after.laid[seat])), round(1e6 * reply.cpu), note)

    def _start_players(self) -> None:
        """Start both players, so that they initialise at the same time. A player that fails here fails again in ``begin``."""
        for player in self._players:
            try:
                player.start()
            except (PlayerFaultError, WorkerLostError):
                player.close()

    def _begin_players(self, standing: Scoreline) -> records.Fault | None:
        """Begin every player that is not ready; return the first fault that is not excused."""
        for seat in (0, 1):
            while not self._ready[seat]:
                fault = self._begin(seat, standing)
                if fault and not self._excuses(fault):
                    return fault
        return None

    def _begin(self, seat: Seat, standing: Scoreline) -> records.Fault | None:
        """Begin a player; return its fault, or its opponent's. None: it is ready, or must be begun again."""
        try:
            self._players[seat].begin(seat, self._fixture.hands)
        except PlayerFaultError as error:
            return self._blame(seat, standing, error)
        except WorkerLostError as error:
            return self._launch_failed(seat, standing, error)
        self._ready[seat] = True
        return None

    def _blame(self, seat: Seat, standing: Scoreline, error: PlayerFaultError) -> records.Fault:
        """Return the fault of a player, or of its opponent, if that took the processor from a player that was lost."""
        overspending = self._opponents_overspending(seat) if error.kind == "lost" else None
        if overspending is None:
            return self._fault(seat, standing, error)
        self._close(seat)  # the missing answer may still arrive, so this player must be restarted too
        return self._fault(1 - seat, standing, overspending)

    def _launch_failed(self, seat: Seat, standing: Scoreline, error: WorkerLostError) -> records.Fault | None:
        """Return the opponent's fault, if it used too much processor time; None: the player must be begun again.

        Raises: WorkerLostError, after LAUNCHES failures.
        """
        self._close(seat)
        self._failed_launches[seat] += 1
        log.warning("%s: seat %d: %s", self._fixture.id, seat, error)
        overspending = self._opponents_overspending(seat)
        if overspending is None and self._failed_launches[seat] >= LAUNCHES:
            raise error
        return self._fault(1 - seat, standing, overspending) if overspending else None

    def _opponents_overspending(self, seat: Seat) -> PlayerFaultError | None:
        """Return the fault of a seat's opponent that used too much processor time meanwhile; None: it did not."""
        try:
            overspending = self._players[1 - seat].overspent()
        except WorkerLostError:  # it could not be started either
            self._close(1 - seat)
            return None
        if overspending and self._ready[1 - seat]:
            overspending.question = b""  # the last one was answered
        return overspending

    def _fault(self, seat: Seat, standing: Scoreline, error: PlayerFaultError) -> records.Fault:
        """Close the player, which must be started again, and return its fault."""
        self._close(seat)
        self._usage[seat] = _add(self._usage[seat], error)
        return _fault_record(seat, standing, error)

    def _close(self, seat: Seat) -> None:
        self._players[seat].close()
        self._ready[seat] = False

    def _excuses(self, fault: records.Fault) -> bool:
        """Record a fault; tell whether it costs nothing."""
        before, self._faults = self._faults, self._faults.add(fault)
        log.warning(
            "%s game %d hand %d: seat %d: %s: %s", self._fixture.id, fault.game, fault.hand, fault.seat, fault.kind, fault.detail
        )
        return self._faults.costly == before.costly

    def _ended_by_forfeit(self) -> bool:
        """Tell whether a forfeit has ended the match. A batch continues, and the forfeiting seat loses every remaining hand."""
        return self._forfeited is not None and self._fixture.hands is None

    def _send_hand_over(self, hand: Hand, result: HandResult, before: Scoreline) -> None:
        for seat, player in enumerate(self._players):
            if self._ready[seat]:
                player.hand_over(disclose(hand, result, before, self._contest.standing.games, seat))

    def _send_match_over(self) -> None:
        winner, games = self._winner(), self._contest.standing.games
        for seat, player in enumerate(self._players):
            if self._ready[seat]:
                player.match_over(won=None if winner is None else winner == seat, games=(games[seat], games[1 - seat]))

    def _winner(self) -> Seat | None:
        if self._forfeited is not None and self._fixture.hands is None:  # a forfeit ended the match
            return 1 - self._forfeited
        return self._contest.winner

    def _record(self) -> records.MatchRecord:
        record = records.MatchRecord(
            fixture=self._fixture,
            winner=self._winner(),
            hands=tuple(self._hands),
            games=self._contest.games,
            faults=self._faults.costly,
            excused=self._faults.excused,
            forfeit=self._forfeited,
            usage=(self._usage[0], self._usage[1]),
        )
        log.info("%s: winner %s, %d hands, %d faults", self._fixture.id, record.winner, len(record.hands), len(record.faults))
        return record


def _fault_record(seat: Seat, standing: Scoreline, error: PlayerFaultError, clause: str | None = None) -> records.Fault:
    """Return a fault for the record; ``clause``: of the rules, for an illegal action."""
    return records.Fault(
        seat=seat,
        kind=error.kind,
        game=standing.game,
        hand=standing.hand,
        detail=error.detail,
        clause=clause,
        turn=error.question.decode(),
        answer=quote(error.answer),
        stderr=error.stderr,
    )


def _add(usage: records.Usage, spent: Reply | PlayerFaultError) -> records.Usage:
    """Return the usage after an answer, legal or not, or a fault without one, which counts as time but not as a decision."""
    decisions = usage.decisions + isinstance(spent, Reply)
    return records.Usage(decisions, usage.cpu + spent.cpu, usage.wall + spent.wall, max(usage.slowest, spent.cpu))
