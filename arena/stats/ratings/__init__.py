"""Ratings: the strength of each entrant with an interval; one file for each."""
