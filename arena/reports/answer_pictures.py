"""The answer of a report as a picture in SVG or PNG."""

from textwrap import wrap

from msgspec.structs import replace

from arena.errors import InputError
from arena.reports.answer_card import AnswerCard
from arena.suggestions import capital

TOP, STRIP, BOTTOM = 330, 46, 550  # pixels: where strips begin at the earliest, the height of one, and where the axis ends
STRIPS = (BOTTOM - TOP) // STRIP  # for which there is room
LINE, BIG_LINE = 78, 38  # characters that fit into a line of the picture, in the font of the explanation and of the answer


def svg(title: str, answer: AnswerCard) -> str:
    """Return the picture of an answer."""
    from arena.reports.page import assets

    answer = replace(answer, strips=answer.strips[:STRIPS], unit=answer.unit.partition(";")[0])
    below = [
        line
        for text in (capital(answer.how), answer.models, answer.certainty, answer.grown)
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
