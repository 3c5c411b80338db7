"""my-bot: plays as a bot of OpenSpiel, by the adapter in openspiel.py."""

import pyspiel

from .openspiel import OpenSpielBot


class MyBot(OpenSpielBot):
    """As written, OpenSpiel's simple bot."""

    def make(self, game: "pyspiel.Game", player: int) -> "pyspiel.Bot":
        """Return any object with the method ``step(state)``, once for each decision; ``player`` is 0 for the non-dealer.

        ``self.random`` has the seed of the match; unseen cards are at random places in the state.
        """
        return pyspiel.make_simple_gin_rummy_bot(game.get_parameters(), player)
