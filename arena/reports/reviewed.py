"""A review in numbers, on the console and on pages: what each bot loses and where, and its costliest decisions."""

import shlex
from collections.abc import Iterator

from arena.reports.numbers import count, error
from arena.reports.priced_turns import action_words, best_words, price
from arena.review.prices import PricedKind
from arena.review.summary import KINDS, BotReview, ListedDecision, Review

ONE_HAND = "the standard error of a single hand is not known"
NAMES: dict[PricedKind, str] = {"draw": "draw or take", "discard": "discard", "knock": "knock", "lay_off": "melds and lay-offs"}


def review_lines(review: Review, run: str) -> Iterator[str]:
    """Yield a review as lines; ``run`` is the folder for the `arena replay` commands that are printed."""
    for bot, found in review.bots.items():
        yield from _bot_lines(bot, found)
        worst_decisions = review.worst_decisions(bot)
        if worst_decisions:
            yield "  costliest decisions:"
        for one in worst_decisions:
            yield from _decision_lines(one, run)


def _bot_lines(bot: str, found: BotReview) -> Iterator[str]:
    yield f"{bot}: {count(found.hands, 'hand')}, {_extent(found)}"
    yield f"  error rate {found.error_rate:z.2f}{error(found.se)} points a hand{_beside_policy(found)}"
    for kind in KINDS:
        yield f"    {NAMES[kind]:20}{found.kinds[kind]:z6.2f}{error(found.kinds_se[kind])}"
    rest = found.points_less_luck
    yield f"  result {found.points:+z,.2f} points a hand: luck of the draws {found.luck:+z,.2f}, the rest {rest:+z,.2f}"
    yield "  marks: " + ", ".join(f"{_plural(mark, number)} {number}" for mark, number in found.marks.items())


def _extent(found: BotReview) -> str:
    """Return the number of priced decisions, and of priced hands unless all were."""
    decisions = count(found.decisions, "decision")
    return decisions if found.priced_hands == found.hands else f"{found.priced_hands} of them priced, with {decisions}"


def _beside_policy(found: BotReview) -> str:
    """Return the meaning of a negative error rate, or a note that the error of a single hand is not known; else nothing."""
    if found.se is None:
        return f"; {ONE_HAND}"
    if found.error_rate >= 0:
        return ""
    return f": it plays {'better than' if found.error_rate < -2 * found.se else 'as well as'} the reviewer's policy"


def _plural(mark: str, count: int) -> str:
    if count == 1:
        return mark
    return "inaccuracies" if mark == "inaccuracy" else f"{mark}s"


def _decision_lines(one: ListedDecision, run: str) -> Iterator[str]:
    command = shlex.join(("arena", "replay", run, one.fixture, one.hand, "--seat", str(one.seat)))
    marked = f", {one.mark}" if one.mark else ""
    yield f"    {price(one):>11}  {NAMES[one.kind]}: {action_words(one.action)}, better {best_words(one)}{marked}"
    yield f"           turn {one.turn}: {command}"
