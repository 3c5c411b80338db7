"""Sequential tests that may stop at any time, and intervals that are valid at every look."""
