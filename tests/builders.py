"""Values for tests, written as a person would."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from random import Random

from msgspec.structs import replace

from arena.gin import rulesets, transcript
from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import Cards, Melds, card, each, parse
from arena.gin.deal import Deal, Seat
from arena.gin.hand import Hand, Phase, replay
from arena.gin.match import Standing
from arena.gin.melds import deadwood, lay_off, meldings, points, union
from arena.gin.rules import Rules

FIRST = Standing(game=0, hand=0, score=(0, 0), games=(0, 0))


def _rulesets() -> Iterator[Rules]:
    yield Rules()
    for module in iter_modules(rulesets.__path__):
        found = vars(import_module(f"arena.gin.rulesets.{module.name}")).values()
        yield from (
            made() for made in found if isinstance(made, type) and issubclass(made, Rules) and made.__module__.endswith(module.name)
        )


RULESETS: dict[str, Rules] = {rules.name: rules for rules in _rulesets()}


def cards(text: str) -> Cards:
    """Return the cards of ``3c4c5c 7d7h7s``."""
    return parse(text)


def melds(text: str) -> Melds:
    """Return a meld for each word of ``3c4c5c 7d7h7s``."""
    return tuple(parse(word) for word in text.split())


def in_order(text: str) -> tuple[int, ...]:
    """Return the cards of a text in the order in which they stand there."""
    packed = "".join(text.split())
    return tuple(card(packed[at : at + 2]) for at in range(0, len(packed), 2))


def dealt(first: str, dealer: str, upcard: str, stock: str = "", *, bottom: str = "", seat: Seat = 0) -> Deal:
    """Return the deal that gives ``first`` to the non-dealer, who sits in ``seat``, and ``dealer`` to the dealer.

    The stock begins with the cards ``stock`` and ends with the cards ``bottom``; the rest lies between in deck order.
    """
    non_dealers, dealers = in_order(first), in_order(dealer)
    assert len(non_dealers) == len(dealers) == 10, "ten cards each"
    hands = tuple(one for pair in zip(non_dealers, dealers, strict=True) for one in pair)
    named = (*hands, *in_order(upcard), *in_order(stock))
    below = in_order(bottom)
    rest = tuple(one for one in range(52) if one not in {*named, *below})
    deck = (*named, *rest, *below)
    assert sorted(deck) == list(range(52)), "each card once"
    return Deal(deck, 1 - seat)


def played(line: str, deal: Deal, rules: Rules | None = None) -> Hand:
    """Return the hand after the actions of a transcript, ``pass pass draw Kd``."""
    return replay(deal, rules or Rules(), transcript.read(line))


def holding(text: str, *, phase: Phase = Phase.DISCARD, drawn: str = "", taken: bool = False, rules: Rules | None = None) -> Hand:
    """Return a hand in which seat 0, the non-dealer, holds the cards of ``text`` and is to act; seat 1 holds any ten."""
    held = parse(text)
    rest = [one for one in range(52) if not held >> one & 1]
    other = sum(1 << one for one in rest[-10:])
    deck = (*each(held), *rest)
    hand = Hand(rules or Rules(), deck, 1, phase, 0, (held, other), tuple(rest[:1]))
    return replace(hand, drawn=card(drawn) if drawn else None, taken=taken)


def every_action() -> Iterator[Action]:
    """Yield one action of each kind and card, with nothing declared."""
    yield from (Pass(), Take(), Draw(), BigGin(), LayOff())
    for one in range(52):
        yield Discard(one)
        yield Knock(one)


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
            return transcript.read(kind)[0]


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
    held, limit = hand.cards[hand.seat], hand.rules.knock_limit
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


def drained(deal: Deal, rules: Rules | None = None, *, left: int = 2) -> Hand:
    """Return the hand in which every card drawn was thrown again, at the draw that leaves so many cards in the stock."""
    hand = played("pass pass draw", deal, rules)
    while hand.stock > left:
        hand = _throw_what_was_drawn(hand).play(Draw())
    return hand


def _throw_what_was_drawn(hand: Hand) -> Hand:
    assert hand.drawn is not None
    return hand.play(Discard(hand.drawn))
