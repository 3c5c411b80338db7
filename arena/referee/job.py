"""A fixture with everything that a worker needs to play it, by value, so that it needs no database and no spec.

A worker elsewhere needs the plugin whose rules or sandbox a job has.
"""

import logging
from collections.abc import Callable
from hashlib import sha256
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from arena.confinement.profiles import Sandbox
from arena.gin.deal import Deals
from arena.gin.facts import Seat
from arena.gin.match import Batch, Contest, Match
from arena.gin.rules import Rules
from arena.limits import FaultCosts, LineLimits, TimeLimits
from arena.players.base import Player
from arena.players.kept_states import EMPTY_DIGEST, States
from arena.players.orphans import ending_orphans
from arena.players.process_player import ProcessPlayer
from arena.players.state import EMPTY_STATE
from arena.records import NOT_BEGUN, Fixture, HandRecord, MatchRecord, MatchSoFar
from arena.referee.referee import Referee
from arena.roster.entrant import Launch

log = logging.getLogger(__name__)


class SeatState(Struct, frozen=True):
    """The state of a bot at the start of a fixture, and whether the one that it leaves is kept."""

    start: str = EMPTY_DIGEST  # digest
    kept: bool = False


class JobStates(Struct, frozen=True, kw_only=True):
    """The state folders of both bots of a fixture."""

    files: States  # where states are read and kept
    seats: tuple[SeatState, SeatState]


class Job(Struct, frozen=True, kw_only=True):
    """A fixture to play."""

    fixture: Fixture
    launches: tuple[Launch, Launch]  # of seats 0 and 1
    rules: Rules
    sandbox: Sandbox
    time: TimeLimits
    lines: LineLimits
    faults: FaultCosts
    seed: str  # the run seed; see arena.tournament.seeds
    until: float = inf  # monotonic seconds of this machine after which no bot is asked any more
    pace: float = 1.0  # how many times slower this machine's processor is than the director's
    states: JobStates | None = None  # None: state folders, if the launches have them, begin empty and are not kept

    def player(self, seat: Seat) -> ProcessPlayer:
        """Return the player of a seat's bot, which is not started yet. Raises: SandboxError; StoreError, for a lost state."""
        launch = self.sandbox.wrap(self.launches[seat])
        seed = bot_seed(self.seed, self.fixture.deals, seat)
        wanted = self.states.seats[seat] if self.states else SeatState()
        return ProcessPlayer(
            launch,
            self.rules,
            self.time,
            self.lines,
            seed,
            bot=self.fixture.seats[seat],
            fixture=self.fixture.id,
            until=self.until,
            pace=self.pace,
            state=self.states.files.state(wanted.start) if self.states else EMPTY_STATE,
            keeps_state=wanted.kept,
        )


def play(
    job: Job,
    players: tuple[Player | None, Player | None] = (None, None),
    tell: Callable[[HandRecord], None] = lambda _: None,
    so_far: MatchSoFar = NOT_BEGUN,
    keep: Callable[[MatchSoFar], None] | None = None,
) -> MatchRecord:
    """Play a fixture in this process; ``job`` makes the player of a seat that has none.

    ``tell``, ``so_far`` and ``keep`` are those of ``Referee``. Raises: WorkerLostError, OutOfTimeError; SandboxError; DamagedError,
    for actions of ``so_far`` that are illegal; StoreError, for a state that is lost or cannot be kept.
    """
    with ending_orphans() as orphans:
        both = (players[0] or job.player(0), players[1] or job.player(1))
        start = contest(job.fixture, job.rules, job.seed)
        record = Referee(job.fixture, job.rules, start, both, job.faults, tell, so_far, keep).play()
    if job.states:
        record = replace(record, states=(_keep_state(job.states, record, 0, both[0]), _keep_state(job.states, record, 1, both[1])))
    if orphans:
        log.warning("%s: ended %d processes that the bots had left running", job.fixture.id, len(orphans))
    return record


def _keep_state(states: JobStates, record: MatchRecord, seat: Seat, player: Player) -> str | None:
    """Keep what a bot has learned, and return its digest; None: it is not kept, as after a fault of the bot. Raises: StoreError."""
    if not isinstance(player, ProcessPlayer) or player.learned is None or any(fault.seat == seat for fault in record.faults):
        return None
    return states.files.keep(player.learned)


def play_between(players: tuple[Player, Player], fixture: Fixture, rules: Rules, faults: FaultCosts, seed: str) -> MatchRecord:
    """Play a fixture between two players of any kind. Raises: WorkerLostError."""
    return Referee(fixture, rules, contest(fixture, rules, seed), players, faults).play()


def contest(fixture: Fixture, rules: Rules, seed: str) -> Contest:
    """Return the match or batch of a fixture, before its first hand."""
    return contest_on(Deals(seed, fixture.deals), fixture, rules)


def contest_on(deals: Deals, fixture: Fixture, rules: Rules) -> Contest:
    """Return the match or batch of a fixture on some deals, before its first hand."""
    return Match.start(rules, deals) if fixture.hands is None else Batch(rules, deals, fixture.hands, fixture.scored)


def bot_seed(seed: str, deals: str, seat: Seat) -> str:
    """Return the seed of the random choices of the bot in a seat, which is the same in both legs of a pair.

    It is derived from the pair's key and the seat, so two bots that play alike make the same choices in the same seat, and a bot
    against itself plays two identical legs. It does not reveal the run seed, which has 256 bits; a short seed that a user typed can
    be guessed (``arena.tournament.seeds``).
    """
    return sha256(f"arena-bot-1|{seed}|{deals}|{seat}".encode()).hexdigest()
