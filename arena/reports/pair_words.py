"""How a pair of legs ended, in words."""

from arena.stats.pairs import Pair


def pair_ended(one: Pair) -> str:
    """Return how two legs on the same deals ended, the better score first: ``ann won, 2–0 in matches``; a batch has no winner."""
    scores = [(one.points, "points")] if one.batch else [(one.matches, "matches"), (one.games, "games")]
    score, kind = next((found for found in scores if found[0][0] != found[0][1]), scores[0])
    numbers = f"{max(score):,}–{min(score):,} in {kind}"
    if not one.outcome:
        return f"{'level' if one.batch else 'drawn'}, {numbers}"
    return f"{one.entrant if one.outcome > 0 else one.opponent} {'scored more' if one.batch else 'won'}, {numbers}"
