"""The checks of ``arena verify``, ordered so that a cause is reported before its effects.

This process reads the records and checks their chain; workers judge them, in parallel. Results are taken in the order of the
records, so the first difference is the same for any number of workers.
"""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent import futures
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from itertools import chain, pairwise

from msgspec import Struct, msgpack
from msgspec.json import encode
from msgspec.structs import replace

from arena.errors import DamagedError, StoreError
from arena.gin.rules import Rules
from arena.records import Fixture, MatchRecord
from arena.referee import audit
from arena.referee.referee import FaultCosts
from arena.referee.repetition import Repetition, repeat
from arena.reports.tables import void_line
from arena.roster.entrant import Entrant
from arena.roster.manifest import Reader
from arena.runs import session
from arena.runs.confined_reading import confined_reader
from arena.runs.plans import kinds, sandbox
from arena.runs.play import Runner, prepare_silently
from arena.runs.session import earlier_of_run, sandbox_warnings
from arena.runs.stored import RunBeside, StoredRun, stored_run
from arena.store.folder import Folder
from arena.store.store import Store, StoredLink
from arena.store.witness import NAME, last_seen
from arena.tournament import plan as plans
from arena.tournament.in_play import InPlay
from arena.tournament.order import goes_first, out_of_order
from arena.tournament.plan import Completeness, Plan, compare
from arena.tournament.tasks import in_order

# The records of a run in portions, each of which one worker judges again.

# Hands that fill a portion: judging them takes about 50 ms, twenty times as long as passing them to a worker.
FULL = 500


class StoredRecord(Struct, frozen=True):
    """A record as it was found in the database."""

    record: MatchRecord
    intact: bool  # whether its link in the chain is the one that was stored
    seed: str | None  # of its deals; None: it was imported


class Portion(Struct, frozen=True):
    """Consecutive records."""

    records: tuple[StoredRecord, ...]
    unreadable: str = ""  # why the record after them cannot be read


class Judged(Struct, frozen=True):
    """The result of judging a portion again."""

    matches: int
    hands: int
    difference: str  # the first; empty: there is none


def portions(store: Store, seed_of: Callable[[str], str | None]) -> Iterator[Portion]:
    """Yield all records in the order in which they were stored; the last portion says why the next one cannot be read, if so.

    ``seed_of`` returns the seed of a fixture; its StoreError, for a seed that is not revealed yet, is passed on.
    """
    read: list[StoredRecord] = []
    hands = 0
    try:
        for record, (_, intact) in zip(store.records(), store.check_records(), strict=True):
            read.append(StoredRecord(record, intact, seed_of(record.fixture.id)))
            hands += len(record.hands)
            if hands >= FULL:
                yield Portion(tuple(read))
                read, hands = [], 0
    except DamagedError as error:
        yield Portion(tuple(read), str(error))
    else:
        yield Portion(tuple(read))


def judge(portion: bytes, rules: Rules, costs: FaultCosts) -> Judged:
    """Judge a portion again. It is passed as MessagePack, which takes a tenth of the time of pickling."""
    found = msgpack.decode(portion, type=Portion)
    hands = sum(len(one.record.hands) for one in found.records)
    return Judged(len(found.records), hands, next(_differences(found, rules, costs), ""))


def _differences(portion: Portion, rules: Rules, costs: FaultCosts) -> Iterator[str]:
    for one in portion.records:
        yield from audit.differences(one.record, rules, costs, one.seed)
        if not one.intact:
            yield f"{one.record.fixture.id}: record altered after it was written"
    if portion.unreadable:
        yield portion.unreadable


Progress = Callable[[int, int], None]  # receives how many matches are done, and how many there are


