"""The most permissive text: knock below ten, throw back what was taken, a showdown at the end. Source: S4."""

from arena.gin.rulesets.standard import Standard


class UnderTen(Standard, frozen=True, kw_only=True, tag="under-ten"):
    """``standard`` with a knock limit of 9, lay-offs on gin, and a showdown when the stock is out."""

    knock_limit = 9
    tie = "nothing"
    big_gin_bonus = None
    return_taken = True
    layoff_on_gin = True
    stock_out = "showdown"
    after_two_passes = "any"
