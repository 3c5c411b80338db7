"""Tests of my-part: run them with ``python -m pytest``."""

from my_part import arena_tie_breaks

from arena.stats.pairs import Meeting
from arena.stats.score_ranking import Scores, place_table


def met(one: str, other: str, matches: tuple[int, int]) -> Meeting:
    """Return a pair of matches between two."""
    return Meeting(one=one, other=other, matches=matches, legs=2)


def test_a_win_and_a_loss_rank_above_two_draws() -> None:
    games = [met("bold", "weak", (2, 0)), met("strong", "bold", (2, 0)), met("even", "weak", (1, 1)), met("even", "strong", (1, 1))]
    scores = Scores(["even", "bold", "weak", "strong"], games, {})
    assert place_table("", scores, ()).places == [["strong"], ["even", "bold"], ["weak"]]
    assert place_table("", scores, arena_tie_breaks()).places == [["strong"], ["bold"], ["even"], ["weak"]]
