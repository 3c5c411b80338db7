"""Plays the games of bots that run elsewhere: sessions, pairing, threads that play, and one thread that writes the record.

An event opens a game before its first message is sent; a record or an event that it is void ends it, so no game counts twice. Its
actions so far are in a file, from which it continues with the same cards after the server was stopped or killed.
"""

import logging
import re
import secrets
import shutil
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.json import decode, encode
from msgspec.structs import replace

from arena import disk
from arena.errors import MALFORMED, DamagedError, InputError, RunStoppedError, StoreError, WorkerLostError
from arena.extras.remote.lobby import AUTHOR, BOT, Bots, GameTerms, Seek, pairings
from arena.extras.remote.record import (
    ELSEWHERE,
    GAME,
    GAMES,
    KIND,
    BotsJoined,
    GameOpened,
    GameVoid,
    KeptAnswer,
    answer_events,
    chronicle,
)
from arena.extras.remote.session import Session
from arena.extras.remote.socket_player import GameMessage, GameOverMessage, SeatLink, SocketPlayer, VoidMessage
from arena.gin.facts import Seat
from arena.league.tokens import Token, find_token, stored_tokens
from arena.moments import now
from arena.players.base import Player
from arena.plugins.manager import installed_kinds
from arena.records import NOT_BEGUN, Assurance, Fixture, MatchRecord, MatchSoFar, points_scored
from arena.referee.job import Job, bot_seed, contest
from arena.referee.referee import Referee
from arena.roster.entrant import NO_DIGEST, Entrant, Launch
from arena.roster.finder import find
from arena.runs import agreement, named_parts, starts
from arena.runs.chosen import ResolvedBot
from arena.stats.luck import add_luck
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import seeds
from arena.tournament.plan import Plan
from arena.tournament.spec import spec_from_values

log = logging.getLogger(__name__)

KEY = re.compile(r"([0-9a-f]{64})?")  # a public key in hexadecimal; empty: none
PLACES = ("elsewhere-1", "elsewhere-2")  # placeholders in the spec, which needs two bots; the bots join later
MOST_SESSIONS = 4  # of an author
MOST_BOTS = 100  # names of bots of an author
GAMES_AN_HOUR = 240  # of an author
HOUR = 3600.0  # seconds
MOST_GAMES = 64  # that play at once; others are opened, and wait for a thread
PAUSE = 10.0  # seconds without new games after the record or the tokens could not be read or written
RETURN_SECONDS = 60.0  # for both bots of a game to come back after the server was stopped or killed

Value = TypeVar("Value")


