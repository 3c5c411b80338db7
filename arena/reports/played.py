"""Matches with everything that a page needs to show each turn of a hand, in a compact form.

The scripts of a page know no rules. They move the cards that an action names, and read here what follows from the rules: the phase
and the legal actions, how a hand is best arranged and what that leaves, what was laid down, and what the hand was worth.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arena.errors import DamagedError
from arena.gin.actions import IllegalActionError, Kind, read_actions
from arena.gin.cards import NAMES, Cards, Melds, each
from arena.gin.deal import Deal
from arena.gin.facts import Seat
from arena.gin.match import Hand, Laid, Phase, walk
from arena.gin.melds import arrange, best_throws, completes, deadwood
from arena.gin.moves import may_lay_off
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.protocol.notation import lay_off_names, meld_names
from arena.records import Fault, GameRecord, HandRecord, MatchRecord, Result, Usage, dealt_hands
from arena.reports.priced_turns import PricedTurn, priced_turns
from arena.review.summary import Place, Review
from arena.sdk.wording import terms_in_words
from arena.stats.luck import hand_values

# Error handling for replaying recorded hands. A database may come from anybody, so its actions may be illegal or unreadable.


@contextmanager
def replaying(fixture: str, hand: HandRecord | Place) -> Iterator[None]:
    """Convert the errors of a replay into one that names the hand. Raises: DamagedError."""
    try:
        yield
    except (IllegalActionError, ValueError) as error:
        raise DamagedError(f"{fixture} {hand.game}.{hand.hand}: its actions cannot be replayed: {error}") from None


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # one letter for each card
assert len(LETTERS) == len(NAMES)

LaidCards = tuple[list[tuple[str, ...]], list[tuple[str, int]], int]  # melds, lay-offs, deadwood


class Ruling(Struct, frozen=True, array_like=True):
    """The phase of a state of a hand, who acts and what is legal; a match has few different rulings."""

    phase: Phase
    seat: Seat  # that acts
    may: tuple[Kind, ...]
    may_discard: Literal["none", "all", "not drawn"]
    lay_offs: bool  # whether cards may be laid off on what the opponent laid


class PlayedHand(Struct, frozen=True, array_like=True):
    """A hand, from the deal to its end. It has a state for the deal, and one after each action."""

    game: int
    hand: int
    dealer: int
    cards: str  # in LETTERS: those of seat 0, those of seat 1, the upcard unless it was dealt (R3.5), and those that were drawn
    actions: str
    states: str  # the ruling of each state, as a character: its code is FIRST + the place in ``rulings`` of the match
    # the least deadwood of seats 0 and 1, then after each action that of the seat that acted; of eleven cards that of the best ten
    left: tuple[int, ...]
    melds: str  # where the best melds change: 2 * state + seat, and each meld in LETTERS after a point, as "0.ABC 7.ABCD.Gjw"
    laid: tuple[int | None, int | None]  # deadwood left to each seat after laying; None: it laid nothing
    shown: tuple[LaidCards, LaidCards] | None  # what each seat laid in a showdown, where no action says it
    called: Ending | None  # how cards came on the table: KNOCK, GIN, BIG_GIN or SHOWDOWN; None: they did not
    # V (arena.stats.luck) for seat 0 before and after each draw, and after each take, in half points: the first, then differences
    worth: tuple[int, ...]
    luck: float  # of seat 0, in points
    ending: Ending
    winner: int | None
    points: int
    deadwood: tuple[int, int]
    # of seat 0 and 1 before the hand; None: 0–0 in a batch, else the sum of the points of the hands before
    score: tuple[int, int] | None
    columns: tuple[tuple[int, int], ...]  # of three games at once before the hand (R9.6); empty: there is one game
    knock_limit: int
    multiplier: int
    terms: str  # both in words; empty: they are as in every hand
    spent: tuple[int, ...]  # processor time of the actor for each action, in units of 10 microseconds


FIRST = 48  # the code of the character of ruling 0


class PlayedNote(Struct, frozen=True, array_like=True):
    """What a bot said about an answer."""

    hand: int  # number of the match's hands, from 0
    turn: int  # number of the action in the hand, from 0
    text: str  # as the bot wrote it; the page shows it as text


class PlayedMatch(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match with its deals, games, faults and costs."""

    fixture: str
    seats: tuple[str, str]
    batch: bool  # of single hands, each scored separately
    winner: int | None
    forfeit: int | None
    rulings: tuple[Ruling, ...]
    hands: list[PlayedHand]
    games: tuple[GameRecord, ...]
    faults: tuple[Fault, ...]
    usage: tuple[Usage, Usage]
    notes: tuple[PlayedNote, ...] = ()
    review: tuple[PricedTurn, ...] | UnsetType = UNSET  # the reviewed decisions of its hands; UNSET: no hand was reviewed


def with_review(match: PlayedMatch, review: Review | None) -> PlayedMatch:
    """Return a match with the prices that a review has of its decisions."""
    found = [one for one in review.decisions if one.fixture == match.fixture] if review else []
    return replace(match, review=tuple(priced_turns(found)) or UNSET)


