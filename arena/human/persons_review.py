"""Reviews a person's play in a background process, and puts the review of the last hand and of the match so far into words."""

import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor as Pool
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from functools import partial
from itertools import islice

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arena.errors import ArenaError, StoreError
from arena.gin.facts import Seat
from arena.records import HandRecord, MatchRecord, Usage
from arena.referee.job import Job
from arena.reports.describe import dearest
from arena.reports.numbers import count, error, hand_words, number, typeset
from arena.reports.played import PlayedMatch, replay, with_review
from arena.reports.report import Report
from arena.results.reviews import SeatReview, price, reviewed_hand, run_hands
from arena.review import worlds
from arena.review.summary import DecisionPrice, Mean, Review, ReviewedHand, lower, mean, review
from arena.runs.play import Runner, prepare_silently
from arena.runs.review_cache import SHOWN_FILE, StoredReview, keep, kept_hands
from arena.store.folder import Folder
from arena.store.store import Store

EVEN = 0.5  # points: a smaller error or luck counts as none
LEAST = 1.0  # points: a decision that gave up less is not named
NOTE = (
    "Your play: points beside the reviewer's own, who judges each decision by what you could know when you made it. Luck: of the"
    " draws of both players. The rest of the result comes from the cards as they were dealt, and from the other player's play."
)
NOTHING = "No single decision gave up a point."
AS_WELL = "played as well as the reviewer would have"  # by a match: as far as its hands can tell


# The trend of a person's error rate over its matches, from the reviews that are kept in their folders.

LATEST = 11  # earlier matches, at most, in the trend


class MatchErrors(Struct, frozen=True, kw_only=True):
    """The error rate of a person in one match."""

    match: str  # opponent and day
    hands: int
    rate: float  # points a hand
    half: float | None  # half the interval: two standard errors; None: of a single hand, whose error is not known
    text: str  # the rate and its error in words
    run: str = ""  # the folder of the match beside that of the last one; empty: it is the last one
    mistakes: int = 0  # marked decisions that can be tried again
    first: str = ""  # hand and turn of the first of them, ``0.3/13``; empty: there is none


def match_errors(match: str, hands: int, rate: Mean) -> MatchErrors:
    """Return the error rate of a match with its interval."""
    half = None if rate.se is None else round(2 * rate.se, 2)
    text = typeset(f"{rate.points:z.2f}{error(rate.se)}")
    return MatchErrors(match=match, hands=hands, rate=round(rate.points, 2), half=half, text=text)


def errors_in(match: str, hands: Sequence[ReviewedHand], run: str = "") -> MatchErrors:
    """Return the error rate over a person's reviewed hands of a match, with its marked decisions; ``run``: name of its folder."""
    marked = sorted(
        ((one.place.game, one.place.hand, each.turn), f"{one.place.name}/{each.turn}")
        for one in hands
        for each in one.decisions
        if each.mark and len(each.tried) > 1
    )
    found = match_errors(match, len(hands), mean([one.error for one in hands]))
    return replace(found, run=run, mistakes=len(marked), first=marked[0][1] if marked else "")


def earlier_matches(folder: Folder, person: str) -> tuple[MatchErrors, ...]:
    """Return a person's last reviewed matches, the oldest first, from the runs in the folders beside ``folder``.

    A run that cannot be read, or that another version of the reviewer measured, is left out.
    """
    beside = [path.parent for path in folder.path.parent.glob(f"*/{SHOWN_FILE}") if path.parent != folder.path]
    newest = sorted(beside, key=lambda path: (path / SHOWN_FILE).stat().st_mtime, reverse=True)
    found = islice((one for path in newest for one in _of_run(Folder(path), person)), LATEST)
    return tuple(one for _, one in sorted(found, key=lambda pair: pair[0]))


def _of_run(folder: Folder, person: str) -> Iterator[tuple[str, MatchErrors]]:
    """Yield the start of a run and the error rate of a person in it; nothing if the person has no reviewed hand there."""
    try:
        with Store(folder.database) as store:
            facts, names = store.begun_facts(), [one.name for one in store.field()]
        hands = [one for one in kept_hands(folder, facts["commitment"]) if one.bot == person]
    except ArenaError:
        return
    if hands:
        opponent = next((name for name in names if name != person), "")
        yield facts["started"], errors_in(f"{opponent}, {facts['started'][:10]}", hands, folder.path.name)


