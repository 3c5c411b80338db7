"""Probabilities: which cards would help, how likely they are, and what a discard is worth to the opponent.

The functions count *live* cards, those whose place is not known (``view.unseen``): each is equally likely to be drawn next. Speed
matters: a bot calls them for about ten cards in a turn, and each call takes only tens of microseconds.
"""

from functools import lru_cache
from math import comb

from arena.gin.cards import VALUES, Card, Cards, each
from arena.gin.melds import best_throws, deadwood, partners
from arena.gin.melds import completes as completes  # noqa: PLC0414 - part of the bots' API
from arena.gin.view import View

HIGHEST_VALUE = 10  # points of a ten, jack, queen or king


def after_throw(held: Cards) -> int:
    """Return the least deadwood of ``held`` after one discard, in points."""
    least, _ = best_throws(held, held)
    return least


def futures(held: Cards, live: Cards) -> list[int]:
    """Return the deadwood after each live card is drawn and the best card discarded, in points, lowest first.

    All discards are tried only for a card that makes a meld; any other card can at best replace one with more points.
    """
    now, after_best_discard = deadwood(held), after_throw(held)
    melding = completes(held) & live
    left = [min(now, after_best_discard + VALUES[card]) for card in each(live ^ melding)]
    left += [after_throw(held | 1 << card) for card in each(melding)]
    left.sort()
    return left


_futures = lru_cache(maxsize=32)(futures)  # not to be changed: bots and policies that look ahead ask for the same again


def expected(view: View, card: Card, draws: int = 52) -> float:
    """Return the expected deadwood one turn after discarding ``card``, in points: the mean over the ``draws`` best live cards."""
    ahead = _futures(view.without(card), view.unseen)[:draws]
    return sum(ahead) / len(ahead)


def outs(held: Cards, live: Cards) -> Cards:
    """Return the live cards that would make a meld and, after the best discard, leave less deadwood than ``held`` has now."""
    now, better = deadwood(held), 0
    for card in each(completes(held) & live):
        if after_throw(held | 1 << card) < now:
            better |= 1 << card
    return better


def gin_outs(held: Cards, live: Cards) -> Cards:
    """Return the live cards with which ``held`` would be gin after the best discard."""
    if deadwood(held) == 0:
        return live  # each can be drawn and discarded
    gin = 0
    for card in each(completes(held) & live):
        more = held | 1 << card
        if deadwood(more) <= HIGHEST_VALUE and after_throw(more) == 0:  # one discard takes away at most HIGHEST_VALUE
            gin |= 1 << card
    return gin


def melded(held: Cards) -> Cards:
    """Return the cards of ``held`` that are in at least one possible set or run."""
    inside = 0
    for card in each(held):
        bit = 1 << card
        if completes(held ^ bit) & bit:
            inside |= bit
    return inside


def helps(view: View) -> bool:
    """Tell whether the upcard would make a meld and leave less deadwood after the best discard."""
    card = view.upcard
    return bool(completes(view.cards) >> card & 1) and after_throw(view.cards | 1 << card) < deadwood(view.cards)


def opponent_has(view: View) -> float:
    """Return the probability that the opponent holds a given unseen card: its unknown cards, divided by all unseen cards."""
    unseen = view.unseen.bit_count()
    return (10 - view.opponent_holds.bit_count()) / unseen if unseen else 0.0


def comes(view: View, wanted: Cards, draws: int = 1) -> float:
    """Return the probability that at least one live card of ``wanted`` is among my next ``draws`` cards from the stock.

    With ``completes(view.cards)`` it is the probability that the next card makes a meld with two of mine. More draws than there are
    cards in the stock count as that many; that the opponent draws some of them is not considered.
    """
    unseen = view.unseen.bit_count()
    others = unseen - (wanted & view.unseen).bit_count()
    drawn = min(draws, view.stock, unseen)
    return 1.0 - comb(others, drawn) / comb(unseen, drawn)


def danger(view: View, card: Card, against: Cards = 0) -> float:
    """Return the expected number of melds that the opponent can make with ``card``.

    It sums, over every two cards that would make a meld with it, the probability that the opponent holds both, as if independent: 1
    for a card that it took from the discard pile, ``opponent_has`` for an unseen one, 0 for others. Two cards that also make a meld
    with a card of ``against``, such as one that the opponent refused, do not count.
    """
    chance = opponent_has(view)
    known, unseen = view.opponent_holds, view.unseen
    expected = 0.0
    for two in _PARTNERS[card]:
        if two & ~(known | unseen) == 0 and not (against and completes(two) & against):
            expected += chance ** (two & unseen).bit_count()
    return expected


_PARTNERS = tuple(partners(card) for card in range(52))


def turn(view: View) -> int:
    """Return the number of turns that I have finished in this hand; a card that I discarded twice counts once."""
    return view.threw[0].bit_count()
