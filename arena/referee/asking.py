"""Asks a bot for the decisions that another bot has made: each recorded turn of a seat, with the messages that the seat was sent.

An answer is *the same* if it leads to the same state of the hand. So a knock that leaves its melds to the referee is the same as
one that declares those melds; the same melds in another order are another answer, because lay-offs name a meld by its number.

After every answer the hand continues as it was recorded. A bot that commits a fault is asked nothing more in that hand. After an
illegal action it still receives the end of the hand; after any other fault it is started again for the next hand. After ``at_most``
faults it is not asked any more.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import Action, IllegalActionError, read_actions, word
from arena.gin.deal import Deal
from arena.gin.facts import Seat
from arena.gin.match import Hand, Scoreline, walk
from arena.gin.rules import Rules
from arena.gin.score import HandResult, dead
from arena.gin.seeing import disclose, see
from arena.gin.view import View
from arena.players.base import Player, PlayerFaultError, repeating_lost
from arena.players.child import ending_orphans
from arena.players.remote import RemotePlayer
from arena.records import HandRecord, MatchRecord, dealt_hands
from arena.referee.job import Job, contest
from arena.referee.referee import PlayedAction, as_laid, hand_record
from arena.roster.entrant import Launch


class RecordedHand(Struct, frozen=True, kw_only=True):
    """A hand of a record, with all that determines the messages to its two seats."""

    number: int  # of the record's hands, counted from 0
    deal: Deal
    before: Scoreline
    games: tuple[int, int]  # won after the hand
    actions: tuple[Action, ...]
    result: HandResult

    @staticmethod
    def of(number: int, hand: HandRecord, deal: Deal, before: Scoreline, games: tuple[int, int]) -> "RecordedHand":
        """Return a hand of a record, with its deal, the score before it, and the games won after it."""
        actions = read_actions(hand.actions)
        return RecordedHand(number=number, deal=deal, before=before, games=games, actions=actions, result=hand.result)


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
        yield RecordedHand.of(number, hand, deal, deal.before, (won.count(0), won.count(1)))


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
            self._player.hand_over(disclose(hand, recorded.result, recorded.before, recorded.games, self._seat))

    def _ask(self, recorded: RecordedHand, turn: int, hand: Hand, after: Hand) -> AskedDecision:
        view, answer, fault, same = see(hand, recorded.before), None, "", False
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


# Finds deals that need not be played, because two bots make the same decisions on them.
#
# A fixture's hands are played with the *old* bot in some seats, and at each decision of those seats the *new* bot is asked too.
# If all its answers are the same, a fixture with the new bot in any of these seats has the very same hand: by induction over its
# actions, each is the answer of the bot that acts, to a turn that it was asked here. So in a duel both legs have the same result,
# and the score of the deal is exactly 0; in a gauntlet candidate and baseline score alike.
#
# This holds for a bot whose answers depend on nothing but the turns of the hand so far. A bot may also use its memory of earlier
# hands, its seed, its seat, the time or the system's entropy. So every bot is asked again for some of the equal hands, in a fresh
# process with another seed and in the opposite order. If one answer differs, all hands must be played.
#
# The second asking cannot show a dependence that changed none of the answers that were asked twice. A dependence that changes an
# answer on a share s of the deals is missed on m deals that were asked twice with a probability of (1 - s) to the power of m.
#
# One process of each bot and seat is asked for many deals, which is why asking costs less than playing: starting a process takes
# as long as hundreds of decisions.

FIRST = 4  # hands after which a probe ends, if fewer than half of them are equal: the bots differ too much
AGAIN = 8  # of the equal hands the first FIRST, and of the rest every eighth, are asked again
ANY_RESULT = dead((0, 0))  # in place of a hand's result, on which the next hand of a batch does not depend


class EqualityProbe(Struct, frozen=True, kw_only=True):
    """The deals to ask for, and the bot that is asked."""

    jobs: tuple[Job, ...]  # batches in which the old bot has the ``asked`` seats; only their deals and seeds differ
    new: Launch
    asked: tuple[Seat, ...]  # the seats for whose decisions it is asked


class EqualHands(Struct, frozen=True, kw_only=True):
    """The result of a probe."""

    known: tuple[tuple[HandRecord, ...], ...]  # of each job, the hands that need not be played
    odd: tuple[Launch, ...] = ()  # bots that gave another answer, or had a fault, when they were asked again


class _DealtHand(Struct, frozen=True):
    """A hand before its first turn."""

    job: int  # its number in the probe
    deal: Deal
    before: Scoreline


def probe(request: EqualityProbe) -> EqualHands:
    """Return the hands of a probe that need not be played; a fault leaves the rest to be played. Raises: WorkerLostError."""
    with ending_orphans():
        found = _equal_hands(request)
        odd = tuple(_odd(request, found)) if found else ()
    known: list[list[HandRecord]] = [[] for _ in request.jobs]
    for dealt, hand in () if odd else found:
        known[dealt.job].append(hand)
    return EqualHands(known=tuple(map(tuple, known)), odd=odd)


# --- the first asking


def _equal_hands(request: EqualityProbe) -> list[tuple[_DealtHand, HandRecord]]:
    found: list[tuple[_DealtHand, HandRecord]] = []
    with suppress(PlayerFaultError, IllegalActionError), repeating_lost(), closing(_Table(request)) as table:
        table.begin()
        for number, dealt in enumerate(_deals(request.jobs)):
            if number == FIRST and len(found) < FIRST / 2:
                break
            if hand := table.play(dealt):
                found.append((dealt, hand))
    return found


def _deals(jobs: Sequence[Job]) -> Iterator[_DealtHand]:
    for number, job in enumerate(jobs):
        batch = contest(job.fixture, job.rules, job.seed)
        while not batch.over:
            yield _DealtHand(number, batch.deal(), batch.standing)
            batch = batch.add(ANY_RESULT)


class _Table:
    """The two players of the batches, and beside them the new bot for each seat for which it is asked."""

    def __init__(self, request: EqualityProbe) -> None:
        job = _with_time_for(request.jobs)
        self._hands = job.fixture.hands
        self._rules = job.rules
        self._scored = job.fixture.scored
        self._old = (job.player(0), job.player(1))
        self._new = {seat: _player(job, request.new, seat) for seat in request.asked}

    def begin(self) -> None:
        """Start all processes. Raises: PlayerFaultError, WorkerLostError."""
        for _, player in self._all():
            player.start()
        for seat, player in self._all():
            player.begin(seat, self._hands)

    def play(self, dealt: _DealtHand) -> HandRecord | None:
        """Return the hand as it was played; None: the new bot gave another answer. Raises: as ``begin``; IllegalActionError."""
        hand = Hand.start(dealt.deal, self._rules)
        played: list[PlayedAction] = []
        while hand.result is None:
            seat, view = hand.seat, see(hand, dealt.before)
            action = self._old[seat].ask(view).action
            after = hand.play(action)
            if (new := self._new.get(seat)) and hand.play(new.ask(view).action) != after:
                return None
            played.append(PlayedAction(as_laid(action, after.laid[seat]), spent=0))
            hand = after
        for seat, player in self._all():
            player.hand_over(disclose(hand, hand.result, dealt.before, dealt.before.games, seat))
        record = hand_record(dealt.before, dealt.deal.dealer, played, hand.result, scored=self._scored)
        return replace(record, skipped="equal")

    def close(self) -> None:
        """End all processes."""
        for _, player in self._all():
            player.close()

    def _all(self) -> list[tuple[Seat, RemotePlayer]]:
        return [*enumerate(self._old), *self._new.items()]


def _with_time_for(jobs: Sequence[Job]) -> Job:
    """Return the first job with the processor time of all."""
    job = jobs[0]
    return replace(job, time=replace(job.time, per_match=job.time.per_match * len(jobs)))


def _player(job: Job, launch: Launch, seat: Seat) -> RemotePlayer:
    return replace(job, launches=(launch, launch)).player(seat)


# --- the second


def _odd(request: EqualityProbe, found: Sequence[tuple[_DealtHand, HandRecord]]) -> Iterator[Launch]:
    """Yield the bots that give another answer in a fresh process, with another seed, after other hands."""
    job = _with_time_for(request.jobs)
    job = replace(job, seed=f"{job.seed}|again")
    hands = [
        RecordedHand.of(number, hand, dealt.deal, dealt.before, dealt.before.games)
        for number, (dealt, hand) in enumerate(found)
        if number < FIRST or number % AGAIN == 0
    ][::-1]
    launches = [*enumerate(job.launches), *((seat, request.new) for seat in request.asked)]
    for seat, launch in launches:
        decisions = ask(_player(job, launch, seat), seat, hands, job.rules, batch=job.fixture.hands)
        if not all(decision.same for decision in decisions):
            yield launch
