"""A partner for auditions: legal, sometimes hasty, sometimes patient, so that hands end in every way and meet every phase.

It is a function of the view alone, so a hand can be played again without those before it.
"""

from collections.abc import Callable
from random import Random

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import Card, each
from arena.gin.hand import Phase
from arena.gin.melds import deadwood, points, union
from arena.gin.melds import meldings as every_melding
from arena.gin.view import View

Answer = Callable[[View], Action]
PATIENCE = (0.0, 1.0, 0.7)  # how often it does not knock though it may, by the number of the hand
WHIM = 0.1  # how often it takes, or throws, any card
NAME = "sparring"  # no bot's, for it is none


def partner(seed: str) -> Answer:
    """Return a partner, whose every whim follows from the seed and the view."""

    def answer(view: View) -> Action:
        chance = Random(f"{seed}|{view.game}|{view.hand}|{view.stock}|{view.pile}|{view.phase}")  # noqa: S311 - no secret
        return _ANSWERS[view.phase](view, chance)

    return answer


def patient(seed: str) -> Answer:
    """Return a partner that draws from the stock until it is out, and never knocks before.

    In two hands of four it throws its best cards, so that both who could knock in the end and who could not is met.
    """
    plays = partner(seed)
    waits: dict[Phase, Callable[[View], Action]] = {
        Phase.UPCARD: lambda _: Pass(),
        Phase.DRAW: lambda _: Draw(),
        Phase.DISCARD: lambda view: _spoil(view) if view.game & 2 else _wait(view),
    }

    def answer(view: View) -> Action:
        return waits.get(view.phase, plays)(view)

    return answer


def _either_pile(view: View, chance: Random, otherwise: Action) -> Action:
    helps = bool(view.pile) and deadwood(view.cards | 1 << view.upcard) <= deadwood(view.cards)
    return Take() if view.pile and (helps or chance.random() < WHIM) else otherwise


def _throw(view: View, chance: Random) -> Action:
    patient = chance.random() < PATIENCE[view.game % len(PATIENCE)]
    if "big_gin" in view.may and chance.random() < 0.5:
        return BigGin()
    if "knock" in view.may and not patient:
        return _knock(view, chance)
    several = list(each(view.may_discard))
    if chance.random() < WHIM:
        return Discard(chance.choice(several))
    return _wait(view)


def _wait(view: View) -> Action:
    return Discard(min(each(view.may_discard), key=lambda card: (deadwood(view.without(card)), -card)))


def _spoil(view: View) -> Action:
    return Discard(max(each(view.may_discard), key=lambda card: (deadwood(view.without(card)), card)))


def _knock(view: View, chance: Random) -> Action:
    """Declare any melds within the limit, or leave it to the referee."""
    card = _least(view)
    rest = view.without(card)
    legal = [own for own in every_melding(rest) if points(rest & ~union(own)) <= view.rules.knock_limit]
    return Knock(card, chance.choice([None, *legal]))


def _least(view: View) -> Card:
    return min(each(view.may_discard), key=lambda card: (deadwood(view.without(card)), card))


_ANSWERS: dict[Phase, Callable[[View, Random], Action]] = {
    Phase.UPCARD: lambda view, chance: _either_pile(view, chance, Pass()),
    Phase.FIRST_DRAW: lambda _, __: Draw(),
    Phase.DRAW: lambda view, chance: _either_pile(view, chance, Draw()),
    Phase.DISCARD: _throw,
    Phase.LAST_TAKE: lambda view, chance: Take() if "take" in view.may and chance.random() < 0.5 else Pass(),
    Phase.LAST_KNOCK: _knock,
    Phase.LAY_OFF: lambda _, __: LayOff(),
}
