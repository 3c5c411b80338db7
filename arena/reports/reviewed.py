"""A review as text: what each bot loses and where, and its dearest decisions."""

import shlex
from collections.abc import Iterator

from arena.review.summary import KINDS, BotReview, ListedDecision, Review

NAMES = {"draw": "draw or take", "discard": "discard", "knock": "knock", "lay_off": "melds and lay-offs"}


def lines(review: Review, run: str) -> Iterator[str]:
    """Yield a review as lines; ``run`` is the folder that the commands of its links name."""
    for bot, found in review.bots.items():
        yield from _bot(bot, found)
        dearest = review.dearest(bot)
        if dearest:
            yield "  dearest decisions:"
        for one in dearest:
            yield from _decision(one, run)


def _bot(bot: str, found: BotReview) -> Iterator[str]:
    yield f"{bot}: {found.hands} hands, {found.decisions} decisions"
    yield f"  error rate {found.error_rate:.2f} ± {2 * found.se:.2f} points a hand{_beside_policy(found)}"
    for kind in KINDS:
        yield f"    {NAMES[kind]:20}{found.kinds[kind]:6.2f} ± {2 * found.kinds_se[kind]:.2f}"
    yield f"  result {found.points:+.2f} points a hand: luck of the draws {found.luck:+.2f}, the rest {found.points_less_luck:+.2f}"
    yield "  marks: " + ", ".join(f"{_plural(mark, count)} {count}" for mark, count in found.marks.items())


def _beside_policy(found: BotReview) -> str:
    """Say what a negative error rate means."""
    if found.error_rate >= 0:
        return ""
    return f": it plays {'better than' if found.error_rate < -2 * found.se else 'as well as'} the reviewer's policy"


def _plural(mark: str, count: int) -> str:
    if count == 1:
        return mark
    return "inaccuracies" if mark == "inaccuracy" else f"{mark}s"


def _decision(one: ListedDecision, run: str) -> Iterator[str]:
    command = shlex.join(("arena", "replay", run, one.fixture, one.hand, "--seat", str(one.seat)))
    marked = f", {one.mark}" if one.mark else ""
    yield f"    {one.price:5.1f} ± {2 * one.se:.1f}  {NAMES[one.kind]}: {said(one.action)}, better {said(one.best)}{marked}"
    yield f"           turn {one.turn}: {command}"


def said(word: str) -> str:
    """Return an action's word in plain English: ``throw Kd``, ``knock with 4d``; declared melds are left out."""
    kind, _, declared = word.partition(":")
    match kind:
        case "knock":
            return f"knock with {declared[:2]}"
        case "lay_off":
            return f"lay off {declared}" if declared else "lay off the best"
        case "pass" | "take" | "draw" | "big_gin":
            return kind.replace("_", " ")
        case _:
            return f"throw {kind}"
