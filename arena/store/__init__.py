"""The results folder of a run and its SQLite database."""
