"""The Python SDK for bots: what an author needs, together with ``arena.gin``."""

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import Card, Cards, each
from arena.gin.melds import arrange, best_throws, deadwood
from arena.gin.view import Outcome, View
from arena.parameters import Parameter
from arena.sdk.bot import Bot, least_left
from arena.sdk.mistakes import CannotPlayError

__all__ = [
    "Action",
    "BigGin",
    "Bot",
    "CannotPlayError",
    "Card",
    "Cards",
    "Discard",
    "Draw",
    "Knock",
    "LayOff",
    "Outcome",
    "Parameter",
    "Pass",
    "Take",
    "View",
    "arrange",
    "best_throws",
    "deadwood",
    "each",
    "least_left",
]
