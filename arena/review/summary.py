"""The summary of a review for each bot: error rate, prices, marks and luck."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import get_args

from msgspec import Struct

from arena.gin.actions import word
from arena.gin.facts import Seat
from arena.review.marks import Mark, mark
from arena.review.prices import Price, PricedDecision, PricedKind, TriedAction

KINDS: tuple[PricedKind, ...] = get_args(PricedKind)
MOST_LISTED = 10  # decisions of a bot that are listed


class Place(Struct, frozen=True):
    """The place of a hand in a run."""

    fixture: str
    game: int
    hand: int

    @property
    def name(self) -> str:
        """Return the hand's name within its fixture, as ``arena replay`` takes it."""
        return f"{self.game}.{self.hand}"


class TriedPrice(Struct, frozen=True):
    """An alternative of a marked decision as it is stored, in points a hand."""

    action: str
    # against the best alternative; too large on average, because the sampled worlds that chose the best also measure it
    loss: float
    se: float


class DecisionPrice(Struct, frozen=True):
    """The price of a decision as it is stored, in points a hand."""

    turn: int  # as ``arena replay`` numbers the actions of a hand, from 1
    action: str
    best: str
    price: float  # what the best alternative gains
    se: float
    kinds: dict[PricedKind, float]  # parts of the price
    errors: dict[PricedKind, float]  # by kind: points that the rollouts' policy gains by its own decision; may be negative
    worth: float  # expected points of the action
    confirmed: float | None = None  # the price by rollouts of a stronger player; None: it had no mark, or is of a lay-off, so exact
    tried: tuple[TriedPrice, ...] = ()  # the alternatives, the best first; empty without a mark, and for lay-offs

    @property
    def error(self) -> float:
        """Return the gain of the rollouts' policy by its own decision."""
        return sum(self.errors.values())

    @property
    def kind(self) -> PricedKind:
        """Return the kind of the largest part of the price; of equal parts, such as zeros, the first in the order of KINDS."""
        return max((kind for kind in KINDS if kind in self.kinds), key=lambda kind: abs(self.kinds[kind]))

    @property
    def mark(self) -> Mark:
        """Return the mark of the decision, by the lower one of its prices."""
        return mark(Price(lower(self.price, self.confirmed), self.se))


class ReviewedHand(Struct, frozen=True, kw_only=True):
    """The review of a seat of a hand: its priced decisions, or only its errors, which takes a fraction of the time."""

    place: Place
    bot: str
    seat: Seat
    points: int  # net points of the seat
    luck: float  # of the draws, in points for the seat
    decisions: tuple[DecisionPrice, ...] = ()
    measured: dict[PricedKind, float] | None = None  # errors by kind, without priced decisions; None: sum those of ``decisions``

    @property
    def errors(self) -> dict[PricedKind, float]:
        """Return the errors of the hand by kind: the gain of the rollouts' policy in the place of the bot."""
        return errors_by_kind(self.decisions) if self.measured is None else self.measured

    @property
    def error(self) -> float:
        """Return the gain of the rollouts' policy in the place of the bot."""
        return sum(self.errors.values())


class Mean(Struct, frozen=True):
    """Points a hand over some hands, with the standard error."""

    points: float
    se: float | None  # None: of a single hand, whose error is not known


class BotReview(Struct, frozen=True, kw_only=True):
    """The review of a bot, in points a hand.

    The error rate says how many more points the policy of the rollouts would score in the bot's place, by kind of decision; below
    zero, the bot plays better. ``price`` is what the best alternatives would gain: never compare two bots by it.
    """

    hands: int
    priced_hands: int  # the others have only errors, and no part in ``decisions``, ``price`` and ``marks``
    decisions: int  # that are priced
    error_rate: float
    se: float | None  # of the error rate; None: of a single hand, whose error is not known
    kinds: dict[PricedKind, float]  # parts of the error rate
    kinds_se: dict[PricedKind, float | None]
    price: float | None  # None: no hand is priced
    points: float
    luck: float
    points_less_luck: float
    marks: dict[str, int]


class ListedDecision(Struct, frozen=True, kw_only=True):
    """A decision in the list of a review."""

    bot: str
    fixture: str
    hand: str
    turn: int
    seat: Seat
    kind: PricedKind
    action: str
    best: str
    price: float
    se: float
    error: float
    worth: float
    confirmed: float | None
    mark: Mark
    tried: tuple[TriedPrice, ...]  # of a marked decision

    @property
    def lower(self) -> float:
        """Return the lower one of its prices."""
        return lower(self.price, self.confirmed)


