"""The strips of an answer as lines of text."""

from textwrap import wrap

from arena.reports.answer_card import AnswerCard, Axis, Strip
from arena.suggestions import capital

WIDTH, LEAST_WIDTH = 41, 12  # characters of an axis in text


def strip_lines(answer: AnswerCard, width: int = 80) -> list[str]:
    """Return the label and the strips as lines of text over their axis, each with its numbers; ``width``: of the terminal."""
    if (scale := answer.axis) is None:
        return []
    longest = max(len(one.name) for one in answer.strips)
    beside = max(len(one.text) for one in answer.strips)
    cells = min(WIDTH, max(width - longest - beside - 5, LEAST_WIDTH))
    drawn = [f"  {one.name:<{longest}} {_draw(one, scale, cells)}  {one.text}" for one in answer.strips]
    label = wrap(capital(answer.unit), width - 2, initial_indent="  ", subsequent_indent="  ")
    return [*label, *drawn, f"  {'':<{longest}} {_tick_line(scale, cells)}".rstrip()]


def _draw(strip: Strip, scale: Axis, width: int) -> str:
    """Return an interval on the axis: a line with a dot, a bar at 0, and an arrow where it leaves the axis."""
    zero, value, low, high = (_column(place, width) for place in (scale.place(0.0), scale.place(strip.value), *scale.ends(strip)))
    cells = ["\N{BOX DRAWINGS LIGHT HORIZONTAL}" if low <= at <= high else " " for at in range(width)]
    cells[zero] = "\N{BOX DRAWINGS LIGHT VERTICAL AND HORIZONTAL}" if low <= zero <= high else "\N{BOX DRAWINGS LIGHT VERTICAL}"
    below, above = scale.left_by(strip)
    cells[0] = "\N{LEFTWARDS ARROW}" if below else cells[0]
    cells[-1] = "\N{RIGHTWARDS ARROW}" if above else cells[-1]
    if not strip.bound:
        cells[value] = "\N{BLACK CIRCLE}"
    return "".join(cells)


def _tick_line(scale: Axis, width: int) -> str:
    """Return the numbers of the ticks below their places, within the axis; one that would touch its left neighbour is left out."""
    line = ""
    for place, text in scale.labels:
        start = min(max(_column(place, width) - len(text) // 2, 0), width - len(text))
        if start > len(line) or not line:
            line = f"{line:<{start}}{text}"
    return f"{line:<{width}}"


def _column(place: float, width: int) -> int:
    return round(place * (width - 1))
