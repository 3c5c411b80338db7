"""Reviews the hands of a run: chooses them, has workers price or measure them, and keeps the results.

The habits of a player are fitted to other hands of the run than those reviewed: the deals are split into two halves, and the
hands of one half are reviewed with the habits fitted to the other.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor as Pool
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import TypeVar

import numpy as np
from msgspec import Struct, json
from msgspec.structs import replace

from arena.errors import InputError, StoreError
from arena.gin.actions import LAY_OFF, Action, read_actions
from arena.gin.deal import Deal
from arena.gin.facts import Seat
from arena.gin.rules import Rules
from arena.records import MatchRecord, dealt_hands, net
from arena.reports.played import replaying
from arena.results.stored import open_stored
from arena.review import fitting, pricing
from arena.review.alternatives import Choice, alternative
from arena.review.marks import mark
from arena.review.observations import behaviour
from arena.review.pricing import Price, PricedDecision, Reviewer
from arena.review.rollouts import VERSION, HandStep, Rollouts, steps
from arena.review.summary import Place, Review, ReviewedHand, decision_price, errors_by_kind, review
from arena.review.worlds import Habits, random_numbers, sample, sight, usual_habits
from arena.runs.chosen import choose
from arena.runs.play import Runner
from arena.runs.review_cache import CONFIRMING_VERSION, VERSIONS, StoredReview, keep, store_review, stored_reviews
from arena.stats import luck
from arena.store.folder import Folder
from arena.tournament.tasks import in_order

Item = TypeVar("Item")

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


class RunHand(Struct, frozen=True, kw_only=True):
    """A hand of a run."""

    place: Place
    seats: tuple[str, str]
    deal: Deal
    actions: str  # in the notation of arena.gin.actions
    points: int  # of seat 0, negative if seat 1 scored
    half: int  # 0 or 1: of all deals, so that both legs of a pair are in the same one
    luck: float | None = None  # of seat 0, in points, as the record has it; None: it was not measured

    def steps(self, rules: Rules) -> list[HandStep]:
        """Return the decisions of both seats. Raises: DamagedError."""
        with replaying(self.place.fixture, self.place):
            return list(steps(self.deal, rules, read_actions(self.actions)))


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


def spread_evenly(items: Sequence[Item], most: int | None) -> list[Item]:
    """Return at most ``most`` of the items, evenly spaced; None: all."""
    if most is None or len(items) <= most:
        return list(items)
    return [items[number * len(items) // most] for number in range(most)]


def hands_to_fit(hands: Sequence[RunHand], bot: str, half: int) -> tuple[RunHand, ...]:
    """Return at most FITTED hands of a bot, evenly spaced, of the half of the deals that is not ``half``."""
    return tuple(spread_evenly([hand for hand in hands if bot in hand.seats and hand.half != half], FITTED))


# Prices marked decisions again, by rollouts of scholar.
#
# The policy of the rollouts is quick and prefers its own way to play. So a mark is confirmed by a stronger player, scholar, which
# continues after the chosen action and after the better one. The worlds are new, so this price is not biased by the choice of the
# better action.

WALKS = 12  # of the sampler: scholar plays on after each of the two actions in SAMPLES worlds of each


def scholars_prices(alternatives: Sequence[tuple[HandStep, Action]], rules: Rules, seed: str, opponent: Habits) -> list[Price]:
    """Return for each step the points that the given action gains over the recorded one; the opponent plays by its habits.

    ``seed`` decides which worlds are sampled for each position.
    """
    randoms = [random_numbers(CONFIRMING_VERSION, seed, step.view) for step, _ in alternatives]
    worlds = sample([sight(step.view) for step, _ in alternatives], opponent, WALKS, randoms)
    # the group plays no part: only these two are compared
    pairs = [tuple(alternative(step.view, action, "end") for action in (step.action, better)) for step, better in alternatives]
    choices = [Choice(step, pair, chosen=0, reference=1) for (step, _), pair in zip(alternatives, pairs, strict=True)]
    trial = pricing.TriedChoices(choices, worlds, Rollouts(rules, opponent, as_scholar=True), WALKS)
    trial.run(slice(0, WALKS))
    return [pricing.price(better - chosen) for chosen, better in trial.values]


# The tasks of the workers: fit the habits of a player, price the decisions of a seat, or only measure its errors.

FEWEST = 20  # hands of a fit; with fewer, the usual habits are used
OBSERVED = 1200  # most positions of a fit
TOGETHER = 20  # hands that are measured at once
MEASURING_WALKS = 16  # of a decision whose error is measured only: errors vary far more between hands than between walks


class HabitFit(Struct, frozen=True):
    """The hands to which the habits of a player are to be fitted."""

    bot: str
    hands: tuple[RunHand, ...]  # of the half of the deals that is not reviewed with these habits


class SeatReview(Struct, frozen=True):
    """A seat of a hand that is to be reviewed, and the habits of its opponent."""

    hand: RunHand
    seat: Seat
    opponent: Habits
    priced: bool = True  # False: only its errors are measured

    def digest(self, rules: Rules, seed: str) -> str:
        """Return the first 32 hexadecimal digits of a SHA-256 of all that the prices depend on."""
        hand = self.hand
        text = json.encode((VERSIONS, seed, rules, hand.deal, hand.actions, self.seat, self.opponent, self.priced))
        return sha256(text).hexdigest()[:32]


def fit(task: HabitFit, rules: Rules) -> Habits:
    """Return the habits of a player, fitted to its hands; with too few, the usual ones. Raises: DamagedError, as ``steps``."""
    if len(task.hands) < FEWEST:
        return usual_habits()
    seen = behaviour((hand.steps(rules), seat) for hand in task.hands for seat in (0, 1) if hand.seats[seat] == task.bot)
    random = np.random.Generator(np.random.PCG64(VERSION))
    return fitting.fit(replace(seen, hands=spread_evenly(seen.hands, OBSERVED)), usual_habits(), random)


def price(task: SeatReview, rules: Rules, seed: str) -> StoredReview:
    """Return a review with the prices of a seat's decisions. Raises: DamagedError, for a hand that cannot be replayed."""
    steps = task.hand.steps(rules)
    [priced] = Reviewer(rules, seed).prices([steps], task.seat, task.opponent)
    confirmed = _confirm(priced, steps, task.opponent, rules, seed)
    decisions = sorted(map(decision_price, confirmed), key=lambda one: one.turn)
    return StoredReview(task.digest(rules, seed), _luck(task, rules), tuple(decisions))


