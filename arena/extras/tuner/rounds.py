"""Plays the rounds of a search for a bot's best parameters.

The next candidates depend only on the rounds before, so a search that was stopped continues from its file. Without a sandbox, and
if all bots are on the SDK, the search is played in the workers' own processes.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from functools import cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from arena import signals
from arena.errors import BotUnavailableError, RosterError, RunStoppedError
from arena.extras.tuner.outcome import gain_text, values_text
from arena.extras.tuner.rounds_file import SearchHeader, read_rounds, write_rounds
from arena.extras.tuner.setup import TuneSetup
from arena.extras.tuner.tune import ROUNDS, Array, Reason, Tuner, summarize
from arena.gin.actions import Action
from arena.gin.facts import Seat
from arena.gin.view import View
from arena.players.base import InlinePlayer, PlayerFaultError
from arena.records import Fixture, Result, result
from arena.referee import job
from arena.referee.job import Job, bot_seed
from arena.reports.numbers import count
from arena.runs.runner import Runner
from arena.sdk.checks import build
from arena.sdk.loading import bot_class
from arena.sdk.mistakes import CannotPlayError
from arena.stats import duels
from arena.stats.luck import add_luck
from arena.store.folder import Folder
from arena.tournament import tasks

LEG = 16  # most deals of a leg
LEAST_BLOCKS = 8  # legs on different deals of a candidate in a round, at least: the scatter of fewer does not tell its error
LEAST_DEALS = 8  # of a candidate against each opponent in a round


class TuneLeg(Struct, frozen=True):
    """Some deals of one candidate, or of the start, against one opponent, in one seat."""

    job: Job
    seat: Seat  # of the candidate
    inline: bool  # its bots play in the worker's own process


class PlayedTuneLeg(Struct, frozen=True):
    """The result of a leg."""

    result: Result  # with the luck of its draws
    faults: int  # of the candidate


def play_leg(leg: TuneLeg) -> PlayedTuneLeg:
    """Play a leg, and return its result. Raises: RosterError, for a bot in this process that does not start."""
    with redirect_stdout(sys.stderr):  # a bot in this process may print
        players = (_inline_player(leg.job, 0), _inline_player(leg.job, 1)) if leg.inline else (None, None)
        record = job.play(leg.job, players)
    faults = sum(one.seat == leg.seat for one in record.faults)
    return PlayedTuneLeg(result(add_luck(record, leg.job.rules, leg.job.seed)), faults)


_load_class = cache(bot_class)  # of the user's, once in each worker


def _inline_player(one: Job, seat: Seat) -> InlinePlayer:
    target = one.launches[seat].command[-1]
    try:
        bot = build(_load_class(target), bot_seed(one.seed, one.fixture.deals, seat))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's own source may raise anything
        raise RosterError(f"{target}: does not start: {type(error).__name__}: {error}") from None

    def answer(view: View) -> Action:
        try:
            return bot.answer(view)
        except CannotPlayError as error:
            raise BotUnavailableError(f"a bot cannot play: {error}") from None
        except (Exception, SystemExit) as error:  # a fault of the bot
            raise PlayerFaultError("crash", f"{type(error).__name__}: {error}") from error

    return InlinePlayer(answer, bot.hand_over)


def search(
    setup: TuneSetup, runner: Runner, tell: Callable[[str], None], is_late: Callable[[], bool] = lambda: False
) -> tuple[Tuner, Reason]:
    """Play rounds until the search ends by itself, or ``is_late`` is true after a round.

    ``tell`` receives a line after each round, and one for those on file.

    Raises: RunStoppedError, if the user stops it; RosterError, WorkerLostError, StoreError.
    """
    rounds = read_rounds(setup.folder)
    stored = len(rounds)
    header = SearchHeader(setup.question, setup.plan.seed or "")

    def stop_error() -> RunStoppedError:
        return RunStoppedError(
            f"stopped; stored in {setup.folder}: {count(len(rounds), 'round')}; the same command resumes the search"
        )

    with (
        signals.reporting_stop(stop_error),
        Folder(setup.folder).lock(),
        runner.open_pool() as pool,
    ):
        while True:
            tuner = Tuner(setup.parameters, setup.plan.seed or "", rounds)
            if rounds:
                tell(round_line(tuner, setup.spec.hands))
            reason = tuner.reason_to_end(setup.spec.hands) or ("time" if len(rounds) > stored and is_late() else None)
            asked = () if reason else tuner.next_candidates()
            if not asked:
                return tuner, reason or "flat"
            legs = list(_legs(setup, len(rounds), asked))
            played = list(tasks.in_order(pool, play_leg, legs))
            results = [one.result for one in played]
            found = summarize(asked, _differences(setup, len(asked), results), sum(one.hands for one in results))
            rounds.append(replace(found, faults=_faults(setup, len(asked), played)))
            write_rounds(setup.folder, header, rounds)


def round_line(tuner: Tuner, budget: int) -> str:
    """Return the state of a search in one line."""
    hands = sum(one.hands for one in tuner.rounds)
    best = f"best {values_text(tuner.best)}: {gain_text(tuner.stated_gain(tuner.best))}"
    return f"round {len(tuner.rounds)}: {hands:,} of {budget:,} hands; {best}"


def _legs(setup: TuneSetup, number: int, asked: Sequence[dict[str, float]]) -> Iterator[TuneLeg]:
    """Yield the legs of round ``number``: each candidate from both seats against each opponent, on common deals.

    If the spec names opponents, the start plays them too. The order is by bot, opponent, part of the deals, and seat.
    """
    start, *opponents = setup.plan.names
    launches = [setup.resolve(one).entrant.launch for one in asked]
    if setup.spec.opponents:  # without opponents it would play itself, which gains 0
        launches.append(setup.start.entrant.launch)
    deals = max(LEAST_DEALS, setup.spec.hands // ROUNDS // (2 * len(launches) * len(opponents)))
    leg = min(LEG, deals // LEAST_BLOCKS)
    for place, launch in enumerate(launches):
        for opponent in opponents:
            for part in range(deals // leg):
                key = f"tune/{number}/{opponent}/{part}"
                for seat, seats in ((0, (start, opponent)), (1, (opponent, start))):
                    one = setup.plan.job(Fixture(f"{key}/{place}/{seat}", seats, key, leg))
                    seated = (launch, one.launches[1]) if seat == 0 else (one.launches[0], launch)
                    yield TuneLeg(replace(one, launches=seated), seat, setup.inline)


def _faults(setup: TuneSetup, candidates: int, played: Sequence[PlayedTuneLeg]) -> tuple[int, ...]:
    """Return the number of faults of each candidate."""
    legs = len(played) // (candidates + bool(setup.spec.opponents))  # of each
    return tuple(sum(leg.faults for leg in played[number * legs : (number + 1) * legs]) for number in range(candidates))


def _differences(setup: TuneSetup, candidates: int, played: Sequence[Result]) -> Array:
    """Return the gains over the start in points a hand, corrected for luck as a control variate: candidates x blocks.

    A block is the legs on the same deals. It is one observation, because its deals share processes.
    """
    blocks = [duels.block(one, other) for one, other in zip(played[::2], played[1::2], strict=True)]
    size = len(blocks) // (candidates + bool(setup.spec.opponents))  # blocks of each
    rows = [blocks[first : first + size] for first in range(0, len(blocks), size)]
    points, luck = (np.array([[getattr(block, name) for block in row] for row in rows]) for name in ("y", "luck"))
    variance = float(np.var(luck))
    slope = float(np.mean((points - points.mean()) * (luck - luck.mean()))) / variance if variance else 0.0
    corrected = points - slope * luck
    found: Array = corrected[:-1] - corrected[-1] if setup.spec.opponents else corrected
    return found
