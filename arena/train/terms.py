"""The options of the rules as the kernel reads them. Source: R2-R8.

What a hand scores is tabulated by the engine itself, so the kernel has no arithmetic of points. Options of games and matches (R9)
have no effect within a hand.
"""

from functools import lru_cache

from arena.gin.rules import Rules
from arena.gin.score import Ending, Showdown, score
from arena.train.native import MOST, HandTerms

_CALLED = (Ending.KNOCK, Ending.GIN, Ending.BIG_GIN, Ending.SHOWDOWN)  # as native.py numbers the calls
_ENDINGS = list(Ending)
_STOCK_OUT = ("dead", "showdown", "last_take")
_NEXT_DEALER = ("alternate", "loser", "winner")


@lru_cache(maxsize=32)
def terms_of(rules: Rules) -> HandTerms:
    """Return the terms of a ruleset. They are shared: do not change them."""
    terms = HandTerms(
        most_deadwood=rules.most_deadwood,
        max_takes=rules.max_takes,
        return_taken=rules.return_taken,
        upcard=rules.first_turn == "upcard",
        any_pile=rules.after_two_passes == "any",
        two_ended=rules.stock == "two-ended",
        big_gin=rules.plays_big_gin,
        layoff_on_gin=rules.layoff_on_gin,
        stock_out=_STOCK_OUT.index(rules.stock_out),
        next_dealer=_NEXT_DEALER.index(rules.next_dealer),
    )
    for number, called in enumerate(_CALLED):
        gin = called in (Ending.GIN, Ending.BIG_GIN)
        for mine in range(1 if gin else MOST):
            for theirs in range(MOST):
                result = score(Showdown(called, 0, (mine, theirs)), rules)
                place = terms.scores[number][mine][theirs]
                place.points = result.points
                place.ending = _ENDINGS.index(result.ending)
                place.won = -1 if result.winner is None else result.winner
    return terms
