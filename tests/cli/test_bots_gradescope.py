"""An audition as the results of Gradescope."""

from arena.cli.bots import gradescope
from arena.tournament.audition import Finding


def test_an_audition_is_written_as_gradescope_reads_it_also_where_a_step_has_failed() -> None:
    found = [Finding(step="start", passed=True, summary="ready"), Finding(step="hands", passed=False, summary="crash", turn="{}")]
    tests = gradescope("mine.py", found, "").tests
    assert [(one.name, one.score, one.max_score, one.status) for one in tests][:3] == [
        ("start", 10, 10, "passed"),
        ("hands", 0, 40, "failed"),
        ("same play", 0, 10, "failed"),
    ]
    assert sum(one.max_score for one in tests) == 100
    assert "the turn    {}" in tests[1].output
    assert tests[2].output == "not tested, because a step before it failed"
    assert gradescope("mine.py", [], "mine.py:1: not valid Python").tests[0].output == "mine.py:1: not valid Python"


def test_gradescope_shows_the_step_learning_which_has_no_points() -> None:
    *_, learning = gradescope("mine.py", [Finding(step="learning", passed=False, summary="crash")], "").tests
    assert (learning.status, learning.score, learning.max_score) == ("failed", 0, 0)
    assert "crash" in learning.output
