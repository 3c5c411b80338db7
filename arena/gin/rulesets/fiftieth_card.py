"""The rules of other engines, in which the fiftieth card may be taken to knock."""

from arena.gin.rules import Points, StockOut, Tie
from arena.gin.rulesets.standard import Standard


class FiftiethCard(Standard, frozen=True, kw_only=True, tag="fiftieth-card"):
    """``standard`` in which the last discard may be taken to knock; a tie scores nothing."""

    stock_out: StockOut = "last_take"
    return_taken: bool = True
    tie: Tie = "nothing"
    big_gin_bonus: Points | None = None
