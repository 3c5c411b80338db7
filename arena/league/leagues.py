"""The folder of a league, and the league that is read from it.

The folder is that of a run with more files, among them the spec as ``league.yaml``, the bots in ``bots/DIGEST/``, their libraries
in ``environments/DIGEST/``, logs in ``logs/``, and the secret of each season. The database has the same format; the fact ``kind``
tells a league from a tournament.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from msgspec import json, msgpack, to_builtins

from arena import disk
from arena.confinement.profiles import check_state
from arena.errors import MALFORMED, ArenaError, SpecError, StoreError, naming_errors
from arena.league.intake.archives import MEGABYTE
from arena.league.intake.libraries import LibraryTerms
from arena.league.intake.wheel_choice import is_address
from arena.league.pair_cache import RESULTS_CACHE, REWRITE_AFTER, CachedResults, read_results_cache
from arena.league.rules import events, learning, spec
from arena.league.rules.events import Answered, AnyEvent, Event, RoundOpened, SeasonOpened, TemplateAnswered
from arena.league.rules.field import LeagueField, fold
from arena.league.rules.history import History, first_faults
from arena.league.rules.round_seeds import commit
from arena.league.rules.rounds import Calendar, LeagueRounds, fixtures
from arena.league.rules.spec import LeagueSpec, load, parse_league
from arena.moments import now
from arena.path_texts import is_utf8, path_text
from arena.plugins.manager import installed_kinds, naming_missing
from arena.records import Assurance, Fixture, MatchRecord
from arena.roster.entrant import Entered, StateLimits
from arena.runs import agreement, starts
from arena.runs.agreement import difference
from arena.stats.pairs import LegMatcher
from arena.store.folder import DATABASE, Folder
from arena.store.store import Facts, Store
from arena.tournament.plan import RoundStates
from arena.tournament.seeds import random_seed
from arena.tournament.spec import Entry, Spec

KIND = "league"  # value of the fact ``kind``
SPEC = "league.yaml"
EXPORTED = "witness.json"  # file of an export: the last link of its chain
STATES = "states"  # folder
JOBS = "jobs"  # folder of what authors have asked for
BODY = "body"  # folder of a job with the file that was sent
Stored = TypeVar("Stored")


class OpenLeague(NamedTuple):
    """A league whose database is open."""

    folder: Folder
    store: Store
    spec: LeagueSpec

    @property
    def bots(self) -> Path:
        """Return the folder of the copied bots. Raises: UnsafeFileError."""
        return self.folder.inside("bots")

    @property
    def libraries(self) -> LibraryTerms:
        """Return the limits of the bots' libraries, and their folder. Raises: UnsafeFileError."""
        terms = self.spec.submissions
        index = terms.index
        if index and not is_address(index):
            index = str((self.folder.path / index).absolute())
        return LibraryTerms(folder=self.folder.inside("environments"), index=index, size=terms.libraries_mb * MEGABYTE)


@contextmanager
def open_league(path: Path, *, write: bool = False) -> Iterator[OpenLeague]:
    """Open the league in a folder; with ``write``, refuse a database that lacks the last link of its witness.

    Raises: StoreError, SpecError.
    """
    folder = Folder(path)
    if not folder.database.is_file():
        raise StoreError(f"{path}: not the folder of a league; expected {DATABASE} in it, as `arena league new` makes it")
    with Store(folder.database, write=write) as store:
        if not is_league(store.facts()):
            raise StoreError(f"{path}: holds no league, but another kind of run; expected a league, as `arena league new` makes it")
        if write:
            store.check_witness()
        yield as_opened(folder, store)


def as_opened(folder: Folder, store: Store) -> OpenLeague:
    """Return the league of a folder whose database is open already. Raises: StoreError, SpecError."""
    known = naming_missing(installed_kinds(), store.facts().get(agreement.PLUGINS, ""))
    return OpenLeague(folder, store, parse_league(store.fact("spec"), known, str(folder.path / SPEC)))


def spec_difference(league: OpenLeague) -> str:
    """Return the difference between ``league.yaml`` and the spec in the database; empty: none, or the file is missing."""
    path = league.folder.path / SPEC
    if not path.exists():
        return ""
    kept = "a league keeps the spec that it was made with: restore the file or remove it, or make another league of it"
    try:
        found, played = (to_builtins(one) for one in (load(path, installed_kinds()), league.spec))
    except SpecError as error:
        return f"{error}; {kept}"
    changed = (key for key in found if key != "text" and found[key] != played[key])
    return next((f"{path}: {difference(key, played, found)}; {kept}" for key in changed), "")


