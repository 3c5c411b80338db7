"""Many matches: what is played, in what order, where."""
