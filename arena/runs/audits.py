"""What ``arena verify`` checks, in the order in which a cause comes before its effects.

This process reads the records and checks their chain; workers judge them, many at a time. Their results count in the order of the
records, so the first difference is the same for any number of workers.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from itertools import chain, pairwise

from msgspec import msgpack

from arena.records import Fixture
from arena.runs import agreement, witnesses
from arena.runs.earlier import earlier_of_run
from arena.runs.leagues import folder as leagues
from arena.runs.leagues import inspection
from arena.runs.logs.setup import log_nowhere
from arena.runs.parts import kinds
from arena.runs.portions import Judged, SkippedHands, judge, portions
from arena.runs.runner import Runner
from arena.runs.stored import StoredRun, differences, round_differences, stored_run
from arena.runs.worker import prepare
from arena.store.folder import Folder
from arena.store.store import Store, StoredLink
from arena.store.wal import losses
from arena.tournament.completeness import Completeness, compare
from arena.tournament.schedule import goes_first, out_of_order

Progress = Callable[[int, int], None]  # receives how many matches are done, and how many there are


class Audit:
    """The checks of one run, and what is known when they are over."""

    run: StoredRun

    def __init__(self, folder: Folder, runner: Runner) -> None:
        self._folder = folder
        self._runner = runner
        self._link = ""
        self._hands = 0
        self._skipped: dict[str, SkippedHands] = {}  # of each batch
        self._expected = ""  # where the link that was expected stands in the chain
        self._complete: Completeness | None = None
        self._witnessed: tuple[str, ...] = ()  # what witnesses have seen, in lines
        self.finished = False

    def loss(self) -> str:
        """Return what was lost between the database and its write-ahead log; while a run is played, both change. Empty: nothing."""
        return "" if self._folder.is_locked() else next(losses(self._folder.database), "")

    def first_difference(self, store: Store, expected: Sequence[str], progress: Progress) -> str:
        """Return the first thing that is not as it should be; empty: there is none.

        ``expected`` are links that somebody has kept, or how they begin. Raises: DamagedError, StoreError, SpecError,
        WorkerLostError.
        """
        with closing(self._differences(store, expected, progress)) as differences:
            return next(differences, "")

    def _differences(self, store: Store, expected: Sequence[str], progress: Progress) -> Generator[str, None, None]:
        seen = witnesses.testimonies(self._folder)
        store.begin_snapshot()
        store.fact("spec")  # has it begun?
        yield from store.problems()
        yield from differences(store)
        self._link = store.last_link()
        self.run = stored_run(self._folder, store, kinds())
        self.finished = self.run.finished
        yield from self._record_differences(store, progress)
        yield from witnesses.differences(self._folder, store, seen)
        self._witnessed = tuple(witnesses.summary(store, seen))
        yield from self._fixture_differences(store)
        yield from self._order_differences(store)
        yield from self._skip_differences(self.run.names)
        yield from round_differences(self._folder, store, kinds())
        for link in expected:
            yield from self._link_differences(store, link)

    def folder_difference(self, store: Store) -> str:
        """Return the first thing in the folder of a league that is not as its chain says; empty: there is none, or it is no league.

        Raises: DamagedError, StoreError, SpecError.
        """
        if not leagues.is_league(store) or not inspection.holds_all(self._folder.path):
            return ""
        found = next(inspection.chain_differences(leagues.as_opened(self._folder, store)), None)
        if found is None:
            return ""
        return f"{found.name}: {found.found}; {found.consequence}; see `arena league repair {self._folder.path}`"

    def message(self) -> Iterator[str]:
        """Yield what is to be said of a run without differences."""
        yield f"link {self._link}{self._expected}"
        if not self.finished and self._complete:
            yield f"unfinished: {self._complete.summary}" + ("" if self._complete.missing else ", but not that the run is over")
        skipped = sum(one.hands for one in self._skipped.values())
        equal = f", {skipped} hands skipped as equal" if skipped else ""
        yield from self._witnessed
        yield f"{self._hands - skipped} hands{equal}, 0 differences"

    def _record_differences(self, store: Store, progress: Progress) -> Iterator[str]:
        judging = partial(judge, rules=self.run.spec.rules, costs=self.run.spec.faults)
        total, done = store.count(), 0
        with self._runner.opened(partial(prepare, log_nowhere)) as pool:
            submitted = (pool.submit(judging, msgpack.encode(portion)) for portion in portions(store, self.run.seed_of))
            for judged in _in_order(submitted, 2 * self._runner.workers):
                if judged.difference:
                    yield judged.difference
                done += judged.matches
                self._hands += judged.hands
                self._skipped.update({one.fixture: one for one in judged.skipped})
                progress(done, total)

    def _fixture_differences(self, store: Store) -> Iterator[str]:
        """Yield records that should not be there, and of a finished run those that should."""
        earlier = earlier_of_run(self._folder, store)
        if earlier.link != store.facts().get(agreement.CONTINUES, ""):
            yield f"continues: the last link of the part before is {earlier.link or 'missing'}"
        results = store.results()
        found = self._complete = compare(self.run.spec, self.run.names, results, earlier.results)
        yield from found.wrong
        if not self.run.spec.format.counts_lost:
            yield from (f"{one.fixture.id}: lost with its worker, but its format plays it again" for one in results if one.lost)
        if self.finished and found.missing:
            yield f"{found.first_missing}: not on record, and the run is said to be finished; {found.summary}"

    def _order_differences(self, store: Store) -> Iterator[str]:
        """Yield pairs whose first leg on record is not the one that the coin says."""

        def is_first(leg: Fixture) -> bool:
            return not self.run.coin_decides(leg.deals) or goes_first(leg, self.run.seed_of(leg.id))

        for first, second in out_of_order(store.fixtures(), is_first):
            yield f"{first.id}: played before {second.id}; the coin of this pair says that it is played after it"

    def _skip_differences(self, field: Sequence[str]) -> Iterator[str]:
        """Yield fixtures that skip other hands than those with which they share them, or that may skip none."""
        left = {fixture for fixture, skipped in self._skipped.items() if skipped.hands}
        # a number is in play only when most of those before it are on record
        for number in range(2 * len(self._skipped) + 2):
            for one in self.run.spec.format.twins(field, number) if left else ():
                left.difference_update(one.legs)
                first, *others = [leg for leg in one.legs if leg in self._skipped] or [""]
                for other in others:
                    if self._skipped[first].digest != self._skipped[other].digest:
                        yield f"{first}: skips other hands than {other}; expected the same hands in both"
        yield from (f"{fixture}: skips hands, but the format plays them all" for fixture in sorted(left))

    def _link_differences(self, store: Store, expected: str) -> Iterator[str]:
        """Yield whether the chain does not contain a link: the last one, or that of a report made while the run went on."""
        if self._link.startswith(expected):
            self._expected = ", as expected"
            return
        links = chain(store.links(), [StoredLink(-1, "")])
        found = [text for number, both in enumerate(pairwise(links)) for text in _places(number, *both, expected)]
        if len(found) != 1:
            yield f"the last link is {self._link}; expected {expected}"
            return
        self._expected = f"; the one expected is that of {found[0]}"


def _places(number: int, link: StoredLink, following: StoredLink, expected: str) -> Iterator[str]:
    """Yield what has the link that is expected: a part of the chain, or a run that was finished and has grown then."""
    if link.link.startswith(expected):
        yield f"the first {number} records"
    if link.end.startswith(expected) and following.matches == link.matches:  # only an event may follow the end of a run
        yield f"the run as it was finished, with {link.matches} matches; it has grown since"


def _in_order(submitted: Iterator[Future[Judged]], ahead: int) -> Iterator[Judged]:
    """Yield the results of futures in their order, with at most ``ahead`` of them submitted and not yet yielded."""
    waiting: deque[Future[Judged]] = deque()
    for future in submitted:
        waiting.append(future)
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    for future in waiting:
        yield future.result()
