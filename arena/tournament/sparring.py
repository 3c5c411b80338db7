"""The opponent in auditions. It plays legally and varies how soon it knocks, so that hands reach every phase and every ending.

Its answers depend only on the seed and the view, so a hand can be replayed without the hands before it.
"""

from collections.abc import Callable
from random import Random

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import Card, each
from arena.gin.hand import Phase
from arena.gin.melds import best_throws, deadwood, points, union
from arena.gin.melds import meldings as every_melding
from arena.gin.view import View

Answer = Callable[[View], Action]
PATIENCE = (0.0, 1.0, 0.7)  # chance not to knock when it could, by the number of the hand modulo 3
RANDOM_MOVE = 0.1  # chance to take the discard or to discard a card at random
NAME = "sparring"  # reserved: no bot has this name


def partner(seed: str) -> Answer:
    """Return the opponent with this seed."""

    def answer(view: View) -> Action:
        chance = Random(f"{seed}|{view.game}|{view.hand}|{view.stock}|{view.pile}|{view.phase}")  # noqa: S311 - not a secret
        return _ANSWERS[view.phase](view, chance)

    return answer


def patient(seed: str) -> Answer:
    """Return an opponent that draws from the stock until it runs out, and does not knock before.

    In two hands of four it discards its best cards, so that hands end both with and without a possible knock.
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
    helps = bool(view.pile) and deadwood(view.cards | 1 << view.upcard) <= deadwood(view.cards)
    return Take() if view.pile and (helps or chance.random() < RANDOM_MOVE) else otherwise


def _discard(view: View, chance: Random) -> Action:
    patient = chance.random() < PATIENCE[view.game % len(PATIENCE)]
    if "big_gin" in view.may and chance.random() < 0.5:
        return BigGin()
    if "knock" in view.may and not patient:
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
    card = _best_knock(view)
    rest = view.without(card)
    legal = [own for own in every_melding(rest) if view.rules.may_knock_with(points(rest & ~union(own)))]
    return Knock(card, chance.choice([None, *legal]))


def _best_knock(view: View) -> Card:
    _, best = best_throws(view.cards, view.may_discard)
    return min(each(best))


_ANSWERS: dict[Phase, Callable[[View, Random], Action]] = {
    Phase.UPCARD: lambda view, chance: _either_pile(view, chance, Pass()),
    Phase.FIRST_DRAW: lambda _, __: Draw(),
    Phase.DRAW: lambda view, chance: _either_pile(view, chance, Draw()),
    Phase.DISCARD: _discard,
    Phase.LAST_TAKE: lambda view, chance: Take() if "take" in view.may and chance.random() < 0.5 else Pass(),
    Phase.LAST_KNOCK: _knock,
    Phase.LAY_OFF: lambda _, __: LayOff(),
}