def is_league(facts: Facts) -> bool:
    """Tell whether the facts of a run are those of a league."""
    return facts.get("kind") == KIND


def holds_league(path: Path) -> bool:
    """Tell whether a folder is that of a league; no, if its database cannot be read."""
    database = Folder(path).database
    if not database.is_file():
        return False
    try:
        with Store(database) as store:
            return is_league(store.facts())
    except ArenaError:
        return False


def add(store: Store, *new_events: Event) -> None:
    """Store events. Raises: StoreError."""
    for event in new_events:
        store.add_event(events.encode(event))


def events_of(store: Store) -> tuple[AnyEvent, ...]:
    """Return the events so far. Raises: DamagedError."""
    return tuple(map(events.decode, store.events()))


def field(store: Store) -> LeagueField:
    """Return the field as it is now. Raises: DamagedError."""
    return fold(events_of(store))


def history(folder: Folder, store: Store) -> History:
    """Return all events and results of a league. Raises: DamagedError, StoreError."""
    return LiveLeague(store, folder).history()


def as_tournament(spec: LeagueSpec, field: Iterable[Entered], rounds: tuple[RoundOpened, ...], folder: Path) -> Spec:
    """Return rounds of a league as the spec of a tournament, so that they are played, verified and shown like one."""
    return Spec(
        title=spec.title,
        bots=tuple(Entry(entrant.source, entrant.name) for entrant in field),
        rules=spec.rules,
        time=spec.time,
        lines=spec.lines,
        faults=spec.faults,
        format=LeagueRounds(rounds=rounds),
        sandbox=spec.sandbox,
        sandbox_named=True,
        rating=spec.rating,
        reports=spec.reports,
        seed=None,
        text=spec.text,
        folder=str(folder),
    )


