"""Adapters for players that were written for other programs."""
