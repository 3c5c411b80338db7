"""The pages of a league: visitors watch, authors submit with a token, organisers suspend bots and end seasons."""