def secret(folder: Folder, season: int) -> str | None:
    """Return the secret of a season's seeds; None: its file is missing, as in an export. Raises: StoreError."""
    path = _secret_file(folder, season)
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: cannot be read: {error}") from None


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, atomically and synced to the disk. Raises: StoreError."""
    with naming_errors(path, "cannot be written"):
        disk.write(path, text.encode(), private=True)


def read_json(path: Path, kind: type[Stored], missing: Stored, advice: str = "") -> Stored:
    """Return the content of a JSON file; ``missing``, if there is none. Raises: StoreError, with the ``advice`` at its end."""
    try:
        return json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return missing
    except (OSError, *MALFORMED) as error:
        raise StoreError(f"{path}: cannot be read: {error}{advice}") from None


def read_small(path: Path, kind: type[Stored]) -> Stored | None:
    """Return the content of a JSON file; None: it is missing, or cannot be read."""
    with suppress(OSError, *MALFORMED):
        return json.decode(path.read_bytes(), type=kind)
    return None


def _secret_file(folder: Folder, season: int) -> Path:
    return folder.path / f"season-{season}.secret"


def new(path: Path, spec_file: Path, known: Iterable[Event] = (), files: Mapping[str, str] = MappingProxyType({})) -> LeagueSpec:
    """Make a league in a new or empty folder, and return its spec.

    ``known`` are events to store after the first season's opening, ``files`` those that only the owner may read.

    Raises: SpecError, StoreError, SandboxError.
    """
    wanted = spec.load(spec_file, installed_kinds())
    if not is_utf8(disk.real(path)):
        raise StoreError(f"{path_text(path)}: bots are started from the folder of a league; expected a path that is UTF-8")
    folder = starts.named_folder(path)
    assurance = wanted.sandbox.assurance()
    check_possible(wanted, assurance)
    with starts.open_run(folder) as store:
        if store.facts():
            raise StoreError(f"{path}: holds a run already; expected a new or empty folder")
        folder.write(SPEC, wanted.text)
        for name, text in files.items():
            write_private(folder.path / name, text)
        disk.make_folder(folder.path, "bots")
        with store.deciding():
            opened = open_season(folder, 1, wanted.season.rounds)
            facts = {"kind": KIND, "title": wanted.title, "spec": wanted.text, "commitment": opened.commitment}
            store.begin(facts | starts.circumstances(assurance), ())
            add(store, opened, *known)
    return wanted


def check_possible(spec: LeagueSpec, assurance: Assurance) -> None:
    """Check that this machine can give bots their state folders, if they learn. Raises: SandboxError."""
    if spec.learning and assurance.profile != "none":
        check_state(assurance.profile)


def open_season(folder: Folder, number: int, rounds: int) -> SeasonOpened:
    """Store the secret of a new season, and return the event that opens it, which the caller stores. Raises: StoreError."""
    text = random_seed()
    write_private(_secret_file(folder, number), f"{text}\n")
    return SeasonOpened(at=now(), season=number, rounds=rounds, commitment=commit(text, rounds))


class LiveLeague:
    """The events and results of a league in memory; :meth:`catch_up` reads what any process has stored since."""

    def __init__(self, store: Store, folder: Folder | None = None, added: Callable[[MatchRecord], None] = lambda _: None) -> None:
        """Read all that is stored; with its ``folder``, use the cached results there.

        ``added`` receives each added record; those in the cache are not added. Raises: DamagedError, StoreError.
        """
        self._store = store
        self._added = added
        self._cached = read_results_cache(folder, store) if folder else CachedResults()
        self._records = self._cached.records  # number of those in the pairs
        self._pairs = list(self._cached.pairs)
        self._matcher = LegMatcher(self._cached.waiting, self._records)
        self._faults = first_faults(store.faults(first=self._records))
        self._events: list[AnyEvent] = []
        self._opened = 0  # the number of the event that opened the last round, from 0
        self.answered: dict[str, str] = {}  # by version or template: the digest of the positions in which it was asked last
        self.field = LeagueField()
        self.calendar = Calendar()
        self.catch_up()
        if folder and self._records >= self._cached.records + REWRITE_AFTER:
            self._write_cache(folder.path / RESULTS_CACHE)

    @property
    def events(self) -> tuple[AnyEvent, ...]:
        """Return the events so far."""
        return tuple(self._events)

    def catch_up(self) -> None:
        """Read what was stored since: the records first, so that the round of each is among the events. Raises: DamagedError."""
        for record in self._store.records(after=self._records):
            self.add(record)
        first = len(self._events)
        new = list(map(events.decode, self._store.events(after=first)))
        self._events += new
        self.field = fold(new, self.field)
        for number, event in enumerate(new, first):
            self.calendar = self.calendar.after(event)
            if isinstance(event, RoundOpened):
                self._opened = number
            if isinstance(event, Answered):
                self.answered[event.version] = event.positions
            if isinstance(event, TemplateAnswered):
                self.answered[event.template] = event.positions

    def add(self, record: MatchRecord) -> None:
        """Add the next record, which is stored already."""
        self._records += 1
        if pair := self._matcher.add(record):
            self._pairs.append(pair)
        self._faults += first_faults((record.fixture.seats[fault.seat], record.fixture.id, fault) for fault in record.faults)
        self._added(record)

    def history(self) -> History:
        """Return the events and results so far."""
        played = (*self._pairs, *self._matcher.single_legs())
        return History(events=self.events, played=played, faults=tuple(self._faults))

    def remaining(self) -> tuple[Fixture, ...]:
        """Return the fixtures of the open round that were not played; empty: no round is open."""
        if self.calendar.current is None:
            return ()
        done = set(self._store.fixtures_after(self._opened))
        return tuple(one for one in fixtures(self.calendar.current) if one.id not in done)

    def _write_cache(self, path: Path) -> None:
        """Write the cache, if this process may write to the folder."""
        whole = CachedResults(
            records=self._records,
            link=self._store.record_link(self._records),
            pairs=tuple(self._pairs),
            waiting=tuple(self._matcher.waiting()),
        )
        with suppress(OSError):
            disk.write(path, msgpack.encode(whole))


def round_states(league: Path, limits: StateLimits | None, events: Iterable[AnyEvent], opened: RoundOpened) -> RoundStates | None:
    """Return the states of a round; ``events`` are all events so far. None: the bots do not learn."""
    if limits is None:
        return None
    return RoundStates(
        folder=str(league.absolute() / STATES), limits=limits, starts=learning.starts(events), lessons=learning.lessons(opened)
    )
