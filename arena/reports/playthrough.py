"""A recorded hand as text, one line for each turn."""

from collections.abc import Iterator

from arena.gin.cards import NAMES, Cards, names
from arena.gin.deal import Deal, Deals, Seat
from arena.gin.hand import Hand
from arena.gin.melds import arrange, deadwood, union
from arena.gin.rules import Rules
from arena.gin.transcript import read, word
from arena.printable import in_one_line
from arena.records import HandRecord, MatchRecord
from arena.reports.past_tense import DEALT, ENDINGS, LEFT, laid_down, scored
from arena.reports.replaying import replaying


def playthrough(record: MatchRecord, played: HandRecord, rules: Rules, seed: str, viewer: Seat | None = None) -> Iterator[str]:
    """Yield the lines of a hand: the deal, every turn with the cards after it, and the ending.

    The cards of the other seat than ``viewer`` are hidden until they are laid, and its notes always; None shows both.
    Raises: DamagedError, for a hand that cannot be replayed.
    """
    seats = record.fixture.seats
    deck = Deals(seed, record.fixture.deals).deck(played.game, played.hand)
    hand = Hand.start(Deal(deck, played.dealer), rules)
    yield f"{record.fixture.id}, hand {played.game}.{played.hand}; {DEALT.format(name=seats[played.dealer])}"
    yield f"upcard {NAMES[hand.pile[0]]}"
    for seat in (0, 1):
        yield f"{seats[seat]:>24}  {_visible_cards(hand, seat, viewer)}"
    with replaying(record.fixture.id, played):
        actions = read(played.actions)
    notes = {note.turn: note.text for note in played.notes}
    for number, action in enumerate(actions, 1):
        seat = hand.seat
        with replaying(record.fixture.id, played):
            hand = hand.play(action)
        visible = hand.taken or viewer in (None, seat)
        drawn = f" {NAMES[hand.drawn]}" if visible and hand.drawn is not None else ""
        cost = f"   {played.spent[number - 1] / 1000:.2f} ms" if played.spent else ""
        yield f"{number:3} {seats[seat]:>20}  {_visible_cards(hand, seat, viewer)}   {word(action)}{drawn}{cost}"
        if viewer in (None, seat) and (note := notes.get(number - 1)):
            yield f"{'note':>24}  {in_one_line(note)}"
    melds = [own.melds if own else () for own in hand.laid]
    for seat, own in enumerate(hand.laid):
        if own:
            yield f"{seats[seat]:>24}  {laid_down(own.melds, own.lay_offs, melds[1 - seat])}{LEFT.format(left=own.deadwood)}"
    yield scored(ENDINGS[played.ending], None if played.winner is None else seats[played.winner], played.points)


def _visible_cards(hand: Hand, seat: Seat, viewer: Seat | None) -> str:
    """Return the cards of a seat as the viewer knows them: of the other seat those taken from the discard pile."""
    if viewer in (None, seat) or hand.laid[seat]:
        return format_cards(hand.cards[seat])
    known = names(hand.took[seat] & hand.cards[seat])
    hidden = hand.cards[seat].bit_count() - len(known)
    return f"{' '.join((*known, f'and {hidden} unseen' if known else f'{hidden} unseen')):38}     "


def format_cards(cards: Cards) -> str:
    """Return cards as text, melds first, with their deadwood in points."""
    melds = arrange(cards)
    parts = ["".join(names(meld)) for meld in melds] + [" ".join(names(cards & ~union(melds)))]
    return f"{' | '.join(part for part in parts if part):38} ({deadwood(cards)})"
