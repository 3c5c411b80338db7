"""Fixtures, the records of played fixtures, and the results derived from them.

The bounds of numbers and texts are checked where a record is read: people send each other results, so a database is trusted no more
than the message of a bot. They lie far above what a tournament can produce: rules allow bonuses of up to 10,000 points and hands of
up to a thousand draws.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.errors import DamagedError
from arena.gin.cards import in_order
from arena.gin.deal import Deal, Deals
from arena.gin.facts import Scoreline, Seat, SeatNumber, Total
from arena.gin.match import FinishedGame, Game
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult
from arena.gin.shuffling import Deck
from arena.text import LONGEST_NOTE

Seconds = Annotated[float, Meta(ge=0, le=1e12)]
Number = Annotated[int, Meta(ge=0, le=1 << 40)]  # counted from 0
Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]  # a SHA-256 in hexadecimal
HandPoints = Annotated[int, Meta(ge=0, le=10**9)]
NetPoints = Annotated[int, Meta(ge=-(10**9), le=10**9)]
Deadwood = Annotated[int, Meta(ge=0, le=1000)]
Luck = Annotated[float, Meta(ge=-1e6, le=1e6)]
BatchSize = Annotated[int, Meta(ge=1, le=10_000_000)]  # hands
Short = Annotated[str, Meta(max_length=1000)]
Long = Annotated[str, Meta(max_length=1 << 20)]
LUCK_VERSION = 1  # of the value function V, by which the luck of new runs is measured; see arena.stats.luck
LONGEST_REASON = 1000  # characters of why a worker was lost
FaultKind = Literal["timeout", "crash", "malformed", "illegal", "memory", "lost"]
EXCUSED = 2  # faults of kind "lost" that cost a seat nothing in a fixture: the turn is asked again


APART = "~"  # in ``Fixture.deals`` of a pair whose legs have different deals: between the key of the pair and the leg


class Fixture(Struct, frozen=True):
    """A match or a batch of hands to play."""

    id: Short  # unique in its tournament
    seats: tuple[Short, Short]  # the entrants in seats 0 and 1
    deals: Short  # key of the deals, which both legs of a pair share, unless a bot reads while it plays
    hands: BatchSize | None = None  # number of single hands in a batch; None: a match
    scored: bool = False  # batch only: each hand begins at a different score instead of 0-0

    @property
    def pair(self) -> str:
        """Return the key of the pair of which this is a leg."""
        return self.deals.partition(APART)[0]


class Fault(Struct, frozen=True, kw_only=True):
    """What a bot did wrong, with everything needed to see why."""

    seat: SeatNumber
    kind: FaultKind
    game: Number  # of the match
    hand: Number  # of the game
    detail: str  # one line: what was found and what was allowed
    clause: str | None = None  # of the rules, for an illegal action
    turn: str = ""  # the message that it was to answer, as sent, at a start ``hello``; empty: there was none
    answer: str = ""  # the answer, escaped and shortened
    stderr: str = ""  # the end of the bot's stderr


class FaultLists(Struct, frozen=True):
    """The faults of a fixture, or of a part of it."""

    excused: tuple[Fault, ...] = ()  # the first EXCUSED of kind "lost" of each seat, which cost nothing
    costly: tuple[Fault, ...] = ()  # the others

    @classmethod
    def of(cls, faults: Iterable[Fault]) -> "FaultLists":
        """Return these faults; of each seat, those of kind "lost" are in the order in which they happened."""
        return reduce(cls.add, faults, cls())

    def add(self, fault: Fault) -> "FaultLists":
        """Return them with one more."""
        if fault.kind == "lost" and sum(one.seat == fault.seat for one in self.excused) < EXCUSED:
            return replace(self, excused=(*self.excused, fault))
        return replace(self, costly=(*self.costly, fault))


class Note(Struct, frozen=True, array_like=True):
    """A bot's remark on one of its answers, as written: escape it before it is shown. It decides nothing."""

    turn: Annotated[int, Meta(ge=0, le=1 << 20)]  # number of the action in the hand, from 0
    text: Annotated[str, Meta(min_length=1, max_length=LONGEST_NOTE)]


