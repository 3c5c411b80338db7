"""Reviews a person's play in a background process, and puts the review of the last hand and of the match so far into words."""

from collections.abc import Sequence

from msgspec import Struct

from arena.human.error_trend import MatchErrors, errors_in
from arena.reports.numbers import count, error, hand_words, number, typeset
from arena.reports.priced_turns import worst_decision
from arena.review.summary import DecisionPrice, ReviewedHand, lower, mean

EVEN = 0.5  # points: a smaller error or luck counts as none
LEAST = 1.0  # points: a decision that gave up less is not named
NOTE = (
    "Your play: points beside the reviewer's own, who judges each decision by what you could know when you made it. Luck: of the"
    " draws of both players. The rest of the result comes from the cards as they were dealt, and from the other player's play."
)
NOTHING = "No single decision gave up a point."
AS_WELL = "played as well as the reviewer would have"  # by a match: as far as its hands can tell


class PartReview(Struct, frozen=True, kw_only=True):
    """The review of one hand or of several, as a person reads it."""

    title: str
    text: str
    worst_decision: str  # the decision that gave up most beyond doubt, in words; or that none gave up a point
    place: str  # its hand and turn in a replay, ``0.3/13``; empty: there is none


class HandLine(Struct, frozen=True):
    """A hand in the table of a match."""

    hand: str  # its name, 0.3
    result: str  # points
    luck: str  # points that the draws brought
    play: str  # points compared with the reviewer's play
    rest: str  # points that are left of the result: by the cards as dealt, and the other player's play


class PersonsReview(Struct, frozen=True, kw_only=True):
    """The review of all of a person's hands in a match, as the person reads it."""

    last: PartReview
    match: PartReview
    hands: tuple[HandLine, ...]
    trend: tuple[MatchErrors, ...] = ()  # the last matches, this one last; empty: there was none before
    note: str = NOTE


def in_words(hands: Sequence[ReviewedHand], earlier: Sequence[MatchErrors] = ()) -> PersonsReview:
    """Return the review of a person's hands, in the order in which they were reviewed; ``earlier`` are the matches before."""
    played = sorted(hands, key=lambda one: (one.place.game, one.place.hand))
    return PersonsReview(
        last=_hand_review(hands[-1]),
        match=_match_review(played),
        hands=tuple(map(_hand_line, played)),
        trend=(*earlier, errors_in("this match", hands)) if earlier else (),
    )


def _hand_review(one: ReviewedHand) -> PartReview:
    text = f"You {_compared_with_reviewer(one.error)}; {_luck_words(one.luck)}; {_rest_words([one])}."
    return _part_review(f"Review of {hand_words(one.place.name, alone=False)}", text, [one])


def _match_review(hands: Sequence[ReviewedHand]) -> PartReview:
    errors = [one.error for one in hands]
    rate = mean(errors)
    won, luck = sum(one.points for one in hands), sum(one.luck for one in hands)
    each = f": {number(-rate.points, '+z,.2f')}{error(rate.se)} points a hand" if rate.se is not None else ""
    is_open = rate.se is not None and abs(rate.points) <= 2 * rate.se
    played = AS_WELL if is_open else _compared_with_reviewer(sum(errors))
    from_cards = f"{_luck_words(luck)}, {_rest_words(hands)}"
    text = f"In {count(len(hands), 'hand')} {_result_words(won)}; {from_cards}, and you {played}{each}."
    return _part_review("Review of the match", text, hands)


def _part_review(title: str, text: str, hands: Sequence[ReviewedHand]) -> PartReview:
    costly = [(hand, one) for hand in hands for one in hand.decisions if lower(one.price, one.confirmed) >= LEAST]
    if not costly:
        return PartReview(title=title, text=typeset(text), worst_decision=NOTHING, place="")
    hand, worst = max(costly, key=lambda pair: _certain_loss(pair[1]))
    where = f"{hand_words(hand.place.name, alone=False)}, turn {worst.turn}"
    return PartReview(
        title=title,
        text=typeset(text),
        worst_decision=f"Your costliest decision: {where}: {worst_decision(worst)}.",
        place=f"{hand.place.name}/{worst.turn}",
    )


def _certain_loss(one: DecisionPrice) -> float:
    """Return the points that a decision gave up beyond doubt: the lower price less two standard errors."""
    return lower(one.price, one.confirmed) - 2 * one.se


def _hand_line(one: ReviewedHand) -> HandLine:
    luck, play = round(one.luck, 1), round(-one.error, 1)
    shown = (f"{one.points:+,}", *(f"{points:+z,.1f}" for points in (luck, play, one.points - luck - play)))
    result, *parts = map(typeset, shown)
    return HandLine(one.place.name, result, *parts)


def _result_words(points: int) -> str:
    if points == 0:
        return "you won as much as you lost"
    return f"you {'won' if points > 0 else 'lost'} {count(abs(points), 'point')}"


def _compared_with_reviewer(points: float) -> str:
    """Return an error, in points, in words."""
    if abs(points) < EVEN:
        return AS_WELL
    return f"played {abs(points):.1f} points {'worse' if points > 0 else 'better'} than the reviewer would have"


def _luck_words(luck: float) -> str:
    if abs(luck) < EVEN:
        return "the draws favoured neither player"
    return f"the draws {_brought(luck)}"


def _rest_words(hands: Sequence[ReviewedHand]) -> str:
    """Return in words what is left of the result, so that luck, play and the rest add up to it."""
    return f"the cards dealt and the other player's play {_brought(sum(one.points - one.luck + one.error for one in hands))}"


def _brought(points: float) -> str:
    return f"{'cost' if points < 0 else 'brought'} you {abs(points):.1f} points"
