"""Hands that chance plays: legal actions, mostly sensible ones, and hands played to their end by them."""

from random import Random

from arena.gin.actions import Action, BigGin, Discard, Knock, LayOff, read_actions
from arena.gin.cards import each
from arena.gin.deal import Deal
from arena.gin.match import Hand, Phase
from arena.gin.melds import deadwood, lay_off, meldings, points, union
from arena.gin.rules import Rules


def any_action(hand: Hand, chance: Random, patience: float = 0.7) -> Action:
    """Return a legal action, mostly one that mends the cards; ``patience`` is how often it waits where it might knock."""
    kind = _any_kind(hand, chance, patience)
    match kind:
        case "discard":
            return Discard(_thrown(hand, chance))
        case "knock":
            return _any_knock(hand, chance)
        case "big_gin":
            return BigGin()
        case "lay_off":
            return _any_lay_off(hand, chance)
        case _:
            return read_actions(kind)[0]


def play_out(deal: Deal, rules: Rules, seed: int) -> tuple[list[Hand], tuple[Action, ...]]:
    """Return every state of a hand that chance plays to its end, and the actions."""
    chance, patience = Random(seed), (0.0, 0.7, 1.0)[seed % 3]  # so that hands end in every way
    states, actions = [Hand.start(deal, rules)], list[Action]()
    while states[-1].result is None:
        actions.append(any_action(states[-1], chance, patience))
        states.append(states[-1].play(actions[-1]))
    return states, tuple(actions)


def _any_kind(hand: Hand, chance: Random, patience: float) -> str:
    may = hand.may()
    if hand.phase is Phase.LAST_TAKE:
        return may[-1]
    if hand.phase in (Phase.UPCARD, Phase.DRAW) and chance.random() < 0.7:
        held = hand.cards[hand.seat]
        return "take" if deadwood(held | 1 << hand.pile[-1]) < deadwood(held) else may[0]
    return "discard" if "discard" in may and chance.random() < patience else chance.choice(may)


def _thrown(hand: Hand, chance: Random) -> int:
    held = hand.cards[hand.seat]
    several = list(each(hand.may_discard()))
    if chance.random() < 0.2:
        return chance.choice(several)
    return min(several, key=lambda one: deadwood(held & ~(1 << one)))


def _any_knock(hand: Hand, chance: Random) -> Knock:
    held, limit = hand.cards[hand.seat], hand.terms.knock_limit
    thrown = chance.choice([one for one in each(hand.may_discard()) if deadwood(held & ~(1 << one)) <= limit])
    rest = held & ~(1 << thrown)
    declared = chance.choice([None, *(own for own in meldings(rest) if points(rest & ~union(own)) <= limit)])
    return Knock(thrown, declared)


def _any_lay_off(hand: Hand, chance: Random) -> LayOff:
    held, laid = hand.cards[hand.seat], hand.laid[1 - hand.seat]
    own = chance.choice([None, *meldings(held)])
    open_melds = laid.melds if laid and hand.called == "knock" else ()
    fitting = lay_off(open_melds, held & ~union(own or ()))
    return LayOff(own, chance.choice([None, (), fitting]))
