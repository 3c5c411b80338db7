"""Players that were written for other programs, at arena's table."""
