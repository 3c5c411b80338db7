"""Hands of people at a table, reviewed while they play on."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from asgi import HOST, ask
from matches import SEED, SHORT, job_of, match
from msgspec import UNSET
from msgspec.structs import replace
from reported import about

from arena.errors import WorkerLostError
from arena.plugins import manager
from arena.records import MatchRecord
from arena.reports.played import played
from arena.reports.report import ReportBuilder
from arena.reports.reviewed import in_words
from arena.review.summary import DecisionPrice, Place, ReviewedHand
from arena.runs.reviews.kept import kept
from arena.runs.reviews.table import TableReviews, Tell
from arena.runs.runner import Runner
from arena.store.folder import Folder
from arena.web.table import TableServer


@pytest.fixture(scope="module")
def record() -> MatchRecord:
    """Return a match of which one hand is enough for a review."""
    return match()


@pytest.fixture
def pool() -> Iterator[Executor]:
    with Runner(manager.load(entry_points=False), "serial").open(lambda: None) as pool:
        yield pool


def reviews(pool: Executor, record: MatchRecord, tell: Tell) -> TableReviews:
    return TableReviews(pool, job_of(record.fixture), [0], tell)


def test_a_hand_is_reviewed_reported_shown_and_kept(pool: Executor, record: MatchRecord, tmp_path: Path) -> None:
    received: list[tuple[int, Sequence[ReviewedHand]]] = []
    table = reviews(pool, record, lambda _, seat, hands: received.append((seat, hands)))
    assert table.match().hands == []
    table.add(record.hands[0])
    ((seat, (hand,)),) = received
    assert (seat, hand.bot, hand.place.name) == (0, "a", "0.0")
    shown = table.match()
    assert shown.hands == played(record, SHORT, SEED).hands[:1]
    assert shown.review is not UNSET
    assert {one.turn for one in shown.review} == {one.turn for one in hand.decisions} != set()
    report = ReportBuilder().report(about(("a", "b")), {}, [played(record, SHORT, SEED)])
    assert table.on(report).played[0].review == shown.review
    table.keep_in(Folder(tmp_path), "c" * 64)
    review = kept(Folder(tmp_path), "c" * 64)
    assert review is not None
    assert review.bots["a"].hands == 1


def test_the_hands_of_a_match_have_a_page_while_it_is_played(pool: Executor, record: MatchRecord) -> None:
    table = TableServer(("a", "b"), 1)
    app, key = table.app([HOST]), table.places[0].key
    assert ask(app, "GET", f"/{key}/hands").status == 404
    table.begin(job_of(record.fixture), pool).add(record.hands[0])
    found = ask(app, "GET", f"/{key}/hands").document
    assert len(found["hands"]) == 1
    assert found["review"]
    page = ask(app, "GET", f"/{key}/replay").text
    assert 'data-hands="hands"' in page
    assert "/static/match.js" in page


class FailedPool(Executor):
    """A pool whose worker has ended."""

    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        failed: Future[Any] = Future()
        failed.set_exception(WorkerLostError("its worker has ended"))
        return failed


@pytest.mark.parametrize("pool", [FailedPool(), ThreadPoolExecutor(1)])
def test_play_goes_on_where_no_review_can_be_made(pool: Executor, record: MatchRecord) -> None:
    received: list[int] = []
    table = reviews(pool, record, lambda _, seat, __: received.append(seat))
    pool.shutdown()
    table.add(record.hands[0])
    assert received == []
    assert len(table.match().hands) == 1
    assert table.match().review is UNSET


def hand(number: int, *decisions: DecisionPrice, luck: float = 0.0) -> ReviewedHand:
    return ReviewedHand(place=Place("x", 0, number), bot="you", seat=0, points=0, luck=luck, decisions=decisions)


def decision(turn: int, price: float, error: float) -> DecisionPrice:
    return DecisionPrice(turn, "Kd", "2c", price, 0.5, {"discard": price}, {"discard": error}, 0.0)


def test_a_hand_is_reviewed_in_words() -> None:
    first, second = hand(0, decision(3, 0.9, 0.2)), hand(1, decision(3, 2.5, 1.0), decision(9, 8.5, 4.2), luck=-6.04)
    assert in_words([first]).lines == (
        "Hand 0.0: you played as the reviewer would have; the draws favoured nobody.",
        "No decision gave up a point.",
    )
    words = in_words([first, second])
    assert words.lines == (
        "Hand 0.1: you played 5.2 points worse than the reviewer would have; the draws cost you 6.0 points.",
        "Over 2 hands: error rate 2.70 ± 5.00 points a hand, luck -3.02.",
    )
    assert words.dearest == "throw Kd; better throw 2c, by 8.5 ± 1.0 points, a blunder"
    assert words.place == "0.1/8"
    doubtful = replace(decision(5, 3.0, 3.0), se=2.0)
    assert in_words([hand(0, decision(3, 0.0, 0.0), doubtful)]).dearest == "throw Kd; better throw 2c, by 3.0 ± 4.0 points"
    better = in_words([hand(2, decision(1, -1.0, -1.5), luck=2.0)])
    assert (
        better.lines[0] == "Hand 0.2: you played 1.5 points better than the reviewer would have; the draws brought you 2.0 points."
    )
