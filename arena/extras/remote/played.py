"""What an author's end has signed: a file beside its key, so that each game is played once, with one answer at each place.

The owner of a server can deal a game again, or go back in it, and keep the copy that he likes. So a question that was answered gets
the same answer again, as after a kill of the server, and another question at the same place gets none. There is one exception: an
answer that the server did not count, because it was late, costs the hand, and the next question at its place is of a later hand.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from arena.errors import InputError, StoreError, of_system
from arena.extras.remote.digests import digest_after, opening_digest
from arena.extras.remote.signing import SigningKey
from arena.extras.remote.socket_player import GameMessage
from arena.moments import now
from arena.protocol.messages import Turn
from arena.store.file import check_files
from arena.store.problems import named_error
from arena.text import printable

TABLES = """
CREATE TABLE IF NOT EXISTS game (
  commitment TEXT, game TEXT, opening TEXT NOT NULL UNIQUE, seats TEXT NOT NULL, began TEXT NOT NULL,
  answers INTEGER NOT NULL DEFAULT 0, digest TEXT NOT NULL, ended TEXT NOT NULL DEFAULT '', PRIMARY KEY (commitment, game)
);
CREATE TABLE IF NOT EXISTS answer (
  id INTEGER PRIMARY KEY, opening TEXT NOT NULL, before TEXT NOT NULL, question TEXT NOT NULL,
  game INTEGER NOT NULL, hand INTEGER NOT NULL, answer TEXT NOT NULL, signature TEXT NOT NULL, UNIQUE (opening, before, question)
);
"""


class GameRefusedError(InputError):
    """A server asks for a signature that would make two games of one."""


class SignedAnswer(Struct, frozen=True):
    """An answer and its signature."""

    answer: str
    signature: str


class SignedGames:
    """The games that were played with one key. Several processes may use the file."""

    def __init__(self, key: SigningKey, path: Path) -> None:
        """Open the file, or make it. Raises: InputError."""
        self.key = key
        self.path = path
        with self._naming_errors():
            check_files(path, write=True)
            path.touch(0o600)
            self._database = sqlite3.connect(path, isolation_level=None)
            self._database.execute(
                "PRAGMA synchronous = OFF"
            )  # it must survive a kill; nobody can make a server's machine crash ours
            self._database.executescript(TABLES)

    def begin(self, message: GameMessage) -> "SignedGame":
        """Return a game that begins, or continues. Raises: GameRefusedError, for one that is over or was another; InputError."""
        opening = opening_digest(message.commitment, message.game, message.hands, message.seats)
        names = (message.commitment, message.game)
        with self.changing() as database:
            database.execute(
                "INSERT OR IGNORE INTO game (commitment, game, opening, seats, began, digest) VALUES (?, ?, ?, ?, ?, ?)",
                (*names, opening, " ".join(message.seats), now(), opening),
            )
            query = "SELECT opening, ended FROM game WHERE commitment = ? AND game = ?"
            known, ended = database.execute(query, names).fetchone()
        if ended:
            raise self.refusal(message, f"is {ended}, and the server offers it again")
        if known != opening:
            raise self.refusal(message, "began with other bots or another number of hands")
        return SignedGame(self, message, opening)

    def refusal(self, message: GameMessage, why: str) -> GameRefusedError:
        """Return the error of a game that is not played."""
        return GameRefusedError(
            f"{message.game} of the seed with the SHA-256 {message.commitment[:16]}… {why}; nothing more of it is signed, as"
            f" {printable(str(self.path))} has it"
        )

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """Yield the database for a change as a whole, by one process at a time. Raises: InputError."""
        with self._naming_errors():
            self._database.execute("BEGIN IMMEDIATE")
            with self._database:
                yield self._database

    @contextmanager
    def _naming_errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error, StoreError) as error:
            problem = named_error(self.path, error) if isinstance(error, sqlite3.Error) else of_system(error) or error
            raise InputError(f"{problem}; it keeps the games that are signed") from None


class SignedGame:
    """A game that is played, and signed."""

    def __init__(self, games: SignedGames, message: GameMessage, opening: str) -> None:
        self._games = games
        self._message = message
        self._opening = opening

    def find(self, before: str, question: str, turn: Turn) -> SignedAnswer | None:
        """Return the answer that a question had, after the answers of a digest; None: it has none yet.

        Raises: GameRefusedError, for a place where another question was answered; InputError.
        """
        with self._games.changing() as database:
            return self._find(database, before, question, turn)

    def sign(self, before: str, question: str, turn: Turn, answer: str) -> SignedAnswer:
        """Sign an answer, keep it and return it; return the one that is kept, if there is one. Raises: as ``find``."""
        with self._games.changing() as database:
            if found := self._find(database, before, question, turn):
                return found
            signature = self._games.key.sign(before, question, answer)
            database.execute(
                "INSERT INTO answer (opening, before, question, game, hand, answer, signature) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (self._opening, before, question, turn.game, turn.hand, answer, signature),
            )
            digest = digest_after(before, question, answer)
            database.execute("UPDATE game SET answers = answers + 1, digest = ? WHERE opening = ?", (digest, self._opening))
            return SignedAnswer(answer, signature)

    def end(self, how: str) -> None:
        """Note how the game has ended, and forget its answers: the digest of them all is kept. Raises: InputError."""
        with self._games.changing() as database:
            database.execute("UPDATE game SET ended = ? WHERE opening = ?", (how, self._opening))
            database.execute("DELETE FROM answer WHERE opening = ?", (self._opening,))

    def _find(self, database: sqlite3.Connection, before: str, question: str, turn: Turn) -> SignedAnswer | None:
        query = "SELECT answer, signature FROM answer WHERE opening = ? AND before = ? AND question = ?"
        if found := database.execute(query, (self._opening, before, question)).fetchone():
            return SignedAnswer(*found)
        query = "SELECT before, game, hand FROM answer WHERE opening = ? ORDER BY id DESC LIMIT 1"
        last, *place = database.execute(query, (self._opening,)).fetchone() or ("", -1, -1)
        (digest,) = database.execute("SELECT digest FROM game WHERE opening = ?", (self._opening,)).fetchone()
        if before == digest or (before == last and [turn.game, turn.hand] > place):
            return None
        raise self._games.refusal(self._message, "was continued from here with another question")
