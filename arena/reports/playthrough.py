"""A recorded hand as text, one line for each turn."""

from collections.abc import Iterator

from msgspec import Struct

from arena.gin.actions import read_actions, word
from arena.gin.cards import NAMES, Cards, names
from arena.gin.facts import Seat
from arena.gin.match import Hand
from arena.gin.melds import arrange, deadwood, union
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.records import HandRecord, MatchRecord, dealt_hands
from arena.reports.replay_words import DEALT, ENDINGS, LEFT, laid_down, score_words
from arena.reports.replays import replaying
from arena.sdk.view_words import terms_in_words
from arena.text import in_one_line


class ReplayedTurn(Struct, frozen=True, kw_only=True):
    """An action, and the cards after it as far as the viewer knows them."""

    seat: Seat
    action: str  # in the words of ``arena replay``
    drawn: str | None  # the card drawn or taken; None: the action does neither, or the card is hidden
    cards: tuple[tuple[str, ...], tuple[str, ...]]  # of seats 0 and 1
    unseen: tuple[int, int]  # how many of their cards are hidden
    spent: int | None  # processor time, in microseconds; None: not measured
    note: str | None  # what the bot said about it


class ReplayedHand(Struct, frozen=True, kw_only=True):
    """A hand turn by turn, as one seat or both see it."""

    fixture: str
    seats: tuple[str, str]
    game: int
    hand: int
    dealer: Seat
    viewer: Seat | None  # None: both seats are open
    upcard: str | None  # None: none is turned (R3.5)
    knock_limit: int
    multiplier: int
    cards: tuple[tuple[str, ...], tuple[str, ...]]  # as dealt
    turns: list[ReplayedTurn]
    ending: Ending
    winner: Seat | None
    points: int
    deadwood: tuple[int, int]


def replayed_hand(
    record: MatchRecord, played: HandRecord, rules: Rules, seed: str | None, viewer: Seat | None = None
) -> ReplayedHand:
    """Return a hand turn by turn; ``viewer`` sees what it knew, without a viewer both seats. Raises: DamagedError."""
    start = _dealt(record, played, rules, seed)
    return ReplayedHand(
        fixture=record.fixture.id,
        seats=record.fixture.seats,
        game=played.game,
        hand=played.hand,
        dealer=played.dealer,
        viewer=viewer,
        upcard=_upcard(start),
        knock_limit=start.terms.knock_limit,
        multiplier=start.terms.multiplier,
        cards=(names(_known(start, 0, viewer)), names(_known(start, 1, viewer))),
        turns=[turn for _, turn in _turns(record.fixture.id, played, start, viewer)],
        ending=played.ending,
        winner=played.winner,
        points=played.points,
        deadwood=played.deadwood,
    )


def _dealt(record: MatchRecord, played: HandRecord, rules: Rules, seed: str | None) -> Hand:
    return Hand.start(next(deal for hand, deal in dealt_hands(record, rules, seed) if hand is played), rules)


def _upcard(start: Hand) -> str | None:
    """Return the upcard of a hand before its first turn; None: it has none (R3.5)."""
    return NAMES[start.pile[0]] if start.pile else None


def _turns(fixture: str, played: HandRecord, hand: Hand, viewer: Seat | None) -> Iterator[tuple[Hand, ReplayedTurn]]:
    """Yield the hand after each action, and the turn as the viewer sees it; ``hand``: as it was dealt. Raises: DamagedError."""
    notes = {note.turn: note.text for note in played.notes}
    with replaying(fixture, played):
        for number, action in enumerate(read_actions(played.actions)):
            seat, hand = hand.seat, hand.play(action)
            is_open = viewer in (None, seat)
            known = [_known(hand, seat, viewer) for seat in (0, 1)]
            turn = ReplayedTurn(
                seat=seat,
                action=word(action),
                drawn=NAMES[hand.drawn] if (hand.taken or is_open) and hand.drawn is not None else None,
                cards=(names(known[0]), names(known[1])),
                unseen=((hand.cards[0] & ~known[0]).bit_count(), (hand.cards[1] & ~known[1]).bit_count()),
                spent=played.spent[number] if played.spent else None,
                note=notes.get(number) if is_open else None,
            )
            yield hand, turn


def playthrough(
    record: MatchRecord, played: HandRecord, rules: Rules, seed: str | None, viewer: Seat | None = None
) -> Iterator[str]:
    """Yield the lines of a hand: the deal, every turn with the cards after it, and the ending.

    Of the other seat than ``viewer`` only cards that it took, threw or laid are shown, and no notes; None shows both seats.
    Raises: DamagedError, for a hand that cannot be replayed.
    """
    seats = record.fixture.seats
    hand = dealt = _dealt(record, played, rules, seed)
    yield f"{record.fixture.id}, hand {played.game}.{played.hand}; {DEALT.format(name=seats[played.dealer])}"
    terms = terms_in_words(rules, hand.terms)
    yield "; ".join(filter(None, (f"upcard {_upcard(hand)}" if hand.pile else "no upcard", terms)))
    for seat in (0, 1):
        yield f"{seats[seat]:>24}  {_visible_cards(hand, seat, viewer)}"
    for number, (hand, turn) in enumerate(_turns(record.fixture.id, played, dealt, viewer), 1):
        drawn = f" {turn.drawn}" if turn.drawn else ""
        cost = "" if turn.spent is None else f"   {turn.spent / 1000:.2f} ms"
        yield f"{number:3} {seats[turn.seat]:>20}  {_visible_cards(hand, turn.seat, viewer)}   {turn.action}{drawn}{cost}"
        if turn.note:
            yield f"{'note':>24}  {in_one_line(turn.note)}"
    melds = [own.melds if own else () for own in hand.laid]
    for seat, own in enumerate(hand.laid):
        if own:
            yield f"{seats[seat]:>24}  {laid_down(own.melds, own.lay_offs, melds[1 - seat])}{LEFT.format(left=own.deadwood)}"
    yield score_words(ENDINGS[played.ending], None if played.winner is None else seats[played.winner], played.points)


def _visible_cards(hand: Hand, seat: Seat, viewer: Seat | None) -> str:
    """Return the cards of a seat as the viewer knows them: of the other seat those it took, and all once it has laid its melds."""
    if viewer in (None, seat) or hand.laid[seat]:
        return format_cards(hand.cards[seat])
    known = names(_known(hand, seat, viewer))
    hidden = hand.cards[seat].bit_count() - len(known)
    # as wide as the text of ``format_cards``
    return f"{' '.join((*known, f'and {hidden} unseen' if known else f'{hidden} unseen')):38}     "


def _known(hand: Hand, seat: Seat, viewer: Seat | None) -> Cards:
    """Return the cards of a seat that the viewer knows."""
    return hand.cards[seat] if viewer in (None, seat) or hand.laid[seat] else hand.took[seat] & hand.cards[seat]


def format_cards(cards: Cards) -> str:
    """Return cards as text, melds first, with their deadwood in points."""
    melds = arrange(cards)
    parts = ["".join(names(meld)) for meld in melds] + [" ".join(names(cards & ~union(melds)))]
    return f"{' | '.join(part for part in parts if part):38} ({deadwood(cards)})"
