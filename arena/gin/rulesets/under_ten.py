"""The most permissive text: a knock below ten, taken cards may be discarded, a showdown at the end. Source: S4."""

from arena.gin.rules import AfterTwoPasses, Limit, Points, StockOut, Tie
from arena.gin.rulesets.standard import Standard


class UnderTen(Standard, frozen=True, kw_only=True, tag="under-ten"):
    """``standard`` with a knock limit of 9, lay-offs on gin, and a showdown when the stock is out."""

    knock_limit: Limit = 9
    tie: Tie = "nothing"
    big_gin_bonus: Points | None = None
    return_taken: bool = True
    layoff_on_gin: bool = True
    stock_out: StockOut = "showdown"
    after_two_passes: AfterTwoPasses = "any"
