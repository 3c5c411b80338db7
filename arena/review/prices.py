"""Prices of decisions, as values; :mod:`arena.review.reviewer` finds them."""

from typing import Final, Literal

from msgspec import Struct

from arena.gin.actions import Action

VERSION: Final = 5  # of the policy and of the estimator; a price is stored with it

PricedKind = Literal["draw", "discard", "knock", "lay_off"]


class Price(Struct, frozen=True):
    """The points that a decision gives up, with the standard error."""

    points: float
    se: float


class TriedAction(Struct, frozen=True):
    """An alternative that was tried."""

    action: Action
    loss: Price  # against the best of all


class PricedDecision(Struct, frozen=True):
    """A decision with its price, in all and by kind, the best alternative, and the error by kind."""

    turn: int  # number of the action in the hand, counted from 1
    action: Action
    total: Price
    kinds: dict[PricedKind, Price]
    best: Action
    errors: dict[PricedKind, Price]
    worth: float  # expected points of the chosen action, by what the seat knew
    # All alternatives, with fewer walks for those that were given up early. If all but the chosen one were, only that one.
    tried: tuple[TriedAction, ...] = ()
    confirmed: Price | None = None  # by rollouts of a stronger player; None: not asked
