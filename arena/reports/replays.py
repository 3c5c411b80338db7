"""Replays recorded matches into what a page shows of each turn (:mod:`arena.reports.played`)."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Literal

from msgspec import UNSET
from msgspec.structs import replace

from arena.errors import DamagedError
from arena.gin.actions import IllegalActionError, read_actions
from arena.gin.cards import Cards, Melds, each
from arena.gin.deal import Deal
from arena.gin.match import Hand, Laid, Phase, walk
from arena.gin.melds import arrange, best_throws, completes, deadwood
from arena.gin.moves import may_lay_off
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.protocol.notation import lay_off_names, meld_names
from arena.records import HandRecord, MatchRecord, Result, dealt_hands
from arena.reports.fixture_names import fixture_words
from arena.reports.played import FIRST, LETTERS, LaidCards, PlayedHand, PlayedMatch, PlayedNote, Ruling
from arena.reports.priced_turns import priced_turns
from arena.review.summary import Place, Review
from arena.sdk.view_words import terms_in_words
from arena.stats.luck import hand_values


@contextmanager
def replaying(fixture: str, hand: HandRecord | Place) -> Iterator[None]:
    """Convert the errors of a replay into one that names the hand: a database may come from anybody. Raises: DamagedError."""
    try:
        yield
    except (IllegalActionError, ValueError) as error:
        raise DamagedError(f"{fixture} {hand.game}.{hand.hand}: its actions cannot be replayed: {error}") from None


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
        name=fixture_words(record.fixture.id),
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
    worth, luck = hand_values(states)
    halves = [0, *(round(2 * points) for points in worth)]
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
        luck=round(luck, 2),
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
