"""Brackets drawn as text: a line for each entrant, and to the right of two of them the line of the winner.

Columns are as wide as the terminal allows. A bracket with so many rounds that names would have to be cut to fewer than 8 characters
is listed round by round instead. Names are shown as they are; a renderer escapes the lines.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from arena.stats.standings import Bracket, Slot, Tie

SHORTEST = 8  # characters of a name
JOINT = 3  # columns between two rounds: " ┐ " or " ├ "


class PlacedTie(Struct, frozen=True):
    """A tie and the lines of its two sides and of its winner, from 0 at the top."""

    tie: Tie
    rows: tuple[int, int]

    @property
    def middle(self) -> int:
        """Return the line of the winner."""
        return sum(self.rows) // 2


def bracket_lines(bracket: Bracket, columns: int = 80) -> list[str]:
    """Return a bracket as text, with the ties that were not decided by matches listed below it; ``columns``: of the terminal."""
    width = _name_width(bracket, columns)
    drawn = _tie_lines(bracket) if width < SHORTEST else _draw(bracket, width)
    return [*drawn, *_notes(bracket)]


def place_ties(bracket: Bracket) -> list[list[PlacedTie]]:
    """Return the ties of each round with their lines."""
    columns: list[list[PlacedTie]] = []
    for played in bracket.rounds:
        before = [tie.middle for tie in columns[-1]] if columns else []
        columns.append([PlacedTie(tie, _rows(at, len(played.ties), before)) for at, tie in enumerate(played.ties)])
    return columns


def _rows(at: int, ties: int, before: Sequence[int]) -> tuple[int, int]:
    """Return the lines of a tie, given the winners' lines of the round before it."""
    if not before:
        return 4 * at, 4 * at + 2
    if len(before) == ties:  # the other side comes from elsewhere
        return before[at], before[at] + 2
    return before[2 * at], before[2 * at + 1]


def _name_width(bracket: Bracket, columns: int) -> int:
    """Return the width of a name in characters: no more than the longest needs."""
    slots = [slot for played in bracket.rounds for tie in played.ties for slot in tie.slots]
    longest = max(len(_name(slot)) for slot in slots)
    rounds = len(bracket.rounds)
    return min(longest, (columns - rounds * (JOINT + 1 + _score_width(bracket))) // (rounds + 1))


def _score_width(bracket: Bracket) -> int:
    return max(len(slot.score) for played in bracket.rounds for tie in played.ties for slot in tie.slots) or 1


def _name(slot: Slot) -> str:
    return slot.entrant or slot.label


def _draw(bracket: Bracket, width: int) -> list[str]:
    """Return the drawing, with names of at most ``width`` characters."""
    columns, score = place_ties(bracket), _score_width(bracket)
    cell = width + 1 + score
    canvas = _Canvas(1 + max(row for column in columns for tie in column for row in tie.rows))
    for number, column in enumerate(columns):
        left = number * (cell + JOINT)
        for tie in column:
            _draw_tie(canvas, tie, left, width, score)
    for tie in columns[-1]:
        canvas.write(tie.middle, len(columns) * (cell + JOINT), _cut(_winner(tie.tie), width))
    titles = (_cut(played.title, cell + JOINT - 1).ljust(cell + JOINT) for played in bracket.rounds)
    return ["".join(titles).rstrip(), *canvas.lines()]


def _draw_tie(canvas: "_Canvas", tie: PlacedTie, left: int, width: int, score: int) -> None:
    joint = left + width + 2 + score
    for row, slot in zip(tie.rows, tie.tie.slots, strict=True):
        canvas.write(row, left, f"{_cut(_name(slot), width):<{width}} {slot.score:>{score}}")
    for row in range(tie.rows[0], tie.rows[1] + 1):
        canvas.write(row, joint, "┐" if row == tie.rows[0] else "┘" if row == tie.rows[1] else "├" if row == tie.middle else "│")


def _winner(tie: Tie) -> str:
    return "" if tie.winner is None else tie.slots[tie.winner].entrant


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


class _Canvas:
    """Lines that are written in any order."""

    def __init__(self, height: int) -> None:
        self._rows: list[list[str]] = [[] for _ in range(height)]

    def write(self, row: int, column: int, text: str) -> None:
        """Put a text on a line."""
        line = self._rows[row]
        line += " " * (column + len(text) - len(line))
        line[column : column + len(text)] = text

    def lines(self) -> list[str]:
        """Return the lines."""
        return ["".join(row).rstrip() for row in self._rows]


def _tie_lines(bracket: Bracket) -> Iterator[str]:
    """Yield a line for each tie."""
    for played in bracket.rounds:
        yield played.title
        for tie in played.ties:
            one, other = tie.slots
            yield f"  {_name(one) or '–'} {one.score}–{other.score} {_name(other) or '–'}"


def _notes(bracket: Bracket) -> Iterator[str]:
    """Yield how the ties were decided that were level by matches."""
    for tie in (tie for played in bracket.rounds for tie in played.ties):
        if tie.note and tie.winner is not None:
            yield f"{tie.slots[tie.winner].entrant} beat {tie.slots[1 - tie.winner].entrant} {tie.note}"


# The places of boxes and lines in the drawing of a bracket, in CSS pixels.
#
# Each tie is a box with a line for each side. The boxes of a round stand at the height of the middle of those that lead to them.

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
