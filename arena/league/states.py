"""The states of a league's bots, in the folder ``states``; and the fixed positions, with the bots' answers in them."""

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import Action, Knock, word, write_actions
from arena.gin.deal import Deals
from arena.gin.match import Batch, Hand, Phase
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.league.folder import OpenLeague
from arena.league.rules import learning
from arena.league.rules.events import AnyEvent, RoundOpened
from arena.league.rules.likeness import FAULT
from arena.players.child import ending_orphans
from arena.players.state import EMPTY_DIGEST, KeptStates
from arena.records import Fixture, LeftStates
from arena.referee.asking import RecordedHand, ask
from arena.referee.job import Job
from arena.roster.entrant import StateLimits
from arena.sdk.bot import Bot
from arena.tournament.plan import RoundStates

FOLDER = "states"


def round_states(league: Path, limits: StateLimits | None, events: Iterable[AnyEvent], opened: RoundOpened) -> RoundStates | None:
    """Return the states of a round; ``events`` are all events so far. None: the bots do not learn."""
    if limits is None:
        return None
    return RoundStates(
        folder=str(league.absolute() / FOLDER), limits=limits, starts=learning.starts(events), lessons=learning.lessons(opened)
    )


def check_states(states: RoundStates | None, playing: Iterable[str]) -> None:
    """Read the states with which bots begin a round. Raises: StoreError, naming the first that is missing or was changed."""
    if states:
        kept = KeptStates(Path(states.folder), states.limits)
        for name in playing:
            kept.state(states.starts.get(name, EMPTY_DIGEST))


def prune(league: OpenLeague, events: Iterable[AnyEvent], left: Iterable[LeftStates]) -> None:
    """Remove the states that are no longer needed, and those of fixtures whose play was ended before their record was stored.

    ``left``: the states in the records of the open round. Raises: StoreError.
    """
    if terms := league.spec.learning:
        open_round = {state for states in left for _, state in states.by_name()}
        KeptStates(league.folder.path / FOLDER, terms).remove_others(learning.needed_states(events, terms.rounds) | open_round)


# A fixed set of positions, and a bot's answers in them.
#
# The positions are those of some hands that a simple policy, that of :class:`arena.sdk.bot.Bot`, plays against itself on deals
# from a fixed seed. Each bot is asked for every decision of both seats, in a process for each seat, with the messages that the
# seat would have been sent; after each answer the hand continues as it was recorded (:mod:`arena.referee.asking`).

HANDS = 16
SEED = "positions"  # of the deals; another seed gives another set


class PositionSet(Struct, frozen=True):
    """The hands with the positions, and the places of all decisions but laying off, also of those with one legal action."""

    hands: tuple[RecordedHand, ...]
    places: tuple[tuple[int, int, int], ...]  # seat, hand and turn
    digest: str  # of the hands' actions


@cache
def positions(rules: Rules) -> PositionSet:
    """Return the set of positions under some rules."""
    batch, hands, places = Batch(rules, Deals(SEED, SEED), HANDS), list[RecordedHand](), list[tuple[int, int, int]]()
    for number in range(HANDS):
        found, chosen = _play_hand(number, replace(batch, played=number))
        hands.append(found)
        places += chosen
    text = "\n".join(write_actions(hand.actions) for hand in hands)
    return PositionSet(tuple(hands), tuple(sorted(places)), sha256(text.encode()).hexdigest())


def _play_hand(number: int, batch: Batch) -> tuple[RecordedHand, list[tuple[int, int, int]]]:
    """Return a hand of the simple policy against itself, and the places of its decisions but laying off."""
    deal, before, policy, actions, places = batch.deal(), batch.standing, Bot(SEED), list[Action](), list[tuple[int, int, int]]()
    hand = Hand.start(deal, batch.rules)
    while hand.result is None:
        if hand.phase is not Phase.LAY_OFF:  # which bots may leave to the referee
            places.append((hand.seat, number, len(actions)))
        actions.append(policy.answer(see(hand, before)))
        hand = hand.play(actions[-1])
    recorded = RecordedHand(number=number, deal=deal, before=before, games=(0, 0), actions=tuple(actions), result=hand.result)
    return recorded, places


def job_of(job: Job) -> Job:
    """Return the job that asks the bot in seat 0 of another job for its answers, without a state."""
    bot = job.fixture.seats[0]
    fixture, launches = Fixture(SEED, (bot, bot), SEED, HANDS), (job.launches[0], job.launches[0])
    return replace(job, fixture=fixture, launches=launches, seed=SEED, states=None)


def answers(job: Job) -> str:
    """Ask the bot of a job of ``job_of``, and return its answers: a word for each place, separated by spaces.

    Raises: WorkerLostError.
    """
    known = positions(job.rules)
    with ending_orphans():
        asked = [
            one
            for seat in (0, 1)
            for one in ask(job.player(seat), seat, known.hands, job.rules, batch=HANDS, at_most=job.faults.at_most)
        ]
    found = {(one.seat, one.hand, one.turn): _word(one.answer) for one in asked}
    return " ".join(found.get(place, FAULT) for place in known.places)


def _word(action: Action | None) -> str:
    """Return an answer as a word; a knock without its melds, which the referee can find."""
    if action is None:
        return FAULT
    return word(Knock(action.card)) if isinstance(action, Knock) else word(action)
