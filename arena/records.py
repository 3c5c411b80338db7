"""What is to be played and what was played: all that passes from the play to the numbers."""

from typing import Literal

from msgspec import Struct

from arena.gin.deal import Seat
from arena.gin.score import Ending

FaultKind = Literal["timeout", "crash", "malformed", "illegal", "memory"]


class Fixture(Struct, frozen=True):
    """A match, or a batch of hands, to be played."""

    id: str  # unique in its tournament
    seats: tuple[str, str]  # the entrants in seat 0 and 1
    deals: str  # key of the deals: both legs of a pair share it
    hands: int | None = None  # None: a match; else a batch of so many single hands
    scored: bool = False  # a batch: each hand begins at a score of its own, not at nought all


class Fault(Struct, frozen=True, kw_only=True):
    """What a bot did wrong, and everything needed to see why."""

    seat: Seat
    kind: FaultKind
    game: int  # of the match, counted from 0
    hand: int  # of the game, counted from 0
    detail: str  # one line: what was found and what was allowed
    clause: str | None = None  # of the rules, for an illegal action
    turn: str = ""  # the question, as it was sent; empty: the bot could not be started
    answer: str = ""  # what came back, escaped and cut short
    stderr: str = ""  # the end of what the bot had to say


class HandRecord(Struct, frozen=True, kw_only=True):
    """A hand that was played; with its deal it can be judged again."""

    game: int
    hand: int
    dealer: Seat
    actions: str  # a line of arena.gin.transcript
    ending: Ending
    winner: Seat | None
    points: int  # to the winner
    deadwood: tuple[int, int]  # of seat 0 and 1
    score: tuple[int, int] | None = None  # of seat 0 and 1 before it, in a batch whose hands begin at one
    luck: float | None = None  # of seat 0 in the draws, in points; None: not measured
    spent: tuple[int, ...] = ()  # microseconds of the actor's processor time, for each action; none: not measured


class GameRecord(Struct, frozen=True):
    """A game that was played."""

    winner: Seat
    totals: tuple[int, int]  # of seat 0 and 1, bonuses included


class Usage(Struct, frozen=True):
    """What a seat's answers cost, and its faults. This, and ``HandRecord.spent``, are all that differs from run to run."""

    decisions: int = 0
    cpu: float = 0.0  # seconds of the bot's own processor time
    wall: float = 0.0  # seconds from question to answer
    slowest: float = 0.0  # seconds of processor time of the dearest answer


class MatchRecord(Struct, frozen=True, kw_only=True):
    """A fixture that was played."""

    fixture: Fixture
    winner: Seat | None  # None: a batch of hands, which nobody wins, or a match that was drawn (R9.5)
    hands: tuple[HandRecord, ...]
    games: tuple[GameRecord, ...]
    faults: tuple[Fault, ...] = ()
    forfeit: Seat | None = None  # who lost the match by its faults
    usage: tuple[Usage, Usage] = (Usage(), Usage())


class Assurance(Struct, frozen=True, kw_only=True):
    """What a sandbox gives on this machine, for the record."""

    isolated: bool  # whether results may be ranked beside others
    profile: str  # the walls: "A", "B", "C", "limits" or "none"
    landlock: int = 0  # its ABI; 0: not among the walls
    filter: str = ""  # SHA-256 of the system-call filter of a bot in Python that asks for nothing; empty: no filter
    missing: tuple[str, ...] = ()  # walls that this machine cannot raise, with reasons


class Single(Struct, frozen=True):
    """A single hand of a batch, from seat 0's side."""

    points: int  # net: negative, if seat 1 scored
    luck: float | None = None  # of the draws, in points; None: not measured
    score: tuple[int, int] = (0, 0)  # of seat 0 and 1 before it


class Result(Struct, frozen=True, kw_only=True):
    """What a format needs to know of a fixture that was played."""

    fixture: Fixture
    winner: Seat | None
    games: tuple[int, int]  # won by seat 0 and 1
    points: tuple[int, int]  # scored in hands by seat 0 and 1
    hands: int
    singles: tuple[Single, ...] = ()  # the hands of a batch; none, for a match


def result(record: MatchRecord) -> Result:
    """Return the result of a record."""
    return Result(
        fixture=record.fixture,
        winner=record.winner,
        games=(sum(game.winner == 0 for game in record.games), sum(game.winner == 1 for game in record.games)),
        points=(points(record, 0), points(record, 1)),
        hands=len(record.hands),
        singles=() if record.fixture.hands is None else tuple(map(single, record.hands)),
    )


def single(hand: HandRecord) -> Single:
    """Return what a hand of a batch is to a test of strength."""
    return Single(net(hand, 0), hand.luck, hand.score or (0, 0))


def net(hand: HandRecord, seat: Seat) -> int:
    """Return the points that a hand brought a seat: less than nought, if the other scored."""
    if hand.winner is None:
        return 0
    return hand.points if hand.winner == seat else -hand.points


def points(record: MatchRecord, seat: Seat) -> int:
    """Return what a seat scored in all hands, without the bonuses at the end of games."""
    return sum(hand.points for hand in record.hands if hand.winner == seat)