class Audit:
    """Checks one run, and keeps the results that its message shows."""

    run: StoredRun

    def __init__(self, folder: Folder, runner: Runner) -> None:
        self._folder = folder
        self._runner = runner
        self.link = ""
        self.hands = 0
        self._expected = ""  # where the expected link is in the chain, as the end of a line
        self._remarks: Sequence[str] = ()  # lines about what could not be checked, or is unfinished
        self._void = Counter[str]()  # fixtures of each entrant that are on record as lost
        self._witnessed = ""  # the line about the witness of the run
        self._beside: list[str] = []  # lines about the runs in the folder of this one
        self.finished = False

    def first_difference(self, expected: Sequence[str], progress: Progress) -> str:
        """Return the first thing in the database that is not as it should be; empty: there is none.

        ``expected`` are links, or their first digits, that must be in the chain. Raises: DamagedError, StoreError, SpecError,
        WorkerLostError.
        """
        with Store(self._folder.database) as store, closing(self._differences(store, expected, progress)) as differences:
            return next(differences, "")

    def _differences(self, store: Store, expected: Sequence[str], progress: Progress) -> Generator[str, None, None]:
        seen = last_seen(self._folder.database)  # before the snapshot, which then has that link
        store.begin_snapshot()
        if not store.has_begun():
            yield from filter(None, (store.contradiction(seen),))
        store.begun_facts()  # raises an error, before any difference, for a run that has not begun
        yield from store.problems()
        self.run = stored_run(self._folder, store, kinds())
        yield from self.run.term_differences()
        self.link = store.last_link()
        self.finished = self.run.finished
        yield from self._record_differences(store, progress)
        yield from filter(None, (store.contradiction(seen),))
        self._witnessed = f"witness: {NAME} has seen link {seen.count} at {seen.at}, as it is in the chain" if seen else ""
        complete = self._compare(store)
        yield from self._fixture_differences(complete)
        yield from self._order_differences(store)
        self._remarks = yield from self.run.differences(complete)
        for link in expected:
            yield from self._link_differences(store, link)

    def difference_beside(self) -> str:
        """Return the first thing in the folder of a run that is not as its chain says; empty: there is none.

        The runs that the chain names, as a league's events, are judged again. Raises: as ``first_difference``.
        """
        with Store(self._folder.database) as store:
            store.begin_snapshot()
            run = stored_run(self._folder, store, kinds())
            beside = chain.from_iterable(map(self._differences_of, run.runs_beside()))
            return next(chain(run.folder_differences(), beside), "")

    def _differences_of(self, beside: RunBeside) -> Iterator[str]:
        """Yield the first difference of a run in the folder of this one: within it, or from the chain of this one."""
        found, audit = "", Audit(beside.folder, self._runner)
        if beside.folder.database.is_file():
            found = audit.first_difference((beside.link,), lambda *_: None)
            if not found:
                self._beside.append(f"{beside.name}: {audit.hands} hands, 0 differences")
                with Store(beside.folder.database) as store:
                    found = beside.compare(audit.run, store.results())
        elif beside.needed:
            found = "missing: its matches cannot be checked"
        if found:
            yield f"{beside.folder.path.relative_to(self._folder.path)}: {found}"

    def message(self) -> Iterator[str]:
        """Yield the lines about a run without differences."""
        yield f"link {self.link}{self._expected}"
        yield from self._remarks
        yield from void_line(dict(self._void.most_common()))
        yield from filter(None, (self._witnessed,))
        yield from self._beside
        yield f"{self.hands} hands, 0 differences"

    def _record_differences(self, store: Store, progress: Progress) -> Iterator[str]:
        judging = partial(judge, rules=self.run.spec.rules, costs=self.run.spec.faults)
        total, done = store.count(), 0
        with self._runner.open_pool() as pool:
            packed = map(msgpack.encode, portions(store, self.run.seed_of))
            for judged in in_order(pool, judging, packed, 2 * self._runner.workers):
                if judged.difference:
                    yield judged.difference
                done += judged.matches
                self.hands += judged.hands
                progress(done, total)

    def _compare(self, store: Store) -> Completeness:
        """Return the records compared with the fixtures of the format, and count the lost ones."""
        results = store.results()
        self._void.update(name for one in results if one.lost for name in one.fixture.seats)
        return compare(self.run.spec, self.run.names, results, earlier_of_run(self._folder, self.run.facts).results)

    def _fixture_differences(self, found: Completeness) -> Iterator[str]:
        """Yield the records that the format does not ask for, and the first that a finished run lacks."""
        earlier = earlier_of_run(self._folder, self.run.facts)
        if earlier.link != self.run.facts.get(session.CONTINUES, ""):
            yield f"continues: the last link of the part before is {earlier.link or 'missing'}"
        yield from found.wrong
        if self.finished and found.missing:
            yield f"{found.first_missing}: not on record, and the run is said to be finished; {found.summary}"

    def _order_differences(self, store: Store) -> Iterator[str]:
        """Yield pairs whose first leg on record is not the one that the coin says."""

        def is_first(leg: Fixture) -> bool:
            seed = self.run.seed_of(leg.id) if self.run.coin_decides(leg.deals) else None
            return seed is None or goes_first(leg, seed)

        for first, second in out_of_order(store.fixtures(), is_first):
            yield f"{first.id}: played before {second.id}; the coin of this pair says that it is played after it"

    def _link_differences(self, store: Store, expected: str) -> Iterator[str]:
        """Yield a line unless the last link, or exactly one place in the chain, has a link that begins with ``expected``."""
        if self.link.startswith(expected):
            self._expected = ", as expected"
            return
        links = chain(store.links(), [StoredLink(-1, "")])  # after the last link one that equals none
        found = [text for number, both in enumerate(pairwise(links)) for text in _places(number, *both, expected)]
        if len(found) != 1:
            yield f"the last link is {self.link}; expected {expected}"
            return
        self._expected = f"; the one expected is {found[0]}"


def _places(number: int, link: StoredLink, following: StoredLink, expected: str) -> Iterator[str]:
    """Yield the places whose link begins with ``expected``: ``link`` itself, or the end of a run there that has grown since."""
    if link.link.startswith(expected):
        yield f"link {number} of the chain"
    if link.end.startswith(expected) and following.matches == link.matches:  # only an event may follow the end of a run
        yield f"that of the run as it was finished, with {link.matches} matches; it has grown since"


