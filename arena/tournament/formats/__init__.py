"""Formats: which fixtures a tournament plays; one file for each."""