class HandRecord(Struct, frozen=True, kw_only=True, gc=False):
    """A hand that was played. With the run seed it can be replayed."""

    game: Number
    hand: Number
    dealer: SeatNumber
    actions: Long  # in the notation of arena.gin.actions
    ending: Ending
    winner: SeatNumber | None
    points: HandPoints  # to the winner
    deadwood: tuple[Deadwood, Deadwood]  # of seats 0 and 1
    score: tuple[HandPoints, HandPoints] | None = None  # of seats 0 and 1 before the hand; None: not a scored batch
    luck: Luck | None = None  # of seat 0 in the draws, in points; None: not measured
    spent: tuple[int, ...] = ()  # processor time for each action, in microseconds; empty: not measured
    notes: tuple[Note, ...] = ()  # of both seats, in the order of the turns
    deck: Short | None = None  # of an imported hand, as 3c4d…; None: it follows from the seed

    @property
    def result(self) -> HandResult:
        """Return the result of the hand."""
        return HandResult(self.ending, self.winner, self.points, self.deadwood)


class Usage(Struct, frozen=True, gc=False):
    """The time that a seat used.

    Between two runs of the same fixture only this, ``HandRecord.spent`` and notes about time may differ, if bots are deterministic.
    """

    decisions: Number = 0
    cpu: Seconds = 0.0  # processor time of the bot
    wall: Seconds = 0.0  # wall time from question to answer
    slowest: Seconds = 0.0  # processor time of the slowest answer


UNUSED = (Usage(), Usage())


class MatchRecord(Struct, frozen=True, kw_only=True):
    """A fixture that was played."""

    fixture: Fixture
    winner: SeatNumber | None  # None: a batch of hands, or a drawn match (R9.5)
    hands: tuple[HandRecord, ...]
    games: tuple[FinishedGame, ...]
    faults: tuple[Fault, ...] = ()  # each of which has lost a hand
    excused: tuple[Fault, ...] = ()  # of kind "lost", which cost nothing
    forfeit: SeatNumber | None = None  # the seat that lost the fixture by its faults
    usage: tuple[Usage, Usage] = UNUSED
    states: tuple[Hash | None, Hash | None] = (None, None)  # digests of those that the bots left; None: not kept
    lost: Short | None = None  # why its worker was lost: there are no hands, and it is not played again; None: it was played


class HandAction(Struct, frozen=True, array_like=True):
    """An action of a hand, as it is kept until the hand is over."""

    word: str  # in the notation of arena.gin.actions
    spent: Number = 0  # processor time, in microseconds
    note: str = ""


class MatchSoFar(Struct, frozen=True, kw_only=True):
    """The played part of a match that is not over, from which a referee continues it."""

    hands: tuple[HandRecord, ...] = ()  # that are over
    faults: tuple[Fault, ...] = ()
    excused: tuple[Fault, ...] = ()
    usage: tuple[Usage, Usage] = UNUSED
    actions: tuple[HandAction, ...] = ()  # of the hand in progress


NOT_BEGUN = MatchSoFar()


class RecordedDeals(Deals, frozen=True):
    """The deals of an imported record: its decks, first dealer and scores of a batch, as recorded."""

    hands: Mapping[tuple[int, int], HandRecord]  # by game and hand

    def deck(self, game: int, hand: int) -> Deck:
        """Return the deck of a hand. Raises: DamagedError, if the record has none."""
        found = self.hands.get((game, hand))
        if found is None or found.deck is None:
            raise DamagedError(f"hand {game}.{hand}: its deck is missing, and there is no seed from which it follows")
        return in_order(words_of_deck(found.deck))

    def score(self, hand: int, target: int) -> tuple[int, int]:
        """Return the score before a single hand; in a batch each hand is a game."""
        del target
        found = self.hands.get((hand, 0))
        return (found and found.score) or (0, 0)

    def first_dealer(self, game: int = 0) -> Seat:
        """Return the first dealer of a game, counted from 0; the games alternate. Rule: R2.2."""
        first = next(iter(self.hands.values()), None)
        return ((first.dealer if first else 0) ^ game) & 1


def words_of_deck(deck: str) -> tuple[str, ...]:
    """Return the cards of a stored deck, as ``3c``."""
    return tuple(deck[at : at + 2] for at in range(0, len(deck), 2))


def deals_of(record: MatchRecord, seed: str | None) -> Deals:
    """Return the deals of a record: derived from the ``seed`` of its run; without a seed, those of an imported record."""
    if seed is not None:
        return Deals(seed, record.fixture.deals)
    return RecordedDeals(seed="", key=record.fixture.deals, hands={(hand.game, hand.hand): hand for hand in record.hands})


