"""A seat at the table for a person: what may be done, in words, and what would be wise; the same in a terminal and in a browser."""
