"""Features that a user can do without, as plugins: a folder each, found by the entry points of this distribution."""
