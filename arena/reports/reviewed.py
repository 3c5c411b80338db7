"""A review in words and numbers, on the console and on pages: what each bot loses and where, and its dearest decisions."""

import shlex
from collections.abc import Iterator, Sequence

from msgspec import Struct

from arena.reports.tables import TextTable
from arena.review.estimates import PricedKind
from arena.review.summary import KINDS, BotReview, ListedDecision, Review, ReviewedHand, mean

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
    yield f"{bot}: {_number(found.hands, 'hand')}, {_number(found.decisions, 'decision')}{_priced(found)}"
    yield f"  error rate {found.error_rate:.2f} ± {2 * found.se:.2f} points a hand{_beside_policy(found)}"
    for kind in KINDS:
        yield f"    {NAMES[kind]:20}{found.kinds[kind]:6.2f} ± {2 * found.kinds_se[kind]:.2f}"
    yield f"  result {found.points:+.2f} points a hand: luck of the draws {found.luck:+.2f}, the rest {found.points_less_luck:+.2f}"
    yield "  marks: " + ", ".join(f"{_plural(mark, count)} {count}" for mark, count in found.marks.items())


def _priced(found: BotReview) -> str:
    """Say of how many hands the decisions were priced, unless of all."""
    return f" of {found.priced_hands} of them priced" if found.priced_hands < found.hands else ""


def _beside_policy(found: BotReview) -> str:
    """Say what a negative error rate means."""
    if found.error_rate >= 0:
        return ""
    return f": it plays {'better than' if found.error_rate < -2 * found.se else 'as well as'} the reviewer's policy"


def _number(count: int, what: str) -> str:
    return f"{count} {what if count == 1 else f'{what}s'}"


def _plural(mark: str, count: int) -> str:
    if count == 1:
        return mark
    return "inaccuracies" if mark == "inaccuracy" else f"{mark}s"


def _decision(one: ListedDecision, run: str) -> Iterator[str]:
    command = shlex.join(("arena", "replay", run, one.fixture, one.hand, "--seat", str(one.seat)))
    marked = f", {one.mark}" if one.mark else ""
    yield f"    {price(one):>11}  {NAMES[one.kind]}: {said(one.action)}, better {said(one.best)}{marked}"
    yield f"           turn {one.turn}: {command}"


def price(one: ListedDecision) -> str:
    """Return the points that a decision gives up, with two standard errors, and what a stronger player says of a marked one."""
    confirmed = "" if one.confirmed is None else f", confirmed {one.confirmed:.1f}"
    return f"{one.price:.1f} ± {2 * one.se:.1f}{confirmed}"


def said(word: str) -> str:
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


def _laid(declared: str) -> str:
    """Return melds and lay-offs in words, from ``melds=6d7d8d,9c9d9h:on=4d0``."""
    laid = dict(part.partition("=")[::2] for part in declared.split(":"))
    melds, on = (laid.get(name, "").replace(",", " ") for name in ("melds", "on"))
    parts = (f"lay down {melds}" if melds else "", f"lay off {' '.join(one[:2] for one in on.split())}" if on else "")
    return ", ".join(filter(None, parts)) or "lay down nothing"


# --- at a table

EVEN = 0.5  # points: a smaller error or luck of a hand is not worth a word
LEAST = 1.0  # points: nor is a decision that gave up less


class ReviewInWords(Struct, frozen=True):
    """What a person reads after a hand."""

    lines: tuple[str, ...]
    dearest: str  # the decision that gave up most, in words; empty: none did
    place: str  # of that decision in a replay, ``0.3/12``


