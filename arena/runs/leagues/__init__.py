"""Leagues as folders: made, submitted to, played, shown and exported."""
