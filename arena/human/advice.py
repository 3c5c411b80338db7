"""What the reviewer advises in a turn, by the method by which it reviews the hand afterwards."""

from threading import Lock

from arena.gin.actions import Action
from arena.gin.view import View
from arena.human.choices import Hint, hint
from arena.results.table_review import SEED
from arena.review import worlds
from arena.review.pricing import RankedAction, Reviewer
from arena.review.rollouts import own_action, step_of
from arena.sdk.wording import Move, moves

OTHERS = 2  # next best moves that are named
_ONE_AT_A_TIME = Lock()  # two people may ask at once, and the kernel computes in arrays of its modules


def advise(view: View) -> Hint:
    """Return the move that the reviewer would make, with the price of the next best ones; where there is no choice, the hint.

    It takes 0.05 s, and 1 to 3 s where the kernel is not compiled. Who follows it makes no mistake by the review later: it
    samples the same worlds for a position, and believes that the other player has the same habits.
    """
    if "lay_off" in view.may:
        return hint(view)
    with _ONE_AT_A_TIME:
        ranked = Reviewer(view.rules, SEED).rank(step_of(view, own_action(view)), worlds.usual_habits())
    if not ranked:
        return hint(view)
    legal = {move.action: move for move in moves(view).values()}
    best, *others = ranked
    behind = ", ".join(_behind(legal, best, one) for one in others[:OTHERS]) or "all else is clearly worse"
    return Hint(legal[best.action], f"the reviewer's choice; {behind}")


def _behind(legal: dict[Action, Move], best: RankedAction, other: RankedAction) -> str:
    words = legal[other.action].message.partition(":")[0]
    return f"{words}: {best.points - other.points:.1f} points a hand less"
