"""The rules of a league as pure functions of its events: rounds, pairings, ratings, suspension, the table."""
