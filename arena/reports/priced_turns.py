"""Decisions and their prices, in words."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from arena.gin.cards import with_signs
from arena.gin.facts import Seat
from arena.reports.numbers import error
from arena.review.marks import Mark, mark
from arena.review.prices import Price
from arena.review.summary import DecisionPrice, ListedDecision, TriedPrice

Priced = DecisionPrice | ListedDecision

MARKS = {"inaccuracy": "an inaccuracy", "mistake": "a mistake", "blunder": "a blunder"}


class TriedChoice(Struct, frozen=True, array_like=True):
    """What a replay says to a reader who tries a decision again."""

    words: str  # ``throw K♦``
    mark: Mark
    verdict: str


class PricedTurn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a replay shows of a decision."""

    hand: str  # as 0.3
    turn: int  # number of the action in the hand, from 1
    seat: Seat
    mark: Mark
    price: float  # points that it gave up
    worth: float  # points that the action could expect, as its seat knew
    best: str  # the word of the best action, to mark its card
    verdict: str  # after the turn
    advice: str  # before the turn; empty: nothing better was found
    choices: tuple[TriedChoice, ...] = ()  # of a marked decision, sorted by their words, so that the order does not show the best


def priced_turns(decisions: Iterable[ListedDecision]) -> Iterator[PricedTurn]:
    """Yield what a replay shows of some decisions."""
    for one in decisions:
        yield PricedTurn(
            hand=one.hand,
            turn=one.turn,
            seat=one.seat,
            mark=one.mark,
            price=round(one.price, 1),
            worth=one.worth,
            best=one.best,
            verdict=_verdict(one),
            advice=_advice(one),
            choices=tuple(sorted(_choices(one), key=lambda choice: choice.words)) if one.mark else (),
        )


def _choices(one: ListedDecision) -> Iterator[TriedChoice]:
    """Yield the alternatives that were tried, those that differ in their melds alone once."""
    by_words = {action_words(tried.action): tried for tried in reversed(one.tried)}  # of equal words the first
    for words, tried in by_words.items():
        tried_mark = mark(Price(tried.loss, tried.se))
        if words == action_words(one.best):
            yield TriedChoice(with_signs(words), "", "This is the best that the review found.")
        elif words == action_words(one.action):
            yield TriedChoice(with_signs(words), one.mark, f"This was played. {_verdict(one)}")
        else:
            yield TriedChoice(with_signs(words), tried_mark, _tried_verdict(one, tried))


def _tried_verdict(one: ListedDecision, tried: TriedPrice) -> str:
    best, loss = with_signs(action_words(one.best)), f"{tried.loss:,.1f}{error(tried.se, 1)} points"
    if tried.loss > 2 * tried.se:
        return f"This gives up {loss}; better: {best}."
    return f"The review cannot tell this from the best, {best}: it gives up {loss}."


def _verdict(one: ListedDecision) -> str:
    if not _has_better(one):
        return "The review found nothing better than this."
    return f"{_gave_up(one)} {points(one)}; better: {with_signs(best_words(one))}."


def _gave_up(one: ListedDecision) -> str:
    if one.mark:
        return f"This was {MARKS[one.mark]}: it gave up"
    return "It gave up" if one.price > 2 * one.se else "It may have given up"


def _advice(one: ListedDecision) -> str:
    return f"best in turn {one.turn}: {with_signs(best_words(one))}, {one.price:.1f} points better" if _has_better(one) else ""


def _has_better(one: ListedDecision) -> bool:
    """Tell whether the review found something better; noise, or a stronger player's play, can make a price negative."""
    return one.best != one.action and one.lower > 0


def worst_decision(one: DecisionPrice) -> str:
    """Return the text about a person's costliest decision."""
    marked = f", {MARKS[one.mark]}" if one.mark else ""
    return f"{with_signs(action_words(one.action))}; better: {with_signs(best_words(one))}, by {points(one)}{marked}"


def points(one: Priced) -> str:
    """Return the points that a decision gave up, with two standard errors, and what a stronger player says of a marked one."""
    confirmed = "" if one.confirmed is None else f" ({one.confirmed:.1f} with a stronger player's play)"
    return f"{one.price:,.1f}{error(one.se, 1)} points{confirmed}"


def price(one: Priced) -> str:
    """Return what ``points`` says in short, for a list."""
    confirmed = "" if one.confirmed is None else f", confirmed {one.confirmed:.1f}"
    return f"{one.price:,.1f}{error(one.se, 1)}{confirmed}"


def action_words(word: str) -> str:
    """Return an action's word in plain English: ``throw Kd``, ``knock with 4d``; the melds of a knock are left out."""
    kind, _, declared = word.partition(":")
    match kind:
        case "knock":
            return f"knock with {declared[:2]}"
        case "lay_off":
            return _laid(declared) if declared else "lay off the best"
        case "pass" | "take" | "draw" | "big_gin":
            return kind.replace("_", " ")
        case _:
            return f"throw {kind}"


def best_words(one: Priced) -> str:
    """Return the best action in words; a knock that differs from the chosen one in its melds alone is ``with other melds``."""
    words = action_words(one.best)
    return f"{words} with other melds" if one.best != one.action and words == action_words(one.action) else words


def _laid(declared: str) -> str:
    """Return melds and lay-offs in words, from ``melds=6d7d8d,9c9d9h:on=4d0``."""
    laid = dict(part.partition("=")[::2] for part in declared.split(":"))
    melds, on = (laid.get(name, "").replace(",", " ") for name in ("melds", "on"))
    parts = (f"lay down {melds}" if melds else "", f"lay off {' '.join(one[:2] for one in on.split())}" if on else "")
    return ", ".join(filter(None, parts)) or "lay down nothing"
