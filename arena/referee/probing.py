"""Finds deals that need not be played, because two bots make the same decisions on them.

The *old* bot plays a fixture's hands, and at each decision of some seats the *new* bot is asked too. If all its answers are the
same, a fixture with the new bot in any of these seats has the very same hand: by induction over its actions, each is the answer of
the bot that acts, to a turn that it was asked here. So in a duel both legs have the same result, and the score of the deal is
exactly 0; in a gauntlet candidate and baseline score alike.

This holds for a bot whose answers depend on nothing but the turns of the hand so far. A bot may also use its memory of earlier
hands, its seed, its seat, the time or the system's entropy. So some of the equal hands are asked again, of every bot, in fresh
processes with other seeds and in the opposite order. One other answer, and nothing is known of any hand.

The second asking cannot show a dependence that changed none of the answers that were asked twice. If it would change an answer on a
share s of the deals, it escapes m deals that were asked twice with a chance of (1 - s) to the power of m.

One process of each bot and seat is asked for many deals, which is why asking costs less than playing: starting a process takes as
long as hundreds of decisions.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import IllegalActionError
from arena.gin.deal import Deal, Seat
from arena.gin.hand import Hand
from arena.gin.match import Scoreline
from arena.gin.score import dead
from arena.gin.seeing import disclose, see
from arena.players.base import PlayerFaultError
from arena.players.child import ending_orphans
from arena.players.remote import RemotePlayer
from arena.records import HandRecord
from arena.referee.asking import RecordedHand, ask
from arena.referee.job import Job, contest
from arena.referee.referee import PlayedAction, as_laid, hand_record
from arena.roster.entrant import Launch

FIRST = 4  # hands after which a probe ends, if fewer than half of them are equal: the bots differ too much
AGAIN = 8  # every hand of the first, and every eighth of the rest, is asked again
NOTHING = dead((0, 0))  # stands for the result of a hand: the next hand of a batch does not depend on it


class EqualityProbe(Struct, frozen=True, kw_only=True):
    """The deals to ask for, and the bot that is asked."""

    jobs: tuple[Job, ...]  # batches of the old bot; only their deals and seeds differ
    new: Launch
    asked: tuple[Seat, ...]  # the seats for whose decisions it is asked


class EqualHands(Struct, frozen=True, kw_only=True):
    """What a probe found."""

    known: tuple[tuple[HandRecord, ...], ...]  # of each job, the hands that need not be played
    odd: tuple[Launch, ...] = ()  # bots that gave another answer when they were asked again


class _DealtHand(Struct, frozen=True):
    """A hand before its first turn."""

    job: int  # its number in the probe
    deal: Deal
    before: Scoreline


def probe(asked: EqualityProbe) -> EqualHands:
    """Return the hands of a probe that need not be played; a fault leaves the rest to be played. Raises: WorkerLostError."""
    with ending_orphans():
        found = _equal_hands(asked)
        odd = tuple(_odd(asked, found)) if found else ()
    known: list[list[HandRecord]] = [[] for _ in asked.jobs]
    for dealt, hand in () if odd else found:
        known[dealt.job].append(hand)
    return EqualHands(known=tuple(map(tuple, known)), odd=odd)


# --- the first asking


def _equal_hands(asked: EqualityProbe) -> list[tuple[_DealtHand, HandRecord]]:
    found: list[tuple[_DealtHand, HandRecord]] = []
    table = _Table(asked)
    with suppress(PlayerFaultError, IllegalActionError):
        try:
            table.begin()
            for number, dealt in enumerate(_deals(asked.jobs)):
                if number == FIRST and len(found) < FIRST / 2:
                    break
                if hand := table.play(dealt):
                    found.append((dealt, hand))
        finally:
            table.close()
    return found


def _deals(jobs: Sequence[Job]) -> Iterator[_DealtHand]:
    for number, job in enumerate(jobs):
        batch = contest(job.fixture, job.rules, job.seed)
        while not batch.over:
            yield _DealtHand(number, batch.deal(), batch.standing)
            batch = batch.add(NOTHING)


class _Table:
    """The old bot in both seats, and the new one beside it in those for which it is asked."""

    def __init__(self, asked: EqualityProbe) -> None:
        job = _with_time_for(asked.jobs)
        self._hands = job.fixture.hands
        self._rules = job.rules
        self._scored = job.fixture.scored
        self._players = (job.player(0), job.player(1))
        self._others = {seat: _player(job, asked.new, seat) for seat in asked.asked}

    def begin(self) -> None:
        """Start all processes. Raises: PlayerFaultError, WorkerLostError."""
        for _, player in self._all():
            player.start()
        for seat, player in self._all():
            player.begin(seat, self._hands)

    def play(self, dealt: _DealtHand) -> HandRecord | None:
        """Return a hand of the old bot, or None at the first other answer. Raises: as ``begin``; IllegalActionError."""
        hand = Hand.start(dealt.deal, self._rules)
        played: list[PlayedAction] = []
        while hand.result is None:
            seat, view = hand.seat, see(hand, dealt.before)
            action = self._players[seat].ask(view).action
            after = hand.play(action)
            if (other := self._others.get(seat)) and hand.play(other.ask(view).action) != after:
                return None
            played.append(PlayedAction(as_laid(action, after.laid[seat]), 0))
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
        return [*enumerate(self._players), *self._others.items()]


def _with_time_for(jobs: Sequence[Job]) -> Job:
    """Return the first job with the processor time of all."""
    job = jobs[0]
    return replace(job, time=replace(job.time, per_match=job.time.per_match * len(jobs)))


def _player(job: Job, launch: Launch, seat: Seat) -> RemotePlayer:
    return replace(job, launches=(launch, launch)).player(seat)


# --- the second


def _odd(asked: EqualityProbe, found: Sequence[tuple[_DealtHand, HandRecord]]) -> Iterator[Launch]:
    """Yield the bots that give another answer in a fresh process, with another seed, after other hands."""
    job = _with_time_for(asked.jobs)
    job = replace(job, seed=f"{job.seed}|again")
    hands = [_recorded_hand(number, *one) for number, one in enumerate(found) if number < FIRST or number % AGAIN == 0][::-1]
    seated = [*enumerate(job.launches), *((seat, asked.new) for seat in asked.asked)]
    for seat, launch in seated:
        again = ask(_player(job, launch, seat), seat, hands, job.rules, batch=job.fixture.hands)
        if not all(one.same for one in again):
            yield launch


def _recorded_hand(number: int, dealt: _DealtHand, hand: HandRecord) -> RecordedHand:
    return RecordedHand.of(number, hand, dealt.deal, dealt.before, dealt.before.games)
