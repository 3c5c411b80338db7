"""The rules of a league: a run whose field changes."""
