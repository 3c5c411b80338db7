"""Makes bots of players in Java that were written for the Gin Rummy EAAI challenge; ``players.adopt`` is the way in."""
