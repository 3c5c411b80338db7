"""The checks of ``arena verify``, ordered so that a cause is reported before its effects.

This process reads the records and checks their chain; workers judge them, in parallel. Results are taken in the order of the
records, so the first difference is the same for any number of workers.
"""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, pairwise

from msgspec import msgpack

from arena.plugins.manager import installed_kinds
from arena.records import Fixture
from arena.reports.tables import void_line
from arena.results.judging import Progress, judge, portions
from arena.runs import agreement
from arena.runs.compared_parts import earlier_of_run
from arena.runs.runner import Runner
from arena.runs.stored import RunBeside, StoredRun
from arena.runs.stored_kinds import stored_run
from arena.store.folder import Folder
from arena.store.store import Store, StoredLink
from arena.store.witness import WITNESS_FILE, last_seen
from arena.tournament.completeness import Completeness, compare
from arena.tournament.order import goes_first, out_of_order
from arena.tournament.plan import Earlier
from arena.tournament.tasks import in_order


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
        self.run = stored_run(self._folder, store, installed_kinds())
        yield from self.run.term_differences()
        self.link = store.last_link()
        self.finished = self.run.finished
        yield from self._record_differences(store, progress)
        yield from filter(None, (store.contradiction(seen),))
        self._witnessed = f"witness: {WITNESS_FILE} has seen link {seen.count} at {seen.at}, as it is in the chain" if seen else ""
        earlier = earlier_of_run(self._folder, self.run.facts)
        complete = self._compare(store, earlier)
        yield from self._fixture_differences(complete, earlier)
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
            run = stored_run(self._folder, store, installed_kinds())
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

    def _compare(self, store: Store, earlier: Earlier) -> Completeness:
        """Return the records compared with the fixtures of the format, and count the lost ones."""
        results = store.results()
        self._void.update(name for one in results if one.lost for name in one.fixture.seats)
        return compare(self.run.spec, self.run.names, results, earlier.results)

    def _fixture_differences(self, found: Completeness, earlier: Earlier) -> Iterator[str]:
        """Yield the records that the format does not ask for, and the first that a finished run lacks."""
        if earlier.link != self.run.facts.get(agreement.CONTINUES, ""):
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
