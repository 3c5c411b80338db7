"""The record of unconfined games: a run whose field grows, with the answers that came from elsewhere as events of its chain."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from itertools import islice, pairwise
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.json import decode, encode

from arena.errors import MALFORMED, DamagedError, InputError
from arena.extras.remote.digests import digest_after, line_digest, opening_digest
from arena.gin.actions import Action
from arena.gin.facts import Seat
from arena.gin.match import Hand, walk
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.seeing import see
from arena.moments import Moment, now
from arena.protocol import codec, notation
from arena.records import UNCONFINED, Fixture, MatchRecord, Result
from arena.referee.asking import RecordedHand, recorded_hands
from arena.referee.referee import as_laid
from arena.reports.numbers import count
from arena.roster.entrant import Entered
from arena.stats.format_details import Column, Details, PlaceTable
from arena.stats.margin import of_blocks
from arena.stats.statements import REMOTE
from arena.store.store import Store
from arena.tournament.seeds import commitment

KIND = UNCONFINED  # value of the fact ``kind``
GAMES = "games"  # folder of the games in play
ELSEWHERE = "elsewhere: "  # before the author, in the source of an entrant
ANSWERS_AN_EVENT = 300  # each of some 3 kB at most as JSON, so that an event stays below the megabyte that a row may have

MOST_HANDS = 1000  # of a game; a server allows less
GAME = r"^g[1-9][0-9]{0,8}\Z"

GameName = Annotated[str, Meta(pattern=GAME)]
Milliseconds = Annotated[int, Meta(ge=0, le=1 << 44)]
Text = Annotated[str, Meta(max_length=4096)]


class BotsJoined(Struct, frozen=True, tag_field="event", tag="bots-joined"):
    """Bots have joined that are new to the record; their entrants are stored with the event."""

    at: Moment
    bots: tuple[str, ...]


class GameOpened(Struct, frozen=True, tag_field="event", tag="game-opened"):
    """A game has begun; the key of its deals is its name."""

    at: Moment
    game: GameName
    seats: tuple[str, str]
    hands: Annotated[int, Meta(ge=1, le=MOST_HANDS)]


class GameVoid(Struct, frozen=True, tag_field="event", tag="game-void"):
    """A game that was begun does not count."""

    at: Moment
    game: GameName
    why: str


class KeptAnswer(Struct, frozen=True, array_like=True):
    """An answer to a turn as it was received."""

    hand: Annotated[int, Meta(ge=0)]  # number in the batch, from 0
    question: Text  # SHA-256 of its line
    asked: Milliseconds  # since the Unix epoch
    answered: Milliseconds
    line: Text
    signature: Text = ""  # base64url; empty: it is not signed


class AnswersKept(Struct, frozen=True, tag_field="event", tag="answers"):
    """The answers of a seat in a game, or a part of them, in order."""

    game: GameName
    seat: Annotated[int, Meta(ge=0, le=1)]
    key: Text  # the public key, hexadecimal; empty: the answers are not signed
    answers: tuple[KeptAnswer, ...]


GameEvent = BotsJoined | GameOpened | GameVoid | AnswersKept


def author_of(entrant: Entered) -> str:
    """Return the author of a bot that plays from elsewhere; empty: it is a bot of the house."""
    return entrant.source.removeprefix(ELSEWHERE) if entrant.source.startswith(ELSEWHERE) else ""


def answer_events(game: str, seat: Seat, key: str, answers: Sequence[KeptAnswer]) -> Iterator[str]:
    """Yield the events of a seat's answers."""
    left = iter(answers)
    while part := tuple(islice(left, ANSWERS_AN_EVENT)):
        yield encode(AnswersKept(game, seat, key, part)).decode()


class Chronicle(Struct, frozen=True, kw_only=True):
    """The events of a folder of unconfined games."""

    opened: dict[str, GameOpened]
    void: dict[str, GameVoid]
    answers: dict[tuple[str, Seat], list[KeptAnswer]]
    keys: dict[tuple[str, Seat], str]
    problems: tuple[str, ...]  # games opened twice, void twice, or with answers or void without being opened

    def unfinished(self, recorded: Container[str]) -> dict[str, GameOpened]:
        """Return the games that were opened, and are neither ``recorded`` nor void."""
        return {game: one for game, one in self.opened.items() if game not in recorded and game not in self.void}


def chronicle(store: Store) -> Chronicle:
    """Return the events of a folder. Raises: DamagedError."""
    opened, void, keys, problems = dict[str, GameOpened](), dict[str, GameVoid](), dict[tuple[str, Seat], str](), list[str]()
    answers: dict[tuple[str, Seat], list[KeptAnswer]] = defaultdict(list)
    for content in store.events():
        match _event(content):
            case GameOpened() as found:
                problems += [f"{found.game}: opened twice"] if found.game in opened else []
                opened[found.game] = found
            case GameVoid() as found:
                is_wrong = found.game in void or found.game not in opened
                problems += [f"{found.game}: void, but not opened, or void already"] if is_wrong else []
                void[found.game] = found
            case AnswersKept(game, seat, key, given):
                problems += [f"{game}: answers, but it was not opened"] if game not in opened else []
                answers[game, seat] += given
                keys[game, seat] = key
            case BotsJoined():
                pass
    return Chronicle(opened=opened, void=void, answers=answers, keys=keys, problems=tuple(problems))


