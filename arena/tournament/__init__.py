"""Tournaments: which matches are played, in which order, and in which processes."""
