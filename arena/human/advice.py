"""A suggested move for a person's turn: a quick hint by a beginner's rules, and the reviewer's choice with the next best moves."""

from threading import Lock

from msgspec import Struct

from arena.gin.actions import Action
from arena.gin.cards import NAMES, Card, Cards, each
from arena.gin.match import Phase
from arena.gin.melds import deadwood
from arena.gin.view import View
from arena.review import worlds
from arena.review.pricing import RankedAction, Reviewer
from arena.review.rollouts import own_action, step_of
from arena.sdk import odds
from arena.sdk.wording import Move, knocks, moves


class Hint(Struct, frozen=True):
    """A suggested move, and the reason for it."""

    move: Move
    why: str


def breaks_meld(view: View, card: Card) -> bool:
    """Tell whether a throw would cost a meld: whether it leaves more deadwood than there is before it."""
    return deadwood(view.without(card)) > deadwood(view.cards)


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


# What the reviewer advises in a turn, by the method by which it reviews the hand afterwards.

OTHERS = 2  # next best moves that are named
SEED = "hint"  # not that of reviews: worlds that chose a move would favour it when they judge it
_ONE_AT_A_TIME = Lock()  # two people may ask at once, and the kernel computes in arrays of its modules


def advise(view: View) -> Hint:
    """Return the move that the reviewer would make, with the price of the next best ones.

    For lay-offs, and where there is no choice, return the quick hint. Advice takes 0.05 s, or 1 to 3 s where the kernel is not
    compiled. The later review assumes the same habits of the other player, but samples other worlds.
    """
    if "lay_off" in view.may:
        return hint(view)
    with _ONE_AT_A_TIME:
        step = step_of(view, own_action(view))  # the policy's own action is always among those that are ranked
        ranked = Reviewer(view.rules, SEED).rank(step, worlds.usual_habits())
    if not ranked:
        return hint(view)
    legal = {move.action: move for move in moves(view).values()}
    best, *others = ranked
    next_best = ", ".join(_loss_of(legal, best, one) for one in others[:OTHERS]) or "all else is clearly worse"
    return Hint(legal[best.action], f"the reviewer's choice; {next_best}")


def _loss_of(legal: dict[Action, Move], best: RankedAction, other: RankedAction) -> str:
    words = legal[other.action].message.partition(":")[0]  # without an explanation, as of ``throw Kd: 12 points of deadwood``
    return f"{words}: {best.points - other.points:.1f} points a hand less"
