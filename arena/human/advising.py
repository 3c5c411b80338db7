"""What the reviewer advises in a turn, by the method by which it reviews the hand afterwards."""

from threading import Lock

from arena.gin.view import View
from arena.human.advice import Hint, RankedMove, hint, reason
from arena.review import habits
from arena.review.hand_walks import step_of
from arena.review.reviewer import Reviewer
from arena.review.rollouts import own_action
from arena.sdk.named_moves import moves

SHOWN = 4  # moves that are named, with the best
SEED = "hint"  # not that of reviews: worlds that chose a move would favour it when they judge it
_ONE_AT_A_TIME = Lock()  # two people may ask at once, and the kernel computes in arrays of its modules


def advise(view: View) -> Hint:
    """Return the move that the reviewer would make, with what speaks for it and the price of the next best ones.

    For lay-offs, and where there is no choice, return the quick hint. Advice takes 0.05 s, or 1 to 3 s where the kernel is not
    compiled. The later review assumes the same habits of the other player, but samples other worlds.
    """
    if "lay_off" in view.may:
        return hint(view)
    with _ONE_AT_A_TIME:
        step = step_of(view, own_action(view))  # the policy's own action is always among those that are ranked
        ranked = Reviewer(view.rules, SEED).rank(step, habits.usual_habits())
    if not ranked:
        return hint(view)
    legal = {move.action: move for move in moves(view).values()}
    shown = tuple(RankedMove(legal[one.action], one.loss.points, one.loss.se) for one in ranked[:SHOWN])
    return Hint(shown[0].move, reason(view, shown[0].move), shown)
