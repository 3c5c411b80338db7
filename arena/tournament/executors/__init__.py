"""Executors: in which processes fixtures are played; one file for each."""
