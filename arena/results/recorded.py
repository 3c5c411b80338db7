"""Asks a bot for a recorded decision: ``arena debug BOT --recorded RUN FIXTURE HAND TURN``, as a replay prints it.

The bot gets the messages that its seat was sent in the match; after each answer the match continues as it was recorded. In a
league whose bots learn, it begins without what it had learned.
"""

from collections.abc import Iterator

from msgspec import Struct

from arena.errors import InputError
from arena.gin.facts import Seat
from arena.gin.match import replay
from arena.gin.rules import Rules
from arena.players.base import ObservedPlayer
from arena.records import MatchRecord
from arena.referee.asking import AskedDecision, RecordedHand, ask, recorded_hands
from arena.referee.job import Job
from arena.reports.replays import replaying
from arena.roster.entrant import PERSONS_SOURCE, Entrant
from arena.roster.finder import find
from arena.runs import named_parts
from arena.runs.confined_reading import confined_reader
from arena.runs.debugging import INDENT, Lines, Messages, NewLines, Show, Teller, action_words
from arena.runs.stored import StoredRun
from arena.runs.stored_kinds import open_stored
from arena.store.folder import Folder

IN_PLACE_OF_A_PERSON = "scholar"


class RecordedDecision(Struct, frozen=True, kw_only=True):
    """The place of a recorded decision."""

    fixture: str
    hand: str  # as 0.3
    turn: int  # number of the action in the hand, counted from 1, as ``arena replay`` does


def ask_again(bot: str, folder: Folder, decision: RecordedDecision, sandbox: str | None, *, raw: bool, show: Show) -> bool:
    """Show a bot's answers in a hand up to the decision; return False if it faults in the hand, or too often before it.

    ``bot`` is an entrant of the run, or any other bot. Raises: InputError, RosterError, SandboxError, StoreError, DamagedError.
    """
    with open_stored(folder) as (store, run):
        record = store.record(decision.fixture)
    seed, rules = run.seed_of(decision.fixture), run.spec.rules
    number = hand_number(record, decision.hand)
    hands = list(_replayable_hands(record, recorded_hands(record, rules, seed), rules, number))
    seat = _seat(hands[-1], rules, decision)
    found = _find(bot, run)
    if found is None:
        show(iter([f"{bot} is a person; {IN_PLACE_OF_A_PERSON} is asked in its place"]))
        found = find(IN_PLACE_OF_A_PERSON)
    job = Job(
        fixture=record.fixture,
        launches=(found.launch, found.launch),  # only ``seat`` is started
        rules=rules,
        sandbox=named_parts.sandbox(sandbox, [found.launch], run.spec.sandbox),
        time=run.spec.time,
        lines=run.spec.lines,
        faults=run.spec.faults,
        seed=seed or "debug",
    )
    player = ObservedPlayer(job.player(seat))
    teller = Messages() if raw else Lines(found.name, record.fixture.seats[1 - seat])
    answers = ask(player, seat, hands, rules, batch=record.fixture.hands, at_most=run.spec.faults.at_most)
    return _show(player, answers, number, decision.turn, teller, show)


def _show(player: ObservedPlayer, answers: Iterator[AskedDecision], hand: int, last: int, teller: Teller, show: Show) -> bool:
    """Show the answers in ``hand``, up to that in turn ``last``; return whether all are given without a fault."""
    before, stderr, fault = None, NewLines(), ""
    for asked in answers:
        if asked.hand != hand:
            fault = asked.fault or fault
            continue
        show(teller.turn(asked.turn + 1, asked.view, before))
        show(stderr.of(player.log()))
        if asked.answer is None:
            show(iter([f"fault: {asked.fault}"]))
            return False
        if player.reply:
            show(teller.answer(player.reply))
        if not asked.same:
            show(iter([f"{INDENT}in the match: {action_words(asked.recorded)}"]))
        if asked.turn + 1 >= last:
            return True
        before = asked.view
    show(iter([f"fault in an earlier hand, so the bot is not asked for this one: {fault}"]))
    return False


def hand_number(record: MatchRecord, name: str) -> int:
    """Return the index in ``record.hands`` of the hand with a name as 0.3. Raises: InputError."""
    names = [f"{hand.game}.{hand.hand}" for hand in record.hands]
    if name not in names:
        expected = f"{names[0]} to {names[-1]}" if names else "none, for it has no hands"
        raise InputError(f"no hand {name!r} in {record.fixture.id}; expected {expected}")
    return names.index(name)


def _replayable_hands(record: MatchRecord, hands: Iterator[RecordedHand], rules: Rules, last: int) -> Iterator[RecordedHand]:
    """Yield the hands up to number ``last``. Raises: DamagedError, if one cannot be replayed."""
    for hand in record.hands[: last + 1]:
        with replaying(record.fixture.id, hand):
            found = next(hands)
            replay(found.deal, rules, found.actions)
        yield found


def _seat(recorded: RecordedHand, rules: Rules, decision: RecordedDecision) -> Seat:
    """Return the seat that acts in the turn of a decision. Raises: InputError."""
    if not 1 <= decision.turn <= len(recorded.actions):
        raise InputError(f"no turn {decision.turn} in hand {decision.hand}; expected 1 to {len(recorded.actions)}")
    return replay(recorded.deal, rules, recorded.actions[: decision.turn - 1]).seat


def _find(bot: str, run: StoredRun) -> Entrant | None:
    """Return a bot of the run as it is now, or another bot; None: a person. Raises: RosterError, InputError."""
    if bot not in run.names:
        return find(bot)
    number = run.names.index(bot)
    if run.field[number].source == PERSONS_SOURCE:
        return None
    with confined_reader(run.spec.sandbox) as reader:
        return run.find_bot(number, reader)
