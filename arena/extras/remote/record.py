"""The record of unconfined games: a run whose field grows, with the answers that came from elsewhere as events of its chain."""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from itertools import islice
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.json import decode, encode

from arena.errors import MALFORMED, DamagedError
from arena.gin.facts import Seat
from arena.moments import Moment, now
from arena.records import UNCONFINED
from arena.roster.entrant import Entered
from arena.store.store import Store

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
    """Return the author of a bot that plays from elsewhere; empty: it is the server's own."""
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