class NoEntryError(Exception):
    """A client cannot have a session; has the HTTP status and the reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class UnfinishedGame(Struct, frozen=True, kw_only=True):
    """A game in play, as far as it was played."""

    match: MatchSoFar = NOT_BEGUN
    keys: tuple[str, str] | None = None  # by which the seats sign; None: not known yet
    answers: tuple[tuple[KeptAnswer, ...], tuple[KeptAnswer, ...]] = ((), ())


class GameServer:
    """The sessions, the lobby and the games of one folder. Call ``tick`` and ``enter`` in the event loop."""

    def __init__(self, path: Path, terms: GameTerms, now: Callable[[], float], free: int = 0) -> None:
        """``free``: bytes that must be free on the disk for a game to begin."""
        self.terms = terms
        self.folder = Folder(path)
        self.links: dict[str, SeatLink] = {}  # by the secret of the session
        self._now = now  # monotonic seconds; the function ``now`` is the wall clock
        self._database_thread = ThreadPoolExecutor(1, "record")
        self._games = ThreadPoolExecutor(MOST_GAMES, "game")
        self._store: Store
        self._plan: Plan
        self._met: Counter[Bots] = Counter()
        self._known: set[str] = set()  # entrants on record
        self._last_game = 0  # its number
        self._free = free
        self._starts: defaultdict[str, deque[float]] = defaultdict(deque)  # by author: times at which games of the last hour began
        self._pause_until = 0.0
        self._pending: dict[str, GameOpened] = {}  # games that were not over when the server was stopped or killed
        self._pending_keys: dict[str, str] = {}  # by bot of these games: the public key of its signatures
        self._pending_until = 0.0

    @contextmanager
    def open(self) -> Iterator[None]:
        """Open the record, which begins if the folder is new. Raises: StoreError, InputError, RosterError, SandboxError."""
        self._check_kind()
        own = tuple(ResolvedBot(name, find(name, folder=Path())) for name in self.terms.own_bots)
        plan = _plan(own, self.terms, seeds.random_seed())
        with self.folder.lock(), self._database_thread:
            self._store = self._run_in_database_thread(lambda: Store(self.folder.database, write=True))
            try:
                self._plan = self._run_in_database_thread(lambda: self._begin(plan))
                yield
            finally:
                self.stop()
                self._run_in_database_thread(lambda: self._store.__exit__(None, None, None))

    def _run_in_database_thread(self, action: Callable[[], Value]) -> Value:
        """Run an action in the thread that has the database, and return its result."""
        return self._database_thread.submit(action).result()

    def _check_kind(self) -> None:
        """Raise StoreError for a folder that holds something else, or games that are closed."""
        if not self.folder.database.is_file():
            if self.folder.foreign_files:
                raise StoreError(
                    f"{self.folder.path}: holds other files; expected a new or empty folder, or one of unconfined games"
                )
            return
        with Store(self.folder.database) as store:
            if (facts := store.facts()) and facts.get("kind") != KIND:
                raise StoreError(f"{self.folder.path}: holds another run; expected a new folder, or one of unconfined games")
            if "finished" in facts:
                raise StoreError(f"{self.folder.path}: its games are closed, and their seed is revealed; expected a new folder")

    def _begin(self, plan: Plan) -> Plan:
        """Begin the record or continue it, with the server's own bots that are new. Raises: StoreError, InputError."""
        facts = self._store.facts()
        if facts:
            self._store.check_witness()
            plan = replace(plan, seed=facts["seed"])
            if agreement.plan_parts(facts["plan"])["rules"] != agreement.plan_parts(agreement.plan_text(plan))["rules"]:
                raise StoreError(f"{self.folder.path}: its games are played by other rules; expected the same --rules")
        else:
            self._store.begin(_facts(plan), plan.field)
        disk.make_folder(self.folder.path, GAMES)
        digests = {entrant.name: entrant.digest for entrant in self._store.entrants()}
        for bot in plan.field:
            if digests.get(bot.name, bot.digest) != bot.digest:
                raise InputError(f"--own-bot: {bot.name!r} has changed since it has played here; expected the same files")
        self._join([bot for bot in plan.field if bot.name not in digests])
        self._known = {*digests, *plan.names}
        known = chronicle(self._store)
        recorded = {fixture.id: fixture for fixture in self._store.fixtures()}
        self._met.update(frozenset(fixture.seats) for fixture in recorded.values())
        self._last_game = max(
            (int(name[1:]) for name in {*known.opened, *known.void, *recorded} if re.match(GAME, name)), default=0
        )
        self._pending = known.unfinished(recorded)
        self._pending_keys = {bot: key for one in self._pending.values() for bot, key in self._keys(one).items()}
        self._pending_until = self._now() + RETURN_SECONDS
        return plan

    def _join(self, bots: Sequence[Entrant]) -> None:
        if bots:
            self._store.add_event(encode(BotsJoined(now(), tuple(bot.name for bot in bots))).decode(), *bots)

    def stop(self) -> None:
        """Stop all games; they continue when the folder is opened again."""
        for link in self.links.values():
            link.stop()
        self._games.shutdown()

    def check_token(self, token: str) -> Token:
        """Return the valid token with this text. Raises: NoEntryError."""
        found = find_token(stored_tokens(self.folder.path), token, now())
        if found is None:
            raise NoEntryError(401, "the token is unknown, expired or revoked")
        if not AUTHOR.fullmatch(found.holder):
            raise NoEntryError(422, f"the token is of {found.holder}; expected an author of at most 25 characters, without a dot")
        return found

    def enter(self, author: str, bot: str, secret: str, key: str = "") -> tuple[str, SeatLink]:
        """Return a session of an author with its secret; a new session if ``secret`` is empty. Raises: NoEntryError.

        A new session, for which ``bot`` and ``key`` count, ends another one of the same bot that plays no game.
        """
        if secret:
            link = self.links.get(secret)
            if link is None or link.session.author != author:
                raise NoEntryError(404, "this session is over, or not yours: begin a new one")
            return secret, link
        if not BOT.fullmatch(bot):
            raise NoEntryError(422, "bot: expected at most 24 letters, digits, _ . or -, a letter or digit first")
        if not KEY.fullmatch(key):
            raise NoEntryError(422, "key: expected 64 hexadecimal digits")
        name = f"{author}.{bot}"
        is_pending = any(name in opened.seats for opened in self._pending.values())
        if is_pending and self._pending_keys.get(name, key) != key:
            raise NoEntryError(409, f"{name} has a game that continues only with the key with which it began")
        own = {one: link for one, link in self.links.items() if link.session.author == author}
        for one in [one for one, link in own.items() if link.session.bot == name]:
            if own[one].game:
                raise NoEntryError(409, f"{name} plays {own[one].game} in another session")
            self._end(one)
            del own[one]
        if len(own) >= MOST_SESSIONS:
            raise NoEntryError(429, f"{author} has {len(own)} sessions; expected at most {MOST_SESSIONS}")
        bots = {one for one in (*self._known, *(link.session.bot for link in own.values())) if one.startswith(f"{author}.")}
        if name not in bots and len(bots) >= MOST_BOTS:
            raise NoEntryError(429, f"{author} has {len(bots)} bots; expected at most {MOST_BOTS}")
        secret = secrets.token_urlsafe(24)
        self.links[secret] = link = SeatLink(Session(name, author, self._now()), key, self._now)
        return secret, link

    def _end(self, secret: str) -> None:
        self.links.pop(secret).attach(lambda: None)  # detaches its connection, which then closes

    def tick(self) -> None:
        """Begin the games that can begin now, and end sessions that are away too long, or wait with an invalid token."""
        at = self._now()
        for secret, link in list(self.links.items()):
            if not link.game and link.session.away(at) > self.terms.clock.away:
                self._end(secret)
        if at < self._pause_until:
            return
        try:
            self._end_invalid()
        except StoreError as error:
            self._pause(str(error))
            return
        waiting = {link.session.bot: link for link in self.links.values() if _waits(link)}
        self._resume(waiting, at)
        held = {bot for opened in self._pending.values() for bot in opened.seats}  # they wait for the other bot of their game
        seeks = [Seek(bot, link.session.author, link.seeking or 0.0) for bot, link in waiting.items() if bot not in held]
        if not seeks or shutil.disk_usage(self.folder.path).free < self._free:
            return
        for pair in pairings(self._within_quota(seeks, at), self._met, at, self._plan.names, self.terms.wait):
            self._open(pair, waiting)

    def _pause(self, why: str) -> None:
        """Begin no game for a while."""
        log.error("no new games for %.0f s: %s", PAUSE, why)
        self._pause_until = self._now() + PAUSE

    def _end_invalid(self) -> None:
        """End the sessions that wait for a game with a token that was revoked, or has expired. Raises: StoreError."""
        waiting = [secret for secret, link in self.links.items() if link.token and _waits(link)]
        if waiting:
            at = now()
            valid = {token.digest for token in stored_tokens(self.folder.path) if token.is_valid(at)}
            for secret in waiting:
                if self.links[secret].token not in valid:
                    self._end(secret)

    def _within_quota(self, seeks: Sequence[Seek], at: float) -> list[Seek]:
        """Return the seeks within the hourly quotas of their authors, the longest waiting first."""
        left = dict[str, int]()
        for author in {seek.author for seek in seeks}:
            starts = self._starts[author]
            while starts and starts[0] <= at - HOUR:
                starts.popleft()
            left[author] = GAMES_AN_HOUR - len(starts)
        found = list[Seek]()
        for seek in sorted(seeks, key=lambda seek: seek.since):
            left[seek.author] -= 1
            found += [seek] if left[seek.author] >= 0 else []
        return found

    def _resume(self, waiting: dict[str, SeatLink], at: float) -> None:
        for name, opened in list(self._pending.items()):
            needed = [bot for bot in opened.seats if bot not in self._plan.names]
            if all(bot in waiting for bot in needed):
                del self._pending[name]
                links = {bot: waiting.pop(bot) for bot in needed}
                self._submit(opened, links)
            elif at > self._pending_until:
                del self._pending[name]
                self._database_thread.submit(self._record_void, name, "a bot did not come back after the server was stopped")

    def _open(self, pair: tuple[str, str], waiting: dict[str, SeatLink]) -> None:
        seats = pair if secrets.randbelow(2) else (pair[1], pair[0])
        self._last_game += 1
        opened = GameOpened(now(), f"g{self._last_game}", seats, self.terms.hands)
        links = {bot: waiting[bot] for bot in seats if bot in waiting}
        for link in links.values():
            self._starts[link.session.author].append(self._now())
        self._submit(opened, links, self._database_thread.submit(self._store_opened, opened, links))

    def _store_opened(self, opened: GameOpened, links: dict[str, SeatLink]) -> None:
        new = [_entrant(bot) for bot in links if bot not in self._known]
        with self._store.deciding():
            self._join(new)
            self._store.add_event(encode(opened).decode())
        self._known.update(bot.name for bot in new)
        self._met[frozenset(opened.seats)] += 1

    def _submit(self, opened: GameOpened, links: dict[str, SeatLink], stored: Future[None] | None = None) -> None:
        """Play a game in a thread, after its opening is ``stored``; None: it is stored already."""
        for link in links.values():
            link.game, link.seeking = opened.game, None
        self._games.submit(self._play, opened, links, stored)

    def _play(self, opened: GameOpened, links: dict[str, SeatLink], stored: Future[None] | None) -> None:
        """Play a game, in its thread."""
        if stored and (error := stored.exception()):
            self._pause(f"{opened.game} cannot be stored, and is not played: {error}")
            for link in links.values():
                link.game, link.seeking = "", self._now()
                self._starts[link.session.author].pop()  # it does not count for the quota
            return
        try:
            record = self._play_and_store(opened, links)
        except RunStoppedError:
            return
        except WorkerLostError as error:
            self._end_void(opened, links, str(error))
        except Exception:  # our bug, a damaged file or a record that cannot be stored: only this game is void
            log.exception("%s: cannot be played", opened.game)
            self._end_void(opened, links, "an error of the server")
        else:
            net = points_scored(record)
            for seat, bot in enumerate(opened.seats):
                if seated := links.get(bot):
                    seated.game = ""
                    seated.send(encode(GameOverMessage(opened.game, net[seat] - net[1 - seat])))

    def _play_and_store(self, opened: GameOpened, links: dict[str, SeatLink]) -> MatchRecord:
        job, unfinished = self._job(opened), self._read_unfinished(opened.game)
        zero_key, one_key = (links[bot].key if bot in links else "" for bot in opened.seats)
        keys = (zero_key, one_key)
        answers = tuple(map(list, unfinished.answers))
        zero, one = (self._player(job, seat, links, answers[seat]) for seat in (0, 1))

        def keep(so_far: MatchSoFar) -> None:
            state = UnfinishedGame(match=so_far, answers=(tuple(answers[0]), tuple(answers[1])), keys=keys)
            disk.write(self._file(opened.game), encode(state), durable=False)  # if the machine crashes, the game may begin anew

        started = contest(job.fixture, job.rules, job.seed)
        referee = Referee(job.fixture, job.rules, started, (zero, one), job.faults, so_far=unfinished.match, keep=keep)
        record = add_luck(referee.play(), job.rules, job.seed, self._plan.luck)
        self._run_in_database_thread(lambda: self._store_record(record, keys, answers))
        return record

    def _job(self, opened: GameOpened) -> Job:
        known = {entrant.name: entrant for entrant in self._plan.field}
        field = tuple(known.get(name) or _entrant(name) for name in opened.seats)
        plan = Plan(self._plan.spec, field, self._plan.seed)
        return plan.job(Fixture(opened.game, opened.seats, deals=opened.game, hands=opened.hands))

    def _player(self, job: Job, seat: Seat, links: dict[str, SeatLink], kept: list[KeptAnswer]) -> Player:
        fixture = job.fixture
        link = links.get(fixture.seats[seat])
        if link is None:
            return job.player(seat)
        assert fixture.hands  # it is a batch
        message = GameMessage(fixture.id, fixture.seats, fixture.hands, seeds.commitment(job.seed), self.terms.clock)
        return SocketPlayer(link, message, job.rules, bot_seed(job.seed, fixture.deals, seat), kept)

    def _store_record(self, record: MatchRecord, keys: tuple[str, ...], answers: tuple[list[KeptAnswer], ...]) -> None:
        game = record.fixture.id
        with self._store.deciding():
            self._store.add(record)
            for seat in (0, 1):
                for event in answer_events(game, seat, keys[seat], answers[seat]):
                    self._store.add_event(event)
        self._remove_file(game)

    def _end_void(self, opened: GameOpened, links: dict[str, SeatLink], why: str) -> None:
        self._run_in_database_thread(lambda: self._record_void(opened.game, why))
        for link in links.values():
            with link.changed:
                link.session.withdraw()
            link.game = ""
            link.send(encode(VoidMessage(opened.game, why)))

    def _record_void(self, game: str, why: str) -> None:
        """Record that a game is void. If that cannot be stored, it is open when the server starts again."""
        try:
            self._store.add_event(encode(GameVoid(now(), game, why)).decode())
        except StoreError as error:
            self._pause(f"{game} cannot be ended: {error}")
        else:
            self._remove_file(game)

    def _file(self, game: str) -> Path:
        return self.folder.path / GAMES / f"{game}.json"

    def _remove_file(self, game: str) -> None:
        with suppress(OSError):  # the game has ended, and no other gets its name: a file that is left is never read
            self._file(game).unlink()

    def _keys(self, opened: GameOpened) -> dict[str, str]:
        """Return the keys of an unfinished game, by bot, as far as they are known."""
        try:
            keys = self._read_unfinished(opened.game).keys
        except DamagedError:  # the game will be void
            return {}
        return dict(zip(opened.seats, keys, strict=True)) if keys else {}

    def _read_unfinished(self, game: str) -> UnfinishedGame:
        """Return a game as far as it was played; one that has not begun, if its file is missing. Raises: DamagedError."""
        try:
            return decode(self._file(game).read_bytes(), type=UnfinishedGame)
        except FileNotFoundError:
            return UnfinishedGame()
        except MALFORMED as error:
            raise DamagedError(f"{self._file(game)}: {error}") from None