# ``arena verify --replay``: every fixture is played again by its bots in a sandbox, and every action compared.


class Replays:
    """Plays fixtures again, and finds the bots that are not deterministic.

    Fixtures end in any order. Their results count in the order of the records, so that the outcome does not depend on the number of
    workers. A worker is given the bots that are known not to be deterministic, because it need not examine them; that changes no
    outcome, since they are known from fixtures that come before in that order.
    """

    def __init__(self, store: Store, run: StoredRun, runner: Runner, sandbox_text: str | None = None) -> None:
        """Find the bots, and choose the sandbox of this machine or of the user: the stored spec may come from a stranger.

        Raises: RosterError, SandboxError, InputError, DamagedError; StoreError, for a bot that has changed since.
        """
        self._store = store
        self._runner = runner
        self._run = run
        with confined_reader(sandbox(sandbox_text, [])) as reader:
            if len(run.field) != len(run.spec.bots):
                raise DamagedError(f"{len(run.field)} entrants are on file; the spec names {len(run.spec.bots)}")
            field = tuple(_find_bot(run, number, reader) for number in range(len(run.field)))
        chosen = sandbox(sandbox_text, [bot.launch for bot in field], run.spec.sandbox)
        self._plan = Plan(replace(run.spec, sandbox=chosen), field, seed=None)
        self._assurance = plans.check_sandbox(self._plan)
        self.warnings = tuple(sandbox_warnings(self._assurance))
        self.nondeterministic: set[str] = set()  # bots that are not deterministic
        self.alike = 0  # fixtures whose new play does not diverge from the record (``divergence.first_divergence``)
        self.skipped = 0  # fixtures that cannot be played again: a bot, or the state with which it began, is not kept
        self._order: deque[str] = deque()  # fixtures whose result is not counted yet, in the order of the records

    def first_difference(self, progress: Progress) -> str:
        """Return the first difference of a deterministic bot from its record; empty: there is none.

        Raises: WorkerLostError.
        """
        total = self._store.count()
        pool = partial(self._runner.open, prepare_silently)
        with InPlay(pool, 2 * self._runner.workers, self._submit) as in_play:
            for number, repetition in enumerate(self._in_order(in_play.play(self._fixtures())), 1):
                progress(number + self.skipped, total)
                if difference := self._count(repetition):
                    return difference
        return ""

    def message(self) -> tuple[str, ...]:
        """Return the result, and a line about the sandboxes of the new play and, if it is another, of the run."""
        names = ", ".join(sorted(self.nondeterministic))
        excluded = f"; not deterministic, and not compared: {names}" if names else ""
        skipped = f"; {self.skipped} not, because a bot, or what it had learned before, is no longer kept" if self.skipped else ""
        chosen, recorded = (encode(spec.sandbox).decode() for spec in (self._plan.spec, self._run.spec))
        other = "" if chosen == recorded else f"; the run names {recorded}"
        return (
            f"{self.alike} matches played again, action for action{excluded}{skipped}",
            f"played again in sandbox {chosen}, profile {self._assurance.profile}{other}",
        )

    def _fixtures(self) -> Iterator[Fixture]:
        """Yield every fixture on record that can be played again, and append it to the order; count the others as skipped."""
        for record in self._store.records():
            if record.lost is not None:
                continue
            if self._run.can_replay(record.fixture):
                self._order.append(record.fixture.id)
                yield record.fixture
            else:
                self.skipped += 1

    def _submit(self, pool: futures.Executor, fixture: Fixture) -> Future[Repetition]:
        return pool.submit(
            repeat,
            replace(self._plan, seed=self._run.seed_of(fixture.id), states=self._run.states_of(fixture.id)).job(fixture),
            self._store.record(fixture.id),
            frozenset(self.nondeterministic),
        )

    def _in_order(self, ended: Iterator[Repetition]) -> Iterator[Repetition]:
        """Yield repetitions in the order of the records."""
        early: dict[str, Repetition] = {}
        for one in ended:
            early[one.fixture] = one
            while self._order and self._order[0] in early:
                yield early.pop(self._order.popleft())

    def _count(self, found: Repetition) -> str:
        """Count a fixture, and return its difference from the record; empty: there is none, or none that counts."""
        if found.differing is None:
            self.alike += 1
        elif found.differing not in self.nondeterministic:
            self.nondeterministic |= found.nondeterministic
            return found.difference
        return ""


def _find_bot(run: StoredRun, number: int, reader: Reader) -> Entrant:
    """Return an entrant from the place where the run found it. Raises: RosterError; StoreError, for one that has changed."""
    then = run.field[number]
    bot = replace(run.find_bot(number, reader), name=then.name)
    if bot.digest != then.digest:
        raise StoreError(f"bot {then.name!r} has changed since this run: {then.digest[:12]} then, {bot.digest[:12]} now")
    return bot
