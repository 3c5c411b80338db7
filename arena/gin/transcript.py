"""The actions of a hand as one line of text, and back.

Each action is one word, in order; the rules give the seat that acts:

    pass  take  draw      the action of that name
    Kd                    a discard of Kd
    knock:Kd              a knock that discards Kd face down
    big_gin               big gin
    lay_off               the defender's answer to a knock

The last three may be followed by a declaration: ``:melds=3c4c5c,7d7h7s`` and, for a lay-off, ``:on=6c0,8s1``, each card with
the number of the meld that it is laid on. An empty text after ``=`` is an empty declaration; without ``=`` the referee chose.
"""

import re

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import NAMES, LayOffs, Melds, card, parse, text

_MELDS = r"(?::melds=(?P<melds>\w+(?:,\w+)*|))?"
_ON = r"(?::on=(?P<on>\w\w[0-9](?:,\w\w[0-9])*|))?"
_KNOCK = re.compile(rf"knock:(?P<card>\w\w){_MELDS}")
_BIG_GIN = re.compile(rf"big_gin{_MELDS}")
_LAY_OFF = re.compile(rf"lay_off{_MELDS}{_ON}")
_PLAIN: dict[str, Action] = {"pass": Pass(), "take": Take(), "draw": Draw()}
_PLAIN |= {name: Discard(number) for number, name in enumerate(NAMES)}


def write(actions: tuple[Action, ...]) -> str:
    """Return the line of some actions."""
    return " ".join(word(action) for action in actions)


def read(line: str) -> tuple[Action, ...]:
    """Return the actions of a line. Raises: ValueError, with the invalid word."""
    return tuple(_action(one) for one in line.split())


def word(action: Action) -> str:
    """Return the word of one action."""
    match action:
        case Discard(thrown):
            return NAMES[thrown]
        case Knock(thrown, melds):
            return f"knock:{NAMES[thrown]}{_melds(melds)}"
        case BigGin(melds):
            return f"big_gin{_melds(melds)}"
        case LayOff(melds, lay_offs):
            return f"lay_off{_melds(melds)}{_on(lay_offs)}"
        case _:
            return action.kind


def _melds(melds: Melds | None) -> str:
    return "" if melds is None else ":melds=" + ",".join(text(meld) for meld in melds)


def _on(lay_offs: LayOffs | None) -> str:
    return "" if lay_offs is None else ":on=" + ",".join(f"{NAMES[laid]}{number}" for laid, number in lay_offs)


def _action(one: str) -> Action:
    if plain := _PLAIN.get(one):
        return plain
    try:
        return _read_declaration(one)
    except ValueError as error:
        raise ValueError(f"{one!r} is not an action: {error}") from None


def _read_declaration(one: str) -> Action:
    if found := _KNOCK.fullmatch(one):
        return Knock(card(found["card"]), _read_melds(found["melds"]))
    if found := _BIG_GIN.fullmatch(one):
        return BigGin(_read_melds(found["melds"]))
    if found := _LAY_OFF.fullmatch(one):
        return LayOff(_read_melds(found["melds"]), _read_on(found["on"]))
    return Discard(card(one))


def _read_melds(words: str | None) -> Melds | None:
    return None if words is None else tuple(parse(meld) for meld in words.split(",") if meld)


def _read_on(words: str | None) -> LayOffs | None:
    return None if words is None else tuple((card(laid[:2]), int(laid[2:])) for laid in words.split(",") if laid)
