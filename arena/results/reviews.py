"""Reviews the hands of a run: chooses them, has workers price or measure them, and keeps the results.

The habits of a player are fitted to other hands of the run than those reviewed: the deals are split into two halves, and the
hands of one half are reviewed with the habits fitted to the other.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from functools import partial
from hashlib import sha256
from itertools import chain

from msgspec import Struct

from arena.errors import InputError, StoreError
from arena.gin.facts import Seat
from arena.gin.rules import Rules
from arena.records import MatchRecord, dealt_hands, net
from arena.results.review_tasks import HabitFit, RunHand, SeatReview, batches, fit, measure, price, spread_evenly
from arena.review.summary import Place, Review, ReviewedHand, review
from arena.runs.chosen import choose
from arena.runs.review_cache import StoredReview, keep, store_review, stored_reviews
from arena.runs.runner import Runner
from arena.runs.stored_kinds import open_stored
from arena.store.folder import Folder
from arena.tournament.tasks import in_order

HANDS = 100  # of each bot whose decisions are priced, by default
MEASURED_PER_PRICED = 4  # hands for the error rate, if the run has as many: hands differ too much for a hundred to suffice
FITTED = 120  # most hands to which the habits of a player are fitted


class ReviewRequest(Struct, frozen=True, kw_only=True):
    """What to review."""

    fixture: str | None = None  # None: all of the run
    hand: str | None = None  # of ``fixture``, which must be given too, as 0.3; None: all of the fixture
    bot: str | None = None  # None: all
    hands: int | None = None  # most priced hands of each bot; None: HANDS, or all of the fixture if one is named
    seed: str = "review"

    @property
    def most(self) -> int | None:
        """Return the largest number of hands of each bot to price; None: all."""
        return HANDS if self.hands is None and self.fixture is None else self.hands


def run_hands(records: Iterable[MatchRecord], rules: Rules, seed_of: Callable[[str], str | None]) -> Iterator[RunHand]:
    """Yield the hands of all records whose seed is known; a league reveals it when the round is closed."""
    for record in records:
        try:
            seed = seed_of(record.fixture.id)
        except StoreError:
            continue
        for hand, deal in dealt_hands(record, rules, seed):
            yield RunHand(
                place=Place(record.fixture.id, hand.game, hand.hand),
                seats=record.fixture.seats,
                deal=deal,
                actions=hand.actions,
                points=net(hand, 0),
                half=sha256(f"{record.fixture.deals}|{hand.game}|{hand.hand}".encode()).digest()[0] & 1,
                luck=hand.luck,
            )


class RequestedSeat(Struct, frozen=True):
    """A seat of a hand whose decisions are to be reviewed."""

    hand: RunHand
    seat: Seat
    priced: bool  # False: only its errors are measured

    @property
    def opponent(self) -> str:
        """Return the other bot."""
        return self.hand.seats[1 - self.seat]


def requested_seats(hands: Sequence[RunHand], names: Sequence[str], request: ReviewRequest) -> list[RequestedSeat]:
    """Return the seats to review, in the order of the run.

    Raises: InputError, for a fixture, hand or bot that is not there, or a number of hands below 1.
    """
    if request.hands is not None and request.hands < 1:
        raise InputError(f"hands: found {request.hands}; expected 1 or more")
    fixtures = {hand.place.fixture: None for hand in hands}
    if request.fixture is not None:
        choose(fixtures, request.fixture, "fixture")
    if request.bot is not None:
        choose(dict.fromkeys(names), request.bot, "--bot")
    within = [hand for hand in hands if request.fixture in (None, hand.place.fixture)]
    if request.hand is not None:
        found = {hand.place.name: hand for hand in within}
        choose(found, request.hand, request.fixture or "hand")
        within = [found[request.hand]]
    bots = names if request.bot is None else [request.bot]
    seats = [_seats_of(within, bot) for bot in bots]
    priced = {one for several in seats for one in spread_evenly(several, request.most)}
    most_measured = request.most and MEASURED_PER_PRICED * request.most
    measured = {one for several in seats for one in spread_evenly(several, most_measured)}
    return [RequestedSeat(within[number], seat, (number, seat) in priced) for number, seat in sorted(priced | measured)]


def _seats_of(hands: Sequence[RunHand], bot: str) -> list[tuple[int, Seat]]:
    return [(number, seat) for number, hand in enumerate(hands) for seat in (0, 1) if hand.seats[seat] == bot]


def hands_to_fit(hands: Sequence[RunHand], bot: str, half: int) -> tuple[RunHand, ...]:
    """Return at most FITTED hands of a bot, evenly spaced, of the half of the deals that is not ``half``."""
    return tuple(spread_evenly([hand for hand in hands if bot in hand.seats and hand.half != half], FITTED))


Progress = Callable[[int, int], None]  # receives how many seats of hands are done, and how many there are


def review_run(folder: Folder, runner: Runner, request: ReviewRequest, progress: Progress) -> Review:
    """Return a review of the requested hands of a run, and keep it for the reports.

    Raises: InputError, as ``requested_seats``, and without any hand; StoreError, DamagedError, SpecError, WorkerLostError.
    """
    with open_stored(folder) as (store, run):
        hands = list(run_hands((record for _, record in store.in_order()), run.spec.rules, run.seed_of))
    if not hands:
        raise InputError("found no hands to review; expected a run of which a match is stored")
    seats, rules, ahead = requested_seats(hands, run.names, request), run.spec.rules, 3 * runner.workers
    needed = sorted({(one.opponent, one.hand.half) for one in seats})
    with runner.open_pool() as pool:
        fits = [HabitFit(bot, hands_to_fit(hands, bot, half)) for bot, half in needed]
        habits = dict(zip(needed, in_order(pool, partial(fit, rules=rules), fits, ahead), strict=True))
        tasks = [SeatReview(one.hand, one.seat, habits[one.opponent, one.hand.half], one.priced) for one in seats]
        digests = [task.digest(rules, request.seed) for task in tasks]
        in_workers = partial(_reviews, pool, ahead=ahead, rules=rules, seed=request.seed)
        found = _resumed_reviews(folder, dict(zip(digests, tasks, strict=True)), in_workers, progress)
    reviewed = [reviewed_hand(task, found[digest]) for task, digest in zip(tasks, digests, strict=True)]
    keep(folder, run.facts["commitment"], request.seed, reviewed)
    return review(reviewed)


def _resumed_reviews(
    folder: Folder,
    tasks: Mapping[str, SeatReview],
    in_workers: Callable[[Sequence[SeatReview]], Iterator[StoredReview]],
    progress: Progress,
) -> dict[str, StoredReview]:
    """Return the reviews of tasks by their digest; ``in_workers`` reviews those that are not on file, and they are added to it."""
    found = stored_reviews(folder)
    new = [task for digest, task in tasks.items() if digest not in found]
    progress(len(tasks) - len(new), len(tasks))
    for done, one in enumerate(in_workers(new), len(tasks) - len(new) + 1):
        store_review(folder, one)
        found[one.digest] = one
        progress(done, len(tasks))
    return found


def _reviews(pool: futures.Executor, tasks: Sequence[SeatReview], *, ahead: int, rules: Rules, seed: str) -> Iterator[StoredReview]:
    """Yield the reviews of tasks: of those to be priced first. Raises: WorkerLostError, for a task lost three times."""
    priced = [task for task in tasks if task.priced]
    yield from in_order(pool, partial(price, rules=rules, seed=seed), priced, ahead)
    several = batches([task for task in tasks if not task.priced])
    yield from chain.from_iterable(in_order(pool, partial(measure, rules=rules, seed=seed), several, ahead))


def reviewed_hand(task: SeatReview, found: StoredReview) -> ReviewedHand:
    """Return the reviewed seat of a hand, from its task and the stored review."""
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
