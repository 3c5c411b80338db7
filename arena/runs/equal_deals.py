"""Deals that a comparison need not play, found before its fixtures are submitted.

The deals are probed in chunks (``arena.referee.asking``). A chunk is four times as large as the one before, so that a comparison
of two bots that differ everywhere loses little, and one of two that differ nowhere starts few processes. Which deals are in a chunk
depends only on their numbers, so a run that is resumed skips what it would have skipped.

A bot that answers otherwise when it is asked again ends the skipping: from then on every deal is played.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from concurrent.futures import Executor as Pool
from contextlib import suppress
from functools import partial
from itertools import count

from msgspec.structs import replace

from arena.errors import WorkerLostError
from arena.records import Fixture, HandRecord, MatchRecord
from arena.referee.asking import EqualHands, EqualityProbe, probe
from arena.referee.job import Job
from arena.tournament import director
from arena.tournament.formats.base import Twins
from arena.tournament.plan import Plan

SMALLEST = 8  # deals of the first chunk
LARGEST = 128
GROWTH = 4
PART = 64  # deals that one worker probes; a number of its own for each machine would skip other deals on each


class EqualDeals:
    """Prepares the jobs of a plan with the hands that are known."""

    def __init__(
        self,
        plan: Plan,
        prepare: Callable[[Fixture], Job],
        stored: Iterable[MatchRecord],
        pool: Callable[[], Pool],
        warn: Callable[[str], None],
    ) -> None:
        """Begin before the first chunk; a leg whose other leg is ``stored`` skips the same hands.

        ``prepare`` returns the job of a fixture, without hands that are known.
        """
        self._plan = plan
        self._prepare = prepare
        self._open = pool
        self._warn = warn
        self._pool: Pool | None = None
        # a format without twins skips nothing, and its records need not be read
        skipping = stored if plan.spec.format.twins(plan.names, 0) else ()
        self._stored = {record.fixture.id: tuple(hand for hand in record.hands if hand.skipped) for record in skipping}
        self._chunks = chunks(plan)
        self._chunk_of: dict[str, DealChunk] = {}  # by the id of a fixture
        self._known: dict[str, tuple[HandRecord, ...]] = {}
        self._over = False  # a bot answered otherwise when it was asked again

    def job(self, fixture: Fixture) -> Job:
        """Return the job of a fixture, with the hands that need not be played. Raises: OutOfTimeError."""
        chunk = self._find(fixture)
        if chunk and not chunk.probed:
            chunk.probed = True
            if not self._over:
                self._probe(chunk.twins)
            self._take_stored(chunk.twins)
        return replace(self._prepare(fixture), known=self._known.get(fixture.id, ()))

    def close(self) -> None:
        """End the workers."""
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _find(self, fixture: Fixture) -> "DealChunk | None":
        while fixture.id not in self._chunk_of:
            chunk = next(self._chunks, None)
            if chunk is None:
                return None
            self._chunk_of.update({leg: chunk for twins in chunk.twins for leg in twins.legs})
        return self._chunk_of[fixture.id]

    def _probe(self, several: Sequence[Twins]) -> None:
        parts = list(_parts(several))
        self._pool = self._pool or self._open()
        futures = [self._submit(part) for part in parts]
        for part, future in zip(parts, futures, strict=True):
            with suppress(WorkerLostError, BrokenExecutor, CancelledError):  # these deals are played
                # a lost probe is repeated, so that a killed worker changes nothing that is stored
                self._learn(part, director.result_of(future, partial(self._submit, part)))

    def _submit(self, part: Sequence[Twins]) -> Future[EqualHands]:
        assert self._pool
        return self._pool.submit(probe, self._probe_of(part))

    def _probe_of(self, part: Sequence[Twins]) -> EqualityProbe:
        launches = {bot.name: bot.launch for bot in self._plan.field}
        jobs = tuple(self._prepare(twins.played) for twins in part)
        return EqualityProbe(jobs=jobs, new=launches[part[0].bot], asked=part[0].asked)

    def _learn(self, part: Sequence[Twins], found: EqualHands) -> None:
        if found.odd and not self._over:
            self._over = True
            names = sorted({bot.name for bot in self._plan.field if bot.launch in found.odd})
            self._warn(f"{' and '.join(names)} may answer the same turn differently, so no more deals are skipped as equal")
        for twins, hands in zip(part, found.known, strict=True):
            self._known.update(dict.fromkeys(twins.legs, hands))

    def _take_stored(self, several: Sequence[Twins]) -> None:
        """Have each leg skip what a stored one skipped: a run that is resumed must not skip a hand in one leg alone."""
        for twins in several:
            for hands in [self._stored[leg] for leg in twins.legs if leg in self._stored]:
                self._known.update(dict.fromkeys(twins.legs, hands))


class DealChunk:
    """Deals that are probed together."""

    def __init__(self, twins: Sequence[Twins]) -> None:
        self.twins = twins
        self.probed = False


def chunks(plan: Plan) -> Iterator[DealChunk]:
    """Yield all deals of a format in chunks that grow."""
    numbers, deals = count(), SMALLEST
    while twins := list(_some(plan, numbers, deals)):
        yield DealChunk(twins)
        deals = min(LARGEST, GROWTH * deals)


def _some(plan: Plan, numbers: Iterator[int], deals: int) -> Iterator[Twins]:
    """Yield the twins of the next numbers, until they have at least as many deals."""
    while deals > 0 and (twins := plan.spec.format.twins(plan.names, next(numbers))):
        yield from twins
        deals -= twins[0].played.hands or 0


def _parts(several: Sequence[Twins]) -> Iterator[Sequence[Twins]]:
    """Yield twins for one worker each: of the same bots in the same seats."""
    alike = defaultdict[tuple[object, ...], list[Twins]](list)
    for twins in several:
        alike[twins.played.seats, twins.asked].append(twins)
    for same in alike.values():
        size = -(-PART // (same[0].played.hands or 1))
        yield from (same[first : first + size] for first in range(0, len(same), size))
