"""Hands of people at a table, reviewed while they play on."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET
from support.matches.in_process import SEED, SHORT, job_of, match
from support.records.reported import about
from support.servers.asgi import HOST, ask

from arena.errors import WorkerLostError
from arena.human.table_reviews import OnReview, TableReviews
from arena.plugins import manager
from arena.records import MatchRecord
from arena.reports.replays import replay
from arena.reports.report_builder import ReportBuilder
from arena.runs.review_cache import read_kept
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


def reviews(pool: Executor, record: MatchRecord, tell: OnReview) -> TableReviews:
    return TableReviews(pool, job_of(record.fixture), [0], tell)


@pytest.mark.process
def test_a_hand_is_reviewed_reported_shown_and_kept(pool: Executor, record: MatchRecord, tmp_path: Path) -> None:
    received: list[tuple[int, Sequence[Any]]] = []
    table = reviews(pool, record, lambda _, seat, hands: received.append((seat, hands)))
    assert table.match().hands == []
    table.add(record.hands[0])
    ((seat, (hand,)),) = received
    assert (seat, hand.bot, hand.place.name) == (0, "a", "0.0")
    shown = table.match()
    assert shown.hands == replay(record, SHORT, SEED).hands[:1]
    assert shown.review is not UNSET
    assert {one.turn for one in shown.review} == {one.turn for one in hand.decisions} != set()
    report = ReportBuilder().report(about(("a", "b")), {}, [replay(record, SHORT, SEED)])
    assert table.add_to(report).played[0].review == shown.review
    table.keep_in(Folder(tmp_path), "c" * 64)
    review = read_kept(Folder(tmp_path), "c" * 64)
    assert review is not None
    assert review.bots["a"].hands == 1


@pytest.mark.process
def test_the_hands_of_a_match_have_a_page_while_it_is_played(pool: Executor, record: MatchRecord) -> None:
    table = TableServer(("a", "b"), 1, SHORT)
    app, key = table.app([HOST]), table.places[0].key
    assert ask(app, "GET", f"/{key}/hands").status == 404
    table.begin(job_of(record.fixture), pool).add(record.hands[0])
    found = ask(app, "GET", f"/{key}/hands").document
    assert len(found["hands"]) == 1
    assert found["review"]
    page = ask(app, "GET", f"/{key}/replay").text
    assert 'data-hands="hands"' in page
    assert "/static/match.js" in page


@pytest.mark.process
def test_a_report_has_the_reviews_of_its_own_match_while_the_next_is_played(pool: Executor, record: MatchRecord) -> None:
    table = TableServer(("a", "b"), 1, SHORT)
    place = table.places[0]
    report = ReportBuilder().report(about(("a", "b")), {}, [replay(record, SHORT, SEED)])
    shown = []
    table.begin(job_of(record.fixture), pool)
    place.keep_report(report)
    for _ in range(2):
        shown.append(ask(table.app([HOST]), "GET", f"/{place.key}/report").text)
        table.begin(job_of(record.fixture), pool).add(record.hands[0])
    assert shown[0] == shown[1]


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