def _event(content: str) -> GameEvent:
    try:
        found: GameEvent = decode(content, type=GameEvent)
    except MALFORMED as error:
        raise DamagedError(f"event: {' '.join(str(error).split())}") from None
    return found


def open_games(store: Store, known: Chronicle) -> list[str]:
    """Return the games that were opened, and are neither on record nor void; ``known``: the events of ``store``."""
    return list(known.unfinished({fixture.id for fixture in store.fixtures()}))


def close(store: Store) -> list[str]:
    """Finish a folder, which reveals its seed; return the games that this makes void. Raises: StoreError, DamagedError."""
    with store.deciding():
        left = open_games(store, chronicle(store))
        for game in left:
            store.add_event(encode(GameVoid(now(), game, "the games were closed before it was over")).decode())
        store.finish()
    return left


# The checks of ``arena verify`` for unconfined games, in addition to those of every run.


def differences(store: Store, known: Chronicle, rules: Rules, seed: str) -> Iterator[str]:
    """Yield the contradictions among the events, ``known``, and the records of a folder.

    Raises: DamagedError; InputError, without the extra ``remote``.
    """
    authors = {entrant.name: author_of(entrant) for entrant in store.entrants()}
    yield from known.problems
    for opened in known.opened.values():
        one, other = (authors.get(name, "") for name in opened.seats)
        if one == other:
            yield f"{opened.game}: between two bots of one author, or of the house"
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
            question = line_digest(codec.encode(notation.turn(see(state, hand.before))))
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


# The table.

NOTE = (
    "Unconfined: these bots play from elsewhere, where no sandbox holds them; each may be a person, and each deal is played once."
    f" {REMOTE} The bots of the house run on the server, in its sandbox."
)


class BotScore(Struct, frozen=True):
    """The points a hand of a bot, luck-adjusted."""

    bot: str
    games: int
    hands: int
    points: float
    half: float | None  # half the width of the 95 % interval; None: one game, or few with one result


def scores(played: Sequence[Result]) -> list[BotScore]:
    """Return the score of every bot that has played, the best first. A game is one observation: its hands share two processes."""
    observed: dict[str, list[list[float]]] = defaultdict(list)  # by game and hand
    for result in played:
        adjusted = [hand.points - (hand.luck or 0.0) for hand in result.singles]
        observed[result.fixture.seats[0]].append(adjusted)
        observed[result.fixture.seats[1]].append([-one for one in adjusted])
    found = [_score(name, games) for name, games in observed.items() if any(games)]
    return sorted(found, key=lambda one: (-one.points, one.bot))


def _score(name: str, games: list[list[float]]) -> BotScore:
    hands, found = sum(map(len, games)), of_blocks(games)
    return BotScore(name, len(games), hands, sum(map(sum, games)) / hands, found.half if found else None)


def details(field: Sequence[Entered], played: Sequence[Result]) -> Details:
    """Return the table of unconfined games, and as the answer the unconfined bot that leads it."""
    found = scores(played)
    where = {one.name: "unconfined" if author_of(one) else "of the house" for one in field}
    points = {one.bot: round(one.points, 2) + 0.0 for one in found}  # the sum is never -0.0
    halves = {one.bot: round(one.half, 2) for one in found if one.half is not None}
    columns = [
        Column("class", {one.bot: where.get(one.bot, "") for one in found}),
        Column("points a hand", {one.bot: f"{one.points:+z.2f}" for one in found}, points),
        Column("±", {one.bot: "" if one.half is None else f"{one.half:.2f}" for one in found}, halves),
        Column("hands", {one.bot: f"{one.hands:,}" for one in found}, {one.bot: one.hands for one in found}),
        Column("games", {one.bot: f"{one.games:,}" for one in found}, {one.bot: one.games for one in found}),
    ]
    table = PlaceTable(title="Unconfined games", places=[[one.bot] for one in found], columns=columns, note=NOTE)
    first = next((one for one in found if where.get(one.bot) == "unconfined"), None)
    if first is None:
        return Details(tables=[table])
    interval = "" if first.half is None else f" ± {first.half:.2f}"
    answer = f"{first.bot} leads the unconfined bots: {first.points:+z.2f}{interval} points a hand, luck subtracted"
    why = "an unconfined bot plays from elsewhere, and may be a person"
    return Details(answer=answer, why=why, tables=[table])
