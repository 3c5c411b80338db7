"""How much of a bot's notes is kept. A note explains an answer to who reads the replay; nobody else is ever sent it.

A note that is too long is cut and marked, never a fault: it decides nothing. What a bot may keep in a match is bounded, so that one
that explains each of thousands of decisions costs the database no more than a fault's stderr does.
"""

LONGEST_NOTE = 200  # characters of one note, with the mark of a cut
NOTES_IN_MATCH = 20_000  # characters of all notes of a seat in one fixture
CUT = "…"  # ends a note that was cut


def shortened(note: str, most: int = LONGEST_NOTE) -> str:
    """Return a note, or its beginning with the mark of a cut, in at most ``most`` characters."""
    return note if len(note) <= most else note[: most - 1] + CUT
