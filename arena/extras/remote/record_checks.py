"""The checks of ``arena verify`` for unconfined games, in addition to those of every run."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from arena.errors import InputError
from arena.extras.remote.digests import digest_after, line_digest, opening_digest
from arena.extras.remote.record import Chronicle, KeptAnswer, author_of
from arena.gin.actions import Action
from arena.gin.facts import Seat
from arena.gin.match import Hand, walk
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.seeing import see
from arena.protocol import codec, notation
from arena.records import Fixture, MatchRecord
from arena.referee.asking import RecordedHand, recorded_hands
from arena.referee.hand_records import as_laid
from arena.reports.numbers import count
from arena.store.store import Store
from arena.tournament.seeds import commitment


def differences(store: Store, known: Chronicle, rules: Rules, seed: str) -> Iterator[str]:
    """Yield the contradictions among the events, ``known``, and the records of a folder.

    Raises: DamagedError; InputError, without the extra ``remote``.
    """
    authors = {entrant.name: author_of(entrant) for entrant in store.entrants()}
    yield from known.problems
    for opened in known.opened.values():
        one, other = (authors.get(name, "") for name in opened.seats)
        if one == other:
            yield f"{opened.game}: between two bots of one author, or of the server"
    for record in store.records():
        yield from _game_differences(record, known)
        hands = tuple(recorded_hands(record, rules, seed))
        for seat, name in enumerate(record.fixture.seats):
            if authors.get(name):
                yield from _signature_differences(record.fixture, seat, known, commitment(seed))
                yield from _answer_differences(record.fixture.id, seat, hands, known, rules)


def _game_differences(record: MatchRecord, known: Chronicle) -> Iterator[str]:
    fixture = record.fixture
    opened = known.opened.get(fixture.id)
    if opened is None or (opened.seats, opened.hands) != (fixture.seats, fixture.hands):
        yield f"{fixture.id}: on record, but it was not opened between these bots, or with another number of hands"
    if fixture.id in known.void:
        yield f"{fixture.id}: on record, and void"
    if fixture.deals != fixture.id:
        yield f"{fixture.id}: on the deals {fixture.deals}; expected deals of its own"


def _answer_differences(game: str, seat: Seat, hands: Sequence[RecordedHand], known: Chronicle, rules: Rules) -> Iterator[str]:
    answers = known.answers.get((game, seat), [])
    for number in sorted({one.hand for one in answers} - {hand.number for hand in hands}):
        yield f"{game}: seat {seat}, hand {number}: answers, but it is not on record"
    for hand in hands:
        given = [one for one in answers if one.hand == hand.number]
        yield from (f"{game}: seat {seat}, hand {hand.number}: {what}" for what in _hand_differences(hand, seat, given, rules))


def _signature_differences(fixture: Fixture, seat: Seat, known: Chronicle, seed_commitment: str) -> Iterator[str]:
    """Yield the first signed answer of a seat whose signature does not fit. Raises: InputError, without the library."""
    key = known.keys.get((fixture.id, seat))
    if not key:
        return
    try:
        from arena.extras.remote.signing import is_signed  # noqa: PLC0415 - the extra `remote`, which may not be installed
    except ImportError:
        raise InputError("the answers are signed; `pip install 'ginrummy-arena[remote]'` checks signatures") from None
    before = opening_digest(seed_commitment, fixture.id, fixture.hands, fixture.seats)
    for one in known.answers.get((fixture.id, seat), []):
        if not is_signed(key, before, one.question, one.line, one.signature):
            yield f"{fixture.id}: seat {seat}, hand {one.hand}: a signature does not fit its answer, or those before it"
            return
        before = digest_after(before, one.question, one.line)


def signature_lines(known: Chronicle, played: Sequence[Fixture]) -> Iterator[str]:
    """Yield what the signatures of games without differences prove, and what they do not; nothing if there are none."""
    games = Counter(name for fixture in played for name in fixture.seats)
    signed: dict[tuple[str, str], list[int]] = defaultdict(list)  # the answers in each game, by bot and key
    for fixture in played:
        for seat, bot in enumerate(fixture.seats):
            if key := known.keys.get((fixture.id, seat)):
                signed[bot, key].append(len(known.answers[fixture.id, seat]))
    for (bot, key), counts in sorted(signed.items()):
        number = f"{sum(counts)} answers in {len(counts)} of {count(games[bot], 'game')}"
        yield f"signed: {number} of {bot} by the key {key[:16]}…, each with its seed, seats, question and past"
    if signed:
        yield "not signed: who has a key, whether a missing answer was late, whether games were left out"


def _hand_differences(hand: RecordedHand, seat: Seat, given: Sequence[KeptAnswer], rules: Rules) -> Iterator[str]:
    """Yield the differences between a seat's actions in a hand and the answers that it gave."""
    left = iter(given)
    for turn, (state, after) in enumerate(pairwise(walk(hand.deal, rules, hand.actions))):
        if state.seat == seat:
            question = line_digest(codec.encode(notation.turn(see(state, hand.deal.before))))
            answer = next(left, None)
            if answer is None:
                yield f"turn {turn}: its answer is missing"
            elif answer.question != question:
                yield f"turn {turn}: the answer is one to another question"
            elif _action(answer.line, after, seat) != hand.actions[turn]:
                yield f"turn {turn}: the answer is not the action on record"
    most = 1 if hand.result.ending is Ending.FAULT and hand.result.winner != seat else 0  # the answer that was a fault
    if len(more := list(left)) > most:
        yield f"{len(more)} more answers than actions"


def _action(line: str, after: Hand, seat: Seat) -> Action | None:
    """Return the action of an answer, as it was played; None: it is not an answer."""
    try:
        return as_laid(notation.action(codec.decode_answer(line.encode())), after.laid[seat])
    except ValueError:
        return None
