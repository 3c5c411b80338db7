"""A suggested move for a person's turn: a quick hint by a beginner's rules, and the reviewer's choice with the next best moves."""

from msgspec import Struct

from arena.gin.actions import Discard
from arena.gin.cards import NAMES, Cards, each
from arena.gin.match import Phase
from arena.gin.melds import deadwood
from arena.gin.view import View
from arena.reports.numbers import error
from arena.sdk import odds
from arena.sdk.named_moves import Move, knocks, moves


class RankedMove(Struct, frozen=True):
    """A move as the reviewer ranks it."""

    move: Move
    loss: float  # points a hand below the best
    se: float  # its standard error

    @property
    def words(self) -> str:
        """Return its name in words, without an explanation, as of ``throw Kd: 12 points of deadwood``."""
        return self.move.message.partition(":")[0]


class Hint(Struct, frozen=True):
    """A suggested move, and the reason for it."""

    move: Move
    why: str
    ranked: tuple[RankedMove, ...] = ()  # this move and the next best ones by the reviewer; empty: a quick hint

    @property
    def text(self) -> str:
        """Return the reason, and the price of the next best moves, in one line."""
        others = ", ".join(f"{one.words}: {one.loss:,.1f}{error(one.se, 1)} points a hand less" for one in self.ranked[1:])
        return "; ".join(filter(None, [self.why, others or ("all else is clearly worse" if self.ranked else "")]))


def hint(view: View) -> Hint:
    """Return a sound move: one that a careful beginner would be taught, not the best there is."""
    match view.phase:
        case Phase.UPCARD | Phase.DRAW | Phase.LAST_TAKE:
            return _hint_for_draw(view)
        case Phase.DISCARD | Phase.LAST_KNOCK:
            return _hint_for_throw(view)
        case _:
            (move,) = moves(view).values()
            return Hint(move, "there is nothing else to do" if move.name == "draw" else "it leaves the fewest points")


def _hint_for_draw(view: View) -> Hint:
    legal = moves(view)
    if "take" in legal and view.phase is Phase.LAST_TAKE:
        return Hint(legal["take"], "it is the last chance to knock")
    if "take" in legal and odds.helps(view):
        left = odds.after_throw(view.cards | 1 << view.upcard)
        return Hint(legal["take"], f"with {NAMES[view.upcard]} in a meld, deadwood falls from {deadwood(view.cards)} to {left}")
    other = next(move for name, move in legal.items() if name != "take")
    why = f"{NAMES[view.upcard]} joins no meld that leaves less deadwood" if "take" in legal else "there is nothing else to do"
    return Hint(other, why)


def reason(view: View, move: Move) -> str:
    """Return what speaks for a move that the reviewer has chosen."""
    if (quick := hint(view)).move == move:
        return quick.why
    if isinstance(move.action, Discard):
        held = view.without(move.action.card)
        return f"{deadwood(held)} points of deadwood are left{_outs(held, view.unseen)}"
    return "it scores most over the cards that may lie hidden"


def _hint_for_throw(view: View) -> Hint:
    legal = moves(view)
    if "big_gin" in legal:
        return Hint(legal["big_gin"], "all eleven cards are melded")
    if able := knocks(view):
        left = deadwood(view.without(able[0]))
        why = "no deadwood is left: gin" if left == 0 else f"{left} of at most {view.knock_limit} points are left"
        return Hint(legal[f"knock:{NAMES[able[0]]}"], why)
    best = min(each(view.may_discard), key=lambda card: (deadwood(view.without(card)), odds.expected(view, card), card))
    return Hint(legal[NAMES[best]], f"no throw leaves less{_outs(view.without(best), view.unseen)}")


def _outs(held: Cards, live: Cards) -> str:
    count = odds.outs(held, live).bit_count()
    return f", and {count} of {live.bit_count()} unseen cards would make a meld" if count else ""
