"""Reviewed hands, as a review keeps them beside a run."""

from arena.review.summary import DecisionPrice, Place, ReviewedHand


def reviewed_hand(fixture: str, bot: str, *, action: str = "Kd", best: str = "2c") -> ReviewedHand:
    """Return the first hand of a fixture with one blunder in its third turn."""
    blunder = DecisionPrice(3, action, best, 9.5, 0.5, {"discard": 9.5}, {"discard": 9.5}, -4.0)
    return ReviewedHand(place=Place(fixture, 0, 0), bot=bot, seat=0, points=-9, luck=1.0, decisions=(blunder,))
