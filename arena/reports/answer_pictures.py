"""The answer as strips of text on a terminal, and as a picture in SVG or PNG."""

from textwrap import wrap

from arena.errors import InputError
from arena.reports.answer_card import AnswerCard, Axis, Strip
from arena.suggestions import capital

WIDTH, LEAST_WIDTH = 41, 12  # characters of an axis in text


def strip_lines(answer: AnswerCard, width: int = 80) -> list[str]:
    """Return the strips as lines of text over their axis, each with its numbers; ``width``: of the terminal, in characters."""
    if (scale := answer.axis) is None:
        return []
    longest = max(len(one.name) for one in answer.strips)
    beside = max(len(text) for text in (answer.unit, *(one.text for one in answer.strips)))
    cells = min(WIDTH, max(width - longest - beside - 5, LEAST_WIDTH))
    drawn = [f"  {one.name:<{longest}} {_draw(one, scale, cells)}  {one.text}" for one in answer.strips]
    return [*drawn, f"  {'':<{longest}} {_tick_line(scale, cells)}  {answer.unit}"]


def _draw(strip: Strip, scale: Axis, width: int) -> str:
    """Return an interval on the axis: a line with a dot, and a bar at 0."""
    zero, low, value, high = (_column(scale.place(number), width) for number in (0.0, strip.low, strip.value, strip.high))
    cells = ["\N{BOX DRAWINGS LIGHT HORIZONTAL}" if low <= at <= high else " " for at in range(width)]
    cells[zero] = "\N{BOX DRAWINGS LIGHT VERTICAL AND HORIZONTAL}" if low <= zero <= high else "\N{BOX DRAWINGS LIGHT VERTICAL}"
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


# The answer as a picture for sharing: 1200 by 630 pixels, the usual size of link previews.
#
# The picture is SVG. PNG, which most previews need, takes the extra ``picture``: resvg, because it is one wheel without system
# libraries and draws the same everywhere, but for the fonts, which are the machine's.

TOP, STRIP, BOTTOM = 330, 46, 550  # pixels: where strips begin at the earliest, the height of one, and where the axis ends
LINE, BIG_LINE = 78, 38  # characters that fit into a line of the picture, in the font of the explanation and of the answer


def svg(title: str, answer: AnswerCard) -> str:
    """Return the picture of an answer."""
    from arena.reports.page import assets

    below = [
        line
        for text in (capital(answer.how), answer.models, answer.certainty)
        for line in wrap(text, LINE, max_lines=2, placeholder=" …")
    ]
    values = {
        "title": title,
        "answer": answer,
        "axis": answer.axis,
        "who": wrap(answer.who, BIG_LINE, max_lines=2, placeholder=" …"),
        "below": below,
        "top": (TOP + BOTTOM - STRIP * len(answer.strips)) // 2 + STRIP // 2,  # the middle of the first strip
    }
    return assets.environment().get_template("answer.svg").render(values)


def png(picture: str) -> bytes:
    """Return a picture as PNG. Raises: InputError, if the extra is not installed."""
    try:
        import resvg_py
    except ImportError:
        raise InputError("a PNG needs resvg: pip install 'ginrummy-arena[picture]'; or name a file that ends in .svg") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=picture))


def can_draw() -> bool:
    """Tell whether a PNG can be made."""
    from importlib.util import find_spec

    return find_spec("resvg_py") is not None
