"""A hand turn by turn, as text."""

from collections.abc import Iterator

from arena.gin.cards import NAMES, Cards, names
from arena.gin.deal import Deal, Deals, Seat
from arena.gin.hand import Hand, Laid
from arena.gin.melds import arrange, deadwood, union
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.transcript import read, word
from arena.records import HandRecord, MatchRecord


def playthrough(record: MatchRecord, played: HandRecord, rules: Rules, seed: str, looking: Seat | None = None) -> Iterator[str]:
    """Yield the lines of a hand: the deal, every turn with what the seat holds after it, and how it ended.

    ``looking`` is the seat whose view is shown, with the other's cards hidden until they are laid; None shows both.
    """
    seats = record.fixture.seats
    deck = Deals(seed, record.fixture.deals).deck(played.game, played.hand)
    hand = Hand.start(Deal(deck, played.dealer), rules)
    yield f"{record.fixture.id}, game {played.game}, hand {played.hand}; {seats[played.dealer]} deals"
    yield f"upcard {NAMES[hand.pile[0]]}"
    for seat in (0, 1):
        yield f"{seats[seat]:>24}  {_seen(hand, seat, looking)}"
    for number, action in enumerate(read(played.actions), 1):
        seat = hand.seat
        hand = hand.play(action)
        open_draw = hand.drawn is not None and (hand.taken or looking in (None, seat))
        drawn = f" {NAMES[hand.drawn]}" if open_draw and hand.drawn is not None else ""
        took = f"   {played.spent[number - 1] / 1000:.2f} ms" if played.spent else ""
        yield f"{number:3} {seats[seat]:>20}  {_seen(hand, seat, looking)}   {word(action)}{drawn}{took}"
    for seat, laid in enumerate(hand.laid):
        if laid:
            yield f"{seats[seat]:>24}  lays {_laid(laid)}"
    yield _ended(record, played)


def _seen(hand: Hand, seat: Seat, looking: Seat | None) -> str:
    """Return what a seat holds, as far as it is to be seen: of the other's cards those that were taken in the open."""
    if looking in (None, seat) or hand.laid[seat]:
        return held(hand.cards[seat])
    known = names(hand.took[seat] & hand.cards[seat])
    hidden = hand.cards[seat].bit_count() - len(known)
    return f"{' '.join((*known, f'and {hidden} unseen' if known else f'{hidden} unseen')):38}     "


def held(cards: Cards) -> str:
    """Return the cards of a seat, melds first, and what they are worth."""
    melds = arrange(cards)
    parts = ["".join(names(meld)) for meld in melds] + [" ".join(names(cards & ~union(melds)))]
    return f"{' | '.join(part for part in parts if part):38} ({deadwood(cards)})"


def _laid(laid: Laid) -> str:
    melds = " ".join("".join(names(meld)) for meld in laid.melds) or "no meld"
    off = "".join(f", {NAMES[card]} on meld {number}" for card, number in laid.lay_offs)
    return f"{melds}{off}: {laid.deadwood} points left"


def _ended(record: MatchRecord, played: HandRecord) -> str:
    how = "dead hand" if played.ending is Ending.DEAD else played.ending.value.replace("_", " ")
    if played.winner is None:
        return f"{how}: nobody scores"
    return f"{how}: {record.fixture.seats[played.winner]} scores {played.points}"
