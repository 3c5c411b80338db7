"""A seat at the table for a person, in a terminal, a browser or another program: moves in words, hints and reviews."""
