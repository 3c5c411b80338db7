"""The hands of a run with all that a review needs, and those that the user asks for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import TypeVar

from msgspec import Struct

from arena.errors import DamagedError, StoreError
from arena.gin.actions import IllegalActionError
from arena.gin.deal import Deal, Deals, Seat
from arena.gin.rules import Rules
from arena.gin.transcript import read
from arena.records import HandRecord, MatchRecord, deals_of, net
from arena.review.summary import Place
from arena.review.walking import DealtActions, HandStep, steps
from arena.runs.plans import choose

Some = TypeVar("Some")

HANDS = 100  # of each bot whose decisions are priced, unless the user says how many
MORE = 4  # times as many hands, if there are, for the error rate: hands differ so much that a hundred say little
FITTED = 120  # most hands to which the habits of a player are fitted


class ReviewRequest(Struct, frozen=True, kw_only=True):
    """What to review."""

    fixture: str | None = None  # None: all of the run
    hand: str | None = None  # as 0.3; None: all of the fixture
    bot: str | None = None  # None: all
    hands: int | None = None  # most hands of each bot that are priced, evenly spaced; None: HANDS, and all of a fixture
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
    actions: str  # in the notation of arena.gin.transcript
    points: int  # of seat 0, negative if seat 1 scored
    half: int  # 0 or 1: of all deals, so that both legs of a pair are in the same one

    def steps(self, rules: Rules) -> list[HandStep]:
        """Return its decisions. Raises: DamagedError."""
        try:
            return list(steps(DealtActions(self.deal, read(self.actions)), rules))
        except (IllegalActionError, ValueError) as error:
            raise DamagedError(f"{self.place.fixture} {self.place.name}: its actions cannot be replayed: {error}") from None


def run_hands(records: Iterable[MatchRecord], seed_of: Callable[[str], str | None]) -> Iterator[RunHand]:
    """Yield the hands of all records whose seed is known: in a league's open round it is not."""
    for record in records:
        try:
            deals = deals_of(record, seed_of(record.fixture.id))
        except StoreError:
            continue
        for hand in record.hands:
            yield _run_hand(record, hand, deals)


def _run_hand(record: MatchRecord, hand: HandRecord, deals: Deals) -> RunHand:
    key = f"{deals.key}|{hand.game}|{hand.hand}"
    return RunHand(
        place=Place(record.fixture.id, hand.game, hand.hand),
        seats=record.fixture.seats,
        deal=Deal(deals.deck(hand.game, hand.hand), hand.dealer),
        actions=hand.actions,
        points=net(hand, 0),
        half=sha256(key.encode()).digest()[0] & 1,
    )


class AskedSeat(Struct, frozen=True):
    """One seat of a hand that is to be reviewed."""

    hand: RunHand
    seat: Seat
    priced: bool  # False: only its errors are measured

    @property
    def bot(self) -> str:
        """Return the bot that is reviewed."""
        return self.hand.seats[self.seat]

    @property
    def opponent(self) -> str:
        """Return the other bot."""
        return self.hand.seats[1 - self.seat]


def requested_seats(hands: Sequence[RunHand], names: Sequence[str], request: ReviewRequest) -> list[AskedSeat]:
    """Return the seats of hands that are asked for, in the order of the run. Raises: InputError, for what is not there."""
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
    measured = {one for several in seats for one in spread_evenly(several, request.most and MORE * request.most)}
    return [AskedSeat(within[number], seat, (number, seat) in priced) for number, seat in sorted(priced | measured)]


def _seats_of(hands: Sequence[RunHand], bot: str) -> list[tuple[int, Seat]]:
    return [(number, seat) for number, hand in enumerate(hands) for seat in (0, 1) if hand.seats[seat] == bot]


def spread_evenly(several: Sequence[Some], most: int | None) -> list[Some]:
    """Return at most ``most`` of them, evenly spaced."""
    if most is None or len(several) <= most:
        return list(several)
    return [several[place * len(several) // most] for place in range(most)]


def to_fit(hands: Sequence[RunHand], bot: str, half: int) -> tuple[RunHand, ...]:
    """Return hands to which the habits of a bot are fitted, for one half of the deals: some of the other half, evenly spaced."""
    return tuple(spread_evenly([hand for hand in hands if bot in hand.seats and hand.half != half], FITTED))
