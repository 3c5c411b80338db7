"""The section of a report with what reviews found, for pages."""

from collections.abc import Iterator

from msgspec import Struct

from arena.reports.numbers import error
from arena.reports.reviewed import NAMES
from arena.reports.text_table import TextTable
from arena.review.prices import PricedKind
from arena.review.summary import KINDS, BotReview, ListedDecision, Review
from arena.stats.statements import MARKED, TWO_ERRORS


class ReviewSection(Struct, frozen=True):
    """What pages show of a review."""

    table: TextTable
    worst_decisions: list[tuple[str, list[ListedDecision]]]  # bots with their costliest decisions, in the order of the table
    kinds: dict[PricedKind, str]  # names of the kinds of decisions


def section_of(review: Review) -> ReviewSection:
    """Return what pages show of a review."""
    table = review_table(review)
    bots = [row[0] for row in table.rows]
    return ReviewSection(table, [(bot, found) for bot in bots if (found := review.worst_decisions(bot))], NAMES)


TITLE = "Where points are lost"
NOTE = (
    "Error rate: how many more points a hand the reviewer's policy would score in the bot's place, judged from what its seat knew;"
    f" below zero, the bot plays better. Then the same by kind of decision. {TWO_ERRORS}, not known of one hand."
    f" Luck: of the draws. Marks: {MARKED}; their"
    " price is computed again with a stronger player's play (confirmed), and the lower one makes the mark. Priced: hands whose"
    " decisions have prices, from which marks and costliest decisions come; of the others only the errors were measured."
)


def review_table(review: Review) -> TextTable:
    """Return the table of the bots' losses, the least first."""
    headings = ("bot", "hands", "priced", "error rate", *(NAMES[kind] for kind in KINDS), "luck", "result less luck", "marks")
    order = sorted(review.bots, key=lambda bot: review.bots[bot].error_rate)
    return TextTable(TITLE, headings, [(bot, *_cells(review.bots[bot])) for bot in order], (0,), NOTE)


def _cells(found: BotReview) -> Iterator[str]:
    yield from (str(number) for number in (found.hands, found.priced_hands))
    yield f"{found.error_rate:z.2f}{error(found.se)}"
    yield from (f"{found.kinds[kind]:z.2f}{error(found.kinds_se[kind])}" for kind in KINDS)
    yield from (f"{points:+z,.2f}" for points in (found.luck, found.points_less_luck))
    yield " / ".join(map(str, found.marks.values()))
