"""A regression test as one question: its levels, and how it continues when it is asked again."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.bots.inline import BAD, GOOD, install_files
from support.matches.comparisons import compared

from arena.compare import bisection, dueling, regression
from arena.compare.dueling import ComparisonObserver, DuelTerms, Finished
from arena.compare.regression import Part, PlannedPart
from arena.plugins import manager
from arena.runs import chosen
from arena.runs.runner import Runner
from arena.stats.duels import ComparisonOutcome, Verdict
from arena.store.folder import Folder

TERMS = DuelTerms(bounds=(-0.5, 0.0), hands=40, leg=10, sandbox="none")
Play = Callable[[PlannedPart, DuelTerms], Finished]


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a bot, a changed one that plays alike, and a bad one; they play in this process."""
    monkeypatch.chdir(tmp_path)
    install_files(monkeypatch, GOOD, BAD)
    for name, text in (("good", GOOD), ("same", f"{GOOD}\n# changed\n"), ("bad", BAD)):
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def planned(*names: str, terms: DuelTerms = TERMS, within: float = 1.0, results: Path | None = None) -> list[PlannedPart]:
    asked = [f"{name}.py:Mine" for name in names]
    field = chosen.resolve(asked, ("candidate", "baseline", *["opponent"] * (len(names) - 2)))
    return regression.plan_parts(field, terms, None, within, results)


def really(part: PlannedPart, terms: DuelTerms) -> Finished:
    """Play a part, and show it."""
    start = part.start(terms)
    found = dueling.play_comparison(start, Runner(manager.load(), "serial", 1), ComparisonObserver(), log_level=None)
    Folder(Path(found.folder or "")).mark_reported()
    return found


def outcome(verdict: Verdict, better: float, worse: float) -> ComparisonOutcome:
    return compared(verdict=verdict, bounds=(-0.5, 0.0), better=better, worse=worse, decided=40)


def found(better: float, worse: float) -> Play:
    """Return a play that finds this evidence at the terms of each part, which it keeps."""

    def play(part: PlannedPart, terms: DuelTerms) -> Finished:
        asked.append((part.name, terms.alpha, terms.beta))
        return Finished(outcome(Verdict.UNDECIDED, better, worse), None, "seed")

    asked: list[tuple[str, float, float]] = []
    play.asked = asked  # type: ignore[attr-defined]
    return play


def ask(parts: list[PlannedPart], play: Play) -> list[Part]:
    return list(regression.answers(parts, play))


# --- one question in two parts


@pytest.mark.usefixtures("bots")
def test_weaker_needs_the_average_of_the_evidence_of_both_parts_and_not_weaker_needs_each() -> None:
    play = found(better=25.0, worse=0.5)
    answered = ask(planned("same", "good", "bad"), play)
    head, field = play.asked  # type: ignore[attr-defined]
    assert head == ("head to head", 0.05, pytest.approx(1 / 39)), "the part that has not begun has evidence 1"
    assert field == ("against the field", 0.05, pytest.approx(1 / 39.5)), "40 together, less what the first part has found"
    assert [part.outcome.verdict for part in answered] == [Verdict.BETTER, Verdict.BETTER]


@pytest.mark.usefixtures("bots")
def test_a_first_part_of_fixed_length_that_proves_both_leaves_the_second_the_level_of_weaker() -> None:
    play = found(better=9000.0, worse=5000.0)
    answered = ask(planned("same", "good", "bad", terms=replace(TERMS, until="limit")), play)
    assert [beta for _, _, beta in play.asked] == pytest.approx([1 / 39, 0.05])  # type: ignore[attr-defined]
    assert [part.outcome.verdict for part in answered] == [Verdict.BETTER, Verdict.BETTER]


@pytest.mark.usefixtures("bots")
@pytest.mark.parametrize(("worse", "verdict"), [(38.0, Verdict.UNDECIDED), (39.5, Verdict.NOT_AS_GOOD)])
def test_evidence_that_would_prove_one_part_alone_may_not_prove_the_question(worse: float, verdict: Verdict) -> None:
    asked = planned("same", "good", "bad")
    answered = ask(asked, found(better=0.1, worse=worse))
    assert [part.outcome.verdict for part in answered] == [verdict], "and the field is not asked"
    shown = regression.conclude(asked, tuple(answered), [], stronger=False)
    assert "against the field: not played, because head to head already decides" in regression.lines(shown, {}, 80)


