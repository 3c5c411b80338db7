"""What a test observes: blocks of deals.

The bots are started anew for every leg, and a leg plays a few deals. All legs on the deals of one number form a *block*: two in a
duel, and in a gauntlet those of candidate and baseline against every opponent. A block is one observation. Deals of the same leg
are not: they share a process, and if its play depends on something else than the deals, such as system entropy at the start, their
scores are dependent.

A leg that was lost with its worker is not played again, because a bot that can end its worker would choose by that which legs
count. Its hands count as the worst that they could have been, for each side of a test its own.
"""

from msgspec import Struct


class DealScore(Struct, frozen=True):
    """The score of one deal, for the first of two bots or for the candidate."""

    y: float
    luck: float = 0.0  # of the draws, in points; 0 where it was not computed
    hands: int = 2
    same: bool = False  # both legs had the same result


class Block(Struct, frozen=True):
    """The scores of the deals that the legs of a block have played; at least one."""

    deals: tuple[DealScore, ...]
    lost: float = 0.0  # share of its legs that were lost; their hands have score and luck 0
    fresh: bool = True  # all of it was played; False: some hands were skipped as equal

    @property
    def y(self) -> float:
        """Return the mean score of a deal."""
        return sum(deal.y for deal in self.deals) / len(self.deals)

    @property
    def luck(self) -> float:
        """Return the mean luck of a deal."""
        return sum(deal.luck for deal in self.deals) / len(self.deals)

    @property
    def hands(self) -> int:
        """Return the hands of all legs."""
        return sum(deal.hands for deal in self.deals)

    @property
    def same(self) -> int:
        """Return the number of deals with the same result in both legs."""
        return sum(deal.same for deal in self.deals)
