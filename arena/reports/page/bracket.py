"""The places of boxes and lines in the drawing of a bracket, in CSS pixels.

Each tie is a box with a line for each side. The boxes of a round stand at the height of the middle of those that lead to them.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from arena.stats.details import Bracket, Slot, Tie

BOX_WIDTH, BOX_HEIGHT = 152, 44  # of a box: two rounds fit on a phone, the others can be scrolled to
GAP = 24  # between two rounds
PITCH = 68  # between the middles of two boxes of the first round: a note stands between them
TOP = 52  # the middle of the first box, below the titles
NAME, LABEL = 13, 20  # characters that fit into a box: of a name with its seed and score, and of a label


class Side(Struct, frozen=True, kw_only=True):
    """An entrant in a box."""

    text: str
    full: str  # the whole name, if it was cut
    score: str
    style: str  # "won", "lost" or "open"
    y: int


class Box(Struct, frozen=True, kw_only=True):
    """A tie."""

    x: int
    y: int
    width: int
    height: int
    sides: list[Side]
    note: str
    pairing: tuple[str, str] | None  # to link to; None: two entrants are not known


class BracketDrawing(Struct, frozen=True, kw_only=True):
    """A bracket as boxes, lines and titles."""

    title: str
    width: int
    height: int
    titles: list[tuple[int, str]]  # of rounds, with their x
    lines: list[str]  # SVG paths
    boxes: list[Box]


def bracket_drawing(bracket: Bracket) -> BracketDrawing:
    """Return the drawing of a bracket."""
    middles = list(_middles(bracket))
    lefts = [number * (BOX_WIDTH + GAP) for number in range(len(middles))]
    return BracketDrawing(
        title=bracket.title,
        width=lefts[-1] + BOX_WIDTH + 1,
        height=max(map(max, middles)) + PITCH // 2 + 6,
        titles=[(left, played.title) for left, played in zip(lefts, bracket.rounds, strict=True)],
        lines=[line for number in range(1, len(middles)) for line in _lines(lefts[number], middles[number - 1], middles[number])],
        boxes=[
            _box(tie, left, middle)
            for left, played, column in zip(lefts, bracket.rounds, middles, strict=True)
            for tie, middle in zip(played.ties, column, strict=True)
        ],
    )


def _middles(bracket: Bracket) -> Iterator[list[int]]:
    """Yield the heights of the boxes of each round."""
    before: list[int] = []
    for played in bracket.rounds:
        if not before:
            before = [TOP + PITCH * at for at in range(len(played.ties))]
        elif len(played.ties) < len(before):
            before = [(one + other) // 2 for one, other in zip(before[::2], before[1::2], strict=True)]
        yield before


def _lines(left: int, before: Sequence[int], after: Sequence[int]) -> Iterator[str]:
    """Yield the lines that lead to the boxes of a round."""
    into = len(before) // len(after)
    for number, start in enumerate(before):
        yield f"M{left - GAP} {start}H{left - GAP // 2}V{after[number // into]}H{left}"


def _box(tie: Tie, left: int, middle: int) -> Box:
    one, other = tie.slots
    return Box(
        x=left,
        y=middle - BOX_HEIGHT // 2,
        width=BOX_WIDTH,
        height=BOX_HEIGHT,
        sides=[_side(slot, middle + (-5, 15)[at], _style(tie, at)) for at, slot in enumerate(tie.slots)],
        note=tie.note,
        pairing=(one.entrant, other.entrant) if tie.is_played else None,
    )


def _style(tie: Tie, at: int) -> str:
    if tie.winner is None:
        return "open" if tie.slots[at].entrant else "lost"
    return "won" if tie.winner == at else "lost"


def _side(slot: Slot, y: int, style: str) -> Side:
    seed = "" if slot.seed is None else f"{slot.seed} "
    full = slot.entrant or slot.label
    most = NAME if slot.entrant else LABEL
    text = full if len(full) <= most else f"{full[: most - 1]}…"
    return Side(text=seed + text, full=full, score=slot.score, style=style, y=y)