# The review in words.


class PartReview(Struct, frozen=True, kw_only=True):
    """The review of one hand or of several, as a person reads it."""

    title: str
    text: str
    dearest: str  # the decision that gave up most beyond doubt, in words; or that none gave up a point
    place: str  # its hand and turn in a replay, ``0.3/13``; empty: there is none


class HandLine(Struct, frozen=True):
    """A hand in the table of a match."""

    hand: str  # its name, 0.3
    result: str  # points
    luck: str  # points that the draws brought
    play: str  # points compared with the reviewer's play
    rest: str  # points that are left of the result: by the cards as dealt, and the other player's play


class PersonsReview(Struct, frozen=True, kw_only=True):
    """The review of all of a person's hands in a match, as the person reads it."""

    last: PartReview
    match: PartReview
    hands: tuple[HandLine, ...]
    trend: tuple[MatchErrors, ...] = ()  # the last matches, this one last; empty: there was none before
    note: str = NOTE


def in_words(hands: Sequence[ReviewedHand], earlier: Sequence[MatchErrors] = ()) -> PersonsReview:
    """Return the review of a person's hands, in the order in which they were reviewed; ``earlier`` are the matches before."""
    played = sorted(hands, key=lambda one: (one.place.game, one.place.hand))
    return PersonsReview(
        last=_hand_review(hands[-1]),
        match=_match_review(played),
        hands=tuple(map(_hand_line, played)),
        trend=(*earlier, errors_in("this match", hands)) if earlier else (),
    )


def _hand_review(one: ReviewedHand) -> PartReview:
    text = f"You {_compared_with_reviewer(one.error)}; {_luck_words(one.luck)}; {_rest_words([one])}."
    return _part_review(f"Review of {hand_words(one.place.name, alone=False)}", text, [one])


def _match_review(hands: Sequence[ReviewedHand]) -> PartReview:
    errors = [one.error for one in hands]
    rate = mean(errors)
    won, luck = sum(one.points for one in hands), sum(one.luck for one in hands)
    each = f": {number(-rate.points, '+z.2f')}{error(rate.se)} points a hand" if rate.se is not None else ""
    is_open = rate.se is not None and abs(rate.points) <= 2 * rate.se
    played = AS_WELL if is_open else _compared_with_reviewer(sum(errors))
    from_cards = f"{_luck_words(luck)}, {_rest_words(hands)}"
    text = f"In {count(len(hands), 'hand')} {_result_words(won)}; {from_cards}, and you {played}{each}."
    return _part_review("Review of the match", text, hands)


def _part_review(title: str, text: str, hands: Sequence[ReviewedHand]) -> PartReview:
    costly = [(hand, one) for hand in hands for one in hand.decisions if lower(one.price, one.confirmed) >= LEAST]
    if not costly:
        return PartReview(title=title, text=typeset(text), dearest=NOTHING, place="")
    hand, worst = max(costly, key=lambda pair: _certain_loss(pair[1]))
    where = f"{hand_words(hand.place.name, alone=False)}, turn {worst.turn}"
    return PartReview(
        title=title,
        text=typeset(text),
        dearest=f"Your costliest decision: {where}: {dearest(worst)}.",
        place=f"{hand.place.name}/{worst.turn}",
    )


def _certain_loss(one: DecisionPrice) -> float:
    """Return the points that a decision gave up beyond doubt: the lower price less two standard errors."""
    return lower(one.price, one.confirmed) - 2 * one.se


def _hand_line(one: ReviewedHand) -> HandLine:
    luck, play = round(one.luck, 1), round(-one.error, 1)
    shown = (f"{one.points:+}", *(f"{points:+z.1f}" for points in (luck, play, one.points - luck - play)))
    result, *parts = map(typeset, shown)
    return HandLine(one.place.name, result, *parts)


def _result_words(points: int) -> str:
    if points == 0:
        return "you won as much as you lost"
    return f"you {'won' if points > 0 else 'lost'} {count(abs(points), 'point')}"


def _compared_with_reviewer(points: float) -> str:
    """Return an error, in points, in words."""
    if abs(points) < EVEN:
        return AS_WELL
    return f"played {abs(points):.1f} points {'worse' if points > 0 else 'better'} than the reviewer would have"


