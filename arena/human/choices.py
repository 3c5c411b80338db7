"""Every move that a person may make in a turn, and what would be wise. Source: R3 to R8."""

from collections.abc import Iterator

from msgspec import Struct

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import NAMES, Card, Cards, each
from arena.gin.hand import Phase
from arena.gin.melds import deadwood
from arena.gin.view import View
from arena.reports.describe import SAID, defence
from arena.sdk import odds

PLAIN: dict[str, Action] = {"pass": Pass(), "take": Take(), "draw": Draw(), "big_gin": BigGin()}


class Move(Struct, frozen=True):
    """Something that may be done now."""

    name: str  # what is typed, or sent, to do it: pass, take, draw, Kd, knock:Kd, big_gin, lay_off
    action: Action
    message: str


class Hint(Struct, frozen=True):
    """A move that would be wise, and why."""

    move: Move
    why: str


def moves(view: View) -> dict[str, Move]:
    """Return every legal move, by name. Who knocks or answers a knock lays the best there is (R6.2, R6.4)."""
    return {move.name: move for move in _moves(view)}


def _moves(view: View) -> Iterator[Move]:
    for kind in view.may:
        match kind:
            case "discard":
                yield from (Move(NAMES[card], Discard(card), _throws(view, card)) for card in each(view.may_discard))
            case "knock":
                yield from (Move(f"knock:{NAMES[card]}", Knock(card), _knocks(view, card)) for card in knocks(view))
            case "lay_off":
                own, lay_offs, left = defence(view)
                yield Move("lay_off", LayOff(own, lay_offs), f"lay down: {left} points left")
            case _:
                yield Move(kind, PLAIN[kind], SAID[kind].format(card=NAMES[view.upcard] if kind == "take" else ""))


def knocks(view: View) -> list[Card]:
    """Return the cards with which a knock may be made, that which leaves least first. Rule: R6.1."""
    return sorted(each(view.may_knock), key=lambda card: (deadwood(view.without(card)), card))


def breaks_meld(view: View, card: Card) -> bool:
    """Tell whether a throw would cost a meld: whether more deadwood is left than with the card."""
    return deadwood(view.without(card)) > deadwood(view.cards)


def _throws(view: View, card: Card) -> str:
    return f"throw {NAMES[card]}: {deadwood(view.without(card))} points of deadwood"


def _knocks(view: View, card: Card) -> str:
    left = deadwood(view.without(card))
    return f"gin, throwing {NAMES[card]}" if left == 0 else f"knock with {left}, throwing {NAMES[card]}"


def hint(view: View) -> Hint:
    """Return a sound move: one that a careful beginner would be taught, not the best there is."""
    match view.phase:
        case Phase.UPCARD | Phase.DRAW | Phase.LAST_TAKE:
            return _to_take(view)
        case Phase.DISCARD | Phase.LAST_KNOCK:
            return _to_throw(view)
        case _:
            (move,) = moves(view).values()
            return Hint(move, "there is nothing else to do" if move.name == "draw" else "it leaves the fewest points")


def _to_take(view: View) -> Hint:
    legal = moves(view)
    if "take" in legal and (view.phase is Phase.LAST_TAKE or odds.helps(view)):
        left = odds.after_throw(view.cards | 1 << view.upcard)
        return Hint(legal["take"], f"with {NAMES[view.upcard]} in a meld, deadwood falls from {deadwood(view.cards)} to {left}")
    other = next(move for name, move in legal.items() if name != "take")
    return Hint(other, f"{NAMES[view.upcard]} joins no meld" if "take" in legal else "there is nothing else to do")


def _to_throw(view: View) -> Hint:
    legal = moves(view)
    if "big_gin" in legal:
        return Hint(legal["big_gin"], "all eleven cards are melded")
    if able := knocks(view):
        left = deadwood(view.without(able[0]))
        why = "no deadwood is left: gin" if left == 0 else f"{left} of at most {view.rules.knock_limit} points are left"
        return Hint(legal[f"knock:{NAMES[able[0]]}"], why)
    best = min(each(view.may_discard), key=lambda card: (deadwood(view.without(card)), odds.expected(view, card), card))
    return Hint(legal[NAMES[best]], f"no throw leaves less{_outs(view.without(best), view.unseen)}")


def _outs(held: Cards, live: Cards) -> str:
    count = odds.outs(held, live).bit_count()
    return f", and {count} of {live.bit_count()} unseen cards would make a meld" if count else ""
