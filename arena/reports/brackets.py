"""Brackets drawn as text: a line for each entrant, and to the right of two of them the line of the winner.

Columns are as wide as the longest name, if the terminal allows it. A bracket with so many rounds that names would have to be cut to
fewer than 8 characters is listed round by round instead. Names are not escaped here; a renderer escapes the lines.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from arena.stats.format_details import Bracket, Slot, Tie

SHORTEST = 8  # characters to which a name may be cut
JOINT = 3  # characters between two rounds: " ┐ " or " ├ "


class PlacedTie(Struct, frozen=True):
    """A tie with the lines of its two sides and of its winner in the drawing, from 0 at the top."""

    tie: Tie
    rows: tuple[int, int]

    @property
    def middle(self) -> int:
        """Return the line of the winner."""
        return sum(self.rows) // 2


def bracket_lines(bracket: Bracket, columns: int = 80) -> list[str]:
    """Return a bracket as lines, and a line for each tie whose matches ended level below it; ``columns``: of the terminal."""
    longest = max(len(_name(slot)) for slot in _slots(bracket))
    width = min(longest, _room_for_names(bracket, columns))
    drawn = _tie_lines(bracket) if width < min(SHORTEST, longest) else _draw(bracket, width)
    return [*drawn, *_notes(bracket)]


def place_ties(bracket: Bracket) -> list[list[PlacedTie]]:
    """Return the ties of each round with their lines."""
    rounds: list[list[PlacedTie]] = []
    for played in bracket.rounds:
        before = [tie.middle for tie in rounds[-1]] if rounds else []
        rounds.append([PlacedTie(tie, _rows(at, len(played.ties), before)) for at, tie in enumerate(played.ties)])
    return rounds


def _rows(at: int, ties: int, before: Sequence[int]) -> tuple[int, int]:
    """Return the lines of a tie, given the winners' lines of the round before it."""
    if not before:
        return 4 * at, 4 * at + 2
    if len(before) == ties:  # the other side comes from elsewhere
        return before[at], before[at] + 2
    return before[2 * at], before[2 * at + 1]


def _slots(bracket: Bracket) -> list[Slot]:
    return [slot for played in bracket.rounds for tie in played.ties for slot in tie.slots]


def _room_for_names(bracket: Bracket, columns: int) -> int:
    """Return the characters that each name may have, so that all rounds and the winner fit ``columns``."""
    rounds = len(bracket.rounds)
    return (columns - rounds * (JOINT + 1 + _score_width(bracket))) // (rounds + 1)


def _score_width(bracket: Bracket) -> int:
    return max(len(slot.score) for slot in _slots(bracket)) or 1


def _name(slot: Slot) -> str:
    return slot.entrant or slot.label


def _draw(bracket: Bracket, width: int) -> list[str]:
    """Return the drawing, with names of at most ``width`` characters."""
    rounds, score = place_ties(bracket), _score_width(bracket)
    cell = width + 1 + score
    canvas = _Canvas(1 + max(row for ties in rounds for tie in ties for row in tie.rows))
    for number, ties in enumerate(rounds):
        left = number * (cell + JOINT)
        for tie in ties:
            _draw_tie(canvas, tie, left, width, score)
    for tie in rounds[-1]:
        canvas.write(tie.middle, len(rounds) * (cell + JOINT), _cut(_winner(tie.tie), width))
    titles = (_cut(played.title, cell + JOINT - 1).ljust(cell + JOINT) for played in bracket.rounds)
    alone = [played.title for played in bracket.rounds] == [bracket.title]  # which stands above the drawing
    return [*([] if alone else ["".join(titles).rstrip()]), *canvas.lines()]


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
    """Yield how each tie whose matches ended level was decided, as a line."""
    for tie in (tie for played in bracket.rounds for tie in played.ties):
        if tie.note and tie.winner is not None:
            yield f"{tie.slots[tie.winner].entrant} beat {tie.slots[1 - tie.winner].entrant} {tie.note}"
