"""A tie-break of a format that ranks by score. In a spec: ``format: {name: swiss, tie_breaks: [my-part, points]}``."""

from collections.abc import Sequence

from arena.plugins.hookspecs import hookimpl
from arena.stats.score_ranking import Scores, TieBreak

WIN = 2  # half points


def wins(scores: Scores, name: str, group: Sequence[str]) -> int | None:
    """Return the number of pairings that an entrant won; ``group``: the entrants that are still equal. More rank first."""
    del group
    return sum(half_points == WIN for _, half_points in scores.results(name))


@hookimpl
def arena_tie_breaks() -> list[TieBreak]:
    """Return the tie-break: its name in a spec, the note below the table of a report, and its function."""
    return [TieBreak("my-part", "my-part: pairings won", wins)]
