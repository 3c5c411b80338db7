"""The pages of a league: everybody watches, authors submit with a token, an organiser suspends and ends seasons."""
