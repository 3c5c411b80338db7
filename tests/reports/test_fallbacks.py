"""The decisions that a language model did not make: counted, stated in the answer, and no verdict above a share of them."""

import pytest
from msgspec.structs import replace
from support.matches import comparisons
from support.matches.records import batch
from support.records import reported

from arena.records import UNCONFINED, Assurance, MatchRecord, Note
from arena.reports.comparison_report import ComparisonReport
from arena.reports.fallbacks import ModelPlay, judged, plays_of, sentence
from arena.reports.head_to_head import HeadToHead
from arena.reports.markdown import Markdown
from arena.reports.report import Report
from arena.reports.report_builder import ReportBuilder
from arena.reports.text import ConsoleText
from arena.sdk.model_notes import FALLBACK
from arena.stats.duels import Verdict

COST = "gpt-x: 10+2 tokens, 1.0 s, cost 0.500000"
MADE, MISSED = f"{COST}; least is left", f"{COST}; {FALLBACK}: HTTP 500"
NONE = Assurance(isolated=False, profile="none")
UNDECIDED_BY_MODEL = "a model made fewer than 95 % of the decisions of alpha"


def record(made: int, missed: int) -> MatchRecord:
    """Return a batch in which alpha, in seat 0, has made decisions with its model, and others without it; beta has a note too."""
    played = batch("alpha", "beta", [10, -10])
    notes = (Note(1, "mine"), *(Note(2 * turn, MADE if turn < made else MISSED) for turn in range(made + missed)))
    actions = " ".join(["pass"] * (2 * (made + missed)))  # the seats act in turn, first seat 0
    hands = (replace(played.hands[0], dealer=1, actions=actions, notes=notes), *played.hands[1:])
    return replace(played, hands=hands)


def report(made: int, missed: int, isolation: Assurance = NONE, comparison: ComparisonReport | None = None) -> Report:
    builder = ReportBuilder()
    builder.add(record(made, missed))
    about = replace(reported.about(("alpha", "beta")), isolation=isolation, comparison=comparison)
    return builder.report(about, {})


def duel(verdict: Verdict = Verdict.BETTER) -> ComparisonReport:
    outcome = comparisons.compared(verdict=verdict, decided=40, better=25.0, worse=0.1, bounds=(0.0, 0.5))
    return ComparisonReport(first="alpha", second="beta", most_hands=2000, outcome=outcome)


def test_only_decisions_with_a_cost_are_counted_for_the_bot_that_made_them() -> None:
    assert plays_of([record(30, 2), record(1, 0)], NONE) == (ModelPlay(bot="alpha", decisions=33, fallbacks=2),)


def test_notes_of_confined_bots_count_for_nothing_because_they_cannot_ask_a_model() -> None:
    confined = Assurance(isolated=True, profile="A")
    assert plays_of([record(0, 9)], confined) == ()
    assert report(0, 9, confined, duel()).summary.startswith("alpha is stronger than beta")


@pytest.mark.parametrize(("made", "missed", "is_judged"), [(19, 1, True), (190, 11, False), (0, 53, False), (53, 0, True)])
def test_above_one_fallback_in_twenty_there_is_no_verdict(made: int, missed: int, *, is_judged: bool) -> None:
    plays = plays_of([record(made, missed)], NONE)
    found = judged(duel().outcome, plays)
    assert (found.verdict, found.void, found.better) == (
        (Verdict.BETTER, "", 25.0) if is_judged else (Verdict.UNDECIDED, UNDECIDED_BY_MODEL, 1.0)
    )


def test_the_share_of_fallbacks_stands_in_the_answer_of_every_report() -> None:
    share = "Fallbacks, which the model did not decide: 1 of 20 noted decisions of alpha (5.0 %)."
    for shown in (report(19, 1), report(19, 1, comparison=duel()), report(19, 1, replace(NONE, profile=UNCONFINED))):
        assert share in shown.answer.statements
        assert share in shown.summary
        assert share in " ".join(ConsoleText().render(shown).split())
    assert not report(0, 0).answer.models


def test_a_report_of_a_bot_without_its_model_has_no_verdict_and_ranks_nobody() -> None:
    for comparison, who in ((duel(), "No verdict"), (None, "Nobody is ranked")):
        shown = report(0, 53, comparison=comparison)
        assert (shown.answer.who, shown.answer.how, shown.answer.strips) == (who, UNDECIDED_BY_MODEL, ())
        assert shown.summary.startswith(f"{who}: {UNDECIDED_BY_MODEL}. Fallbacks, which the model did not decide: 53 of 53")
        for text in (ConsoleText().render(shown), Markdown().render(shown)):
            assert "stronger" not in text
            assert "53 of 53 noted decisions of alpha" in " ".join(text.split())


def test_a_match_of_a_bot_without_its_model_is_no_comparison() -> None:
    plays = plays_of([record(0, 3)], NONE)
    first, second, *_ = HeadToHead(("alpha", "beta"), "seed", (record(0, 3),), plays).lines()
    assert first == f"alpha against beta: no comparison, because {UNDECIDED_BY_MODEL}"
    assert second == sentence(plays)
