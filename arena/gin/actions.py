"""The actions of a player, the error for an illegal one, and actions as one line of text. Source: R3, R4, R6-R8."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import ClassVar, Literal

from msgspec import Struct

from arena.gin.cards import NAMES, Card, LayOffs, Melds, card, parse, text

Kind = Literal["pass", "take", "draw", "discard", "knock", "big_gin", "lay_off"]


class Pass(Struct, frozen=True):
    """Do not take the upcard (R3.1, R3.2) or the last discard (R5.2)."""

    kind: ClassVar[Kind] = "pass"


class Take(Struct, frozen=True):
    """Take the top of the discard pile (R3.1, R3.2, R4.1, R5.2)."""

    kind: ClassVar[Kind] = "take"


class Draw(Struct, frozen=True):
    """Draw from the stock (R3.3, R4.1)."""

    kind: ClassVar[Kind] = "draw"


class Discard(Struct, frozen=True):
    """Discard a card and end the turn (R4.2)."""

    kind: ClassVar[Kind] = "discard"
    card: Card


class Knock(Struct, frozen=True):
    """Discard a card face down and lay melds; it is gin if no deadwood is left (R6.1, R7.3)."""

    kind: ClassVar[Kind] = "knock"
    card: Card
    melds: Melds | None = None  # None: the arrangement with least deadwood (R6.2)


class BigGin(Struct, frozen=True):
    """Lay all eleven cards in melds (R8.1)."""

    kind: ClassVar[Kind] = "big_gin"
    melds: Melds | None = None  # None: the arrangement of R6.2


class LayOff(Struct, frozen=True):
    """Answer a knock, gin or big gin: lay melds, and deadwood on the other seat's melds (R6.3, R7.1)."""

    kind: ClassVar[Kind] = "lay_off"
    melds: Melds | None = None  # None: those of least deadwood, after the lay-offs (R6.4)
    lay_offs: LayOffs | None = None  # None: with declared melds all that fit, else those that leave the fewest points (R6.4)


Action = Pass | Take | Draw | Discard | Knock | BigGin | LayOff
PLAIN: dict[str, Action] = {"pass": Pass(), "take": Take(), "draw": Draw()}  # by kind: the actions without members


class IllegalActionError(Exception):
    """An action that a clause of the rules forbids."""

    def __init__(self, clause: str, detail: str) -> None:
        super().__init__(f"{detail} ({clause})")
        self.clause = clause
        self.detail = detail


# The phases of a hand, and the cards laid at its end. Source: R2-R8.


class Phase(StrEnum):
    """The decision that the acting seat has to make."""

    UPCARD = "upcard"  # take the first upcard, or pass (R3.1, R3.2)
    FIRST_DRAW = "first_draw"  # both passed: draw from the stock (R3.3)
    DRAW = "draw"  # draw or take (R4.1)
    DISCARD = "discard"  # discard, knock, go gin or big gin (R4.2)
    LAST_TAKE = "last_take"  # the stock is out: take the last discard to knock or go gin, or pass (R5.2)
    LAST_KNOCK = "last_knock"  # the last discard was taken: knock, go gin or big gin (R5.2)
    LAY_OFF = "lay_off"  # the other seat knocked or went gin: lay melds and lay off (R6.3, R7.1)
    OVER = "over"


# Bound once, for the engine's use: Python 3.11 takes 150 ns to look a member up in its class.
UPCARD, FIRST_DRAW, DRAW, DISCARD, LAST_TAKE, LAST_KNOCK, LAY_OFF, OVER = Phase


class Laid(Struct, frozen=True):
    """The cards that a seat laid on the table at the end of a hand."""

    melds: Melds
    lay_offs: LayOffs  # on the other seat's melds
    deadwood: int  # points left


# Write the actions of a hand as one line of text, and read them.
#
# Each action is one word, in order; the rules give the seat that acts:
#
#     pass  take  draw      the action of that name
#     Kd                    a discard of Kd
#     knock:Kd              a knock that discards Kd face down
#     big_gin               big gin
#     lay_off               the defender's answer to a knock, gin or big gin
#
# The last three may be followed by a declaration: ``:melds=3c4c5c,7d7h7s`` and, for a lay-off, ``:on=6c0,8s1``, each card with
# the number of the meld that it is laid on. ``:melds=`` alone declares no melds; what is left out is chosen by R6.2 and R6.4.

_MELDS = r"(?::melds=(?P<melds>\w+(?:,\w+)*|))?"
_ON = r"(?::on=(?P<on>\w\w[0-9](?:,\w\w[0-9])*|))?"
_KNOCK = re.compile(rf"knock:(?P<card>\w\w){_MELDS}")
_BIG_GIN = re.compile(rf"big_gin{_MELDS}")
_LAY_OFF = re.compile(rf"lay_off{_MELDS}{_ON}")
_ONE_WORD = PLAIN | {name: Discard(number) for number, name in enumerate(NAMES)}


def write_actions(actions: tuple[Action, ...]) -> str:
    """Return actions as a line."""
    return " ".join(word(action) for action in actions)


def read_actions(line: str) -> tuple[Action, ...]:
    """Return the actions of a line. Raises: ValueError, with the invalid word."""
    return tuple(map(_read_action, line.split()))


def acting_seats(line: str, dealer: int) -> Iterator[int]:
    """Yield the seat of each action of a line: after a card was taken or drawn the same seat discards (R3, R4)."""
    seat = 1 - dealer
    for written in line.split():
        yield seat
        if written not in ("take", "draw"):
            seat = 1 - seat


def word(action: Action) -> str:
    """Return the word of one action."""
    match action:
        case Discard(thrown):
            return NAMES[thrown]
        case Knock(thrown, melds):
            return f"knock:{NAMES[thrown]}{_write_melds(melds)}"
        case BigGin(melds):
            return f"big_gin{_write_melds(melds)}"
        case LayOff(melds, lay_offs):
            return f"lay_off{_write_melds(melds)}{_write_lay_offs(lay_offs)}"
        case _:
            return action.kind


def _write_melds(melds: Melds | None) -> str:
    return "" if melds is None else ":melds=" + ",".join(text(meld) for meld in melds)


def _write_lay_offs(lay_offs: LayOffs | None) -> str:
    return "" if lay_offs is None else ":on=" + ",".join(f"{NAMES[laid]}{number}" for laid, number in lay_offs)


def _read_action(written: str) -> Action:
    if action := _ONE_WORD.get(written):
        return action
    try:
        return _read_declaration(written)
    except ValueError as error:
        raise ValueError(f"{written!r} is not an action: {error}") from None


def _read_declaration(written: str) -> Action:
    if found := _KNOCK.fullmatch(written):
        return Knock(card(found["card"]), _read_melds(found["melds"]))
    if found := _BIG_GIN.fullmatch(written):
        return BigGin(_read_melds(found["melds"]))
    if found := _LAY_OFF.fullmatch(written):
        return LayOff(_read_melds(found["melds"]), _read_lay_offs(found["on"]))
    return Discard(card(written))


def _read_melds(words: str | None) -> Melds | None:
    return None if words is None else tuple(parse(meld) for meld in words.split(",") if meld)


def _read_lay_offs(words: str | None) -> LayOffs | None:
    return None if words is None else tuple((card(laid[:2]), int(laid[2:])) for laid in words.split(",") if laid)
