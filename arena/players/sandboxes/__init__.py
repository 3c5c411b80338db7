"""Walls around a bot's process, one file a sandbox."""