def _luck_words(luck: float) -> str:
    if abs(luck) < EVEN:
        return "the draws favoured neither player"
    return f"the draws {_brought(luck)}"


def _rest_words(hands: Sequence[ReviewedHand]) -> str:
    """Return in words what is left of the result, so that luck, play and the rest add up to it."""
    return f"the cards dealt and the other player's play {_brought(sum(one.points - one.luck + one.error for one in hands))}"


def _brought(points: float) -> str:
    return f"{'cost' if points < 0 else 'brought'} you {abs(points):.1f} points"


# Reviews the hands of people at a table while they play on, in a process of low priority that is started beforehand.

log = logging.getLogger(__name__)

SEED = "review"  # the default of ``arena review``, which then adds to these reviews
NICENESS = 10  # of the process: play comes first

# receives the reviews, a seat, and all reviewed hands of the seat in the order of their reviews
OnReview = Callable[["TableReviews", Seat, Sequence[ReviewedHand]], None]


def open_background(runner: Runner) -> AbstractContextManager[Pool]:
    """Open the process in which hands are reviewed, and end it without waiting for them."""
    return runner.open_pool(_prepare)


def _prepare() -> None:
    os.nice(NICENESS)
    prepare_silently()


class TableReviews:
    """The hands of one match that are over, and their reviews as far as they are done.

    Thread-safe, but for ``add``, which one thread calls.
    """

    def __init__(self, pool: Pool, job: Job, seats: Sequence[Seat], on_review: OnReview) -> None:
        """Review the decisions of ``seats``; ``on_review`` is called in another thread."""
        self._pool = pool
        self._job = job
        self._seats = seats
        self._on_review = on_review
        self._lock = threading.Lock()
        self._done: list[ReviewedHand] = []
        self._keep: Callable[[Sequence[ReviewedHand]], None] = lambda _: None
        self._record = MatchRecord(
            fixture=job.fixture, winner=None, hands=(), games=(), faults=(), forfeit=None, usage=(Usage(), Usage())
        )

    def add(self, hand: HandRecord) -> None:
        """Begin to review a hand that is over; return at once."""
        self._record = replace(self._record, hands=(*self._record.hands, hand))
        *_, ended = run_hands([self._record], self._job.rules, lambda _: self._job.seed)
        for seat in self._seats:
            task = SeatReview(ended, seat, worlds.usual_habits())
            with suppress(RuntimeError):  # the table is being closed
                future = self._pool.submit(price, task, self._job.rules, SEED)
                future.add_done_callback(partial(self._take_result, task))

    def _take_result(self, task: SeatReview, future: Future[StoredReview]) -> None:
        if future.cancelled() or (error := future.exception()):
            log.info("%s: not reviewed: %s", task.hand.place.name, "stopped" if future.cancelled() else error)
            return
        with self._lock:
            self._done.append(reviewed_hand(task, future.result()))
            of_seat = [one for one in self._done if one.seat == task.seat]
            self._keep_done()
        self._on_review(self, task.seat, of_seat)

    def keep_in(self, folder: Folder, commitment: str) -> None:
        """Keep all reviews, later ones too, in the folder of the match's run; call ``on_review`` again for those that are done."""
        with self._lock:
            self._keep = partial(keep, folder, commitment, SEED)
            self._keep_done()
            done = {seat: [one for one in self._done if one.seat == seat] for seat in self._seats}
        for seat, of_seat in done.items():
            if of_seat:
                self._on_review(self, seat, of_seat)

    def _keep_done(self) -> None:
        try:
            if self._done:
                self._keep(self._done)
        except StoreError as error:
            log.warning("%s: reviews are not kept: %s", self._job.fixture.id, error)

    def match(self) -> PlayedMatch:
        """Return the hands that are over, with the prices known so far, for a replay. Raises: DamagedError."""
        return with_review(replay(self._record, self._job.rules, self._job.seed), self._review())

    def add_to(self, report: Report) -> Report:
        """Return the report of the match with the prices known so far."""
        found = self._review()
        return replace(report, review=found or UNSET, played=[with_review(one, found) for one in report.played])

    def _review(self) -> Review | None:
        with self._lock:
            return review(self._done) if self._done else None