def replay(record: MatchRecord, rules: Rules, seed: str | None) -> PlayedMatch:
    """Return a match with the states of its hands. Raises: DamagedError, for a hand that cannot be replayed."""
    places: dict[Ruling, int] = {}
    hands = [_hand(record.fixture.id, hand, deal, rules, places) for hand, deal in dealt_hands(record, rules, seed)]
    return PlayedMatch(
        fixture=record.fixture.id,
        seats=record.fixture.seats,
        batch=record.fixture.hands is not None,
        winner=record.winner,
        forfeit=record.forfeit,
        rulings=tuple(places),
        hands=hands,
        games=record.games,
        faults=(*record.excused, *record.faults),
        usage=record.usage,
        notes=tuple(PlayedNote(number, note.turn, note.text) for number, hand in enumerate(record.hands) for note in hand.notes),
    )


def _hand(fixture: str, hand: HandRecord, deal: Deal, rules: Rules, places: dict[Ruling, int]) -> PlayedHand:
    with replaying(fixture, hand):
        return played_hand(hand, list(walk(deal, rules, read_actions(hand.actions))), places)


def played_hand(hand: HandRecord, states: Sequence[Hand], places: dict[Ruling, int]) -> PlayedHand:
    """Return a hand from its states; ``places`` are the rulings of its match, and grow. Raises: ValueError."""
    zero, one = (laid.deadwood if laid else None for laid in states[-1].laid)
    drawn = [after.drawn for before, after in pairwise(states) if after.drawn is not None and after.stock < before.stock]
    values = hand_values(states)
    halves = [0, *(round(2 * points) for points in values.worth)]
    start = states[0]
    before, rules = start.facts.before, start.rules
    is_sum = not before.columns and (rules.hand_bonus_added == "end" or not rules.hand_bonus)
    return PlayedHand(
        game=hand.game,
        hand=hand.hand,
        dealer=hand.dealer,
        cards="".join(LETTERS[card] for card in (*each(start.cards[0]), *each(start.cards[1]), *start.pile, *drawn)),
        actions=hand.actions,
        states="".join(chr(FIRST + places.setdefault(ruling(state), len(places))) for state in states),
        left=tuple(_left(states)),
        melds=" ".join(_changes(states)),
        laid=(zero, one),
        shown=_showdown(states[-1]) if hand.ending is Ending.SHOWDOWN else None,
        called=states[-1].called,
        worth=tuple(after - before for before, after in pairwise(halves)),
        luck=round(values.luck, 2),
        ending=hand.ending,
        winner=hand.winner,
        points=hand.points,
        deadwood=hand.deadwood,
        score=hand.score if is_sum else before.score,
        columns=tuple(column.points for column in before.columns),
        knock_limit=start.terms.knock_limit,
        multiplier=start.terms.multiplier,
        terms=terms_in_words(rules, start.terms),
        spent=tuple(round(one / 10) for one in hand.spent),
    )


def ruling(hand: Hand) -> Ruling:
    """Return the ruling on a state of a hand."""
    discards: Literal["none", "all", "not drawn"] = "none"
    if hand.phase in (Phase.DISCARD, Phase.LAST_KNOCK):
        discards = "all" if hand.may_discard() == hand.cards[hand.seat] else "not drawn"
    lay_offs = hand.phase is Phase.LAY_OFF and may_lay_off(hand)
    return Ruling(hand.phase, hand.seat, hand.may(), discards, lay_offs)


def _left(states: Sequence[Hand]) -> Iterator[int]:
    """Yield the least deadwood of both seats, and after each action that of the seat that acted; of eleven cards the best ten."""
    yield from map(_least, states[0].cards)
    for before, after in pairwise(states):
        yield _least(after.cards[before.seat])


def _least(cards: Cards) -> int:
    """Return the least deadwood of some cards, of eleven that of the best ten."""
    return best_throws(cards, cards)[0] if cards.bit_count() > 10 else deadwood(cards)


def _changes(states: Sequence[Hand]) -> Iterator[str]:
    """Yield the best melds of each seat wherever they change."""
    held: list[Cards] = [0, 0]
    known: list[Melds] = [(), ()]
    for number, hand in enumerate(states):
        for seat, cards in enumerate(hand.cards):
            melds = _melds_after(held[seat], known[seat], cards)
            if melds != known[seat]:
                yield ".".join([str(2 * number + seat), *("".join(map(LETTERS.__getitem__, each(meld))) for meld in melds)])
            held[seat], known[seat] = cards, melds


def _melds_after(before: Cards, melds: Melds, after: Cards) -> Melds:
    """Return the best melds of ``after``: those of ``before``, if the two differ by a card that fits no meld with the others."""
    moved = before ^ after
    return melds if moved.bit_count() < 2 and not completes(before & after) & moved else arrange(after)


def _showdown(hand: Hand) -> tuple[LaidCards, LaidCards]:
    zero, one = hand.laid
    if zero is None or one is None:
        raise ValueError("the hand does not end in a showdown")
    return _laid_cards(zero), _laid_cards(one)


def _laid_cards(laid: Laid) -> LaidCards:
    return list(meld_names(laid.melds)), list(lay_off_names(laid.lay_offs)), laid.deadwood


def choose_fixtures(results: Sequence[Result], first: Iterable[str], room: int) -> set[str]:
    """Return the fixtures to show hand by hand, whole matches with at most ``room`` hands in total.

    They are those in ``first``, to which the report links, for example with faults, then one of each pairing in turn, so that every
    cell of the crosstable leads to hands.
    """
    hands = {result.fixture.id: result.hands for result in results}
    picked = set[str]()
    for fixture in (*dict.fromkeys(first), *_in_turn(results)):
        if fixture not in picked and hands.get(fixture, room + 1) <= room:
            picked.add(fixture)
            room -= hands[fixture]
    return picked


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