@pytest.mark.usefixtures("bots")
def test_the_field_is_asked_within_one_point_and_a_single_part_has_all_of_beta() -> None:
    _, field = planned("same", "good", "bad")
    assert field.terms.bounds == (-1.0, 0.0)
    play = found(better=25.0, worse=0.5)
    ask(planned("same", "good"), play)
    assert play.asked == [("head to head", 0.05, pytest.approx(0.05))]  # type: ignore[attr-defined]


@pytest.mark.usefixtures("bots")
def test_the_page_of_a_part_says_that_its_verdict_is_not_that_of_the_question() -> None:
    one, other = (part.plan(part.terms).spec.title for part in planned("same", "good", "bad"))
    assert one == "Regression test of Mine against Mine-baseline: head to head, part 1 of 2"
    assert other == "Regression test of Mine against Mine-baseline: against the field, part 2 of 2"


# --- the same question again


@pytest.mark.process
def test_an_undecided_question_is_continued_with_the_evidence_of_its_records(bots: Path) -> None:
    first, second = (ask(planned("same", "good"), really)[0] for _ in range(2))
    assert (first.outcome.hands, second.outcome.hands) == (40, 80)
    assert second.outcome.better > first.outcome.better
    assert second.results == f"{first.results}/part-2"
    assert len(list((bots / "results").iterdir())) == 1


@pytest.mark.process
def test_a_question_that_was_answered_gets_the_same_answer_and_plays_nothing(bots: Path) -> None:
    parts = planned("bad", "good", terms=replace(TERMS, hands=400))
    first, second = (ask(parts, really)[0] for _ in range(2))
    assert first.outcome.verdict is Verdict.NOT_AS_GOOD
    assert replace(second, outcome=first.outcome) == first
    assert len(list((bots / "results").iterdir())) == 1


@pytest.mark.process
@pytest.mark.usefixtures("bots")
def test_a_longer_limit_of_hands_asks_the_same_question() -> None:
    ask(planned("same", "good"), really)
    (longer,) = ask(planned("same", "good", terms=replace(TERMS, hands=80)), really)
    assert longer.outcome.hands == 120


@pytest.mark.process
def test_another_candidate_another_bound_or_another_fixed_length_is_another_question(bots: Path) -> None:
    fixed = replace(TERMS, until="limit")
    for parts in (
        planned("same", "good"),
        planned("good", "same"),
        planned("same", "good", terms=replace(TERMS, bounds=(-1.0, 0.0))),
        planned("same", "good", terms=fixed),
        planned("same", "good", terms=replace(fixed, hands=60)),
    ):
        (part,) = ask(parts, really)
        assert part.outcome.hands in (40, 60)
    assert len(list((bots / "results").iterdir())) == 5
    assert ask(planned("same", "good", terms=fixed), really)[0].outcome.hands == 40, "a test of fixed length is over"


# --- levels


@pytest.mark.usefixtures("bots")
def test_the_tests_of_a_bisection_share_the_chances_to_be_wrong() -> None:
    parts, notes = regression.at_levels(planned("same", "good"), 3)
    assert (parts[0].terms.alpha, parts[0].terms.beta) == pytest.approx((0.05 / 12, 0.05 / 12))
    assert notes[0].startswith("test 3 of a bisection: ")
    assert sum(map(bisection.error_share, range(1, 1000))) == pytest.approx(1.0, abs=0.002)


@pytest.mark.process
def test_every_mark_counts_as_a_test_of_a_bisection_by_any_terms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)  # noqa: S607 - git of PATH
    assert bisection.bisection_test() == 1, "no search is under way"
    start = "git bisect start '--term-old=fine' 'HEAD' 'v1.0'\n"
    log = f"{start}# skip: [1] broken\ngit bisect skip 1\n# fine: [2] better\ngit bisect fine 2\n"
    (tmp_path / ".git" / "BISECT_LOG").write_bytes(log.encode() + b"# fine: [3] fa\xe7ade\ngit bisect fine 3\n")
    assert bisection.bisection_test() == 5, "a subject need not be UTF-8"
