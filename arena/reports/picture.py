"""The answer of a report as a picture for sharing: 1200 by 630 pixels, the usual size of link previews.

The picture is SVG. PNG, which most previews need, takes the extra ``picture``: resvg, because it is one wheel without system
libraries and draws the same everywhere, but for the fonts, which are the machine's.
"""

from textwrap import wrap

from arena.errors import InputError
from arena.reports.answer import AnswerCard
from arena.text import capital

TOP, STRIP, BOTTOM = 330, 46, 550  # pixels: where strips begin at the earliest, the height of one, and where the axis ends


def svg(title: str, answer: AnswerCard) -> str:
    """Return the picture of an answer."""
    from arena.reports.page import assets

    below = [line for text in (capital(answer.how), answer.certainty) for line in wrap(text, 78, max_lines=2, placeholder=" …")]
    values = {
        "title": title,
        "answer": answer,
        "axis": answer.axis,
        "who": wrap(answer.who, 38, max_lines=2, placeholder=" …"),
        "below": below,
        "top": (TOP + BOTTOM - STRIP * len(answer.strips)) // 2 + STRIP // 2,
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