def in_words(hands: Sequence[ReviewedHand]) -> ReviewInWords:
    """Return what a person reads of the last of its hands, and of all of them."""
    last, several = hands[-1], len(hands)
    lines = [f"Hand {last.place.name}: {_beside(last.error)}; {_lucky(last.luck)}."]
    if several > 1:
        error, luck = mean([one.error for one in hands]), mean([one.luck for one in hands])
        lines.append(f"Over {several} hands: error rate {within(error.points, error.se)} points a hand, luck {luck.points:+z.2f}.")
    costly = [one for one in last.decisions if one.price >= LEAST]
    if not costly:
        return ReviewInWords((*lines, "No decision gave up a point."), "", "")
    worst = max(costly, key=lambda one: one.price - 2 * one.se)
    marked = f", {_ARTICLES[worst.mark]}" if worst.mark else ""
    dearest = f"{said(worst.action)}; better {said(worst.best)}, by {worst.price:.1f} ± {2 * worst.se:.1f} points{marked}"
    return ReviewInWords(tuple(lines), dearest, f"{last.place.name}/{worst.turn - 1}")


def _beside(error: float) -> str:
    """Return the error of a hand in words."""
    if abs(error) < EVEN:
        return "you played as the reviewer would have"
    return f"you played {abs(error):.1f} points {'worse' if error > 0 else 'better'} than the reviewer would have"


def _lucky(luck: float) -> str:
    if abs(luck) < EVEN:
        return "the draws favoured nobody"
    return f"the draws {'brought you' if luck > 0 else 'cost you'} {abs(luck):.1f} points"


_ARTICLES = {"inaccuracy": "an inaccuracy", "mistake": "a mistake", "blunder": "a blunder"}


# --- on pages


class ReviewSection:
    """What pages show of a review."""

    def __init__(self, review: Review) -> None:
        self.table = review_table(review)
        bots = [row[0] for row in self.table.rows]
        self.dearest = [DearestTable(bot, [*map(_shown, found)]) for bot in bots if (found := review.dearest(bot))]


class DearestTable(Struct, frozen=True):
    """The dearest decisions of a bot."""

    bot: str
    rows: list["ShownDecision"]


class ShownDecision(Struct, frozen=True):
    """A decision in words."""

    fixture: str
    hand: str
    turn: int  # number of the action in the hand, from 1
    price: str
    kind: str
    action: str
    best: str
    mark: str


def _shown(one: ListedDecision) -> ShownDecision:
    return ShownDecision(
        fixture=one.fixture,
        hand=one.hand,
        turn=one.turn,
        price=price(one),
        kind=NAMES[one.kind],
        action=said(one.action),
        best=said(one.best),
        mark=one.mark,
    )


TITLE = "Where points are lost"
NOTE = (
    "Error rate: points a hand that the reviewer's policy would score more in the place of the bot, judged from what its seat knew;"
    " below zero, the bot plays better. Then the same by kind of decision. ± two standard errors. Luck: of the draws."
    " Marks: inaccuracies, mistakes and blunders, which cost at least 2, 4 and 8 points beyond doubt; their price is computed again"
    " with a stronger player's play (confirmed), and the lower one makes the mark."
)


def review_table(review: Review) -> TextTable:
    """Return what each bot loses, the least first."""
    headings = ("bot", "hands", "error rate", *(NAMES[kind] for kind in KINDS), "luck", "result less luck", "marks")
    order = sorted(review.bots, key=lambda bot: review.bots[bot].error_rate)
    return TextTable(TITLE, headings, [(bot, *_cells(review.bots[bot])) for bot in order], (0,), NOTE)


def _cells(found: BotReview) -> Iterator[str]:
    yield str(found.hands)
    yield within(found.error_rate, found.se)
    yield from (_of_kind(found, kind) for kind in KINDS)
    yield from (f"{points:+z.2f}" for points in (found.luck, found.points_less_luck))
    yield " / ".join(map(str, found.marks.values()))


def _of_kind(found: BotReview, kind: PricedKind) -> str:
    return within(found.kinds[kind], found.kinds_se[kind])


def within(points: float, se: float) -> str:
    """Return points a hand with two standard errors."""
    return f"{points:z.2f} ± {2 * se:.2f}"
