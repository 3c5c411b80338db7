"""The partner: the opponent in auditions. It plays legally and varies how soon it knocks, so that every phase and ending occurs.

Its answers depend only on the seed and the view, so a hand can be replayed without the hands before it. In a batch each hand is a
game of its own, so ``game`` is the number of the hand.
"""

from collections.abc import Callable
from random import Random

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import each
from arena.gin.match import Phase
from arena.gin.melds import best_throws, deadwood, meldings, points, union
from arena.gin.view import View

Answer = Callable[[View], Action]
PATIENCE = (0.0, 1.0, 0.7)  # chance not to knock when it may, by the number of the hand modulo 3
RANDOM_MOVE = 0.1  # chance to take the discard or to discard a card at random
NAME = "sparring"  # reserved: no bot has this name


def partner(seed: str) -> Answer:
    """Return the partner with this seed."""

    def answer(view: View) -> Action:
        chance = Random(f"{seed}|{view.game}|{view.hand}|{view.stock}|{view.pile}|{view.phase}")  # noqa: S311 - not a secret
        return _ANSWERS[view.phase](view, chance)

    return answer


def patient_partner(seed: str) -> Answer:
    """Return a partner that draws from the stock until it runs out, and does not knock before.

    In two hands of four it discards the cards that it needs most, so that hands end both with and without a possible knock.
    """
    plays = partner(seed)
    waits: dict[Phase, Callable[[View], Action]] = {
        Phase.UPCARD: lambda _: Pass(),
        Phase.DRAW: lambda _: Draw(),
        Phase.DISCARD: lambda view: _worst_discard(view) if view.game & 2 else _best_discard(view),
    }

    def answer(view: View) -> Action:
        return waits.get(view.phase, plays)(view)

    return answer


def _either_pile(view: View, chance: Random, otherwise: Action) -> Action:
    if not view.pile:
        return otherwise
    helps = deadwood(view.cards | 1 << view.upcard) <= deadwood(view.cards)
    return Take() if helps or chance.random() < RANDOM_MOVE else otherwise


def _discard(view: View, chance: Random) -> Action:
    waits = chance.random() < PATIENCE[view.game % len(PATIENCE)]
    if "big_gin" in view.may and chance.random() < 0.5:
        return BigGin()
    if "knock" in view.may and not waits:
        return _knock(view, chance)
    cards = list(each(view.may_discard))
    if chance.random() < RANDOM_MOVE:
        return Discard(chance.choice(cards))
    return _best_discard(view)


def _best_discard(view: View) -> Action:
    _, best = best_throws(view.cards, view.may_discard)
    return Discard(max(each(best)))


def _worst_discard(view: View) -> Action:
    return Discard(max(each(view.may_discard), key=lambda card: (deadwood(view.without(card)), card)))


def _knock(view: View, chance: Random) -> Action:
    """Knock with random melds within the limit, or without melds, which leaves them to the referee."""
    _, best = best_throws(view.cards, view.may_discard)
    card = min(each(best))
    rest = view.without(card)
    legal = [own for own in meldings(rest) if points(rest & ~union(own)) <= view.knock_limit]
    return Knock(card, chance.choice([None, *legal]))


_ANSWERS: dict[Phase, Callable[[View, Random], Action]] = {
    Phase.UPCARD: lambda view, chance: _either_pile(view, chance, Pass()),
    Phase.FIRST_DRAW: lambda _, __: Draw(),
    Phase.DRAW: lambda view, chance: _either_pile(view, chance, Draw()),
    Phase.DISCARD: _discard,
    Phase.LAST_TAKE: lambda view, chance: Take() if "take" in view.may and chance.random() < 0.5 else Pass(),
    Phase.LAST_KNOCK: _knock,
    Phase.LAY_OFF: lambda _, __: LayOff(),
}