def _waits(link: SeatLink) -> bool:
    return link.seeking is not None and not link.game and link.session.is_connected


def _entrant(bot: str) -> Entrant:
    """Return the entrant of a bot that plays from elsewhere; its name is AUTHOR.BOT."""
    author = bot.partition(".")[0]
    return Entrant(bot, version="0", source=f"{ELSEWHERE}{author}", digest=NO_DIGEST, launch=Launch(command=(), folder=""))


def _plan(own: Sequence[ResolvedBot], terms: GameTerms, seed: str) -> Plan:
    """Return the plan of all games; its field are the server's own bots. Raises: InputError, SandboxError."""
    launches = [bot.entrant.launch for bot in own]
    values = {
        "title": "Unconfined games",
        "rules": named_parts.ruleset(terms.rules),
        "sandbox": named_parts.sandbox(None, launches),
        "bots": [*(bot.asked for bot in own), *PLACES],
    }
    return Plan(spec_from_values(values, installed_kinds()), tuple(bot.entrant for bot in own), seed)


def _facts(plan: Plan) -> dict[str, str]:
    """Return the facts of a new folder: the bots are not confined, whatever this machine can do."""
    assurance = Assurance(isolated=False, profile=KIND, missing=("the bots play from elsewhere",))
    assert plan.seed is not None
    return {
        "kind": KIND,
        "title": plan.spec.title,
        "plan": agreement.plan_text(plan),
        "spec": plan.spec.text,
        "seed": plan.seed,
        "commitment": seeds.commitment(plan.seed),
        "luck": str(plan.luck),
        **starts.circumstances(assurance),
    }