class Review(Struct, frozen=True, kw_only=True):
    """A review of some hands."""

    bots: dict[str, BotReview]
    decisions: tuple[ListedDecision, ...]

    def worst_decisions(self, bot: str) -> list[ListedDecision]:
        """Return the MOST_LISTED decisions of a bot, by the lower price less two standard errors."""
        own = (one for one in self.decisions if one.bot == bot and one.lower > 0)
        return sorted(own, key=lambda one: (2 * one.se - one.lower, one.fixture, one.hand, one.turn))[:MOST_LISTED]


def lower(price: float, confirmed: float | None) -> float:
    """Return the lower one of two prices; the first, if there is no second."""
    return price if confirmed is None else min(price, confirmed)


def decision_price(priced: PricedDecision) -> DecisionPrice:
    """Return a price as it is stored."""
    best = priced.action if priced.total.points == 0 else priced.best  # 0: no alternative leads clearly
    confirmed = None if priced.confirmed is None else round(priced.confirmed.points, 3)
    marked = mark(Price(lower(priced.total.points, confirmed), priced.total.se))
    return DecisionPrice(
        turn=priced.turn,
        action=word(priced.action),
        best=word(best),
        price=round(priced.total.points, 3),
        se=round(priced.total.se, 3),
        kinds=_round_parts(priced.kinds),
        errors=_round_parts(priced.errors),
        worth=round(priced.worth, 3),
        confirmed=confirmed,
        tried=tuple(sorted(map(_tried_price, priced.tried), key=lambda one: one.loss)) if marked else (),
    )


def _tried_price(one: TriedAction) -> TriedPrice:
    return TriedPrice(word(one.action), round(one.loss.points, 3), round(one.loss.se, 3))


def _round_parts(parts: Mapping[PricedKind, Price]) -> dict[PricedKind, float]:
    return {kind: round(part.points, 3) for kind, part in parts.items()}


def review(hands: Sequence[ReviewedHand]) -> Review:
    """Return the review of each bot by some hands."""
    by_bot = defaultdict[str, list[ReviewedHand]](list)
    for hand in hands:
        by_bot[hand.bot].append(hand)
    return Review(
        bots={bot: _bot(several) for bot, several in sorted(by_bot.items())},
        decisions=tuple(one for hand in hands for one in _decisions(hand)),
    )


def _decisions(hand: ReviewedHand) -> Iterator[ListedDecision]:
    for one in hand.decisions:
        yield ListedDecision(
            bot=hand.bot,
            fixture=hand.place.fixture,
            hand=hand.place.name,
            turn=one.turn,
            seat=hand.seat,
            kind=one.kind,
            action=one.action,
            best=one.best,
            price=one.price,
            se=one.se,
            error=round(one.error, 3),
            worth=one.worth,
            confirmed=one.confirmed,
            mark=one.mark,
            tried=one.tried,
        )


def errors_by_kind(decisions: Sequence[DecisionPrice]) -> dict[PricedKind, float]:
    """Return the sums of the errors of decisions by kind."""
    return {kind: sum(one.errors.get(kind, 0.0) for one in decisions) for kind in KINDS}


def _bot(hands: Sequence[ReviewedHand]) -> BotReview:
    priced = [hand.decisions for hand in hands if hand.measured is None]
    total, errors = mean([hand.error for hand in hands]), [hand.errors for hand in hands]
    kinds = {kind: mean([one.get(kind, 0.0) for one in errors]) for kind in KINDS}
    marks = [one.mark for decisions in priced for one in decisions]
    points, luck = (mean(values).points for values in ([hand.points for hand in hands], [hand.luck for hand in hands]))
    return BotReview(
        hands=len(hands),
        priced_hands=len(priced),
        decisions=sum(map(len, priced)),
        error_rate=total.points,
        se=total.se,
        kinds={kind: found.points for kind, found in kinds.items()},
        kinds_se={kind: found.se for kind, found in kinds.items()},
        price=mean([sum(one.price for one in decisions) for decisions in priced]).points if priced else None,
        points=points,
        luck=luck,
        points_less_luck=points - luck,
        marks={name: marks.count(name) for name in get_args(Mark) if name},
    )


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of one value for each hand, with its standard error; hands, not decisions, are independent."""
    centre = sum(values) / len(values)
    if len(values) < 2:
        return Mean(centre, None)
    spread = sum((value - centre) ** 2 for value in values) / (len(values) - 1)
    return Mean(centre, sqrt(spread / len(values)))
