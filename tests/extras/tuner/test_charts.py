"""The page of a search: the answer, and a chart of the gain along each parameter."""

from arena.extras.tuner.charts import HEIGHT, WIDTH, GainChart
from arena.reports.answer_card import AnswerCard
from arena.reports.html_page import render

CHART = GainChart(
    name="fear <b>",
    start=0.0,
    best=1.0,
    points=[(0.0, 0.0), (0.5, 1.0), (1.0, 4.0)],
)


def test_a_chart_spans_the_range_of_the_parameter_and_of_the_gains() -> None:
    assert (CHART.x(0.0), CHART.x(1.0)) == (0.0, WIDTH)
    assert (CHART.y(4.0), CHART.y(0.0)) == (0.0, HEIGHT)
    assert CHART.line == "0.0,220.0 320.0,165.0 640.0,0.0"


def test_a_parameter_that_does_nothing_is_a_line() -> None:
    flat = GainChart(name="x", start=0.0, best=0.0, points=[(0.0, 0.0), (1.0, 0.0)])
    assert flat.line == "0.0,0.0 640.0,0.0"


def test_names_with_markup_are_harmless() -> None:
    answer = AnswerCard(finished=True, who="Best: fear <b>")
    page = render("tune.html", title="Tune of <i>", answer=answer, played="8 hands", lines=["one <u>"], charts=[CHART])
    assert not any(tag in page for tag in ("<i>", "fear <b>", "<u>"))
    assert page.count("<svg") == 1