def batches(tasks: Sequence[SeatReview]) -> Iterator[tuple[SeatReview, ...]]:
    """Yield tasks in groups with the same seat and habits, which :func:`measure` does in a fraction of the time."""
    groups = defaultdict[tuple[Seat, Habits], list[SeatReview]](list)
    for task in tasks:
        groups[task.seat, task.opponent].append(task)
    for group in groups.values():
        yield from (tuple(group[first : first + TOGETHER]) for first in range(0, len(group), TOGETHER))


def measure(tasks: Sequence[SeatReview], rules: Rules, seed: str) -> list[StoredReview]:
    """Return reviews with the errors only, of tasks with the same seat and opponent. Raises: DamagedError, as ``price``."""
    hands = [task.hand.steps(rules) for task in tasks]
    found = Reviewer(rules, seed, MEASURING_WALKS, errors_only=True).prices(hands, tasks[0].seat, tasks[0].opponent)
    errors = [errors_by_kind([*map(decision_price, several)]) for several in found]
    rounded = [{kind: round(points, 3) for kind, points in one.items()} for one in errors]
    return [
        StoredReview(task.digest(rules, seed), _luck(task, rules), measured=one) for task, one in zip(tasks, rounded, strict=True)
    ]


def _luck(task: SeatReview, rules: Rules) -> float:
    """Return the luck of the draws, in points for the seat."""
    gained = task.hand.luck
    if gained is None:
        gained = luck.luck(list(luck.draws(task.hand.deal, rules, read_actions(task.hand.actions))), luck.value())
    return round(-gained if task.seat else gained, 3)


def _confirm(
    decisions: Sequence[PricedDecision], steps: Sequence[HandStep], opponent: Habits, rules: Rules, seed: str
) -> list[PricedDecision]:
    """Return decisions, those with a mark priced again by scholar; the price of an answer to a knock is exact already."""
    by_turn = {step.turn: step for step in steps}
    marked = [one for one in decisions if mark(one.total) and by_turn[one.turn].hand.phase is not LAY_OFF]
    pairs = [(by_turn[one.turn], one.best) for one in marked]
    prices = scholars_prices(pairs, rules, seed, opponent) if marked else []
    confirmed = {one.turn: found for one, found in zip(marked, prices, strict=True)}
    return [replace(one, confirmed=confirmed.get(one.turn)) for one in decisions]


# The review of a run, on all workers.

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


def _reviews(pool: Pool, tasks: Sequence[SeatReview], *, ahead: int, rules: Rules, seed: str) -> Iterator[StoredReview]:
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