def dealt_hands(record: MatchRecord, rules: Rules, seed: str | None) -> Iterator[tuple[HandRecord, Deal]]:
    """Yield each hand of a record with its deal. Raises: DamagedError, for a deck that is missing."""
    deals = deals_of(record, seed)
    for hand, before in zip(record.hands, standings(record, rules), strict=True):
        yield hand, Deal(deals.deck(hand.game, hand.hand), hand.dealer, before)


def standings(record: MatchRecord, rules: Rules) -> Iterator[Scoreline]:
    """Yield the score before each hand of a record; each hand of a batch is a game. Rule: R9.1, R9.3, R9.6."""
    number, game = -1, Game(0)
    for hand in record.hands:
        if hand.game != number:
            number, game = hand.game, Game.start(0, rules, hand.score or (0, 0))
        won = [one.winner for one in record.games[:number]]
        yield replace(game.standing(number, (won.count(0), won.count(1)), rules), hand=hand.hand)
        game = game.add(hand.result, rules)


class LeftStates(Struct, frozen=True):
    """The states that the bots of a fixture have left."""

    fixture: Short
    seats: tuple[Short, Short]
    states: tuple[Hash | None, Hash | None]  # of seats 0 and 1; None: it is not kept

    def by_name(self) -> Iterator[tuple[str, str]]:
        """Yield each entrant whose state is kept, with its digest."""
        return ((name, state) for name, state in zip(self.seats, self.states, strict=True) if state)


UNCONFINED = "unconfined"  # profile of play by a person, or by a program that arena does not confine


class Assurance(Struct, frozen=True, kw_only=True):
    """The protection that a sandbox provides on this machine."""

    isolated: bool  # whether results may be ranked with others
    profile: str  # "A", "B", "C", "limits", "none" or UNCONFINED
    landlock: int = 0  # ABI version; 0: Landlock is not used
    filter: str = ""  # SHA-256 of the system-call filters for a Python bot without special requests; empty: no filter
    sealed: bool = False  # whether a bot can leave nothing behind once it knows a card, unless it asks to read files while it plays
    missing: tuple[str, ...] = ()  # layers that this machine does not support, with reasons


class SingleHand(Struct, frozen=True):
    """A single hand of a batch, as seen from seat 0."""

    points: NetPoints  # negative: seat 1 scored
    luck: Luck | None = None  # of the draws, in points; None: not measured
    score: tuple[HandPoints, HandPoints] = (0, 0)  # of seats 0 and 1 before the hand


class Result(Struct, frozen=True, kw_only=True):
    """The result of a fixture, as formats and ratings use it."""

    fixture: Fixture
    winner: SeatNumber | None
    games: tuple[Number, Number]  # won by seats 0 and 1
    points: tuple[Total, Total]  # scored in hands by seats 0 and 1
    hands: Number  # number of hands
    lost: bool = False  # whether it was lost with its worker and not played again: there are no hands
    singles: tuple[SingleHand, ...] = ()  # the hands of a batch; empty for a match


def result(record: MatchRecord) -> Result:
    """Return the result of a record."""
    singles = () if record.fixture.hands is None else record.hands
    return Result(
        fixture=record.fixture,
        winner=record.winner,
        games=(sum(game.winner == 0 for game in record.games), sum(game.winner == 1 for game in record.games)),
        points=points_scored(record),
        hands=len(record.hands),
        lost=record.lost is not None,
        singles=tuple(SingleHand(net(hand, 0), hand.luck, hand.score or (0, 0)) for hand in singles),
    )


def lost_record(fixture: Fixture, reason: str) -> MatchRecord:
    """Return the record of a fixture that was lost with its worker."""
    return MatchRecord(fixture=fixture, winner=None, hands=(), games=(), lost=reason[:LONGEST_REASON])


def left_states(record: MatchRecord) -> LeftStates:
    """Return the states that a record names."""
    return LeftStates(record.fixture.id, record.fixture.seats, record.states)


def net(hand: HandRecord, seat: Seat) -> int:
    """Return the points of a hand for a seat, negative if the opponent scored."""
    if hand.winner is None:
        return 0
    return hand.points if hand.winner == seat else -hand.points


def points_scored(record: MatchRecord) -> tuple[int, int]:
    """Return the points that each seat scored in all hands, without bonuses at the end of games."""
    scored = [0, 0]
    for hand in record.hands:
        if hand.winner is not None:
            scored[hand.winner] += hand.points
    return scored[0], scored[1]
