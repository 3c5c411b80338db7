"""The pages of a league: visitors watch, authors submit with a token, an organiser suspends and ends seasons."""
