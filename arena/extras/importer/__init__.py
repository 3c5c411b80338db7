"""``arena rate``: a bot on a scale that is the same on every machine."""
