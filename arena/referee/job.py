"""All that a worker needs for one fixture, by value: it asks no database, no spec and no plugin."""

import logging
from hashlib import sha256

from msgspec import Struct

from arena.gin.deal import Deals, Seat
from arena.gin.match import Batch, Contest, Match
from arena.gin.rules import Rules
from arena.players.base import Player
from arena.players.leftovers import swept
from arena.players.remote import LineLimits, RemotePlayer, TimeLimits
from arena.players.sandboxes.base import Sandbox
from arena.records import Fixture, MatchRecord
from arena.referee.faults import FaultCosts
from arena.referee.referee import Referee
from arena.roster.entrant import Launch

log = logging.getLogger(__name__)


class Job(Struct, frozen=True, kw_only=True):
    """One fixture to be played."""

    fixture: Fixture
    launches: tuple[Launch, Launch]  # of seat 0 and 1
    rules: Rules
    sandbox: Sandbox
    time: TimeLimits
    lines: LineLimits
    faults: FaultCosts
    seed: str  # the tournament's


def play(job: Job, seated: tuple[Player | None, Player | None] = (None, None)) -> MatchRecord:
    """Play a fixture to its end, in this process; who is ``seated`` plays instead of the bot. Raises: WorkerLost."""
    with swept() as left:
        players = (seated[0] or _player(job, 0), seated[1] or _player(job, 1))
        record = Referee(job.fixture, job.rules, contest(job.fixture, job.rules, job.seed), players, job.faults).play()
    if left:
        log.warning("%s: ended %d processes that the bots had left running", job.fixture.id, len(left))
    return record


def contest(fixture: Fixture, rules: Rules, seed: str) -> Contest:
    """Return what a fixture plays, before its first hand."""
    deals = Deals(seed, fixture.deals)
    return Match.start(rules, deals) if fixture.hands is None else Batch(rules, deals, fixture.hands, fixture.scored)


def bot_seed(seed: str, deals: str, seat: Seat) -> str:
    """Return the seed of a bot's own chance: one that does not tell the tournament's, and is the same in both legs of a pair."""
    return sha256(f"arena-bot-1|{seed}|{deals}|{seat}".encode()).hexdigest()


def _player(job: Job, seat: Seat) -> RemotePlayer:
    launch = job.sandbox.wrap(job.launches[seat])
    seed = bot_seed(job.seed, job.fixture.deals, seat)
    names = {"bot": job.fixture.seats[seat], "fixture": job.fixture.id}
    return RemotePlayer(launch, job.rules, job.time, job.lines, seed, **names)
