"""Matches as a page replays them: the deal and the actions of every hand, small enough to be put into the page itself."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from arena.gin.cards import NAMES
from arena.gin.deal import Deal, Deals, Deck
from arena.gin.hand import Laid, replay
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.transcript import read
from arena.protocol.notation import laid, written
from arena.records import Fault, GameRecord, HandRecord, MatchRecord, Result, Usage

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # a letter a card, in deck order: a deck is a word of 52

OnTable = tuple[list[tuple[str, ...]], list[tuple[str, int]], int]  # melds, lay-offs, points left


class PlayedHand(Struct, frozen=True, array_like=True):
    """A hand with its deal."""

    game: int
    hand: int
    dealer: int
    deck: str  # in LETTERS
    actions: str
    ending: Ending
    winner: int | None
    points: int
    deadwood: tuple[int, int]
    shown: tuple[OnTable, OnTable] | None  # a showdown lays cards without an action: what each seat laid
    score: tuple[int, int] | None  # of seat 0 and 1 before it, in a batch whose hands begin at one
    spent: tuple[int, ...]  # microseconds of the actor's processor time, for each action


class PlayedMatch(Struct, frozen=True, kw_only=True):
    """A match with its deals, and everything else that is on record for it."""

    fixture: str
    seats: tuple[str, str]
    batch: bool  # single hands, each scored on its own
    winner: int | None
    forfeit: int | None
    hands: list[PlayedHand]
    games: tuple[GameRecord, ...]
    faults: tuple[Fault, ...]
    usage: tuple[Usage, Usage]


def played(record: MatchRecord, rules: Rules, seed: str) -> PlayedMatch:
    """Return a record with its deals."""
    deals = Deals(seed, record.fixture.deals)
    return PlayedMatch(
        fixture=record.fixture.id,
        seats=record.fixture.seats,
        batch=record.fixture.hands is not None,
        winner=record.winner,
        forfeit=record.forfeit,
        hands=[_hand(hand, deals.deck(hand.game, hand.hand), rules) for hand in record.hands],
        games=record.games,
        faults=record.faults,
        usage=record.usage,
    )


def _hand(hand: HandRecord, deck: Deck, rules: Rules) -> PlayedHand:
    return PlayedHand(
        hand.game,
        hand.hand,
        hand.dealer,
        "".join(map(LETTERS.__getitem__, deck)),
        hand.actions,
        hand.ending,
        hand.winner,
        hand.points,
        hand.deadwood,
        _shown(hand, deck, rules) if hand.ending is Ending.SHOWDOWN else None,
        hand.score,
        hand.spent,
    )


def _shown(hand: HandRecord, deck: Deck, rules: Rules) -> tuple[OnTable, OnTable]:
    zero, one = replay(Deal(deck, hand.dealer), rules, read(hand.actions)).laid
    assert zero is not None, "a showdown lays both"
    assert one is not None, "a showdown lays both"
    return _on_table(zero), _on_table(one)


def _on_table(on_table: Laid) -> OnTable:
    return list(written(on_table.melds)), list(laid(on_table.lay_offs)), on_table.deadwood


def chosen(results: Sequence[Result], faulted: Iterable[str], room: int) -> set[str]:
    """Return the fixtures whose hands a page has ``room`` for, whole matches only.

    Those with faults first, then the earliest of every pairing, one of each at a time, so that every cell leads to some hands.
    """
    hands = {result.fixture.id: result.hands for result in results}
    taken = set[str]()
    for fixture in (*dict.fromkeys(faulted), *_in_turn(results)):
        if fixture not in taken and hands.get(fixture, room + 1) <= room:
            taken.add(fixture)
            room -= hands[fixture]
    return taken


def _in_turn(results: Sequence[Result]) -> Iterator[str]:
    """Yield every fixture: the first of each pairing, then the second of each."""
    waiting: defaultdict[frozenset[str], deque[str]] = defaultdict(deque)
    for result in results:
        waiting[frozenset(result.fixture.seats)].append(result.fixture.id)
    while waiting:
        for pairing in list(waiting):
            yield waiting[pairing].popleft()
            if not waiting[pairing]:
                del waiting[pairing]


assert len(LETTERS) == len(NAMES)
