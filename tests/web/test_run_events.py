"""One source and one moment for the facts of a run on its page, in its updates and in the list of runs."""

import html
import re

from msgspec import json
from msgspec.structs import replace
from support.records.reported import report

from arena.reports.report import Report
from arena.stats.format_details import Bracket, BracketRound, Details, Slot, Tie
from arena.web.run_pages import index_page, run_event, run_page
from arena.web.watched_run import Snapshot, State

FINAL = Tie(slots=(Slot(entrant="alpha", seed=1, score="3"), Slot(entrant="beta", seed=2, score="1")), winner=0)
BRACKET = Details(title="Bracket", brackets=[Bracket("Knockout", [BracketRound("Final", [FINAL])])])


def update(snapshot: Snapshot, shown: Report) -> dict[str, str]:
    found: dict[str, str] = json.decode(run_event(snapshot, shown).split(b"data: ", 1)[1].split(b"\n", 1)[0])
    return found


def test_an_update_has_the_brackets_of_the_moment_of_its_card() -> None:
    shown = replace(report(finished=False), details=BRACKET)
    snapshot = Snapshot(name="run", state="running", report=shown, played=3, total=7)
    sent = update(snapshot, shown)
    assert 'class="side' in sent["ranking"]
    assert "alpha" in sent["ranking"]
    assert sent["ranking"].strip() in run_page(snapshot, shown)
    assert sent["state"] == "running"


def test_a_run_that_is_played_says_how_far_it_is() -> None:
    shown = report(finished=False)
    states: dict[State, bool] = {"running": True, "stopped": True, "finished": False}
    for state, is_shown in states.items():
        sent = update(Snapshot(name="run", state=state, report=shown, played=3, total=60), shown)
        assert (f"{shown.matches} of 60 matches" in sent["opening"]) is is_shown


def words(page: str) -> str:
    """Return what a page says in one line, without the bounds of its elements."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", page))).lower()


def test_the_list_of_runs_says_in_the_words_of_each_page_who_leads_and_how_sure_that_is() -> None:
    states: dict[State, bool] = {"running": False, "stopped": False, "finished": True}
    for state, finished in states.items():
        shown = report(finished=finished)
        snapshot = Snapshot(name="run", state=state, report=shown, played=3, total=7)
        for page in (index_page([snapshot]), run_page(snapshot, shown)):
            said = [state, shown.answer.who, shown.answer.sure, shown.answer.why]
            assert [part for part in said if part.lower() not in words(page)] == []
