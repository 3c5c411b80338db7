"""Reviews the hands of a run.

The habits of a player are fitted to its other hands of the run: the deals are split into two halves, and the hands of
one half are reviewed by the habits that the other shows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor as Pool
from functools import partial
from itertools import chain
from typing import TypeVar

from arena.errors import InputError
from arena.results.reviews.reviewable import AskedSeat, ReviewRequest, requested_seats, run_hands, to_fit
from arena.results.reviews.work import HabitFit, SeatReview, batches, fit, measure, price
from arena.results.stored import stored_run
from arena.review.summary import Review, ReviewedHand, review
from arena.runs.logs import log_nowhere
from arena.runs.plans import kinds
from arena.runs.play import Runner, prepare
from arena.runs.review_cache import ReviewCache, StoredReview, keep
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import director

Progress = Callable[[int, int], None]  # receives how many seats of hands are done, and how many there are
Task = TypeVar("Task")
Found = TypeVar("Found")


class RunReviewer:
    """Reviews hands of one run."""

    def __init__(self, folder: Folder, store: Store, runner: Runner) -> None:
        """Read what the run was played by. Raises: StoreError, DamagedError, SpecError."""
        self._run = stored_run(folder, store, kinds())
        self._hands = list(run_hands((record for _, record in store.in_order()), self._run.seed_of))
        self._cache = ReviewCache(folder)
        self._keep = partial(keep, folder, self._run.facts["commitment"])
        self._runner = runner

    def review(self, request: ReviewRequest, progress: Progress) -> Review:
        """Return a review of the hands that are asked for, and keep it for the reports.

        Raises: InputError, for a fixture, hand or bot that is not there; StoreError, DamagedError, WorkerLostError.
        """
        if not self._hands:
            raise InputError("found no hands to review; expected a run of which a match is stored")
        seats = requested_seats(self._hands, self._run.names, request)
        with self._runner.open_pool(partial(prepare, log_nowhere)) as pool:
            tasks = self._tasks(pool, seats)
            hands = [*self._review(pool, tasks, request.seed, progress)]
        self._keep(request.seed, hands)
        return review(hands)

    def _tasks(self, pool: Pool, seats: Sequence[AskedSeat]) -> list[SeatReview]:
        """Return the tasks to review, each with the habits of the opponent."""
        needed = sorted({(one.opponent, one.hand.half) for one in seats})
        fits = [HabitFit(bot, half, to_fit(self._hands, bot, half)) for bot, half in needed]
        known = dict(zip(needed, self._work(pool, partial(fit, rules=self._run.spec.rules), fits), strict=True))
        return [SeatReview(one.hand, one.seat, known[one.opponent, one.hand.half], one.priced) for one in seats]

    def _review(self, pool: Pool, tasks: Sequence[SeatReview], seed: str, progress: Progress) -> Iterator[ReviewedHand]:
        rules, known = self._run.spec.rules, self._cache.read()
        digests = [task.digest(rules, seed) for task in tasks]
        by_digest = dict(zip(digests, tasks, strict=True))
        new = [task for digest, task in by_digest.items() if digest not in known]
        done = len(by_digest) - len(new)
        progress(done, len(by_digest))
        for found in self._reviews_of(pool, new, seed):
            self._cache.add(found)
            known[found.digest] = found
            done += 1
            progress(done, len(by_digest))
        for task, digest in zip(tasks, digests, strict=True):
            yield reviewed_hand(task, known[digest])

    def _reviews_of(self, pool: Pool, tasks: Sequence[SeatReview], seed: str) -> Iterator[StoredReview]:
        """Yield the reviews of some tasks: first those that are priced."""
        rules = self._run.spec.rules
        yield from self._work(pool, partial(price, rules=rules, seed=seed), [task for task in tasks if task.priced])
        several = batches([task for task in tasks if not task.priced])
        yield from chain.from_iterable(self._work(pool, partial(measure, rules=rules, seed=seed), several))

    def _work(self, pool: Pool, work: Callable[[Task], Found], tasks: Iterable[Task]) -> Iterator[Found]:
        """Yield the results of some tasks in their order. Raises: WorkerLostError, for one whose worker is lost three times."""
        return director.in_order(pool, work, tasks, 3 * self._runner.workers)


def reviewed_hand(task: SeatReview, found: StoredReview) -> ReviewedHand:
    """Return a hand with what was found."""
    hand, seat = task.hand, task.seat
    return ReviewedHand(
        place=hand.place,
        bot=hand.seats[seat],
        seat=seat,
        points=-hand.points if seat else hand.points,
        luck=found.luck,
        decisions=found.decisions,
        measured=found.measured,
    )
