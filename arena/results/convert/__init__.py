"""Converters of the logs of other programs: examples of how to write a file for ``arena import``."""
