"""Legal moves in plain words, as a person or a language model names them. Source: R1 to R9."""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from arena.gin.actions import PLAIN, Action, BigGin, Discard, Knock, Laid, LayOff
from arena.gin.cards import NAMES, Card, each
from arena.gin.melds import deadwood, defend
from arena.gin.moves import lay
from arena.gin.view import View

_PLAIN = PLAIN | {"big_gin": BigGin()}
MESSAGES = {"pass": "pass", "take": "take {card}", "draw": "draw from the stock", "big_gin": "big gin: lay all eleven cards"}
# numbers in words: more moves than these are rare, and each has a number in digits
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth")
_BESIDE_NUMBER = re.compile(r"\b(?:the|move|option|number|no|nr)\b|#")
_SUITS = str.maketrans("♣♧♦♢♥♡♠♤", "ccddhhss")


class Move(Struct, frozen=True):
    """A legal action with a name and a description."""

    name: str  # what is typed or sent to choose it: pass, take, draw, Kd, knock:Kd, big_gin, lay_off
    action: Action
    message: str


def moves(view: View) -> dict[str, Move]:
    """Return the legal moves by name. Knocks and lay-offs are those with the best melds only (R6.2, R6.4)."""
    return {move.name: move for move in _moves(view)}


def numbered(several: Iterable[Move]) -> list[str]:
    """Return a line for each move, with its number from 1."""
    return [f"{number}. {move.name}: {move.message}" for number, move in enumerate(several, 1)]


def named(text: str, legal: Mapping[str, Move]) -> Move | None:
    """Return the move that a text means; None: it means none, or may mean several."""
    found = meant(text, legal)
    return found[0] if len(found) == 1 else None


def meant(text: str, legal: Mapping[str, Move]) -> list[Move]:
    """Return the moves that a text may mean: by name, in whatever case, by number from 1, or by description.

    ``Kd``, ``kd``, ``K♦``, ``discard Kd``, ``3``, ``#3``, ``3.0``, ``third`` and ``3. Kd`` mean one; ``knock`` may mean several.
    """
    if text in legal:
        return [legal[text]]
    several = list(legal.values())
    if number := _number(text):
        return several[number - 1 : number]
    key = _key(text)
    return [move for number, move in enumerate(several, 1) if key in set(map(_key, _forms(number, move)))]


def _number(text: str) -> int:
    """Return the number that a text is, in digits or words; 0: another text."""
    plain = _BESIDE_NUMBER.sub(" ", text.casefold()).strip(" .")
    if digits := re.fullmatch(r"([0-9]{1,3})(?:\.0+|st|nd|rd|th)?", plain):
        return int(digits[1])
    return next((words.index(plain) + 1 for words in (NUMBERS, ORDINALS) if plain in words), 0)


def _key(text: str) -> str:
    """Return the letters and digits of a text in lower case; cards are as in notation: ``10♦`` is ``td``."""
    plain = text.casefold().translate(_SUITS)
    return re.sub(r"[^a-z0-9]", "", re.sub(r"(?<![0-9])10(?=[cdhs]\b)", "t", plain))


def _forms(number: int, move: Move) -> Iterator[str]:
    """Yield the names and descriptions of a move."""
    yield from (move.name, move.message, move.message.partition(":")[0])
    yield from (f"{number}. {move.name}", f"{number}. {move.name}: {move.message}")
    match move.action:
        case Discard(card):
            yield f"discard {NAMES[card]}"
        case Knock(card):
            yield from ("knock", f"knock with {NAMES[card]}", f"knock throwing {NAMES[card]}", move.message.partition(",")[0])


def expected(legal: Mapping[str, Move]) -> str:
    """Return the numbers and names that legal moves have, for a message."""
    return f"expected a number from 1 to {len(legal)} or one of {', '.join(legal)}"


def _moves(view: View) -> Iterator[Move]:
    for kind in view.may:
        match kind:
            case "discard":
                yield from (Move(NAMES[card], Discard(card), _throws(view, card)) for card in each(view.may_discard))
            case "knock":
                yield from (Move(f"knock:{NAMES[card]}", Knock(card), _knocks(view, card)) for card in knocks(view))
            case "lay_off":
                laid = defence(view)
                yield Move("lay_off", LayOff(laid.melds, laid.lay_offs), f"lay down: {laid.deadwood} points left")
            case _:
                yield Move(kind, _PLAIN[kind], MESSAGES[kind].format(card=NAMES[view.upcard] if kind == "take" else ""))


def knocks(view: View) -> list[Card]:
    """Return the cards that may be discarded with a knock, by the deadwood that is left, lowest first. Rule: R6.1."""
    return sorted(each(view.may_knock), key=lambda card: (deadwood(view.without(card)), card))


def _throws(view: View, card: Card) -> str:
    return f"throw {NAMES[card]}: {deadwood(view.without(card))} points of deadwood"


def _knocks(view: View, card: Card) -> str:
    left = deadwood(view.without(card))
    return f"gin, throwing {NAMES[card]}" if left == 0 else f"knock with {left}, throwing {NAMES[card]}"


def defence(view: View) -> Laid:
    """Return the melds and lay-offs that leave the defender the fewest points. Rule: R6.4."""
    table = view.knocker.melds if view.knocker and view.knocker.lay_offs else ()
    return lay(view.cards, *defend(view.cards, table))
