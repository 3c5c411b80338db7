"""Values for tests, written as a person would."""

from collections.abc import Iterator

from arena import testing
from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import Cards, Melds, parse
from arena.gin.deal import Deal
from arena.gin.match import Hand, Scoreline
from arena.gin.rules import Rules
from arena.plugins import builtin

FIRST = Scoreline()


def _rulesets() -> Iterator[Rules]:
    yield Rules()
    yield from (made() for made in builtin.arena_rulesets() if made is not Rules)


RULESETS: dict[str, Rules] = {rules.name: rules for rules in _rulesets()}


def cards(text: str) -> Cards:
    """Return the cards of ``3c4c5c 7d7h7s``."""
    return parse(text)


def melds(text: str) -> Melds:
    """Return a meld for each word of ``3c4c5c 7d7h7s``."""
    return tuple(parse(word) for word in text.split())


in_order = testing.in_order
dealt = testing.deal
played = testing.hand_after
holding = testing.hand_holding


def every_action() -> Iterator[Action]:
    """Yield one action of each kind and card, with nothing declared."""
    yield from (Pass(), Take(), Draw(), BigGin(), LayOff())
    for one in range(52):
        yield Discard(one)
        yield Knock(one)


def drained(deal: Deal, rules: Rules | None = None, *, left: int = 2) -> Hand:
    """Return the hand in which every card drawn was thrown again, at the draw that leaves this number of cards in the stock."""
    hand = played("pass pass draw", deal, rules)
    while hand.stock > left:
        hand = _throw_what_was_drawn(hand).play(Draw())
    return hand


def _throw_what_was_drawn(hand: Hand) -> Hand:
    assert hand.drawn is not None
    return hand.play(Discard(hand.drawn))
