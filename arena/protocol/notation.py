"""Convert views, outcomes and actions, with cards as bits, to and from messages, with cards in notation."""

from msgspec import UNSET

from arena.gin.actions import PLAIN, Action, BigGin, Discard, Knock, LayOff
from arena.gin.cards import NAMES, LayOffs, Melds, card, cards, in_order, names
from arena.gin.rules import Rules
from arena.gin.view import Knocker, Outcome, View
from arena.protocol.messages import Agreed, Answer, HandOver, KnockerLaid, LaidOff, Names, Turn

_MEMBERS: dict[str, tuple[str, ...]] = {
    "pass": (),
    "take": (),
    "draw": (),
    "discard": ("card",),
    "knock": ("card", "melds"),
    "big_gin": ("melds",),
    "lay_off": ("melds", "lay_offs"),
}
_FOREIGN = {kind: tuple(name for name in ("card", "melds", "lay_offs") if name not in own) for kind, own in _MEMBERS.items()}


def rules_message(rules: Rules) -> Agreed:
    """Return the rules as ``hello`` sends them: ``knock_limit`` is a number, the highest that a hand can have. Rule: R6.1, R6.7."""
    options = {field: getattr(rules, field) for field in Rules.__struct_fields__}
    options |= {"knock_limit": rules.limits[-1], "upcard_limit": rules.knock_limit == "upcard"}
    return Agreed(**options, name=rules.name)


def turn(view: View) -> Turn:
    """Return the message of a view."""
    knocker = view.knocker
    return Turn(
        game=view.game,
        hand=view.hand,
        score=view.score,
        games=view.games,
        knock_limit=view.knock_limit,
        multiplier=view.multiplier,
        dealer=view.dealer,
        phase=view.phase,
        may=view.may,
        cards=names(view.cards),
        may_discard=names(view.may_discard),
        drawn=None if view.drawn is None else NAMES[view.drawn],
        pile=tuple(map(NAMES.__getitem__, view.pile)),
        stock=view.stock,
        took=(names(view.took[0]), names(view.took[1])),
        threw=(names(view.threw[0]), names(view.threw[1])),
        knocker=KnockerLaid(meld_names(knocker.melds), knocker.deadwood, knocker.lay_offs) if knocker else None,
        columns=view.columns or UNSET,
    )


def view(message: Turn, rules: Rules) -> View:
    """Return the view of a turn message. Raises: ValueError, for an invalid card."""
    knocker = message.knocker
    return View(
        rules=rules,
        game=message.game,
        hand=message.hand,
        score=message.score,
        columns=message.columns or (),
        games=message.games,
        knock_limit=message.knock_limit,
        multiplier=message.multiplier,
        dealer=message.dealer,
        phase=message.phase,
        may=message.may,
        cards=cards(message.cards),
        may_discard=cards(message.may_discard),
        drawn=None if message.drawn is None else card(message.drawn),
        pile=in_order(message.pile),
        stock=message.stock,
        took=(cards(message.took[0]), cards(message.took[1])),
        threw=(cards(message.threw[0]), cards(message.threw[1])),
        knocker=Knocker(melds(knocker.melds), knocker.deadwood, knocker.lay_offs) if knocker else None,
    )


def hand_over(outcome: Outcome) -> HandOver:
    """Return the message of an outcome."""
    return HandOver(
        game=outcome.game,
        hand=outcome.hand,
        ending=outcome.ending,
        won=outcome.won,
        points=outcome.points,
        multiplier=outcome.multiplier,
        cards=(names(outcome.cards[0]), names(outcome.cards[1])),
        melds=(meld_names(outcome.melds[0]), meld_names(outcome.melds[1])),
        lay_offs=lay_off_names(outcome.lay_offs),
        deadwood=outcome.deadwood,
        score=outcome.score,
        games=outcome.games,
        columns=outcome.columns or UNSET,
    )


def outcome(message: HandOver) -> Outcome:
    """Return the outcome of a message. Raises: ValueError, for an invalid card."""
    return Outcome(
        game=message.game,
        hand=message.hand,
        ending=message.ending,
        won=message.won,
        points=message.points,
        multiplier=message.multiplier,
        cards=(cards(message.cards[0]), cards(message.cards[1])),
        melds=(melds(message.melds[0]), melds(message.melds[1])),
        lay_offs=lay_offs(message.lay_offs),
        deadwood=message.deadwood,
        score=message.score,
        columns=message.columns or (),
        games=message.games,
    )


def answer(action: Action, note: str | None = None) -> Answer:
    """Return the message of an action, with an optional note for the replay."""
    match action:
        case Discard(thrown):
            return Answer("discard", NAMES[thrown], note=note)
        case Knock(thrown, own):
            return Answer("knock", NAMES[thrown], None if own is None else meld_names(own), note=note)
        case BigGin(own):
            return Answer("big_gin", None, None if own is None else meld_names(own), note=note)
        case LayOff(own, on):
            on_names = None if on is None else lay_off_names(on)
            return Answer("lay_off", None, None if own is None else meld_names(own), on_names, note)
        case _:
            return Answer(action.kind, note=note)


def action(message: Answer) -> Action:
    """Return the action of a message.

    Raises: ValueError, if a card is missing, invalid or twice in a meld, or if a member belongs to another kind of action.
    """
    for name in _FOREIGN[message.kind]:
        if getattr(message, name) is not None:
            raise ValueError(f"{message.kind} with {name}; expected: {' and '.join(_MEMBERS[message.kind]) or 'only the kind'}")
    if plain := PLAIN.get(message.kind):
        return plain
    own = None if message.melds is None else melds(message.melds)
    match message.kind:
        case "big_gin":
            return BigGin(own)
        case "lay_off":
            return LayOff(own, None if message.lay_offs is None else lay_offs(message.lay_offs))
    if message.card is None:
        raise ValueError(f"{message.kind} without a card")
    thrown = card(message.card)
    return Discard(thrown) if message.kind == "discard" else Knock(thrown, own)


def meld_names(melds: Melds) -> tuple[Names, ...]:
    """Return melds in notation."""
    return tuple(names(meld) for meld in melds)


def melds(written: tuple[Names, ...]) -> Melds:
    """Return melds from their notation. Raises: ValueError."""
    return tuple(cards(meld) for meld in written)


def lay_off_names(lay_offs: LayOffs) -> tuple[LaidOff, ...]:
    """Return lay-offs in notation."""
    return tuple((NAMES[card], int(number)) for card, number in lay_offs)  # a bot's numbers may be numpy's


def lay_offs(written: tuple[LaidOff, ...]) -> LayOffs:
    """Return lay-offs from their notation. Raises: ValueError."""
    return tuple((card(name), number) for name, number in written)
