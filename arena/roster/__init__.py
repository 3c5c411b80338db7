"""Finds and describes bots without importing any."""
