"""Keeps the notes of one seat in a fixture, within the limits of ``arena.notes``."""

from arena.notes import LONGEST_NOTE, NOTES_IN_MATCH, shortened


class Notebook:
    """The room for notes that a seat has left in its fixture."""

    def __init__(self) -> None:
        self._left = NOTES_IN_MATCH

    def kept(self, note: str) -> str:
        """Return what is kept of a note: all, its beginning, or nothing once the room is used up."""
        kept = shortened(note, min(LONGEST_NOTE, self._left)) if self._left else ""
        self._left -= len(kept)
        return kept
